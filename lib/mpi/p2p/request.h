/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: one per message under way, from a slab. Guarded by the engine lock. */
#ifndef FTMPI_MPI_REQUEST_H
#define FTMPI_MPI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/object.h"
#include "mpi/type/type.h"
#include "p2p.h"

enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_OTHER };

enum request_state {
	REQUEST_UNUSED,	  /* in the slab */
	REQUEST_INACTIVE, /* made, or persistent and waited for: nothing is under way */
	REQUEST_STARTED,  /* under way; a receive only before it is posted or after it was withdrawn
			   */
	REQUEST_POSTED,	  /* a receive in the matching lists */
	REQUEST_MATCHED,  /* a receive whose message is on its way into the buffer */
	REQUEST_DONE,	  /* over, and not waited for yet */
	REQUEST_STATES
};

/*
 * What a request does that is not one message (a collective operation, a generalised request, ...),
 * or not at once. Its owner puts the address of a static one into request.class, and whatever it
 * needs into a struct that request.owner points to. Any may be NULL.
 */
struct request_class {
	int (*start)(struct request *r); /* MPI_Start: it is REQUEST_STARTED already */
	/* MPI_Cancel; sets cancelled and completes it, or not */
	int (*cancel)(struct request *r);
	/* It is done, and the program takes note: fill in the status (not MPI_STATUS_IGNORE; empty
	 * so far), say an error with fail_with. Returns what the call shall return. */
	int (*finish)(struct request *r, MPI_Status *status);
	/* The same for MPI_Request_get_status: the program will take note another time. */
	int (*query)(struct request *r, MPI_Status *status);
	int (*release)(struct request *r);	 /* MPI_Request_free, once it is not under way */
	void (*free)(struct request *r);	 /* the request goes */
	int (*expects)(const struct request *r); /* as request_expects */
	bool binding; /* it may not be cancelled, nor freed before it is done */
};

struct request {
	struct object head;
	enum request_kind kind;
	enum request_state state;
	const struct request_class *class; /* of REQUEST_OTHER; others hardly ever have one */
	void *owner;
	struct engine_deferred *then; /* work for when it is done (NULL: none) */
	/* No states, since each is true in several of these: what it is for good; what the program
	 * or a restore did to it while it was under way, which holds until it is begun again. */
	bool persistent;
	bool freed;	/* MPI_Request_free: nobody will wait, it frees itself when done */
	bool cancelled; /* set before it is done, and the status says so after it */
	bool past;	/* a receive that had its message when a line was restored */
	bool bound;	/* a receive that waits for a certain message, in no matching list */
	bool over;	/* a synchronous send that a checkpoint of data has ended */
	bool told;	/* the program knows that it is done, where messages are logged */
	int error;	/* the message's MPI error class, once done */
	uint64_t since; /* when it was started (p2p_time) */
	/* What was asked for. comm and type are held; NULL when it belongs to none, or has none. */
	struct p2p_message m;
	/* Of a message that does not lie in one piece: its bytes, packed, or a cursor over where
	 * they lie (iov_cursor.h). It is freed when the message is over,
	 * else NULL. */
	void *packed;
	/* a receive */
	struct match_recv match;
	/* its message, once it has one */
	int peer; /* rank in the world */
	uint32_t stamp;
	uint64_t index, arrived, matched; /* as in match_msg */
	uint64_t post;			  /* number of the receive, where messages are logged */
	struct stored *stored;		  /* it comes through the library's memory; NULL */
	struct inflight *inflight;	  /* noted for lines being made; NULL */
	/* the status, once done */
	int source, got_tag;
	uint64_t bytes;	 /* put into the buffer */
	uint64_t length; /* of the message: more than bytes when it was truncated */
};

void requests_init(void);
void requests_fini(void);

/* From each state, the states that it leads to: a bit for each, so that every message can afford to
 * ask. */
extern const uint8_t request_leads[REQUEST_STATES] __attribute__((visibility("hidden")));

static inline void request_become(struct request *r, enum request_state state)
{
	assert(request_leads[r->state] & 1u << state);
	r->state = state;
}

/* One reference, kind, message copied, its comm and type held; inactive. NULL: out of memory, and
 * that is said with fail_with. */
struct request *request_new(enum request_kind kind, const struct p2p_message *m);

/* REQUEST_OTHER; c may be NULL. Started: request_complete ends it. */
struct request *request_new_other(const struct request_class *class, struct comm *c, void *owner);
void request_free(struct request *r);

/* MPI_SUCCESS and *out (NULL for MPI_REQUEST_NULL), or MPI_ERR_REQUEST with fail_with said. */
int request_lookup(MPI_Request handle, struct request **out);

/* What request_complete does of what few requests have. */
void request_completed_other(struct request *r);

/* The message is over. Frees the request if nobody waits for it. */
static inline void request_complete(struct request *r, int error)
{
	engine_assert_held();
	request_become(r, REQUEST_DONE);
	r->error = error;
	if (__builtin_expect(r->packed || r->then || r->freed, false))
		request_completed_other(r);
	else
		engine_completed();
}

/* All requests in use. */
void requests_each(void (*visit)(struct request *r, void *arg), void *arg);

static inline bool request_done(const struct request *r)
{
	return r->state == REQUEST_DONE;
}

/* Started, and not waited for. */
static inline bool request_active(const struct request *r)
{
	return r->state >= REQUEST_STARTED;
}

/* Nothing to wait for. */
static inline bool request_idle(const struct request *r)
{
	return request_done(r) || !request_active(r);
}

/* A message is here, as much of it as there was room for; or there was an error before. */
static inline bool request_arrived(int error)
{
	return error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE || error == MPI_ERR_TYPE;
}

/* A receive has got its message, r->length, and has room for another length: what is wrong with
 * that, if anything is (p2p_uneven.c). */
int p2p_uneven(const struct request *r, uint64_t room);

/* The peer that progress should look at first for it, -1: none in particular. */
static inline int request_expects(const struct request *r)
{
	if (r->m.rank >= 0)
		return comm_world_rank(r->m.comm, r->m.rank);
	return r->class && r->class->expects ? r->class->expects(r) : -1;
}

/* For engine_wait_on: arg is the request. */
bool request_is_done(void *arg, int *expect);

/* Give the result of a request that is idle: the status, its error class, and the request freed
 * (or, persistent, inactive again); *handle becomes MPI_REQUEST_NULL unless it is persistent. */
int request_finish(MPI_Request *handle, struct request *r, MPI_Status *status);

/* The status of a request that is idle, which stays as it is. */
int request_peek(struct request *r, MPI_Status *status);

/* What a message that is over says of itself; MPI_ERROR stays as it is. */
void request_message_status(const struct request *r, MPI_Status *status);

void status_empty(MPI_Status *status);

/* Begin its one message, whatever its class. */
int p2p_start_message(struct request *r);

/* Begin an operation whose arguments are in the request. */
int p2p_start(struct request *r);

/* Try to take it back. A receive is done at once, or not at all; a send when its receiver agrees.
 * Only requests with a class may fail. */
int p2p_cancel(struct request *r);

#endif
