/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of point-to-point share: their state (p2p_state.c), and the upcalls of the
 * transport, which p2p.c puts into one table. For the files p2p*.c alone; others take p2p_state.h.
 * All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_INSIDE_H
#define FTMPI_MPI_P2P_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "coord/coord.h"
#include "match.h"
#include "mpi/comm/comm.h"
#include "p2p_state.h"
#include "request.h"

struct p2p {
	struct match match;
	struct p2p_job job;
	bool *gone;	     /* by world rank: its connection broke */
	bool anyone_gone;    /* and there is no launcher */
	uint64_t *lacking;   /* by world rank: p2p_image.c */
	struct coord *coord; /* told of every message; NULL */
	void (*drive)(void); /* does what that asks for */
	uint64_t sequence;   /* the last number of a message that came, or of a match */
};

/* Hidden: every message goes by it, and is to find it without asking where it is. */
extern struct p2p p2p __attribute__((visibility("hidden")));

/* Now, by the program's clock, or 0: nobody will ask. */
static inline uint64_t p2p_time(void)
{
	return __builtin_expect(p2p.job.timed, false) ? clock_program_ns() : 0;
}

/* It is under way from now on, and nothing is known of its message. */
static inline void p2p_begin(struct request *r)
{
	request_become(r, REQUEST_STARTED);
	r->cancelled = r->past = r->over = false;
	r->error = MPI_SUCCESS;
	r->bytes = r->length = 0;
	r->since = p2p_time();
}

/* The protocol is told of it. */
static inline bool p2p_is_told(uint64_t context)
{
	return p2p.coord && !comm_is_coord_context(context);
}

/* The protocol was told of a message, which is in its place by now, so that it can be found. */
static inline void p2p_noted(void)
{
	if (__builtin_expect(coord_asks(p2p.coord), false))
		p2p.drive();
}

static inline uint64_t p2p_context(const struct p2p_message *m)
{
	return m->comm->context | m->plane;
}

/* Of the message's buffer, in bytes. */
static inline uint64_t p2p_room(const struct p2p_message *m)
{
	return (uint64_t)m->count * m->type->size;
}

/* ---- p2p_send.c ---- */

int p2p_send_start(struct request *r);
void p2p_send_withdraw(struct request *r);
void p2p_on_sent(void *user, void *cookie, int rc);

/* ---- p2p_place.c ---- */

/* The sender's rank in the communicator; what the sender says counts only if it is true. */
int p2p_source_rank(const struct comm *c, int peer, int said);

struct tp_place p2p_scattered_place(struct request *r);

/* Where the message of a receive goes. */
static inline struct tp_place p2p_place_of(struct request *r)
{
	uint64_t room = p2p_room(&r->m);

	if (__builtin_expect(!r->m.type->contiguous && room > 0, false))
		return p2p_scattered_place(r);
	return (struct tp_place){.buf = r->m.buf, .room = room, .cookie = r};
}

/* ---- p2p_recv.c ---- */

void p2p_recv_start(struct request *r);

/* One that is posted is taken back: no message will meet it. The caller completes it, and says why.
 */
void p2p_recv_withdraw(struct request *r);

/* A peer is gone: what can only wait for it fails. */
void p2p_recv_fail(int peer);

struct tp_place p2p_on_match(void *user, int peer, const struct tp_envelope *te, uint64_t length);
void p2p_on_unexpected(void *user, struct tp_unexpected *held);
void p2p_on_forget(void *user, struct tp_unexpected *held);
void p2p_on_received(void *user, void *cookie, uint64_t length, int rc);

/* ---- p2p_anew.c ---- */

void p2p_on_unmatch(void *user, void *cookie);

#endif
