/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of a schedule, for the motion that waits for each round (coll_motion.c) and the one
 * that does not (coll_open.c): start the messages of a round, then do its local steps one by one.
 */
#ifndef FTMPI_MPI_COLL_STEPS_H
#define FTMPI_MPI_COLL_STEPS_H

#include "coll_run.h"
#include "mpi/p2p/p2p.h"

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

/* In an operation of an intercommunicator ranks of the local group exchange messages, too. */
static inline struct comm *coll_steps_comm(const struct coll_run *run, const struct sched_step *t)
{
	return t->local ? run->c->local : run->c;
}

/* What it sends or receives. */
static inline struct p2p_message coll_steps_message(
	const struct coll_run *run, const struct sched_step *t)
{
	return (struct p2p_message){.buf = coll_run_span_at(run, t->a),
		.count = (MPI_Count)t->a.n,
		.comm = coll_steps_comm(run, t),
		.type = coll_run_span_type(run, t->a),
		.rank = t->peer,
		.tag = t->local ? run->local_tag : run->tag,
		.plane = PLANE_COLL,
		.number = run->numbers ? run->numbers[t - run->s.steps] : 0};
}

/* Start one message. *r becomes NULL when it is complete already. may_wait: as p2p_send. */
int coll_steps_start(
	struct coll_run *run, const struct sched_step *t, bool may_wait, struct request **r);

/* An operation that goes on after a restore does not send the messages of its round again. */
enum coll_which { COLL_RECEIVES, COLL_ALL };

/* Start the messages of n steps, receives first, so that a message that comes finds its place.
 * may_wait: as p2p_send. all[0 .. *started - 1]: those that were started and are not complete
 * already, also on an error.
 */
int coll_steps_start_all(struct coll_run *run, const struct sched_step *t, size_t n,
	enum coll_which which, bool may_wait, struct request **all, size_t *started);

/* A copy, or a call of the operator. */
int coll_steps_local(const struct coll_run *run, const struct sched_step *t);

#endif
