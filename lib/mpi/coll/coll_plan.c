/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier, broadcast, gather, scatter: MPI 5.0 sections 6.3 to 6.6.
 *
 * Type maps may differ from rank to rank as long as the signatures are the same, so what ranks
 * agree on is a number of bytes. Gathers and scatters that move no bytes send nothing. A broadcast
 * of nothing sends empty messages, so that a rank that expects something finds out.
 */
#include "coll.h"
#include "coll_choose.h"
#include "coll_motion.h"
#include "mpi/sched/sched.h"

int coll_plan_barrier(struct coll_run *run, struct comm *c)
{
	struct coll_case k = {COLL_BARRIER, c->size, 0, c->crowded, false};

	switch (coll_choose(&k)) {
	case ALGO_LEADERS:
		sched_barrier_leaders(&run->s, &run->at);
		break;
	case ALGO_TREE:
		sched_barrier_tree(&run->s, &run->at);
		break;
	default:
		sched_barrier_dissemination(&run->s, &run->at);
	}
	return MPI_SUCCESS;
}

void coll_bcast_span(struct coll_run *run, struct sched_span a)
{
	struct coll_case k = {COLL_BCAST, run->at.size, a.n, run->c->crowded, false};

	switch (coll_choose(&k)) {
	case ALGO_CHAIN:
		sched_bcast_chain(&run->s, &run->at, a, coll_segment(a.n));
		break;
	case ALGO_SCATTER:
		sched_bcast_scatter(&run->s, &run->at, a);
		break;
	default:
		sched_bcast_binomial(&run->s, &run->at, a);
	}
}

/* Bytes travel: straight from and into a contiguous buffer, else packed in SCHED_TMP. */
int coll_plan_bcast(struct coll_run *run, struct comm *c, const struct coll_side *side, int root)
{
	struct type *t = side->type;
	size_t count = side->count, bytes = count * t->size;
	struct sched_span elements = sched_span(SCHED_OUT, 0, count);
	struct sched_span packed = sched_span(SCHED_TMP, 0, bytes);

	if (c->size == 1)
		return MPI_SUCCESS;
	run->at.root = root;
	coll_use(run, SCHED_OUT, side->buf, t->contiguous ? type_bytes() : t);
	if (t->contiguous) {
		coll_bcast_span(run, sched_span(SCHED_OUT, 0, bytes));
		return MPI_SUCCESS;
	}
	if (c->rank == root)
		sched_copy(&run->s, packed, elements);
	sched_round(&run->s);
	coll_bcast_span(run, packed);
	if (c->rank != root)
		sched_copy(&run->s, elements, packed);
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* The blocks that a side describes, in elements. No element of a type without data is sent. */
struct sched_blocks coll_blocks(const struct coll_side *side)
{
	if (side->type->size == 0)
		return (struct sched_blocks){0};
	if (side->irregular)
		return (struct sched_blocks){.counts = side->counts, .displs = side->displs};
	return (struct sched_blocks){.n = side->count};
}

static struct sched_blocks one_block(const struct coll_side *side)
{
	return (struct sched_blocks){.n = side->type->size > 0 ? side->count : 0};
}

int coll_plan_gather(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv, int root)
{
	bool at_root = c->rank == root;
	const struct coll_side *own = at_root && !recv->irregular ? recv : send;
	struct sched_layout l = {.in_place = at_root && send->buf == MPI_IN_PLACE};
	struct coll_case k = {COLL_GATHER, c->size, 0, c->crowded, false};

	if (!recv->irregular)
		k.bytes = own->count * own->type->size;
	if (!recv->irregular && k.bytes == 0)
		return MPI_SUCCESS;
	run->at.root = root;
	l.tmp.n = k.bytes;
	if (!l.in_place) {
		l.in = one_block(send);
		coll_use(run, SCHED_IN, send->buf, send->type);
	}
	if (at_root) {
		l.out = coll_blocks(recv);
		coll_use(run, SCHED_OUT, recv->buf, recv->type);
	}
	/* only the root knows the counts of a gatherv: nothing may be chosen by them */
	if (!recv->irregular && coll_choose(&k) == ALGO_TREE)
		sched_gather_binomial(&run->s, &run->at, &l);
	else
		sched_gather_linear(&run->s, &run->at, &l, COLL_WINDOW);
	return MPI_SUCCESS;
}

int coll_plan_scatter(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv, int root)
{
	bool at_root = c->rank == root;
	const struct coll_side *own = at_root && !send->irregular ? send : recv;
	struct sched_layout l = {.in_place = at_root && recv->buf == MPI_IN_PLACE};
	struct coll_case k = {COLL_SCATTER, c->size, 0, c->crowded, false};

	if (!send->irregular)
		k.bytes = own->count * own->type->size;
	if (!send->irregular && k.bytes == 0)
		return MPI_SUCCESS;
	run->at.root = root;
	l.tmp.n = k.bytes;
	if (!l.in_place) {
		l.out = one_block(recv);
		coll_use(run, SCHED_OUT, recv->buf, recv->type);
	}
	if (at_root) {
		l.in = coll_blocks(send);
		coll_use(run, SCHED_IN, send->buf, send->type);
	}
	if (!send->irregular && coll_choose(&k) == ALGO_TREE)
		sched_scatter_binomial(&run->s, &run->at, &l);
	else
		sched_scatter_linear(&run->s, &run->at, &l, COLL_WINDOW);
	return MPI_SUCCESS;
}
