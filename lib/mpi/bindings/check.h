/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the arguments of point-to-point calls: MPI_SUCCESS, or the standard's class with
 * fail_with said. */
#ifndef FTMPI_MPI_CHECK_H
#define FTMPI_MPI_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/p2p/p2p.h"
#include "mpi/type/type.h"

/* Bytes of a message, at most. */
#define CHECK_LONGEST ((uint64_t)1 << 48)

/* Of m, as the program describes it: they set m->comm and m->type. For a bad handle comm is NULL:
 * then MPI_COMM_WORLD's error handler is called. */
int check_send(struct p2p_message *m);
int check_recv(struct p2p_message *m);

/* buffer, count and datatype alone */
int check_buffer(struct p2p_message *m);

/* rank and tag of a probe or a receive */
int check_source(const struct comm *c, int source, int tag);

static inline int check_pointer(const void *p, const char *what)
{
	return p ? MPI_SUCCESS : fail_null(what);
}

/* What every call that makes a communicator does first: there is none as long as it has not
 * succeeded. */
static inline void check_no_comm_yet(MPI_Comm *newcomm)
{
	if (newcomm)
		*newcomm = MPI_COMM_NULL;
}

#endif
