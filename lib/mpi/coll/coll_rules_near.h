/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of coll_choose.c for ranks of one host that outnumber its processors, which make tune writes:
 * none yet. */
