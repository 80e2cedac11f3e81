/* SPDX-License-Identifier: BSD-3-Clause */
/* With stages so small that messages of a test go through several. */
#define IOV_CURSOR_STAGE (64 << 10)
#include "mpi/p2p/iov_cursor.c"
