/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one who runs a schedule does, whether it waits for each round (coll_motion.c) or not
 * (coll_launch.c): make it ready, start the messages of a round, then its local steps one by one.
 */
#ifndef FTMPI_MPI_COLL_STEPS_H
#define FTMPI_MPI_COLL_STEPS_H

#include "coll_motion.h"

struct request;

/* planned: what the plan returned. Afterwards every buffer has memory, and the steps may be run;
 * or an error, with fail_with said. coll_free in any case. */
int coll_ready(struct coll_run *run, int planned);
void coll_free(struct coll_run *run);

/* Steps [at, end) are one round. */
size_t coll_round_end(const struct sched *s, size_t at);

/* Of these the first are messages, up to here. */
size_t coll_messages_end(const struct sched *s, size_t at, size_t end);

/* One message; *r becomes NULL when it is over already. */
int coll_start(struct coll_run *run, const struct sched_step *t, struct request **r);

/* What a round's messages may be started for: those that have sent it before do not do it again. */
enum coll_which { COLL_RECEIVES, COLL_ALL };

/* Those of n steps, receives first, so that what comes finds its place. all[0 .. *started - 1]:
 * what was started and is not over already, also when it fails. */
int coll_start_all(struct coll_run *run, const struct sched_step *t, size_t n,
	enum coll_which which, struct request **all, size_t *started);

/* A copy, or a call of the operator. */
int coll_local_step(const struct coll_run *run, const struct sched_step *t);

/* Where a span lies, and what it is made of. */
void *coll_span_at(const struct coll_run *run, struct sched_span a);
struct type *coll_span_type(const struct coll_run *run, struct sched_span a);

#endif
