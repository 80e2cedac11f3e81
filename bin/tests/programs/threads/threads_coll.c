/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations: each thread's on its own communicator, so that as many are under way. */
#include "threads.h"

#include <string.h>

enum { WIDTH = 64, LONG_WIDTH = 8000 };

static int block(struct worker *w)
{
	return threads_draw(w, 8) == 0 ? LONGEST / RANKS_MOST : 1 + threads_draw(w, WIDTH);
}

static void barriers(struct worker *w)
{
	for (int n = threads_draw(w, 5); n >= 0; n--)
		MPI_Barrier(w->comm);
}

static void bcast(struct worker *w)
{
	int n = threads_length(w), root = threads_draw(w, w->size);

	threads_fill(w, n);
	memset(w->in, 0, sizeof w->in[0] * (size_t)n);
	if (w->rank == root)
		memcpy(w->in, w->out, sizeof w->in[0] * (size_t)n);
	MPI_Bcast(w->in, n, MPI_INT, root, w->comm);
	threads_check(w, root, n);
}

/* The sum over ranks [0, ranks) of element i, as it overflows. */
static int sum_of(const struct worker *w, int ranks, int i)
{
	unsigned sum = 0;

	for (int r = 0; r < ranks; r++)
		sum += (unsigned)threads_word(w, r, i);
	return (int)sum;
}

static void check_sum(struct worker *w, int ranks, int first, int n)
{
	for (int i = 0; i < n; i++)
		threads_expect(w, w->in[i] == sum_of(w, ranks, first + i),
			"element %d of %d over %d ranks is %d, not %d", i, n, ranks, w->in[i],
			sum_of(w, ranks, first + i));
}

static void reduce(struct worker *w)
{
	int n = threads_length(w) % LONG_WIDTH + 1, root = threads_draw(w, w->size + 1);

	threads_fill(w, n);
	if (root == w->size)
		MPI_Allreduce(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm);
	else
		MPI_Reduce(w->out, w->in, n, MPI_INT, MPI_SUM, root, w->comm);
	if (root == w->size || root == w->rank)
		check_sum(w, w->size, 0, n);
}

static void scan(struct worker *w)
{
	int n = block(w), exclusive = threads_draw(w, 2);

	threads_fill(w, n);
	if (exclusive)
		MPI_Exscan(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm);
	else
		MPI_Scan(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm);
	if (!exclusive || w->rank > 0)
		check_sum(w, w->rank + 1 - exclusive, 0, n);
}

static void reduce_scatter(struct worker *w)
{
	int n = block(w);

	threads_fill(w, n * w->size);
	MPI_Reduce_scatter_block(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm);
	check_sum(w, w->size, n * w->rank, n);
}

/* Block r of the result is from rank r, its own from `first` on. */
static void check_blocks(struct worker *w, int n, int first)
{
	for (int r = 0; r < w->size; r++)
		for (int i = 0; i < n; i++)
			threads_expect(w, w->in[r * n + i] == threads_word(w, r, first + i),
				"element %d of %d of block %d is %d", i, n, r, w->in[r * n + i]);
}

static void gather(struct worker *w)
{
	int n = block(w), root = threads_draw(w, w->size + 1);

	threads_fill(w, n);
	if (root == w->size)
		MPI_Allgather(w->out, n, MPI_INT, w->in, n, MPI_INT, w->comm);
	else
		MPI_Gather(w->out, n, MPI_INT, w->in, n, MPI_INT, root, w->comm);
	if (root == w->size || root == w->rank)
		check_blocks(w, n, 0);
}

static void scatter(struct worker *w)
{
	int n = block(w), root = threads_draw(w, w->size);

	threads_fill(w, n * w->size);
	MPI_Scatter(w->out, n, MPI_INT, w->in, n, MPI_INT, root, w->comm);
	for (int i = 0; i < n; i++)
		threads_expect(w, w->in[i] == threads_word(w, root, n * w->rank + i),
			"element %d of %d is %d", i, n, w->in[i]);
}

static void alltoall(struct worker *w)
{
	int n = block(w);

	threads_fill(w, n * w->size);
	MPI_Alltoall(w->out, n, MPI_INT, w->in, n, MPI_INT, w->comm);
	check_blocks(w, n, n * w->rank);
}

/* Several at once, finished in another order. */
static void unwaited(struct worker *w)
{
	int n = block(w), root = threads_draw(w, w->size), sum = -1, mine = w->rank + 1;
	MPI_Request r[3];

	threads_fill(w, n * w->size);
	MPI_Ialltoall(w->out, n, MPI_INT, w->in, n, MPI_INT, w->comm, &r[0]);
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, w->comm, &r[1]);
	MPI_Ibcast(&root, 1, MPI_INT, root, w->comm, &r[2]);
	for (int i = 3; i-- > 0;)
		MPI_Wait(&r[(i + w->rank) % 3], MPI_STATUS_IGNORE);
	check_blocks(w, n, n * w->rank);
	threads_expect(w, sum == w->size * (w->size + 1) / 2, "the sum is %d", sum);
}

const struct activity threads_coll[] = {
	{"barriers", barriers},
	{"bcast", bcast},
	{"reduce", reduce},
	{"scan", scan},
	{"reduce scatter", reduce_scatter},
	{"gather", gather},
	{"scatter", scatter},
	{"alltoall", alltoall},
	{"unwaited", unwaited},
	{NULL, NULL},
};
