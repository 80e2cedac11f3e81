/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_GHOST = 11 };

/* Rank r's rows begin where r parts of size of the nonzeros are reached. */
static void balance(const struct prog *prog, const struct mtx *m, int *first)
{
	size_t total = m->start[m->rows];
	int row = 0;
	for (int r = 0; r < prog->size; r++) {
		size_t goal = total / (size_t)prog->size * (size_t)r;
		while (row < m->rows && m->start[row] < goal)
			row++;
		first[r] = row;
	}
	first[prog->size] = m->rows;
}

/* Rank 0's view of the whole matrix in the int counts that MPI wants. */
struct outgoing {
	int *lengths;	      /* of each row */
	int *counts, *displs; /* entries of each rank */
};

static struct outgoing outgoing_make(const struct prog *prog, const struct mtx *m, const int *first)
{
	struct outgoing o;
	o.lengths = prog_alloc(prog, (size_t)m->rows * sizeof(int));
	o.counts = prog_alloc(prog, (size_t)prog->size * sizeof(int));
	o.displs = prog_alloc(prog, (size_t)prog->size * sizeof(int));
	for (int row = 0; row < m->rows; row++)
		o.lengths[row] = (int)(m->start[row + 1] - m->start[row]);
	for (int r = 0; r < prog->size; r++) {
		o.displs[r] = (int)m->start[first[r]];
		o.counts[r] = (int)m->start[first[r + 1]] - o.displs[r];
	}
	return o;
}

static void outgoing_free(struct outgoing *o)
{
	free(o->lengths);
	free(o->counts);
	free(o->displs);
}

static void distribute(const struct prog *prog, struct spread *s, const struct mtx *m)
{
	struct outgoing o = {NULL, NULL, NULL};
	if (prog->rank == 0)
		o = outgoing_make(prog, m, s->first);
	s->start = prog_alloc(prog, ((size_t)s->rows + 1) * sizeof(int));
	s->start[0] = 0;
	MPI_Scatterv(o.lengths, s->rows_of, s->first, MPI_INT, s->start + 1, s->rows, MPI_INT, 0,
		MPI_COMM_WORLD);
	for (int row = 0; row < s->rows; row++)
		s->start[row + 1] += s->start[row];
	int entries = s->start[s->rows];
	s->col = prog_alloc(prog, (size_t)entries * sizeof(int));
	s->value = prog_alloc(prog, (size_t)entries * sizeof(double));
	MPI_Scatterv(prog->rank == 0 ? m->col : NULL, o.counts, o.displs, MPI_INT, s->col, entries,
		MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatterv(prog->rank == 0 ? m->value : NULL, o.counts, o.displs, MPI_DOUBLE, s->value,
		entries, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	outgoing_free(&o);
}

static void find_diagonal(const struct prog *prog, struct spread *s)
{
	s->diagonal = prog_alloc(prog, (size_t)s->rows * sizeof(double));
	for (int row = 0; row < s->rows; row++) {
		s->diagonal[row] = 0.0;
		for (int i = s->start[row]; i < s->start[row + 1]; i++)
			if (s->col[i] == s->first[prog->rank] + row)
				s->diagonal[row] = s->value[i];
	}
}

/* Turn columns into places in x. ghost_col lists the columns of other ranks, ascending, which is
 * also ascending by owner, since every rank has one block of rows. */
static int *number_columns(const struct prog *prog, struct spread *s)
{
	int begin = s->first[prog->rank], end = s->first[prog->rank + 1];
	int *place = prog_alloc(prog, (size_t)s->n * sizeof(int));
	memset(place, 0, (size_t)s->n * sizeof(int));
	for (int i = 0; i < s->start[s->rows]; i++)
		place[s->col[i]] = 1;
	s->ghosts = 0;
	for (int c = 0; c < s->n; c++)
		if (c >= begin && c < end)
			place[c] = c - begin;
		else if (place[c])
			place[c] = s->rows + s->ghosts++;
	int *ghost_col = prog_alloc(prog, (size_t)s->ghosts * sizeof(int));
	for (int i = 0; i < s->start[s->rows]; i++) {
		int c = s->col[i], p = place[c];
		s->col[i] = p;
		if (p >= s->rows)
			ghost_col[p - s->rows] = c;
	}
	free(place);
	return ghost_col;
}

/* counts[r], displs[r]: the ghosts that rank r owns. */
static void count_ghosts(const struct prog *prog, const struct spread *s, const int *ghost_col,
	int *counts, int *displs)
{
	int g = 0;
	for (int r = 0; r < prog->size; r++) {
		displs[r] = g;
		while (g < s->ghosts && ghost_col[g] < s->first[r + 1])
			g++;
		counts[r] = g - displs[r];
	}
}

static void make_transfers(const struct prog *prog, struct spread *s, const int *in, const int *out)
{
	double *ghost = s->x + s->rows, *leaving = s->leaving_value;
	s->transfer = prog_alloc(prog, 2 * (size_t)prog->size * sizeof(MPI_Request));
	s->transfers = 0;
	for (int r = 0; r < prog->size; r++) {
		if (in[r] > 0)
			MPI_Recv_init(ghost, in[r], MPI_DOUBLE, r, TAG_GHOST, MPI_COMM_WORLD,
				&s->transfer[s->transfers++]);
		ghost += in[r];
	}
	for (int r = 0; r < prog->size; r++) {
		if (out[r] > 0)
			MPI_Send_init(leaving, out[r], MPI_DOUBLE, r, TAG_GHOST, MPI_COMM_WORLD,
				&s->transfer[s->transfers++]);
		leaving += out[r];
	}
}

/* Agree who sends which entries to whom, once. */
static void plan(const struct prog *prog, struct spread *s)
{
	size_t p = (size_t)prog->size;
	int *ghost_col = number_columns(prog, s), *lists = prog_alloc(prog, 4 * p * sizeof(int));
	int *in = lists, *in_at = lists + p, *out = lists + 2 * p, *out_at = lists + 3 * p;
	count_ghosts(prog, s, ghost_col, in, in_at);
	MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
	s->leaving = 0;
	for (size_t r = 0; r < p; r++) {
		out_at[r] = s->leaving;
		s->leaving += out[r];
	}
	s->leaving_row = prog_alloc(prog, (size_t)s->leaving * sizeof(int));
	s->leaving_value = prog_alloc(prog, (size_t)s->leaving * sizeof(double));
	MPI_Alltoallv(ghost_col, in, in_at, MPI_INT, s->leaving_row, out, out_at, MPI_INT,
		MPI_COMM_WORLD);
	for (int i = 0; i < s->leaving; i++)
		s->leaving_row[i] -= s->first[prog->rank];
	s->x = prog_alloc(prog, ((size_t)s->rows + (size_t)s->ghosts) * sizeof(double));
	make_transfers(prog, s, in, out);
	free(lists);
	free(ghost_col);
}

struct spread *spread_make(const struct prog *prog, const struct mtx *whole)
{
	struct spread *s = prog_alloc(prog, sizeof(*s));
	s->n = prog->rank == 0 ? whole->rows : 0;
	s->first = prog_alloc(prog, ((size_t)prog->size + 1) * sizeof(int));
	s->rows_of = prog_alloc(prog, (size_t)prog->size * sizeof(int));
	if (prog->rank == 0)
		balance(prog, whole, s->first);
	MPI_Bcast(&s->n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(s->first, prog->size + 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int r = 0; r < prog->size; r++)
		s->rows_of[r] = s->first[r + 1] - s->first[r];
	s->rows = s->rows_of[prog->rank];
	distribute(prog, s, whole);
	find_diagonal(prog, s);
	plan(prog, s);
	return s;
}

void spread_multiply(struct spread *s, const double *in, double *out)
{
	memcpy(s->x, in, (size_t)s->rows * sizeof(double));
	for (int i = 0; i < s->leaving; i++)
		s->leaving_value[i] = in[s->leaving_row[i]];
	MPI_Startall(s->transfers, s->transfer);
	MPI_Waitall(s->transfers, s->transfer, MPI_STATUSES_IGNORE);
	for (int row = 0; row < s->rows; row++) {
		double sum = 0.0;
		for (int i = s->start[row]; i < s->start[row + 1]; i++)
			sum += s->value[i] * s->x[s->col[i]];
		out[row] = sum;
	}
}

void spread_scatter(const struct spread *s, const double *whole, double *part)
{
	MPI_Scatterv(whole, s->rows_of, s->first, MPI_DOUBLE, part, s->rows, MPI_DOUBLE, 0,
		MPI_COMM_WORLD);
}

void spread_gather(const struct spread *s, const double *part, double *whole)
{
	MPI_Gatherv(part, s->rows, MPI_DOUBLE, whole, s->rows_of, s->first, MPI_DOUBLE, 0,
		MPI_COMM_WORLD);
}

void spread_free(struct spread *s)
{
	for (int i = 0; i < s->transfers; i++)
		MPI_Request_free(&s->transfer[i]);
	free(s->transfer);
	free(s->leaving_value);
	free(s->leaving_row);
	free(s->x);
	free(s->diagonal);
	free(s->value);
	free(s->col);
	free(s->start);
	free(s->rows_of);
	free(s->first);
	free(s);
}
