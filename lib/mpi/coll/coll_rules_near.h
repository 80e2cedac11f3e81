/* SPDX-License-Identifier: BSD-3-Clause */
/* Made by make tune: rows of coll_choose.c for ranks of one host that outnumber its processors. */
