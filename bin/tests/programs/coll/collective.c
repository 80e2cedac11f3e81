/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective: every collective call of the library, checked. Each rank keeps a number that grows by
 * rank + 1 in every loop; every so often the numbers are reduced with every operator, rank 0 shows
 * the results under the master's time (broadcast from rank 0), and every other collective runs
 * once.
 */
#include <stdio.h>

#include <mpi.h>

#include "collective.h"

static long fold_sum(long a, long b)
{
	return (long)((unsigned long)a + (unsigned long)b);
}

static long fold_prod(long a, long b)
{
	return (long)((unsigned long)a * (unsigned long)b);
}

static long fold_max(long a, long b)
{
	return a > b ? a : b;
}

static long fold_min(long a, long b)
{
	return a < b ? a : b;
}

static long fold_land(long a, long b)
{
	return a && b;
}

static long fold_lor(long a, long b)
{
	return a || b;
}

static long fold_lxor(long a, long b)
{
	return !a != !b;
}

static long fold_band(long a, long b)
{
	return a & b;
}

static long fold_bor(long a, long b)
{
	return a | b;
}

static long fold_bxor(long a, long b)
{
	return a ^ b;
}

struct operator
{
	const char *name;
	MPI_Op op;
	long (*fold)(long, long);
};

static const struct operator operators[] = {
	{"sum", MPI_SUM, fold_sum},
	{"prod", MPI_PROD, fold_prod},
	{"max", MPI_MAX, fold_max},
	{"min", MPI_MIN, fold_min},
	{"land", MPI_LAND, fold_land},
	{"lor", MPI_LOR, fold_lor},
	{"lxor", MPI_LXOR, fold_lxor},
	{"band", MPI_BAND, fold_band},
	{"bor", MPI_BOR, fold_bor},
	{"bxor", MPI_BXOR, fold_bxor},
};

/* The fold over ranks 0..last of the numbers they have after `loop` loops. One number alone stays
 * as it is, with the logical operators too. */
static long fold_ranks(const struct operator* o, long loop, int last)
{
	long result = loop;
	for (int r = 1; r <= last; r++)
		result = o->fold(result, loop * (r + 1));
	return result;
}

static void reduce_with(const struct prog *prog, const struct operator* o, long number, long loop)
{
	int root = (int)(loop % prog->size), last = prog->size - 1;
	long at_root = -1, at_all = -1, up_to_me = -1;
	MPI_Reduce(&number, &at_root, 1, MPI_LONG, o->op, root, MPI_COMM_WORLD);
	MPI_Allreduce(&number, &at_all, 1, MPI_LONG, o->op, MPI_COMM_WORLD);
	MPI_Scan(&number, &up_to_me, 1, MPI_LONG, o->op, MPI_COMM_WORLD);
	long want = fold_ranks(o, loop, last), want_here = fold_ranks(o, loop, prog->rank);
	if (prog->rank == root && at_root != want)
		prog_wrong(prog, "Reduce with %s in loop %ld gave %ld, not %ld", o->name, loop,
			at_root, want);
	if (at_all != want)
		prog_wrong(prog, "Allreduce with %s in loop %ld gave %ld, not %ld", o->name, loop,
			at_all, want);
	if (up_to_me != want_here)
		prog_wrong(prog, "Scan with %s in loop %ld gave %ld, not %ld", o->name, loop,
			up_to_me, want_here);
	if (prog->rank == 0)
		printf("  %-6s %ld\n", o->name, at_all);
}

struct located {
	long value;
	int rank;
};

static void reduce_with_places(const struct prog *prog, long number)
{
	struct located mine = {number, prog->rank}, least = {-1, -1}, most = {-1, -1};
	MPI_Allreduce(&mine, &least, 1, MPI_LONG_INT, MPI_MINLOC, MPI_COMM_WORLD);
	MPI_Allreduce(&mine, &most, 1, MPI_LONG_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	long loop = number / (prog->rank + 1);
	/* all numbers are 0 in loop 0: then the lowest rank wins both */
	int last = loop > 0 ? prog->size - 1 : 0;
	if (least.value != loop || least.rank != 0)
		prog_wrong(
			prog, "MINLOC gave %ld at %d, not %ld at 0", least.value, least.rank, loop);
	if (most.value != loop * prog->size || most.rank != last)
		prog_wrong(prog, "MAXLOC gave %ld at %d, not %ld at %d", most.value, most.rank,
			loop * prog->size, last);
	if (prog->rank == 0)
		printf("  minloc %ld at %d\n  maxloc %ld at %d\n", least.value, least.rank,
			most.value, most.rank);
}

static void share_time(const struct prog *prog, double begin, double *previous)
{
	double now = prog->rank == 0 ? MPI_Wtime() - begin : -1.0;
	MPI_Bcast(&now, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (!(now >= *previous))
		prog_wrong(prog, "the master's time went from %g to %g", *previous, now);
	*previous = now;
}

static void round_of_all(const struct prog *prog, long number, long loop)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		reduce_with(prog, &operators[i], number, loop);
	reduce_with_places(prog, number);
	collective_move(prog, loop);
}

int main(int argc, char **argv)
{
	long loops = 1000, every = 100;
	const struct prog_option options[] = {
		{"loops", NULL, PROG_LONG, &loops, 1, "how many loops (default 1000)"},
		{"-every", "N", PROG_LONG, &every, 1,
			"reduce and check in every Nth loop (default 100)"},
	};
	struct prog prog = {"collective", "every collective call, checked", options, 2, 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime(), time = 0.0;
	long number = 0, rounds = 0;
	for (long loop = 0; loop < loops; loop++) {
		if (loop % every == 0) {
			share_time(&prog, begin, &time);
			if (prog.rank == 0)
				printf("loop %ld, time %.6f\n", loop, time);
			round_of_all(&prog, number, loop);
			rounds++;
		}
		number += prog.rank + 1;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("collective: right, %ld rounds in %ld loops, %d ranks, %.3f s\n", rounds,
			loops, prog.size, MPI_Wtime() - begin);
	MPI_Finalize();
	return 0;
}
