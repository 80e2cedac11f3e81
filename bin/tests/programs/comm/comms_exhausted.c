/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comms_exhausted: what comes of a program that makes communicators and never frees them. One rank is
 * full; whatever it is asked to take part in fails, on all ranks or on none, with a sentence, and
 * works once it has freed some.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "prog.h"

enum { MANY = 1 << 20, AGAIN = 200000 };

static long fatal;
static const struct prog_option options[] = {
	{"-fatal", "N", PROG_LONG, &fatal, 0, "1: errors end the job"},
};
static struct prog prog = {"comms_exhausted", "more communicators than there can be", options, 1, 0, 0};
static MPI_Comm kept[MANY];
static int nkept, cases;

/* The class of rc is this one, and the same on all ranks of MPI_COMM_WORLD. */
static void all_class(int rc, int class, const char *what)
{
	int got = MPI_SUCCESS, low, high;

	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &got);
	MPI_Allreduce(&got, &low, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&got, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (low != class || high != class)
		prog_wrong(
			&prog, "%s: error classes from %d to %d, not %d", what, low, high, class);
	cases++;
}

static void fill(void)
{
	while (nkept < MANY && MPI_Comm_dup(MPI_COMM_SELF, &kept[nkept]) == MPI_SUCCESS)
		nkept++;
	if (nkept < 16000 || nkept == MANY)
		prog_wrong(&prog, "%d communicators could be made", nkept);
	if (kept[nkept] != MPI_COMM_NULL)
		prog_wrong(&prog, "the one that could not be made is there");
}

static void give_back(int n)
{
	for (; n > 0 && nkept > 0; n--)
		MPI_Comm_free(&kept[--nkept]);
}

typedef int maker(MPI_Comm *out);

static int dup(MPI_Comm *out)
{
	return MPI_Comm_dup(MPI_COMM_WORLD, out);
}

/* The request says it. */
static int idup(MPI_Comm *out)
{
	MPI_Request r;
	int rc = MPI_Comm_idup(MPI_COMM_WORLD, out, &r), waited = MPI_Wait(&r, MPI_STATUS_IGNORE);

	if (rc != MPI_SUCCESS)
		prog_wrong(&prog, "MPI_Comm_idup did not wait with its error");
	if (waited != MPI_SUCCESS)
		MPI_Comm_free(out);
	return waited;
}

static int split(MPI_Comm *out)
{
	return MPI_Comm_split(MPI_COMM_WORLD, prog.rank, 0, out);
}

/* of rank `from` alone */
static int create_of(int from, MPI_Comm *out)
{
	MPI_Group world, g;
	int rc;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &from, &g);
	rc = MPI_Comm_create(MPI_COMM_WORLD, g, out);
	MPI_Group_free(&g);
	MPI_Group_free(&world);
	return rc;
}

static int create_first(MPI_Comm *out)
{
	return create_of(0, out);
}

static int create_last(MPI_Comm *out)
{
	return create_of(prog.size - 1, out);
}

static int create_group(MPI_Comm *out)
{
	MPI_Group g;
	int rc;

	MPI_Comm_group(MPI_COMM_WORLD, &g);
	rc = MPI_Comm_create_group(MPI_COMM_WORLD, g, 5, out);
	MPI_Group_free(&g);
	return rc;
}

/* A grid of one process: the others are told as well. */
static int grid(MPI_Comm *out)
{
	int one = 1, no = 0;

	return MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &no, 0, out);
}

static MPI_Comm side, both;

static int between(MPI_Comm *out)
{
	return MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, prog.rank > 0 ? 0 : 1, 6, out);
}

static int inter_dup(MPI_Comm *out)
{
	return MPI_Comm_dup(both, out);
}

static int inter_split(MPI_Comm *out)
{
	return MPI_Comm_split(both, 0, 0, out);
}

static int from_groups(MPI_Comm *out)
{
	MPI_Group world, ours, others;
	int zero[] = {0}, rc;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, zero, &ours);
	MPI_Group_excl(world, 1, zero, &others);
	rc = MPI_Intercomm_create_from_groups(prog.rank ? others : ours, 0,
		prog.rank ? ours : others, 0, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN, out);
	MPI_Group_free(&ours);
	MPI_Group_free(&others);
	MPI_Group_free(&world);
	return rc;
}

/* The last one speaks for its side where there are but two. */
enum { LEADS = 2 };

static const struct {
	const char *name;
	maker *make;
	int by_first, by_last; /* it fails when rank 0, or the last one, is full */
	int ranks;	       /* fewest */
} makers[] = {
	{"MPI_Comm_dup", dup, 1, 0, 1},
	{"MPI_Comm_idup", idup, 1, 0, 1},
	{"MPI_Comm_split", split, 1, 1, 1},
	{"MPI_Comm_create of the first", create_first, 1, 0, 1},
	{"MPI_Comm_create of the last", create_last, 0, 1, 1},
	{"MPI_Comm_create_group", create_group, 1, 0, 1},
	{"MPI_Cart_create", grid, 1, 0, 1},
	{"MPI_Intercomm_create", between, 1, LEADS, 2},
	{"MPI_Comm_dup of both sides", inter_dup, 1, LEADS, 2},
	{"MPI_Comm_split of both sides", inter_split, 1, 1, 2},
	{"MPI_Intercomm_create_from_groups", from_groups, 1, LEADS, 2},
};

static void each(int first, int last)
{
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		MPI_Comm made = MPI_COMM_WORLD;
		int fails = (first && makers[i].by_first) ||
			    (last && (makers[i].by_last == 1 ||
					     (makers[i].by_last == LEADS && prog.size == 2)));
		int rc;

		if (prog.size < makers[i].ranks)
			continue;
		rc = makers[i].make(&made);
		all_class(rc, fails ? MPI_ERR_OTHER : MPI_SUCCESS, makers[i].name);
		if (fails && made != MPI_COMM_NULL)
			prog_wrong(&prog, "%s: not MPI_COMM_NULL", makers[i].name);
		if (made != MPI_COMM_NULL)
			MPI_Comm_free(&made);
	}
}

static void prepare(void)
{
	MPI_Comm_split(MPI_COMM_WORLD, prog.rank > 0, 0, &side);
	MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN);
	if (prog.size < 2)
		return;
	between(&both);
	MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN);
	prepare();
	for (int who = 0; who<prog.size; who += prog.size> 1 ? prog.size - 1 : 1) {
		if (prog.rank == who)
			fill();
		each(who == 0, who == prog.size - 1);
		give_back(3); /* both sides of one in two steps, and it */
		each(0, 0);
		give_back(MANY);
	}
	/* those that are freed do not count */
	for (int i = 0; i < AGAIN; i++) {
		if (MPI_Comm_dup(MPI_COMM_SELF, &c) != MPI_SUCCESS)
			prog_wrong(&prog, "copy %d after each was freed", i);
		MPI_Comm_free(&c);
	}
	fill(); /* MPI_Finalize finds them */
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("comms_exhausted: right, %d cases, %d ranks\n", cases, prog.size);
	MPI_Finalize();
	return 0;
}
