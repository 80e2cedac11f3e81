/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whoever changes what ranks send each other in collective operations raises SCHED_VERSION: a sum
 * of the plans of all operations, on communicators of many sizes and with short and long data, is
 * what it was when the version was made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mpi/bindings/coll_args.h"
#include "mpi/coll/coll_choose.h"
#include "mpi/coll/coll_inter.h"
#include "mpi/coll/coll_motion.h"
#include "mpi/coll/coll_steps.h"
#include "mpi/coll/coll_written.h"
#include "mpi/comm/topo.h"
#include "unit.h"

/* By version. A row, once released, never changes; a new version gets a new one. */
static const uint64_t sums[] = {[1] = 0xe8d3af6fd30ef9cb,
	[2] = 0xd603a0b398c5c4b8,
	[3] = 0xfabbdfa96f315ce1,
	[4] = 0xcd2b227daea78384,
	[5] = 0x5977f9651756e855};

enum { SIZE_MOST = 17, REMOTE = 5, CHOICES = 80 };

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, SIZE_MOST};
static const MPI_Count counts[] = {0, 1, 2, 3, 17, 100, 1000, 5000, 40000, 300000, 3000000};

static uint64_t sum = 0xcbf29ce484222325u;
static size_t plans;

/* Plans name memory, and touch none. */
static char *const in = (char *)((uintptr_t)1 << 40), *const out = (char *)((uintptr_t)1 << 45);

/* An operator that does not commute. */
static struct op *in_order;

static void never(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)
{
	(void)invec, (void)inoutvec, (void)len, (void)datatype;
	abort();
}

static void add(uint64_t x)
{
	sum = (sum ^ x) * 0x100000001b3u;
	sum ^= sum >> 32;
}

static void plan(struct comm *c, coll_planner *make, struct coll_call call)
{
	struct coll_run run;

	coll_run_begin(&run, c);
	ck_assert_int_eq(make(&run, c, &call), MPI_SUCCESS);
	add(coll_written_sum(&run.s));
	plans++;
	coll_run_free(&run);
}

/* Blocks of i % 3 times `count`; out of order and with gaps if so. */
struct blocks {
	int counts[SIZE_MOST], displs[SIZE_MOST];
};

static struct coll_lists blocks(struct blocks *b, int n, int count, bool tidy)
{
	int at = 0;

	for (int k = 0; k < n; k++) {
		int i = tidy ? k : n - 1 - k;

		b->counts[i] = i % 3 * count;
		b->displs[i] = at;
		at += b->counts[i] + !tidy;
	}
	return coll_lists(b->counts, b->displs);
}

/* ---- intracommunicators ---- */

static void movements(struct comm *c, MPI_Count n, MPI_Datatype t, int root)
{
	plan(c, coll_call_bcast, coll_args_bcast(out, n, t, root));
	plan(c, coll_call_gather, coll_args_blocks(in, n, t, out, n, t, root));
	plan(c, coll_call_scatter, coll_args_blocks(in, n, t, out, n, t, root));
	if (root > 0)
		return;
	plan(c, coll_call_allgather, coll_args_blocks(in, n, t, out, n, t, 0));
	plan(c, coll_call_alltoall, coll_args_blocks(in, n, t, out, n, t, 0));
	plan(c, coll_call_allgather, coll_args_blocks(MPI_IN_PLACE, n, t, out, n, t, 0));
	plan(c, coll_call_alltoall, coll_args_blocks(MPI_IN_PLACE, n, t, out, n, t, 0));
}

static void irregular(struct comm *c, int n, MPI_Datatype t, bool tidy)
{
	struct blocks b;
	struct coll_lists lists = blocks(&b, c->npeers, n, tidy);
	int own = c->rank % 3 * n;

	plan(c, coll_call_gather, coll_args_gatherv(in, own, t, out, lists, t, 0));
	plan(c, coll_call_scatter, coll_args_scatterv(in, lists, t, out, own, t, 0));
	plan(c, coll_call_allgather, coll_args_gatherv(in, own, t, out, lists, t, 0));
	plan(c, coll_call_alltoall, coll_args_alltoallv(in, lists, t, out, lists, t));
}

static void reductions(struct comm *c, MPI_Count n, MPI_Op op, int root)
{
	MPI_Datatype t = MPI_INT;
	int each[SIZE_MOST];

	plan(c, coll_call_reduce, coll_args_reduction(in, out, n, t, op, root));
	if (root > 0)
		return;
	for (int i = 0; i < c->size; i++)
		each[i] = (int)(n * (i % 3));
	plan(c, coll_call_allreduce, coll_args_reduction(in, out, n, t, op, 0));
	plan(c, coll_call_allreduce, coll_args_reduction(MPI_IN_PLACE, out, n, t, op, 0));
	plan(c, coll_call_scan, coll_args_reduction(in, out, n, t, op, 0));
	plan(c, coll_call_exscan, coll_args_reduction(in, out, n, t, op, 0));
	plan(c, coll_call_reduce_scatter_block, coll_args_reduction(in, out, n, t, op, 0));
	plan(c, coll_call_reduce_scatter,
		coll_args_reduce_scatter(in, out, coll_ints(each), t, op));
}

static void intra(int size, int rank, bool crowded, bool near)
{
	struct comm c = {
		.rank = rank, .size = size, .npeers = size, .crowded = crowded, .near = near};
	const MPI_Datatype types[] = {MPI_INT, MPI_SHORT_INT}; /* in one piece, and not */

	plan(&c, coll_call_barrier, (struct coll_call){0});
	plan(&c, coll_own_agree, (struct coll_call){.send = {.buf = in, .count = 24}});
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		for (int root = 0; root < size; root += size / 2 + 1) {
			for (int t = 0; t < 2; t++)
				movements(&c, counts[i], types[t], root);
			reductions(&c, counts[i], MPI_SUM, root);
			reductions(&c, counts[i], in_order->handle, root);
		}
		for (int k = 0; k < 4; k++)
			irregular(&c, (int)counts[i], types[k / 2], k % 2);
	}
}

/* ---- the others ---- */

/* The side with the root has rank 1 as its root. */
static void inter(int size, int rank)
{
	struct comm local = {.rank = rank, .size = size, .npeers = size};
	struct group theirs = {0};
	struct comm c = {
		.rank = rank, .size = size, .npeers = REMOTE, .local = &local, .remote = &theirs};
	MPI_Datatype t = MPI_INT;
	int each[SIZE_MOST];

	for (int i = 0; i < size; i++)
		each[i] = REMOTE;
	plan(&c, coll_call_barrier, (struct coll_call){0});
	plan(&c, coll_own_agree, (struct coll_call){.send = {.buf = in, .count = 24}});
	for (int side = 0; side < 2; side++) {
		int root = side == 0 ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;

		plan(&c, coll_call_bcast, coll_args_bcast(out, 100, t, root));
		plan(&c, coll_call_gather, coll_args_blocks(in, 100, t, out, 100, t, root));
		plan(&c, coll_call_scatter, coll_args_blocks(in, 100, t, out, 100, t, root));
		plan(&c, coll_call_reduce, coll_args_reduction(in, out, 100, t, MPI_SUM, root));
	}
	plan(&c, coll_call_allgather, coll_args_blocks(in, 100, t, out, 100, t, 0));
	plan(&c, coll_call_alltoall, coll_args_blocks(in, 100, t, out, 100, t, 0));
	plan(&c, coll_call_allreduce, coll_args_reduction(in, out, 100, t, MPI_SUM, 0));
	plan(&c, coll_call_reduce_scatter_block,
		coll_args_reduction(in, out, REMOTE, t, MPI_SUM, 0));
	plan(&c, coll_call_reduce_scatter,
		coll_args_reduce_scatter(in, out, coll_ints(each), t, MPI_SUM));
}

static void neighbours(int rank)
{
	int dims[] = {3, 4}, periods[] = {1, 0};
	struct comm c = {.rank = rank, .size = 12, .npeers = 12};
	MPI_Datatype t = MPI_INT;

	c.topo = topo_new(2, dims, periods, rank);
	ck_assert_ptr_nonnull(c.topo);
	plan(&c, coll_neighbor_allgather, coll_args_blocks(in, 7, t, out, 7, t, 0));
	plan(&c, coll_neighbor_alltoall, coll_args_blocks(in, 7, t, out, 7, t, 0));
	topo_free(c.topo);
}

/* Where lengths lie between those above, too. */
static void choices(void)
{
	for (size_t bytes = 0; bytes < 64 << 20; bytes += bytes / 16 + 1) {
		for (int k = 0; k < COLL_KINDS * CHOICES * 8; k++) {
			struct coll_case one = {.kind = (enum coll_kind)(k / 8 / CHOICES),
				.size = k / 8 % CHOICES + 1,
				.bytes = bytes,
				.crowded = k & 1,
				.commutative = k & 2,
				.near = k & 4};

			add(coll_choose(&one));
		}
		add(coll_choose_segment(bytes));
	}
	add(COLL_WINDOW);
}

START_TEST(plans_are_those_of_the_version)
{
	ck_assert_int_eq(op_make(never, NULL, false, &in_order), MPI_SUCCESS);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int rank = 0; rank < sizes[i]; rank++) {
			for (int where = 0; where < 4; where++)
				intra(sizes[i], rank, where & 1, where & 2);
			if (sizes[i] > 1)
				inter(sizes[i], rank);
		}
	for (int rank = 0; rank < 12; rank++)
		neighbours(rank);
	choices();
	ck_assert_uint_gt(plans, 10000);
	ck_assert_uint_eq(sizeof sums / sizeof *sums, SCHED_VERSION + 1);
	ck_assert_msg(sum == sums[SCHED_VERSION],
		"collective operations are done in another way than by version %d: raise "
		"SCHED_VERSION (sched.h), or lines that cut an operation would be restored wrong; "
		"and give the new version its sum here, 0x%016" PRIx64,
		SCHED_VERSION, sum);
}
END_TEST

UNIT_MAIN("sched_version", tcase_add_test(tc, plans_are_those_of_the_version);)
