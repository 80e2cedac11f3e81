/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * repeated: the same collective call again and again, from the same memory: what was sent changes,
 * and between two calls something changes that the arguments do not show: who is in a communicator
 * that lies where another one lay, what a datatype or an operator is, what arrays say.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "prog.h"

enum { MOST = 16, MANY = 40, TIMES = 3 };

static struct prog prog = {"repeated", "the same collective call again and again", NULL, 0, 0, 1};
static long in[MOST * 4], out[MOST * 4], made;

/* A number of this rank's (or of rank r) that was never sent before. */
static long word(int r)
{
	return made * 100 + r;
}

static void expect(const char *what, long got, long want)
{
	if (got != want)
		prog_wrong(&prog, "%s: %ld, not %ld", what, got, want);
}

static long sum_of_words(void)
{
	return (long)prog.size * made * 100 + (long)prog.size * (prog.size - 1) / 2;
}

/* ---- what is sent changes ---- */

static void fill(void)
{
	made++;
	for (int i = 0; i < MOST * 4; i++) {
		in[i] = word(prog.rank);
		out[i] = -1;
	}
}

static void bcast(int root)
{
	out[0] = word(prog.rank);
	MPI_Bcast(out, 1, MPI_LONG, root, MPI_COMM_WORLD);
	expect("MPI_Bcast", out[0], word(root));
}

static void gather(int root)
{
	MPI_Gather(in, 1, MPI_LONG, out, 1, MPI_LONG, root, MPI_COMM_WORLD);
	for (int r = 0; r < prog.size; r++)
		expect("MPI_Gather", out[r], prog.rank == root ? word(r) : -1);
}

static void scatter(int root)
{
	MPI_Scatter(in, 1, MPI_LONG, out, 1, MPI_LONG, root, MPI_COMM_WORLD);
	expect("MPI_Scatter", out[0], word(root));
}

static void allgather(int root)
{
	(void)root;
	MPI_Allgather(in, 1, MPI_LONG, out, 1, MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < prog.size; r++)
		expect("MPI_Allgather", out[r], word(r));
}

static void alltoall(int root)
{
	(void)root;
	MPI_Alltoall(in, 2, MPI_LONG, out, 2, MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < prog.size; r++)
		expect("MPI_Alltoall", out[2 * r + 1], word(r));
}

static void reduce(int root)
{
	MPI_Reduce(in, out, 2, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
	expect("MPI_Reduce", out[1], prog.rank == root ? sum_of_words() : out[1]);
}

static void allreduce(int root)
{
	MPI_Op op = root % 2 ? MPI_SUM : MPI_MAX;

	MPI_Allreduce(in, out, 2, MPI_LONG, op, MPI_COMM_WORLD);
	expect("MPI_Allreduce", out[1], root % 2 ? sum_of_words() : word(prog.size - 1));
}

static void allreduce_in_place(int root)
{
	(void)root;
	MPI_Allreduce(MPI_IN_PLACE, in, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	expect("MPI_Allreduce in place", in[1], sum_of_words());
}

static void scan(int root)
{
	(void)root;
	MPI_Scan(in, out, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
	expect("MPI_Scan", out[0], word(0));
}

static void exscan(int root)
{
	(void)root;
	MPI_Exscan(in, out, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	expect("MPI_Exscan", out[0], prog.rank == 0 ? -1 : word(prog.rank - 1));
}

static void reduce_scatter_block(int root)
{
	(void)root;
	MPI_Reduce_scatter_block(in, out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	expect("MPI_Reduce_scatter_block", out[0], sum_of_words());
}

static void barrier(int root)
{
	(void)root;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void same_calls(void)
{
	static void (*const calls[])(int root) = {bcast, gather, scatter, allgather, alltoall,
		reduce, allreduce, allreduce_in_place, scan, exscan, reduce_scatter_block, barrier};

	for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
		for (int i = 0; i < TIMES * prog.size; i++) {
			fill();
			calls[c](i % prog.size);
		}
}

/* From one memory into another, in turns with others. */
static void other_memory(void)
{
	for (int i = 0; i < 4 * TIMES; i++) {
		int from = i / 2 % 2, to = i % 2;

		fill();
		in[1] = -in[0];
		MPI_Allreduce(in + from, out + to, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		expect("the sum of one memory", out[to], from ? -sum_of_words() : sum_of_words());
		expect("the other memory", out[!to], -1);
		MPI_Gather(in + from, 1, MPI_LONG, out + to, 1, MPI_LONG, 0, MPI_COMM_WORLD);
		if (prog.rank == 0)
			expect("one memory", out[to], from ? -word(0) : word(0));
	}
}

/* More of them than anybody would remember, in turns. */
static void many_calls(void)
{
	for (int i = 0; i < TIMES * MANY; i++) {
		int n = 1 + i % MANY;

		fill();
		MPI_Allreduce(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		expect("the last element", out[n - 1], sum_of_words());
		expect("the one behind it", out[n], -1);
	}
}

/* ---- what the arguments do not show changes ---- */

/* The halves, then the ends of the order turned round: each time where the last one lay. */
static void other_communicators(void)
{
	for (int i = 0; i < 4 * TIMES; i++) {
		int colour = i % 2 ? prog.rank % 2 : 0, rank, size;
		MPI_Comm comm;

		MPI_Comm_split(MPI_COMM_WORLD, colour, i / 2 % 2 ? -prog.rank : prog.rank, &comm);
		MPI_Comm_rank(comm, &rank);
		MPI_Comm_size(comm, &size);
		for (int k = 0; k < TIMES; k++) {
			fill();
			in[0] = 1;
			MPI_Allreduce(in, out, 1, MPI_LONG, MPI_SUM, comm);
			expect("ranks of the communicator", out[0], size);
			out[1] = rank;
			MPI_Bcast(out + 1, 1, MPI_LONG, size - 1, comm);
			expect("its last rank", out[1], size - 1);
		}
		MPI_Comm_free(&comm);
	}
}

/* Each element, every second, every third of them. */
static void other_datatypes(void)
{
	for (int i = 0; i < 4 * TIMES; i++) {
		int stride = 1 + i % 3;
		MPI_Datatype type;

		MPI_Type_vector(4, 1, stride, MPI_LONG, &type);
		MPI_Type_commit(&type);
		fill();
		memcpy(out, in, sizeof out);
		MPI_Bcast(out, 1, type, 0, MPI_COMM_WORLD);
		for (int k = 0; k < 4 * stride; k++)
			expect("an element of the vector", out[k],
				word(k % stride == 0 && k <= 3 * stride ? 0 : prog.rank));
		MPI_Type_free(&type);
	}
}

static void lesser(void *a, void *b, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((long *)a)[i] < ((long *)b)[i])
			((long *)b)[i] = ((long *)a)[i];
}

static void greater(void *a, void *b, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((long *)a)[i] > ((long *)b)[i])
			((long *)b)[i] = ((long *)a)[i];
}

static void other_operators(void)
{
	for (int i = 0; i < 4 * TIMES; i++) {
		MPI_Op op;

		MPI_Op_create(i % 2 ? greater : lesser, 1, &op);
		fill();
		MPI_Allreduce(in, out, 1, MPI_LONG, op, MPI_COMM_WORLD);
		expect("the operator's", out[0], word(i % 2 ? prog.size - 1 : 0));
		MPI_Op_free(&op);
	}
}

/* Counts and displacements that lie where the last ones lay. */
static void other_arrays(void)
{
	static int counts[MOST], displs[MOST];

	for (int i = 0; i < 4 * TIMES; i++) {
		int apart = 1 + i % 3;

		for (int r = 0; r < prog.size; r++) {
			counts[r] = 1 + (r + i) % 2;
			displs[r] = 4 * r + apart % 2;
		}
		fill();
		MPI_Allgatherv(in, counts[prog.rank], MPI_LONG, out, counts, displs, MPI_LONG,
			MPI_COMM_WORLD);
		for (int r = 0; r < prog.size; r++) {
			expect("its block", out[displs[r]], word(r));
			expect("the end of it", out[displs[r] + counts[r] - 1], word(r));
			expect("what is behind it", out[displs[r] + counts[r]], -1);
		}
		fill();
		MPI_Gatherv(in, counts[prog.rank], MPI_LONG, out, counts, displs, MPI_LONG, 0,
			MPI_COMM_WORLD);
		for (int r = 0; r < prog.size && prog.rank == 0; r++) {
			expect("the end of its block at the root", out[displs[r] + counts[r] - 1],
				word(r));
			expect("what is behind it at the root", out[displs[r] + counts[r]], -1);
		}
		fill();
		MPI_Reduce_scatter(in, out, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		expect("its part of the sum", out[counts[prog.rank] - 1], sum_of_words());
		expect("what is behind the part", out[counts[prog.rank]], -1);
	}
}

/* ---- what goes wrong ---- */

/* A call that fails is no model for the next one, and neither is one in which a message was too
 * long, at whichever of them. */
static void after_errors(void)
{
	MPI_Comm comm;
	int rc, class;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	for (int i = 0; i < 4 * TIMES; i++) {
		bool wrong = i % 4 == 2;

		fill();
		memcpy(out, in, sizeof out);
		rc = MPI_Bcast(out, wrong && prog.rank == 0 ? 3 : 2, MPI_LONG, 0, comm);
		MPI_Error_class(rc, &class);
		if (!wrong || prog.size == 1)
			expect("the class of a right call", class, MPI_SUCCESS);
		if (class == MPI_SUCCESS)
			expect("what a right call gave", out[1], word(0));
		MPI_Barrier(MPI_COMM_WORLD);
		rc = MPI_Allreduce(in, out, wrong && prog.rank == prog.size - 1 ? 2 : 1, MPI_LONG,
			MPI_SUM, comm);
		MPI_Error_class(rc, &class);
		if (!wrong || prog.size == 1)
			expect("the class of a right reduction", class, MPI_SUCCESS);
		if (class == MPI_SUCCESS && !wrong)
			expect("what a right reduction gave", out[0], sum_of_words());
		MPI_Barrier(MPI_COMM_WORLD);
		rc = MPI_Bcast(out, -1, MPI_LONG, 0, comm);
		MPI_Error_class(rc, &class);
		expect("the class of a negative count", class, MPI_ERR_COUNT);
	}
	MPI_Comm_free(&comm);
}

/* ---- sessions, one after another ---- */

static MPI_Comm of_session(MPI_Session session, const char *set)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, set, &group);
	MPI_Comm_create_from_group(group, "repeated", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	return comm;
}

static void sessions(void)
{
	for (int i = 0; i < 4; i++) {
		const char *set = i % 2 ? "mpi://SELF" : "mpi://WORLD";
		MPI_Session session;
		MPI_Comm comm;
		int size;

		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
		comm = of_session(session, set);
		MPI_Comm_size(comm, &size);
		in[0] = 1;
		for (int k = 0; k < TIMES; k++) {
			MPI_Allreduce(in, out, 1, MPI_LONG, MPI_SUM, comm);
			expect(set, out[0], size);
		}
		MPI_Comm_free(&comm);
		MPI_Session_finalize(&session);
	}
}

int main(int argc, char **argv)
{
	sessions();
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (prog.size > MOST)
		prog_wrong(&prog, "at most %d ranks, not %d", MOST, prog.size);
	same_calls();
	other_memory();
	many_calls();
	other_communicators();
	other_datatypes();
	other_operators();
	other_arrays();
	after_errors();
	if (prog.rank == 0)
		printf("repeated: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
