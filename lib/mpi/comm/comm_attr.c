/* SPDX-License-Identifier: BSD-3-Clause */
/* The attributes every communicator has (MPI 5.0 section 9.1.2), and those of this one. */
#include <limits.h>

#include "comm.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/errtext.h"

/* The program reads what it was given a pointer to without a lock: it is written only when it is no
 * longer true. */
static int *refresh(int *value, int now)
{
	if (*value != now)
		*value = now;
	return value;
}

static int appnum;

void comm_attr_set_appnum(int number)
{
	appnum = number;
}

/* As pointers to int. */
static int *predefined(int keyval)
{
	static int tag_ub = INT_MAX, io = MPI_ANY_SOURCE, host = MPI_PROC_NULL;
	static int wtime_is_global; /* false: each rank reads its own clock (base/clock.h) */
	static int universe_size, last_used_code;

	switch (keyval) {
	case MPI_TAG_UB:
		return &tag_ub;
	case MPI_IO: /* every rank has the C language's input and output */
		return &io;
	case MPI_HOST:
		return &host;
	case MPI_WTIME_IS_GLOBAL:
		return &wtime_is_global;
	case MPI_APPNUM:
		return &appnum;
	case MPI_UNIVERSE_SIZE:
		return refresh(&universe_size, comm_world() ? comm_world()->size : 1);
	case MPI_LASTUSEDCODE:
		return refresh(&last_used_code, errtext_last_code());
	default:
		return NULL;
	}
}

int comm_attr_get(struct comm *c, int keyval, void **value, bool *found)
{
	int *fixed = predefined(keyval);

	if (!fixed)
		return attr_get(comm_attrs(c), keyval, value, found);
	/* a communicator of a session has only this one of them (MPI 5.0 section 9.1.2) */
	*found = keyval == MPI_TAG_UB || !c->group->session;
	if (*found)
		*value = fixed;
	return MPI_SUCCESS;
}
