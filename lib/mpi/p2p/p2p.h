/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point messages and their requests. Every function needs the engine lock held, and lets
 * it go only while it waits.
 */
#ifndef FTMPI_MPI_P2P_H
#define FTMPI_MPI_P2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

enum plane { PLANE_POINT = 0, PLANE_COLL = 1 };
enum send_mode { SEND_STANDARD, SEND_SYNC, SEND_READY, SEND_BUFFERED };

struct request;

/*
 * A message as it is asked for. A binding writes it down once, and its checks find comm and type;
 * all that sends or receives reads it, down to the transport, and a request has a copy.
 */
struct p2p_message {
	void *buf; /* a send only reads it */
	MPI_Count count;
	struct comm *comm; /* NULL while nobody has looked for it */
	struct type *type;
	int rank, tag;
	uint64_t plane; /* enum plane, and what sets partitioned messages apart (p2p_part.h) */
	enum send_mode mode;
	uint64_t number; /* of a send, where messages are logged: it was reserved; 0: the next */
	/* what the program calls type and comm */
	MPI_Datatype datatype;
	MPI_Comm handle;
};

/* What the program gives a call. */
static inline struct p2p_message p2p_message(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm handle)
{
	return (struct p2p_message){.buf = (void *)(uintptr_t)buf,
		.count = count,
		.datatype = datatype,
		.rank = rank,
		.tag = tag,
		.handle = handle};
}

/*
 * Start a send or a receive. The message is checked: rank is one of comm or MPI_PROC_NULL, a
 * receive's may also be MPI_ANY_SOURCE and its tag MPI_ANY_TAG. buf stays the caller's until the
 * request is done. On success *out is owned by the caller, who gives it to request_wait*. Errors:
 * MPI_ERR_NO_MEM, MPI_ERR_INTERN.
 */
int p2p_isend(const struct p2p_message *m, struct request **out);
int p2p_irecv(const struct p2p_message *m, struct request **out);

/* As p2p_isend, but a message that leaves at once, as most do, needs no request: *rest is NULL. A
 * call that may wait spins a moment where the ring to the peer is full. */
int p2p_send(const struct p2p_message *m, bool may_wait, struct request **rest);

/* A send and a receive as one request (MPI_Isendrecv). With replace there is one buffer, in->buf,
 * and what is sent is copied first; out and in then have the same buf, count and type. */
int p2p_isendrecv(const struct p2p_message *out, const struct p2p_message *in, bool replace,
	struct request **request);

/* The blocking pair; status may be MPI_STATUS_IGNORE. Errors of the message (MPI_ERR_TRUNCATE,
 * MPI_ERR_PROC_ABORTED) are returned. */
int p2p_send_wait(const struct p2p_message *m);
int p2p_recv(const struct p2p_message *m, MPI_Status *status);

/* Wait until it is done and free it; returns the message's error class. */
int request_wait(struct request *r, MPI_Status *status);

/* Wait until all n are done and free them; the first error, in order of the array. NULL entries are
 * skipped. Works through any number with one wait. */
int request_wait_all(struct request **r, size_t n);

#endif
