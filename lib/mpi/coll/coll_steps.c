/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_steps.h"

#include <string.h>

#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"

/* ---- local steps ---- */

static int copy_typed(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = coll_run_span_type(run, t->a), *from = coll_run_span_type(run, t->b);

	if (type_copy(from, coll_run_span_at(run, t->b), t->b.n, to, coll_run_span_at(run, t->a),
		    t->a.n) == (size_t)-1)
		return fail_with(MPI_ERR_NO_MEM, "no memory to copy between two datatypes");
	return MPI_SUCCESS;
}

static int copy_step(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = coll_run_span_type(run, t->a), *from = coll_run_span_type(run, t->b);
	size_t room = t->a.n * to->size, length = t->b.n * from->size;
	int rc = MPI_SUCCESS;

	if (!to->contiguous || !from->contiguous)
		rc = copy_typed(run, t);
	else if (length > 0 && room > 0 &&
		 coll_run_span_at(run, t->a) != coll_run_span_at(run, t->b))
		memcpy(coll_run_span_at(run, t->a), coll_run_span_at(run, t->b),
			length < room ? length : room);
	if (rc == MPI_SUCCESS && length != room)
		rc = fail_with(MPI_ERR_TRUNCATE,
			"rank %d gives itself %zu bytes where it expects %zu", run->at.rank, length,
			room);
	return rc;
}

int coll_steps_local(const struct coll_run *run, const struct sched_step *t)
{
	if (t->kind == SCHED_COPY)
		return copy_step(run, t);
	if (t->a.n > 0) /* the program's operators are not called for nothing */
		op_apply(run->op, coll_run_span_at(run, t->b), coll_run_span_at(run, t->a), t->a.n,
			coll_run_span_type(run, t->a));
	return MPI_SUCCESS;
}

/* ---- messages ---- */

/* After an error nothing but this rank's own contribution is passed on (coll_motion.c). */
static size_t sent(const struct coll_run *run, const struct sched_span *a)
{
	return run->spoilt && a->buf != SCHED_IN ? 0 : a->n;
}

int coll_steps_start(
	struct coll_run *run, const struct sched_step *t, bool may_wait, struct request **r)
{
	struct p2p_message m = coll_steps_message(run, t);

	*r = NULL;
	if (t->kind == SCHED_RECV)
		return p2p_irecv(&m, r);
	m.count = (MPI_Count)sent(run, &t->a);
	return p2p_send(&m, may_wait, r);
}

static int start_kind(struct coll_run *run, const struct sched_step *t, size_t n,
	enum sched_kind kind, bool may_wait, struct request **all, size_t *started)
{
	int rc = MPI_SUCCESS;

	for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
		if (t[i].kind != kind)
			continue;
		rc = coll_steps_start(run, &t[i], may_wait, &all[*started]);
		if (rc != MPI_SUCCESS || !all[*started])
			continue;
		++*started;
		may_wait = false; /* in vain once in a round: peers that are late may be many */
	}
	return rc;
}

int coll_steps_start_all(struct coll_run *run, const struct sched_step *t, size_t n,
	enum coll_which which, bool may_wait, struct request **all, size_t *started)
{
	int rc;

	*started = 0;
	rc = start_kind(run, t, n, SCHED_RECV, false, all, started);
	if (rc == MPI_SUCCESS && which == COLL_ALL)
		rc = start_kind(run, t, n, SCHED_SEND, may_wait, all, started);
	return rc;
}
