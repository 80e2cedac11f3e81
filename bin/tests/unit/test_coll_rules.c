/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on ranks that are threads (fake_team): how many messages they take,
 * absolute addresses, and what happens when something is wrong with arguments, lengths or memory.
 */
#include "fake_team.h"
#include "unit.h"

#include <stdint.h>

#include "mpi/type/type.h"

/* ---- the number of messages ---- */

static void small_op(struct comm *c, void *arg)
{
	long a[TEAM_MOST] = {0}, b[TEAM_MOST];
	int rc = MPI_SUCCESS;

	switch (*(const int *)arg) {
	case 0:
		rc = MPI_Barrier(c->handle);
		break;
	case 1:
		rc = MPI_Allreduce(a, b, 1, MPI_LONG, MPI_SUM, c->handle);
		break;
	case 2:
		rc = MPI_Allgather(a, 1, MPI_LONG, b, 1, MPI_LONG, c->handle);
		break;
	case 3:
		rc = MPI_Alltoall(a, 1, MPI_LONG, b, 1, MPI_LONG, c->handle);
		break;
	case 4:
		rc = MPI_Scan(a, b, 1, MPI_LONG, MPI_SUM, c->handle);
		break;
	case 5:
		rc = MPI_Exscan(a, b, 1, MPI_LONG, MPI_SUM, c->handle);
		break;
	}
	team_must(rc == MPI_SUCCESS, "operation %d: class %d", *(const int *)arg, rc);
}

/* When ranks outnumber cores a small operation costs what its messages cost. */
START_TEST(test_few_messages)
{
	static const size_t per_rank[] = {2, 2, 2, 2, 1, 1};

	for (int size = 5; size <= 9; size++) {
		team_run(size, true, small_op, &_i);
		/* both ends of a message count */
		ck_assert_uint_eq(team_messages(), 2 * per_rank[_i] * (size_t)(size - 1));
	}
}
END_TEST

/* ---- absolute addresses ---- */

static void bottom(struct comm *c, void *arg)
{
	int data[3] = {0}, all[TEAM_MOST * 3] = {0}, want = c->rank == 0 ? 0 : 7;
	struct type *t = NULL, *ints = NULL;

	(void)arg;
	type_lookup(MPI_INT, &ints);
	struct type_block block = {ints, 3, (MPI_Aint)(intptr_t)data};

	team_must(type_make_struct(&block, 1, &t) == MPI_SUCCESS, "no type");
	t->committed = true;
	if (c->rank == 0)
		data[2] = 7;
	int rc = MPI_Bcast(MPI_BOTTOM, 1, t->handle, 0, c->handle);

	team_must(rc == MPI_SUCCESS && data[2] == 7, "bcast: class %d, %d for 7", rc, data[2]);
	data[0] = c->rank + want;
	rc = MPI_Allgather(MPI_BOTTOM, 1, t->handle, all, 3, MPI_INT, c->handle);
	for (int i = 0; i < c->size; i++)
		team_must(rc == MPI_SUCCESS && all[3 * i] == i + (i ? 7 : 0), "allgather: class %d",
			rc);
	type_free(t);
}

START_TEST(test_bottom)
{
	team_run(5, _i, bottom, NULL);
}
END_TEST

/* ---- what goes wrong ---- */

/* One rank sends more than the root takes: the root says so, the others are well, and the next
 * operation works. */
static void too_much(struct comm *c, void *arg)
{
	int in[64] = {0}, out[TEAM_MOST * 64], sum = 0, one = 1;
	int root = 1, rc, counts[TEAM_MOST], displs[TEAM_MOST];

	(void)arg;
	for (int i = 0; i < c->size; i++) {
		counts[i] = 4;
		displs[i] = 4 * i;
	}
	rc = MPI_Gatherv(
		in, c->rank == 2 ? 9 : 4, MPI_INT, out, counts, displs, MPI_INT, root, c->handle);
	team_must(rc == (c->rank == root ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "rank %d: class %d",
		c->rank, rc);
	rc = MPI_Gather(in, c->rank == root ? 9 : 4, MPI_INT, out, 4, MPI_INT, root, c->handle);
	team_must(rc == (c->rank == root ? MPI_ERR_TRUNCATE : MPI_SUCCESS),
		"rank %d: class %d of the root's own", c->rank, rc);
	rc = MPI_Bcast(in, c->rank == 0 ? 9 : 4, MPI_INT, 0, c->handle);
	team_must(rc == MPI_SUCCESS || rc == MPI_ERR_TRUNCATE, "bcast: class %d", rc);
	rc = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c->handle);
	team_must(rc == MPI_SUCCESS && sum == c->size, "allreduce: class %d, %d", rc, sum);
}

/* Everybody who has to do with what is wrong is told, however far behind it, and nobody else. */
static void uneven(struct comm *c, void *arg)
{
	int in[64] = {0}, out[TEAM_MOST * 64], sum = 0, me = c->rank, last = c->size - 1, rc;

	(void)arg;
	for (int more = 0; more < 2; more++) {
		rc = MPI_Bcast(in, (me == 0) == more ? 9 : 4, MPI_INT, 0, c->handle);
		team_must(rc == (me == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE),
			"rank %d, a root that gives %s: class %d", me, more ? "more" : "less", rc);
	}
	rc = MPI_Gather(in, me == last ? 3 : 4, MPI_INT, out, 4, MPI_INT, 0, c->handle);
	team_must(me != 0 || rc == MPI_ERR_TRUNCATE, "a rank that gives less: class %d", rc);
	rc = MPI_Reduce(in, out, me == last ? 3 : 4, MPI_INT, MPI_SUM, 0, c->handle);
	team_must(me != 0 || rc == MPI_ERR_TRUNCATE, "a shorter vector: class %d", rc);
	rc = MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_MAX, c->handle);
	team_must(rc == MPI_SUCCESS && sum == last, "the next one: class %d, %d", rc, sum);
}

/* Rank 0 gives the last one less than that expects. */
static void one_pair(struct comm *c, void *arg)
{
	int in[64] = {0}, out[64], give[TEAM_MOST], take[TEAM_MOST], at[TEAM_MOST], rc;
	bool told = c->rank == c->size - 1;

	(void)arg;
	for (int i = 0; i < c->size; i++) {
		give[i] = take[i] = 2;
		at[i] = 2 * i;
	}
	if (c->rank == 0)
		give[c->size - 1] = 1;
	rc = MPI_Alltoallv(in, give, at, MPI_INT, out, take, at, MPI_INT, c->handle);
	team_must(rc == (told ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "rank %d: class %d", c->rank, rc);
}

START_TEST(test_truncate)
{
	team_run(4 + _i / 2, _i % 2, too_much, NULL);
	team_run(4 + _i / 2, _i % 2, uneven, NULL);
	team_run(4 + _i / 2, _i % 2, one_pair, NULL);
}
END_TEST

/* One rank runs out of memory for a message, early or late: every operation ends on every rank, and
 * none with messages under way. */
static void starved(struct comm *c, void *arg)
{
	static const int n[] = {6, 30000};
	size_t after = *(const size_t *)arg;
	int rc = MPI_SUCCESS, *in = calloc(TEAM_MOST * 30000, sizeof *in);
	int *out = calloc(TEAM_MOST * 30000, sizeof *out);

	if (c->rank == 1)
		team_starve(c, after);
	for (int i = 0; i < 200 && rc == MPI_SUCCESS; i++) {
		if (i % 3 == 0)
			rc = MPI_Alltoall(in, n[i % 2], MPI_INT, out, n[i % 2], MPI_INT, c->handle);
		else if (i % 3 == 1)
			rc = MPI_Allreduce(in, out, n[i % 2], MPI_INT, MPI_SUM, c->handle);
		else
			rc = MPI_Gather(
				in, n[i % 2], MPI_INT, out, n[i % 2], MPI_INT, 0, c->handle);
	}
	team_must(team_open(c) == 0, "rank %d left %zu messages open", c->rank, team_open(c));
	team_must(rc == (c->rank == 1 ? MPI_ERR_NO_MEM : MPI_ERR_PROC_ABORTED), "rank %d: class %d",
		c->rank, rc);
	team_leave(c);
	free(in);
	free(out);
}

START_TEST(test_starved)
{
	size_t after = (size_t)_i;

	team_run(5, _i % 2, starved, &after);
}
END_TEST

static void expect_class(struct comm *c, int got, int want, const char *what)
{
	team_must(got == want, "%s: class %d, not %d", what, got, want);
	team_must(team_messages() == 0, "%s: rank %d has sent something", what, c->rank);
}

/* Wrong arguments, the same on all ranks: the class, nothing sent, and the numbers stay together.
 */
static void refused(struct comm *c, void *arg)
{
	MPI_Comm w = c->handle;
	int a[TEAM_MOST] = {0}, b[TEAM_MOST], zero[TEAM_MOST] = {0}, bad[TEAM_MOST] = {0};
	struct type *ints = NULL, *loose = NULL;

	(void)arg;
	bad[c->size - 1] = -1;
	type_lookup(MPI_INT, &ints);
	team_must(type_make_contiguous(ints, 2, &loose) == MPI_SUCCESS, "no type");
	expect_class(c, MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "barrier, no communicator");
	expect_class(c, MPI_Bcast(a, -1, MPI_INT, 0, w), MPI_ERR_COUNT, "bcast, count -1");
	expect_class(c, MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, w), MPI_ERR_TYPE, "bcast, no type");
	expect_class(c, MPI_Bcast(a, 1, loose->handle, 0, w), MPI_ERR_TYPE, "bcast, uncommitted");
	expect_class(c, MPI_Bcast(a, 1, MPI_INT, c->size, w), MPI_ERR_ROOT, "bcast, root = size");
	expect_class(c, MPI_Bcast(a, 1, MPI_INT, -1, w), MPI_ERR_ROOT, "bcast, root -1");
	expect_class(c, MPI_Bcast(NULL, 1, MPI_INT, 0, w), MPI_ERR_BUFFER, "bcast, null");
	expect_class(
		c, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, w), MPI_ERR_BUFFER, "bcast, in place");
	expect_class(
		c, MPI_Allgather(a, 1, MPI_INT, a, 1, MPI_INT, w), MPI_ERR_BUFFER, "same memory");
	expect_class(c, MPI_Allgatherv(a, 1, MPI_INT, b, NULL, zero, MPI_INT, w), MPI_ERR_ARG,
		"allgatherv, no counts");
	expect_class(c, MPI_Allgatherv(a, 1, MPI_INT, b, zero, NULL, MPI_INT, w), MPI_ERR_ARG,
		"allgatherv, no displacements");
	expect_class(c, MPI_Alltoallv(a, bad, zero, MPI_INT, b, zero, zero, MPI_INT, w),
		MPI_ERR_COUNT, "alltoallv, count -1");
	expect_class(
		c, MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, w), MPI_ERR_OP, "reduce, no op");
	expect_class(
		c, MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, w), MPI_ERR_OP, "and of doubles");
	expect_class(c, MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER, "same memory");
	expect_class(c, MPI_Scan(a, b, -1, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT, "scan, count -1");
	expect_class(c, MPI_Reduce_scatter(a, b, bad, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT,
		"reduce-scatter, count -1");
	expect_class(c, MPI_Gatherv(NULL, 0, MPI_INT, NULL, zero, zero, MPI_INT, 0, w), MPI_SUCCESS,
		"gatherv of nothing");
	expect_class(c,
		MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, NULL, zero, zero, MPI_INT, w),
		MPI_SUCCESS, "alltoallv of nothing");
	type_free(loose);
}

/* Large counts that no memory can have, or that cannot be added up. */
static void too_large(struct comm *c, void *arg)
{
	MPI_Comm w = c->handle;
	MPI_Count bad[TEAM_MOST] = {0}, much[TEAM_MOST], all = (MPI_Count)1 << 62;
	MPI_Aint zero[TEAM_MOST] = {0};
	int a[TEAM_MOST] = {0}, b[TEAM_MOST];

	(void)arg;
	bad[c->size - 1] = -1;
	for (int i = 0; i < c->size; i++)
		much[i] = all;
	expect_class(c, MPI_Bcast_c(a, -1, MPI_INT, 0, w), MPI_ERR_COUNT, "bcast, count -1");
	expect_class(c, MPI_Bcast_c(a, all, MPI_INT, 0, w), MPI_ERR_COUNT, "bcast, 2^64 bytes");
	expect_class(c, MPI_Alltoallv_c(a, bad, zero, MPI_INT, b, bad, zero, MPI_INT, w),
		MPI_ERR_COUNT, "alltoallv, count -1");
	expect_class(c, MPI_Allgatherv_c(a, 1, MPI_INT, b, much, zero, MPI_INT, w), MPI_ERR_COUNT,
		"allgatherv, counts that overflow");
	expect_class(c, MPI_Allgatherv_c(a, 1, MPI_INT, b, bad, NULL, MPI_INT, w), MPI_ERR_COUNT,
		"allgatherv, count -1");
	expect_class(c, MPI_Allgather_c(a, all / 2, MPI_BYTE, b, all / 2, MPI_BYTE, w),
		MPI_ERR_COUNT, "allgather, 2^63 bytes in all");
	expect_class(c, MPI_Allreduce_c(a, b, all, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT,
		"allreduce, 2^64 bytes");
	expect_class(c, MPI_Reduce_scatter_c(a, b, much, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT,
		"reduce-scatter, counts that overflow");
	expect_class(c, MPI_Reduce_scatter_block_c(a, b, all / 4, MPI_INT, MPI_SUM, w),
		MPI_ERR_COUNT, "reduce-scatter of blocks, 2^64 bytes in all");
}

/* Rank 2 alone finds its argument wrong, and makes the call again. */
static void refused_by_one(struct comm *c, void *arg)
{
	int one = c->rank + 1, all[TEAM_MOST] = {0}, counts[TEAM_MOST] = {1, 1, 1, 1},
	    displs[] = {0, 1, 2, 3}, bytes[] = {0, 4, 8, 12}, rc = MPI_SUCCESS;
	MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_DATATYPE_NULL, MPI_INT};
	MPI_Comm w = c->handle;

	(void)arg;
	if (c->rank == 2) {
		rc = MPI_Gatherv(&one, 1, MPI_DATATYPE_NULL, all, counts, displs, MPI_INT, 2, w);
		team_must(rc == MPI_ERR_TYPE, "gatherv: class %d", rc);
		/* found out when half of the plan was there */
		rc = MPI_Alltoallw(all, counts, bytes, types, all, counts, bytes, types, w);
		team_must(rc == MPI_ERR_TYPE, "alltoallw: class %d", rc);
	}
	rc = MPI_Gatherv(&one, 1, MPI_INT, all, counts, displs, MPI_INT, 2, w);
	team_must(rc == MPI_SUCCESS, "gatherv again: class %d", rc);
	team_must(c->rank != 2 || (all[0] == 1 && all[3] == 4), "gathered %d %d", all[0], all[3]);
	rc = MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, w);
	team_must(rc == MPI_SUCCESS && all[2] == 3, "allgather: class %d", rc);
}

/* Each rank sends from where its own block shall be: all are refused, rank 0 as well. */
static void own_block(struct comm *c, void *arg)
{
	int all[TEAM_MOST] = {0}, counts[] = {1, 1, 1, 1}, displs[] = {3, 2, 1, 0};
	MPI_Comm w = c->handle;

	(void)arg;
	expect_class(c, MPI_Allgather(&all[c->rank], 1, MPI_INT, all, 1, MPI_INT, w),
		MPI_ERR_BUFFER, "allgather from the own block");
	expect_class(c,
		MPI_Allgatherv(&all[3 - c->rank], 1, MPI_INT, all, counts, displs, MPI_INT, w),
		MPI_ERR_BUFFER, "allgatherv from the own block");
	expect_class(c, MPI_Exscan(all, all, 1, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER,
		"exscan within one buffer");
}

static void beside_the_block(struct comm *c, void *arg)
{
	int all[TEAM_MOST] = {0}, counts[] = {1, 1, 1, 1}, displs[] = {3, 2, 1, 0};
	int rc = MPI_Allgatherv(&all[4], 1, MPI_INT, all, counts, displs, MPI_INT, c->handle);

	(void)arg;
	team_must(rc == MPI_SUCCESS, "allgatherv from beside the blocks: class %d", rc);
}

START_TEST(test_refused)
{
	team_run(4, false, refused, NULL);
	team_run(4, false, too_large, NULL);
	team_run(4, false, refused_by_one, NULL);
	team_run(4, false, own_block, NULL);
	team_run(4, false, beside_the_block, NULL);
}
END_TEST

UNIT_MAIN("coll_rules", tcase_add_loop_test(tc, test_few_messages, 0, 6);
	  tcase_add_loop_test(tc, test_bottom, 0, 2); tcase_add_loop_test(tc, test_truncate, 0, 6);
	  tcase_add_loop_test(tc, test_starved, 0, 40); tcase_add_test(tc, test_refused);)
