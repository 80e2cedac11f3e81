/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datatypes: derived datatypes in messages. Packing by hand and MPI_PACKED, parts of elements,
 * arrays given out to all ranks by subarrays and distributed arrays, types freed while a message is
 * on its way, absolute addresses, reductions of Fortran's kinds. Every rank says "right" only after
 * it has seen every byte.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "datatypes.h"

int lines;
static const struct prog_option options[] = {{"-lines", NULL, PROG_FLAG, &lines, 0,
	"a line may be made at any moment: no send is taken back"}};
struct prog prog = {.name = "datatypes",
	.text = "derived datatypes in messages",
	.options = options,
	.count = 1};

void expect_number(const char *what, long want, long got)
{
	if (want != got)
		prog_wrong(&prog, "%s: %ld, not %ld", what, got, want);
}

int next(void)
{
	return (prog.rank + 1) % prog.size;
}

int previous(void)
{
	return (prog.rank + prog.size - 1) % prog.size;
}

MPI_Datatype item_type(void)
{
	int lens[] = {1, 2, 1};
	MPI_Aint at[] = {0, offsetof(struct item, d), offsetof(struct item, i)};
	MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, t;

	MPI_Type_create_struct(3, lens, at, types, &t);
	MPI_Type_commit(&t);
	return t;
}

struct item item_of(int rank, int n)
{
	return (struct item){(char)('a' + n % 26), {rank + n / 8.0, -n}, 1000 * rank + n};
}

void check_item(const char *what, const struct item *got, int rank, int n)
{
	struct item want = item_of(rank, n);

	if (got->c != want.c || got->d[0] != want.d[0] || got->d[1] != want.d[1] ||
		got->i != want.i)
		prog_wrong(&prog, "%s: item %d of rank %d is {%c %g %g %d}", what, n, rank, got->c,
			got->d[0], got->d[1], got->i);
}

enum { ROWS = 13, COLUMNS = 11 };

/* The process grid that MPI_Dims_create makes, and what a rank has of the matrix. */
static MPI_Datatype part_of(int rank, int way, int block)
{
	int sizes[] = {ROWS, COLUMNS}, ways[] = {way, way}, blocks[] = {block, block};
	int grid[] = {0, 0};
	MPI_Datatype t;

	MPI_Dims_create(prog.size, 2, grid);
	MPI_Type_create_darray(
		prog.size, rank, 2, sizes, ways, blocks, grid, MPI_ORDER_C, MPI_INT, &t);
	MPI_Type_commit(&t);
	return t;
}

/* Rank 0 gives its matrix out and gathers it again, in other hands: all elements come back once. */
static void distributed(int way, int block)
{
	int matrix[ROWS * COLUMNS], back[ROWS * COLUMNS], *local, size = 0;
	MPI_Datatype mine = part_of(prog.rank, way, block);
	MPI_Request sends[2];

	for (int i = 0; i < ROWS * COLUMNS; i++)
		matrix[i] = i;
	memset(back, 0xff, sizeof(back));
	MPI_Type_size(mine, &size);
	local = prog_alloc(&prog, (size_t)size);
	if (prog.rank == 0) {
		MPI_Request *all = prog_alloc(&prog, (size_t)prog.size * sizeof(MPI_Request));

		for (int r = 0; r < prog.size; r++) {
			MPI_Datatype t = part_of(r, way, block);

			MPI_Isend(matrix, 1, t, r, TAG, MPI_COMM_WORLD, &all[r]);
			MPI_Type_free(&t);
		}
		MPI_Recv(local, size / 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(prog.size, all, MPI_STATUSES_IGNORE);
		free(all);
	} else {
		MPI_Recv(local, size / 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Isend(local, size / 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, &sends[0]);
	for (int r = 0; prog.rank == 0 && r < prog.size; r++) {
		MPI_Datatype t = part_of(r, way, block);
		MPI_Request q;

		MPI_Irecv(back, 1, t, r, TAG, MPI_COMM_WORLD, &q);
		MPI_Type_free(&t);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
	for (int i = 0; prog.rank == 0 && i < ROWS * COLUMNS; i++)
		if (back[i] != i)
			prog_wrong(&prog, "distribution %d: element %d came back as %d", way, i,
				back[i]);
	free(local);
	MPI_Type_free(&mine);
}

/* Every rank has a slab of columns; an all-gather with types of different shapes makes the whole.
 */
static void slabs(void)
{
	enum { WIDTH = 3, HEIGHT = 50 };
	int width = WIDTH * prog.size, sizes[] = {HEIGHT, width}, subsizes[] = {HEIGHT, WIDTH};
	int starts[] = {0, 0}, mine[HEIGHT][WIDTH + 1];
	int *whole = prog_alloc(&prog, sizeof(int) * HEIGHT * (size_t)width);
	MPI_Datatype slab, into, from;

	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &slab);
	MPI_Type_create_resized(slab, 0, WIDTH * sizeof(int), &into);
	MPI_Type_commit(&into);
	MPI_Type_vector(HEIGHT, WIDTH, WIDTH + 1, MPI_INT, &from);
	MPI_Type_commit(&from);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			mine[y][x] = y * width + prog.rank * WIDTH + x;
	MPI_Allgather(mine, 1, from, whole, 1, into, MPI_COMM_WORLD);
	for (int i = 0; i < HEIGHT * width; i++)
		expect("an element of the slabs", i, whole[i]);
	MPI_Type_free(&slab);
	MPI_Type_free(&into);
	MPI_Type_free(&from);
	free(whole);
}

/* Whole rows of a matrix: sent and received where they lie, short and long, and cut when too long.
 */
static void rows(int height)
{
	enum { WIDTH = 100, FIRST = 3 };
	int sizes[] = {height + 5, WIDTH}, subsizes[] = {height, WIDTH}, starts[] = {FIRST, 0};
	int n = sizes[0] * WIDTH, *out = prog_alloc(&prog, (size_t)n * sizeof(int));
	int *in = prog_alloc(&prog, (size_t)n * sizeof(int));
	MPI_Datatype t;
	MPI_Status status;

	for (int i = 0; i < n; i++) {
		out[i] = prog.rank * n + i;
		in[i] = -1;
	}
	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Sendrecv(out, 1, t, next(), TAG, in, 1, t, previous(), TAG, MPI_COMM_WORLD, &status);
	for (int i = 0; i < n; i++) {
		bool inside = i >= FIRST * WIDTH && i < (FIRST + height) * WIDTH;

		expect("an element of the rows", inside ? previous() * n + i : -1, in[i]);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	expect("rows that are cut", MPI_ERR_TRUNCATE,
		MPI_Sendrecv(out, n, MPI_INT, next(), TAG, in, 1, t, previous(), TAG,
			MPI_COMM_WORLD, &status));
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	expect("behind rows that are cut", -1, in[(FIRST + height) * WIDTH]);
	expect("the first that was cut", previous() * n, in[FIRST * WIDTH]);
	MPI_Type_free(&t);
	free(out);
	free(in);
}

/* Long enough for a rendezvous, in an order that goes backwards, freed before it has come. */
static void long_message(void)
{
	enum { N = 100000 };
	int *at = prog_alloc(&prog, N * sizeof(int));
	struct item *out = prog_alloc(&prog, N * sizeof(*out));
	struct item *in = prog_alloc(&prog, N * sizeof(*in));
	MPI_Datatype item = item_type(), backwards;
	MPI_Request r[2];

	memset(in, 0, N * sizeof(*in));
	for (int i = 0; i < N; i++) {
		at[i] = N - 1 - i;
		out[i] = item_of(prog.rank, i);
	}
	MPI_Type_create_indexed_block(N, 1, at, item, &backwards);
	MPI_Type_commit(&backwards);
	MPI_Irecv(in, N, item, previous(), TAG, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, 1, backwards, next(), TAG, MPI_COMM_WORLD, &r[1]);
	MPI_Type_free(&backwards);
	MPI_Type_free(&item);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < N; i++)
		check_item("long", &in[i], previous(), N - 1 - i);
	free(at);
	free(out);
	free(in);
}

static void absolute_addresses(void)
{
	int a = 10 + prog.rank, *b = prog_alloc(&prog, 2 * sizeof(int)), lens[] = {1, 2};
	int got[3] = {0};
	MPI_Aint at[2];
	MPI_Datatype t;

	b[0] = 20 + prog.rank;
	b[1] = 30 + prog.rank;
	MPI_Get_address(&a, &at[0]);
	MPI_Get_address(b, &at[1]);
	MPI_Type_create_hindexed(2, lens, at, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Sendrecv(MPI_BOTTOM, 1, t, next(), TAG, got, 3, MPI_INT, previous(), TAG,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++)
		expect("by absolute address", 10 * (i + 1) + previous(), got[i]);
	MPI_Bcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD);
	expect("broadcast to absolute addresses", 10, a);
	expect("broadcast to absolute addresses", 30, b[1]);
	MPI_Type_free(&t);
	free(b);
}

static void fortran_kinds(void)
{
	double x = prog.rank + 0.5, sum = 0;
	long long n = prog.rank + 1, most = 0;
	MPI_Datatype real, integer;

	MPI_Type_create_f90_real(15, 100, &real);
	MPI_Type_create_f90_integer(15, &integer);
	MPI_Allreduce(&x, &sum, 1, real, MPI_SUM, MPI_COMM_WORLD);
	if (sum != prog.size * prog.size / 2.0)
		prog_wrong(&prog, "the sum of a Fortran kind is %g", sum);
	MPI_Allreduce(&n, &most, 1, integer, MPI_MAX, MPI_COMM_WORLD);
	expect("the largest of a Fortran kind", prog.size, most);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	packing();
	distributed(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
	distributed(MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG);
	distributed(MPI_DISTRIBUTE_CYCLIC, 2);
	slabs();
	rows(1);
	rows(3000);
	long_message();
	in_pieces();
	absolute_addresses();
	fortran_kinds();
	if (prog.rank == 0)
		printf("datatypes: right on %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
