/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the library's own, with which it makes communicators. */
#include "coll_inter.h"
#include "coll_stages.h"
#include "coll_run.h"

int coll_own_swap(struct coll_run *run, struct comm *c, const struct coll_swap *w)
{
	coll_run_use(run, SCHED_IN, w->mine, type_bytes());
	coll_run_use(run, SCHED_OUT, w->theirs, type_bytes());
	if (c->rank == 0) {
		sched_send_some(&run->s, 0, coll_stages_first(SCHED_IN, w->my_bytes));
		sched_recv_some(&run->s, 0, coll_stages_first(SCHED_OUT, w->their_bytes));
	}
	if (w->their_bytes > 0)
		coll_stages_spread(run, coll_stages_first(SCHED_OUT, w->their_bytes));
	return MPI_SUCCESS;
}

/* This rank copies its bytes in a round of their own. So a line that cuts the operation has them:
 * after a restore the operation goes on with the bytes of before, not with those that the rank
 * would give then. */
static void note_said(struct coll_run *run, const void *said, size_t n)
{
	coll_run_use(run, SCHED_IN, said, type_bytes());
	sched_copy(&run->s, coll_stages_first(SCHED_OUT, n), coll_stages_first(SCHED_IN, n));
	sched_round(&run->s);
}

int coll_own_agree(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	size_t n = (size_t)call->send.count;

	coll_run_use(run, SCHED_OUT, call->send.buf, type_bytes());
	if (c->rank == 0)
		note_said(run, call->send.buf, n);
	if (!c->remote) {
		coll_plan_bcast_span(run, coll_stages_first(SCHED_OUT, n));
		return MPI_SUCCESS;
	}
	if (c->rank == 0) {
		sched_send(&run->s, 0, coll_stages_first(SCHED_OUT, n));
		sched_recv(&run->s, 0, sched_span(SCHED_OUT, (ptrdiff_t)n, n));
	}
	coll_stages_spread(run, coll_stages_first(SCHED_OUT, 2 * n));
	return MPI_SUCCESS;
}
