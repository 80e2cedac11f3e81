/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point messages and their requests. Every function needs the engine lock held, and lets
 * it go only while it waits.
 */
#ifndef FTMPI_MPI_P2P_H
#define FTMPI_MPI_P2P_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

enum plane { PLANE_POINT = 0, PLANE_COLL = 1 };
enum send_mode { SEND_STANDARD, SEND_SYNC, SEND_READY, SEND_BUFFERED };

struct request;

/*
 * Start a send or a receive of `count` elements of t at buf. Arguments are already checked: dest is
 * a rank of c or MPI_PROC_NULL, source may also be MPI_ANY_SOURCE, tag may be MPI_ANY_TAG for a
 * receive. buf stays the caller's until the request is done. On success *out is owned by the
 * caller, who gives it to request_wait*. Errors: MPI_ERR_NO_MEM, MPI_ERR_INTERN.
 */
int p2p_isend(struct comm *c, enum plane plane, const void *buf, size_t count, struct type *t,
	int dest, int tag, enum send_mode mode, struct request **out);
int p2p_irecv(struct comm *c, enum plane plane, void *buf, size_t count, struct type *t, int source,
	int tag, struct request **out);

/* A message as it is asked for. */
struct p2p_message {
	void *buf;
	size_t count;
	struct type *t;
	int rank, tag;
};

/* Send it if it leaves at once: most messages do, and need no request. false: nothing has happened;
 * p2p_isend says why, if it does not do it. */
bool p2p_send_now(const struct comm *c, enum plane plane, const struct p2p_message *m);

/* A send and a receive as one request (MPI_Isendrecv). With replace there is one buffer, in->buf,
 * and what is sent is copied first; out and in then have the same buf, count and t. */
int p2p_isendrecv(struct comm *c, const struct p2p_message *out, const struct p2p_message *in,
	bool replace, struct request **request);

/* The blocking pair; status may be MPI_STATUS_IGNORE. Errors of the message (MPI_ERR_TRUNCATE,
 * MPI_ERR_PROC_ABORTED) are returned. */
int p2p_send(struct comm *c, enum plane plane, const void *buf, size_t count, struct type *t,
	int dest, int tag, enum send_mode mode);
int p2p_recv(struct comm *c, enum plane plane, void *buf, size_t count, struct type *t, int source,
	int tag, MPI_Status *status);

/* Wait until it is done and free it; returns the message's error class. */
int request_wait(struct request *r, MPI_Status *status);

/* Wait until all n are done and free them; the first error, in order of the array. NULL entries are
 * skipped. Works through any number with one wait. */
int request_wait_all(struct request **r, size_t n);

#endif
