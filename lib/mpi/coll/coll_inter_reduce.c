/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on intercommunicators: the result of a side's contributions goes to the other one. */
#include "coll_inter.h"
#include "coll_stages.h"
#include "coll_run.h"
#include "mpi/handle/fail.h"

static int check_vectors(struct coll_call *call, struct coll_reduction *r)
{
	int rc = coll_stages_check_not_in_place(call->r.in);

	return rc ? rc : coll_check_reduction(&call->r, r);
}

/* A side's contributions, n elements each; the result of a side goes to the other one. */
static void begin_reduction(struct coll_run *run, const struct coll_reduction *r, size_t n)
{
	struct sched_reduction x = {n, r->op->commutative, false};

	run->op = r->op;
	run->scratch_type = r->type;
	coll_run_use(run, SCHED_IN, r->in, r->type);
	coll_stages_combine(run, &x);
}

/* The ranks 0 of both sides exchange the results of their sides, into `to`. */
static void swap_results(struct coll_run *run, struct sched_span to)
{
	if (run->at.rank == 0) {
		sched_send(&run->s, 0, coll_stages_first(SCHED_OUT, to.n));
		sched_recv(&run->s, 0, to);
	}
	sched_round(&run->s);
}

/* The root takes the other side's result from its rank 0. */
static int take_result(struct coll_run *run, const struct coll_reduction *r)
{
	coll_run_use(run, SCHED_OUT, r->out, r->type);
	sched_recv(&run->s, 0, coll_stages_first(SCHED_OUT, r->count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_reduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int root = call->root, rc = coll_stages_check_root(c, root);

	call->r.has_result = root == MPI_ROOT;
	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		call->r.in = MPI_IN_PLACE; /* it has no part in what is combined */
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_stages_check_not_in_place(call->r.in);
	if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_reduction(&call->r, &r);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root == MPI_ROOT)
		return take_result(run, &r);
	begin_reduction(run, &r, r.count);
	if (c->rank == 0)
		sched_send(&run->s, root, coll_stages_first(SCHED_OUT, r.count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_allreduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int rc = check_vectors(call, &r);

	(void)c;
	if (rc)
		return rc;
	begin_reduction(run, &r, r.count);
	coll_run_use(run, SCHED_AUX, r.out, r.type);
	swap_results(run, coll_stages_first(SCHED_AUX, r.count));
	coll_stages_spread(run, coll_stages_first(SCHED_AUX, r.count));
	return MPI_SUCCESS;
}

/* Rank 0 sends the blocks of the other side's result, which lies in SCHED_TMP, to the ranks of its
 * side. */
static void deal(struct coll_run *run, const struct coll_reduction *r, const struct sched_blocks *b)
{
	int me = run->at.rank;
	struct sched_span own = coll_stages_first(SCHED_AUX, sched_block_span(SCHED_TMP, b, me).n);

	coll_run_use(run, SCHED_AUX, r->out, r->type);
	coll_stages_local(run);
	if (me != 0)
		sched_recv_some(&run->s, 0, own);
	for (int i = 1; i < run->at.size && me == 0; i++)
		sched_send_some(&run->s, i, sched_block_span(SCHED_TMP, b, i));
	if (me == 0 && own.n > 0)
		sched_copy(&run->s, own, sched_block_span(SCHED_TMP, b, 0));
	sched_round(&run->s);
}

static int plan_reduce_scatter(
	struct coll_run *run, const struct coll_reduction *r, struct sched_numbers counts)
{
	struct sched_blocks blocks = {.n = r->count};
	size_t total = r->count * (size_t)run->at.size;
	int rc = MPI_SUCCESS;

	if (sched_given(counts))
		total = r->count; /* of all blocks */
	if (total == 0)
		return MPI_SUCCESS;
	begin_reduction(run, r, total);
	if (sched_given(counts))
		rc = coll_run_prefix(run, counts, 1, &blocks.offsets);
	if (rc != MPI_SUCCESS)
		return rc;
	swap_results(run, coll_stages_first(SCHED_TMP, total));
	deal(run, r, &blocks);
	return MPI_SUCCESS;
}

int coll_inter_reduce_scatter_block(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;

	call->r.blocks = c->size;
	int rc = check_vectors(call, &r);

	return rc ? rc : plan_reduce_scatter(run, &r, (struct sched_numbers){0});
}

int coll_inter_reduce_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int rc = coll_check_counts(c->size, "recvbuf", call->counts, &call->r.count);

	if (rc == MPI_SUCCESS)
		rc = check_vectors(call, &r);
	return rc ? rc : plan_reduce_scatter(run, &r, call->counts);
}

int coll_inter_scan(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	(void)call;
	(void)run;
	return fail_with(
		MPI_ERR_COMM, "scans are for intracommunicators: %s has two groups", comm_label(c));
}
