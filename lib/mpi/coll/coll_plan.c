/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans of collective operations on intracommunicators: MPI 5.0 sections 6.3 to 6.11.
 *
 * Type maps may differ from rank to rank as long as the signatures are the same, so what ranks
 * agree on is a number of bytes. Gathers and scatters that move no bytes send nothing. A broadcast
 * of nothing sends empty messages, so that a rank that expects something finds out.
 *
 * In a reduction datatype and operator are the same on all ranks, so the unit is an element of the
 * user's type everywhere, in scratch memory too.
 */
#include "coll.h"
#include "coll_choose.h"
#include "coll_run.h"
#include "mpi/sched/sched.h"

static struct coll_case case_of(
	const struct comm *c, enum coll_kind kind, size_t bytes, bool commutative)
{
	return (struct coll_case){.kind = kind,
		.size = c->size,
		.bytes = bytes,
		.crowded = c->crowded,
		.near = c->near,
		.commutative = commutative};
}

/* ---- barrier, broadcast, gather, scatter: sections 6.3 to 6.6 ---- */

int coll_plan_barrier(struct coll_run *run, struct comm *c)
{
	struct coll_case k = case_of(c, COLL_BARRIER, 0, false);

	switch (coll_choose(&k)) {
	case ALGO_LEADERS:
		sched_barrier_leaders(&run->s, &run->at, 2);
		break;
	case ALGO_STAR:
		sched_barrier_leaders(&run->s, &run->at, 1);
		break;
	case ALGO_TREE:
		sched_barrier_tree(&run->s, &run->at);
		break;
	default:
		sched_barrier_dissemination(&run->s, &run->at);
	}
	return MPI_SUCCESS;
}

void coll_plan_bcast_span(struct coll_run *run, struct sched_span a)
{
	struct coll_case k = case_of(run->c, COLL_BCAST, a.n, false);

	switch (coll_choose(&k)) {
	case ALGO_STAR:
		sched_bcast_star(&run->s, &run->at, a, COLL_WINDOW);
		break;
	case ALGO_CHAIN:
		sched_bcast_chain(&run->s, &run->at, a, coll_choose_segment(a.n));
		break;
	case ALGO_SCATTER:
		sched_bcast_scatter(&run->s, &run->at, a);
		break;
	default:
		sched_bcast_binomial(&run->s, &run->at, a);
	}
}

/* The unit is a byte: straight from and into a contiguous buffer, else packed in SCHED_TMP. */
int coll_plan_bcast(struct coll_run *run, struct comm *c, const struct coll_side *side, int root)
{
	struct type *t = side->type;
	size_t count = side->count, bytes = count * t->size;
	struct sched_span elements = sched_span(SCHED_OUT, 0, count);
	struct sched_span packed = sched_span(SCHED_TMP, 0, bytes);

	if (c->size == 1)
		return MPI_SUCCESS;
	run->at.root = root;
	coll_run_use(run, SCHED_OUT, side->buf, t->contiguous ? type_bytes() : t);
	if (t->contiguous) {
		coll_plan_bcast_span(run, sched_span(SCHED_OUT, 0, bytes));
		return MPI_SUCCESS;
	}
	if (c->rank == root)
		sched_copy(&run->s, packed, elements);
	sched_round(&run->s);
	coll_plan_bcast_span(run, packed);
	if (c->rank != root)
		sched_copy(&run->s, elements, packed);
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* The blocks that a side describes, in elements. No element of a type without data is sent. */
struct sched_blocks coll_plan_blocks(const struct coll_side *side)
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
	struct coll_case k = case_of(c, COLL_GATHER, 0, false);

	if (!recv->irregular)
		k.bytes = own->count * own->type->size;
	if (!recv->irregular && k.bytes == 0)
		return MPI_SUCCESS;
	run->at.root = root;
	l.tmp.n = k.bytes;
	if (!l.in_place) {
		l.in = one_block(send);
		coll_run_use(run, SCHED_IN, send->buf, send->type);
	}
	if (at_root) {
		l.out = coll_plan_blocks(recv);
		coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
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
	struct coll_case k = case_of(c, COLL_SCATTER, 0, false);

	if (!send->irregular)
		k.bytes = own->count * own->type->size;
	if (!send->irregular && k.bytes == 0)
		return MPI_SUCCESS;
	run->at.root = root;
	l.tmp.n = k.bytes;
	if (!l.in_place) {
		l.out = one_block(recv);
		coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	}
	if (at_root) {
		l.in = coll_plan_blocks(send);
		coll_run_use(run, SCHED_IN, send->buf, send->type);
	}
	if (!send->irregular && coll_choose(&k) == ALGO_TREE)
		sched_scatter_binomial(&run->s, &run->at, &l);
	else
		sched_scatter_linear(&run->s, &run->at, &l, COLL_WINDOW);
	return MPI_SUCCESS;
}

/* ---- allgather and all-to-all: sections 6.7 and 6.8 ---- */

/* This rank's contribution to an allgather, unless it is in place already. */
static void use_own(struct coll_run *run, struct sched_layout *l, const struct coll_side *send)
{
	l->in_place = send->buf == MPI_IN_PLACE;
	if (l->in_place)
		return;
	l->in.n = send->type->size > 0 ? send->count : 0;
	coll_run_use(run, SCHED_IN, send->buf, send->type);
}

static void plan_allgather(struct coll_run *run, const struct sched_layout *l, enum coll_algo algo)
{
	switch (algo) {
	case ALGO_TREE:
		sched_allgather_tree(&run->s, &run->at, l);
		break;
	case ALGO_LEADERS:
		sched_allgather_leaders(&run->s, &run->at, l, 2);
		break;
	case ALGO_STAR:
		sched_allgather_leaders(&run->s, &run->at, l, 1);
		break;
	case ALGO_DOUBLING:
		sched_allgather_doubling(&run->s, &run->at, l);
		break;
	case ALGO_BRUCK:
		sched_allgather_bruck(&run->s, &run->at, l);
		break;
	default:
		sched_allgather_ring(&run->s, &run->at, l);
	}
}

static bool side_by_side(const struct coll_side *side, const size_t *offsets, int n)
{
	for (int i = 0; i < n; i++) {
		if (sched_number(side->displs, i) != (int64_t)offsets[i])
			return false;
	}
	return true;
}

/* Where irregular blocks of a tree lie one after the other: in the receive buffer if the caller has
 * put them so, else packed in scratch. */
static int lay_irregular(struct coll_run *run, struct sched_layout *l, const struct coll_side *recv)
{
	const size_t *offsets;
	int rc = coll_run_prefix(run, recv->counts, 1, &offsets);

	if (rc != MPI_SUCCESS)
		return rc;
	l->packed = !recv->type->contiguous || !side_by_side(recv, offsets, run->at.size);
	if (!l->packed) {
		l->out = (struct sched_blocks){.offsets = offsets};
		return MPI_SUCCESS;
	}
	for (int i = 0; i <= run->at.size; i++)
		run->offsets[i] *= recv->type->size;
	l->tmp = (struct sched_blocks){.offsets = offsets};
	return MPI_SUCCESS;
}

static int allgatherv(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	struct sched_layout l = {.out = coll_plan_blocks(recv)};
	struct coll_case k = case_of(c, COLL_ALLGATHERV, 0, false);
	int rc = MPI_SUCCESS;

	for (int i = 0; i < c->size; i++)
		k.bytes += (size_t)sched_number(recv->counts, i) * recv->type->size;
	if (k.bytes == 0)
		return MPI_SUCCESS;
	enum coll_algo algo = coll_choose(&k);

	use_own(run, &l, send);
	coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	if (algo == ALGO_TREE)
		rc = lay_irregular(run, &l, recv);
	if (rc != MPI_SUCCESS)
		return rc;
	plan_allgather(run, &l, algo);
	return MPI_SUCCESS;
}

int coll_plan_allgather(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	size_t block = recv->count * recv->type->size;
	struct sched_layout l = {.out.n = recv->count, .tmp.n = block};
	struct coll_case k = case_of(c, COLL_ALLGATHER, block * (size_t)c->size, false);

	if (recv->irregular)
		return allgatherv(run, c, send, recv);
	if (block == 0)
		return MPI_SUCCESS;
	l.packed = !recv->type->contiguous;
	use_own(run, &l, send);
	coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	plan_allgather(run, &l, coll_choose(&k));
	return MPI_SUCCESS;
}

static void plan_alltoall(struct coll_run *run, const struct sched_layout *l, enum coll_algo algo)
{
	switch (algo) {
	case ALGO_TREE:
		sched_alltoall_tree(&run->s, &run->at, l);
		break;
	case ALGO_LEADERS:
		sched_alltoall_leaders(&run->s, &run->at, l);
		break;
	case ALGO_BRUCK:
		sched_alltoall_bruck(&run->s, &run->at, l);
		break;
	case ALGO_PAIRWISE:
		sched_alltoall_window(&run->s, &run->at, l, 1);
		break;
	default:
		sched_alltoall_window(&run->s, &run->at, l, COLL_WINDOW);
	}
}

/* Each rank knows only its own row of the table of counts, so the algorithm is fixed. */
static int alltoallv(
	struct coll_run *run, const struct coll_side *send, const struct coll_side *recv)
{
	struct sched_layout l = {
		.out = coll_plan_blocks(recv), .in_place = send->buf == MPI_IN_PLACE};
	int rc = MPI_SUCCESS;

	coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	if (l.in_place) {
		rc = coll_run_prefix(run, recv->counts, recv->type->size, &l.tmp.offsets);
	} else {
		l.in = coll_plan_blocks(send);
		coll_run_use(run, SCHED_IN, send->buf, send->type);
	}
	if (rc != MPI_SUCCESS)
		return rc;
	plan_alltoall(run, &l, ALGO_WINDOW);
	return MPI_SUCCESS;
}

int coll_plan_alltoall(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	size_t block = recv->count * recv->type->size;
	struct sched_layout l = {.out.n = recv->count, .tmp.n = block};
	struct coll_case k = case_of(c, COLL_ALLTOALL, block, false);

	if (recv->irregular)
		return alltoallv(run, send, recv);
	if (block == 0)
		return MPI_SUCCESS;
	l.in_place = send->buf == MPI_IN_PLACE;
	coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	if (!l.in_place) {
		l.in.n = send->count;
		coll_run_use(run, SCHED_IN, send->buf, send->type);
	}
	plan_alltoall(run, &l, coll_choose(&k));
	return MPI_SUCCESS;
}

/* ---- reductions and scans: sections 6.9 to 6.11 ---- */

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
		coll_run_use(run, SCHED_IN, r->in, r->type);
	if (has_result)
		coll_run_use(run, SCHED_OUT, r->out, r->type);
	return x;
}

static enum coll_algo choose(
	enum coll_kind kind, const struct comm *c, const struct coll_reduction *r, size_t n)
{
	struct coll_case k = case_of(c, kind, n * r->type->size, r->op->commutative);

	return coll_choose(&k);
}

int coll_plan_reduce(struct coll_run *run, struct comm *c, const struct coll_reduction *r, int root)
{
	struct sched_reduction x = begin(run, r, root, c->rank == root);

	switch (choose(COLL_REDUCE, c, r, r->count)) {
	case ALGO_STAR:
		sched_reduce_star(&run->s, &run->at, &x);
		break;
	case ALGO_RABENSEIFNER:
		sched_reduce_rabenseifner(&run->s, &run->at, &x);
		break;
	default:
		sched_reduce_binomial(&run->s, &run->at, &x);
	}
	return MPI_SUCCESS;
}

int coll_plan_allreduce(struct coll_run *run, struct comm *c, const struct coll_reduction *r)
{
	struct sched_reduction x = begin(run, r, 0, true);

	switch (choose(COLL_ALLREDUCE, c, r, r->count)) {
	case ALGO_LEADERS:
		sched_allreduce_leaders(&run->s, &run->at, &x, 2);
		break;
	case ALGO_STAR:
		sched_allreduce_leaders(&run->s, &run->at, &x, 1);
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
	int rc = sched_given(counts) ? coll_run_prefix(run, counts, 1, &in.offsets) : MPI_SUCCESS;

	if (rc != MPI_SUCCESS)
		return rc;
	x.n = total;
	switch (choose(COLL_REDUCE_SCATTER, c, r, total)) {
	case ALGO_LEADERS:
		sched_reduce_scatter_leaders(&run->s, &run->at, &x, &in, 2);
		break;
	case ALGO_STAR:
		sched_reduce_scatter_leaders(&run->s, &run->at, &x, &in, 1);
		break;
	case ALGO_RING:
		sched_reduce_scatter_ring(&run->s, &run->at, &x, &in);
		break;
	default:
		sched_reduce_scatter_tree(&run->s, &run->at, &x, &in);
	}
	return MPI_SUCCESS;
}
