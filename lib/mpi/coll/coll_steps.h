/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of a schedule, for the motion that waits for each round (coll_motion.c) and the one
 * that does not (coll_open.c): start the messages of a round, then do its local steps one by one.
 */
#ifndef FTMPI_MPI_COLL_STEPS_H
#define FTMPI_MPI_COLL_STEPS_H

#include "coll_run.h"

struct request;

/* Steps [at, end) are one round. */
static inline size_t coll_steps_round_end(const struct sched *s, size_t at)
{
	size_t end = at;

	while (end < s->n && !s->steps[end++].last)
		;
	return end;
}

/* Of these the first are messages, up to here. */
static inline size_t coll_steps_messages_end(const struct sched *s, size_t at, size_t end)
{
	while (at < end && (s->steps[at].kind == SCHED_SEND || s->steps[at].kind == SCHED_RECV))
		at++;
	return at;
}

/* Start one message. *r becomes NULL when it is complete already. may_wait: as p2p_send. */
int coll_steps_start(
	struct coll_run *run, const struct sched_step *t, bool may_wait, struct request **r);

/* An operation that goes on after a restore does not send the messages of its round again. */
enum coll_which { COLL_RECEIVES, COLL_ALL };

/* Start the messages of n steps, receives first, so that a message that comes finds its place.
 * all[0 .. *started - 1]: those that were started and are not complete already, also on an error.
 */
int coll_steps_start_all(struct coll_run *run, const struct sched_step *t, size_t n,
	enum coll_which which, struct request **all, size_t *started);

/* A copy, or a call of the operator. */
int coll_steps_local(const struct coll_run *run, const struct sched_step *t);

#endif
