/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The motion of collective operations: a schedule's steps become messages, copies and calls of the
 * operator. The rounds of most small operations have one message, or one each way; these use the
 * blocking calls, which look at the one socket that matters.
 *
 * Failure. A message that is not as long as its place is remembered and the schedule goes on, so
 * that no other rank waits for this one; what this rank passes on from then, other than its own
 * contribution, is nothing, so that those who depend on it find out as well. Any other error ends
 * it after all that was started in the round has ended, so that no message is left that points into
 * memory the caller gets back.
 */
#include "coll_motion.h"

#include <stdlib.h>
#include <string.h>

#include "ckpt/section_operations.h"
#include "coll_steps.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"

enum { FEW_REQUESTS = 2 * 32 };

static int next_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & (SECTION_OPERATION_TAG - 1));
}

void coll_number(struct coll_run *run)
{
	run->tag = next_tag(run->c);
	run->local_tag = run->c->local ? next_tag(run->c->local) : 0;
}

void coll_begin(struct coll_run *run, struct comm *c)
{
	run->c = c;
	run->at = (struct sched_place){c->rank, c->size, 0};
	sched_init(&run->s);
	run->op = NULL;
	run->scratch_type = type_bytes();
	memset(run->buf, 0, sizeof run->buf);
	run->offsets = NULL;
	run->scratch = NULL;
	run->scratch_bytes = 0;
	run->spoilt = false;
}

void coll_use(struct coll_run *run, enum sched_buf which, const void *buf, struct type *type)
{
	run->buf[which] = (struct coll_buffer){.base = (uintptr_t)buf, .type = type};
}

int coll_prefix(
	struct coll_run *run, struct sched_numbers counts, size_t unit, const size_t **offsets)
{
	int n = run->at.size;
	size_t sum = 0;

	run->offsets = malloc(((size_t)n + 1) * sizeof *run->offsets);
	if (!run->offsets)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the offsets of %d blocks", n);
	for (int i = 0; i < n; i++) {
		run->offsets[i] = sum;
		sum += (size_t)sched_number(counts, i) * unit;
	}
	run->offsets[n] = sum;
	*offsets = run->offsets;
	return MPI_SUCCESS;
}

/* ---- messages ---- */

static int one_message(struct coll_run *run, const struct sched_step *t)
{
	struct request *r = NULL;
	int rc = coll_start(run, t, &r);

	return rc || !r ? rc : request_wait(r, MPI_STATUS_IGNORE);
}

static int send_and_receive(
	struct coll_run *run, const struct sched_step *send, const struct sched_step *recv)
{
	struct request *r = NULL;
	int rc = coll_start(run, send, &r), sent;

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
	rc = coll_start_all(run, t, n, COLL_ALL, all, &started);
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
	size_t i = coll_messages_end(&run->s, at, end);
	int rc, worst = messages(run, &run->s.steps[at], i - at);

	for (; i < end && (worst == MPI_SUCCESS || worst == MPI_ERR_TRUNCATE); i++) {
		rc = coll_local_step(run, &run->s.steps[i]);
		if (rc != MPI_SUCCESS)
			worst = rc;
	}
	return worst;
}

static int run_all(struct coll_run *run)
{
	int rc, worst = MPI_SUCCESS;

	for (size_t at = 0, end; at < run->s.n; at = end) {
		end = coll_round_end(&run->s, at);
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

int coll_end(struct coll_run *run, int planned)
{
	int rc = coll_ready(run, planned);

	if (rc == MPI_SUCCESS) {
		coll_number(run);
		rc = run_all(run);
	}
	coll_free(run);
	return rc;
}
