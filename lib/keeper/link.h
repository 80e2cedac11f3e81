/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's connection to its keeper: the sockets below client.h. It connects, connects again when
 * the connection breaks, and tells its user what happened.
 *
 * Threads: all of it is on the thread of a loop, where the calls to the user are made, too;
 * keeper_link_tell and keeper_link_cover may be called by any thread. There is no lock here: the
 * two raise a number, and post a task that takes it to the loop's thread. So they may be called
 * from the calls to the user, and with any lock held that these take.
 *
 * Latency: what is told is in the socket after one wake-up of the loop's thread, whatever timers
 * there are. All that was told until it comes to that goes in one frame (CLIENT_PIECE).
 *
 * Timers (all here):
 *	PAUSE_MS	before the next attempt to connect; doubles with each in vain, up to
 *			PAUSE_MAX_MS. After nonsense PAUSE_MAX_MS at once
 *	ANSWER_MS	in which an attempt has to bring the keeper's challenge. Then it is known
 *			to be the keeper, which may have to wait for its disk: no limit
 *	AWAY_MS		without an answer until a sentence says so
 *	SILENT_MS	without a sign of the keeper's host until the kernel gives the connection
 *			up; where nothing was sent it asks for a sign after IDLE_S, and each PROBE_S
 *
 * Bounds: one connection; memory as client.h says.
 */
#ifndef FTMPI_KEEPER_LINK_H
#define FTMPI_KEEPER_LINK_H

#include "base/address.h"
#include "base/loop.h"
#include "keeper/client.h"

struct keeper_link;

/* With the ctx of keeper_client_job. */
struct keeper_link_calls {
	/* While it begins: records of before, which follow those before. */
	void (*records)(void *ctx, uint64_t first, uint32_t count, const uint8_t *records);
	/* Once: those were all, up to `last`. */
	void (*ready)(void *ctx, uint64_t last);
	/* Those up to `number` are durable. It may be less than what was covered meanwhile. */
	void (*acknowledged)(void *ctx, uint64_t number);
	/* The keeper has lost records: none after `number` are durable any more. They are told
	 * again. */
	void (*lost)(void *ctx, uint64_t number);
	/* Once, and nothing after it: why (keeper_refusal). No more attempts are made. */
	void (*refused)(void *ctx, unsigned reason);
};

struct keeper_link_job {
	/* Its `read` is called on the loop's thread, and takes the lock that guards the records. As
	 * keeper_link_cover comes to this thread a moment later, it may be asked for some that
	 * are covered by then: it gives zeros for those, which no incarnation is ever given. */
	struct keeper_client_job client;
	struct net_address address;
	struct loop *loop;
	const struct keeper_link_calls *calls; /* stays */
};

/* Before the loop's thread runs; the first attempt is made when it does. auth_init was called. 0 or
 * FT_ENOMEM. */
int keeper_link_new(struct keeper_link **out, const struct keeper_link_job *job);

/* When the loop's thread has been stopped (loop_stop), and nobody tells any more. */
void keeper_link_free(struct keeper_link *l);

/* The same in a process that woke up from an image, behind loop_forget: its descriptor is not
 * closed, as the number may be another's. */
void keeper_link_forget(struct keeper_link *l);

/* Any thread. Records up to `last` exist. Before `ready` it is kept until then. */
void keeper_link_tell(struct keeper_link *l, uint64_t last);

/* Any thread. A durable checkpoint covers those up to `number`, which exist. */
void keeper_link_cover(struct keeper_link *l, uint64_t number);

void keeper_link_own_descriptors(const struct keeper_link *l, struct descriptor_list *list);

#endif
