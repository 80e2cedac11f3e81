/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests that a call of the program names, looked up. The communicator of the first is held
 * until the call ends: its error handler is called, and it may go with its last request.
 */
#ifndef FTMPI_MPI_REQUEST_SET_H
#define FTMPI_MPI_REQUEST_SET_H

#include "mpi/p2p/request.h"

struct request_set {
	int count;
	MPI_Request *handles;
	struct request **r;	 /* NULL entries: MPI_REQUEST_NULL */
	struct request *few[16]; /* r, when they are few */
	int next;
	struct comm *comm; /* of the first: its error handler is called */
};

/* Sets all of *s, but of `few` no more than it needs. MPI_SUCCESS, or an error with fail_with said;
 * set_close in either case. */
int set_open(struct request_set *s, int count, const MPI_Request *handles);
int set_close(struct request_set *s, int rc);

/* For engine_wait. any_done: the first finished one into s->next; or -1 there, and true, when none
 * is in play. */
bool set_all_idle(void *set, int *expect);
bool set_any_done(void *set, int *expect);

/* Active, and not MPI_REQUEST_NULL. */
static inline bool set_in_play(const struct request *r)
{
	return r && request_active(r);
}

static inline MPI_Status *set_status_at(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* The communicator of one request, held until set_leave, which calls its error handler. */
struct comm *set_hold_comm(struct request *r);
int set_leave(struct comm *c, int rc);

#endif
