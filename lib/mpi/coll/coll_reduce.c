/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions and scans: MPI 5.0 sections 6.9 to 6.11. Datatype and operator are the same on all
 * ranks, so the unit is an element of the user's type everywhere, in scratch memory too.
 */
#include "coll.h"
#include "coll_choose.h"
#include "coll_motion.h"
#include "mpi/sched/sched.h"

/* The buffers of a reduction; n elements in all. has_result: the caller's out is there. */
static struct sched_reduction begin(
	struct coll_run *run, const struct coll_reduction *r, int root, bool has_result)
{
	struct sched_reduction x = {
		r->count, r->op->commutative, has_result && r->in == MPI_IN_PLACE};

	run->at.root = root;
	run->op = r->op;
	run->scratch_type = r->type;
	if (!x.in_place)
		coll_use(run, SCHED_IN, r->in, r->type);
	if (has_result)
		coll_use(run, SCHED_OUT, r->out, r->type);
	return x;
}

static enum coll_algo choose(
	enum coll_kind kind, const struct comm *c, const struct coll_reduction *r, size_t n)
{
	struct coll_case k = {kind, c->size, n * r->type->size, c->crowded, r->op->commutative};

	return coll_choose(&k);
}

int coll_plan_reduce(struct coll_run *run, struct comm *c, const struct coll_reduction *r, int root)
{
	struct sched_reduction x = begin(run, r, root, c->rank == root);

	if (choose(COLL_REDUCE, c, r, r->count) == ALGO_RABENSEIFNER)
		sched_reduce_rabenseifner(&run->s, &run->at, &x);
	else
		sched_reduce_binomial(&run->s, &run->at, &x);
	return MPI_SUCCESS;
}

int coll_plan_allreduce(struct coll_run *run, struct comm *c, const struct coll_reduction *r)
{
	struct sched_reduction x = begin(run, r, 0, true);

	switch (choose(COLL_ALLREDUCE, c, r, r->count)) {
	case ALGO_LEADERS:
		sched_allreduce_leaders(&run->s, &run->at, &x);
		break;
	case ALGO_DOUBLING:
		sched_allreduce_doubling(&run->s, &run->at, &x);
		break;
	case ALGO_RABENSEIFNER:
		sched_allreduce_rabenseifner(&run->s, &run->at, &x);
		break;
	case ALGO_RING:
		sched_allreduce_ring(&run->s, &run->at, &x);
		break;
	default:
		sched_allreduce_tree(&run->s, &run->at, &x);
	}
	return MPI_SUCCESS;
}

int coll_plan_scan(struct coll_run *run, struct comm *c, const struct coll_reduction *r)
{
	struct sched_reduction x = begin(run, r, 0, true);

	if (choose(COLL_SCAN, c, r, r->count) == ALGO_CHAIN)
		sched_scan_chain(&run->s, &run->at, &x);
	else
		sched_scan_doubling(&run->s, &run->at, &x);
	return MPI_SUCCESS;
}

int coll_plan_exscan(struct coll_run *run, struct comm *c, const struct coll_reduction *r)
{
	struct sched_reduction x = begin(run, r, 0, true);

	if (choose(COLL_SCAN, c, r, r->count) == ALGO_CHAIN)
		sched_exscan_chain(&run->s, &run->at, &x);
	else
		sched_exscan_doubling(&run->s, &run->at, &x);
	return MPI_SUCCESS;
}

static size_t sum(struct sched_numbers counts, int n)
{
	size_t total = 0;

	for (int i = 0; i < n; i++)
		total += (size_t)sched_number(counts, i);
	return total;
}

int coll_plan_reduce_scatter(struct coll_run *run, struct comm *c, const struct coll_reduction *r,
	struct sched_numbers counts)
{
	struct sched_blocks in = {.n = r->count};
	size_t total = sched_given(counts) ? sum(counts, c->size) : r->count * (size_t)c->size;

	if (total == 0)
		return MPI_SUCCESS;
	struct sched_reduction x = begin(run, r, 0, true);
	int rc = sched_given(counts) ? coll_prefix(run, counts, 1, &in.offsets) : MPI_SUCCESS;

	if (rc != MPI_SUCCESS)
		return rc;
	x.n = total;
	switch (choose(COLL_REDUCE_SCATTER, c, r, total)) {
	case ALGO_LEADERS:
		sched_reduce_scatter_leaders(&run->s, &run->at, &x, &in);
		break;
	case ALGO_RING:
		sched_reduce_scatter_ring(&run->s, &run->at, &x, &in);
		break;
	default:
		sched_reduce_scatter_tree(&run->s, &run->at, &x, &in);
	}
	return MPI_SUCCESS;
}
