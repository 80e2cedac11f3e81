/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cursor over the data of a message that does not lie in one piece, which gives the transport one
 * iovec after the other to send from and to receive into. Short runs go through a stage of bounded
 * size, packed; where runs are long the transport is told where they lie. All need the engine lock,
 * because all receives share one stage.
 */
#ifndef FTMPI_MPI_IOV_CURSOR_H
#define FTMPI_MPI_IOV_CURSOR_H

#include "mpi/type/type.h"
#include "transport/transport.h"

/* Of `count` elements at buf, which hold some data: to be sent; to be received in. NULL: no memory.
 * The caller's, one malloc'ed block; type and buffer outlive it. */
struct tp_iov_cursor *iov_cursor_out(const struct type *t, const void *buf, size_t count);
struct tp_iov_cursor *iov_cursor_in(const struct type *t, void *buf, size_t count);

#endif
