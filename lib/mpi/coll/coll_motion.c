/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The motion of collective operations: a schedule's steps become messages, copies and calls of the
 * operator. The rounds of most small operations have one message, or one each way; these use the
 * blocking calls, which look at the one socket that matters.
 *
 * Failure. A message that is not as long as its place is noted and the schedule goes on, so that
 * no other rank waits for this one. From then on this rank sends empty messages in place of
 * everything but its own contribution, so that the ranks that depend on it notice the error, too.
 * Any other error ends it after all that was started in the round has ended, so that no message is
 * left that points into memory the caller gets back.
 */
#include "coll_motion.h"

#include <stdlib.h>

#include "coll_steps.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"

enum { FEW_REQUESTS = 2 * 32 };

/* ---- messages ---- */

static int one_message(struct coll_run *run, const struct sched_step *t)
{
	struct request *r = NULL;
	int rc = coll_steps_start(run, t, true, &r);

	return rc || !r ? rc : request_wait(r, MPI_STATUS_IGNORE);
}

static int send_and_receive(
	struct coll_run *run, const struct sched_step *send, const struct sched_step *recv)
{
	struct request *r = NULL;
	int rc = coll_steps_start(run, send, true, &r), sent;

	if (rc != MPI_SUCCESS)
		return rc;
	rc = one_message(run, recv);
	sent = r ? request_wait(r, MPI_STATUS_IGNORE) : MPI_SUCCESS;
	return rc != MPI_SUCCESS ? rc : sent;
}

static int many_messages(struct coll_run *run, const struct sched_step *t, size_t n)
{
	struct request *few[FEW_REQUESTS], **all = few;
	size_t started = 0;
	int rc, ended;

	if (n > FEW_REQUESTS)
		all = malloc(n * sizeof *all);
	if (!all)
		return fail_with(MPI_ERR_NO_MEM, "no memory for %zu requests", n);
	rc = coll_steps_start_all(run, t, n, COLL_ALL, true, all, &started);
	ended = request_wait_all(all, started);
	if (all != few)
		free(all);
	return rc != MPI_SUCCESS ? rc : ended;
}

static int messages(struct coll_run *run, const struct sched_step *t, size_t n)
{
	if (n == 1)
		return one_message(run, t);
	if (n == 2 && t[0].kind != t[1].kind)
		return t[0].kind == SCHED_SEND ? send_and_receive(run, &t[0], &t[1])
					       : send_and_receive(run, &t[1], &t[0]);
	return n == 0 ? MPI_SUCCESS : many_messages(run, t, n);
}

/* ---- the schedule ---- */

/* Steps [at, end) are one round. */
static int run_round(struct coll_run *run, size_t at, size_t end)
{
	size_t i = coll_steps_messages_end(&run->s, at, end);
	int rc, worst = messages(run, &run->s.steps[at], i - at);

	for (; i < end && (worst == MPI_SUCCESS || worst == MPI_ERR_TRUNCATE); i++) {
		rc = coll_steps_local(run, &run->s.steps[i]);
		if (rc != MPI_SUCCESS)
			worst = rc;
	}
	return worst;
}

static int run_all(struct coll_run *run)
{
	int rc, worst = MPI_SUCCESS;

	for (size_t at = 0, end; at < run->s.n; at = end) {
		end = coll_steps_round_end(&run->s, at);
		rc = run_round(run, at, end);
		if (rc != MPI_SUCCESS && rc != MPI_ERR_TRUNCATE)
			return rc;
		if (rc != MPI_SUCCESS) {
			worst = rc;
			run->spoilt = true;
		}
	}
	return worst;
}

int coll_motion_run(struct coll_run *run)
{
	engine_assert_held();
	coll_run_number(run);
	return run_all(run);
}

int coll_motion_end(struct coll_run *run, int planned)
{
	int rc = coll_run_ready(run, planned);

	if (rc == MPI_SUCCESS)
		rc = coll_motion_run(run);
	coll_run_free(run);
	return rc;
}
