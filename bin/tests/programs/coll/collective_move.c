/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collectives that move data. Block b that goes from rank s to rank d holds numbers that say
 * so; in the variants with counts rank r's part has r % 3 + 1 numbers and parts lie one number
 * apart.
 */
#include "collective.h"

#include <stdlib.h>

#include <mpi.h>

enum { UNTOUCHED = -77 };

struct parts {
	int *counts, *displs;
	int total; /* numbers in a buffer of all parts, gaps included */
};

static long word(long loop, int from, int to, int i)
{
	return ((loop * 1009 + from) * 1009 + to) * 1009 + i;
}

static long *numbers(const struct prog *prog, int n)
{
	long *p = prog_alloc(prog, (size_t)n * sizeof(*p));
	for (int i = 0; i < n; i++)
		p[i] = UNTOUCHED;
	return p;
}

static struct parts parts_make(const struct prog *prog)
{
	struct parts p;
	p.counts = prog_alloc(prog, (size_t)prog->size * sizeof(int));
	p.displs = prog_alloc(prog, (size_t)prog->size * sizeof(int));
	p.total = 0;
	for (int r = 0; r < prog->size; r++) {
		p.counts[r] = r % 3 + 1;
		p.displs[r] = p.total;
		p.total += p.counts[r] + 1;
	}
	return p;
}

static void parts_free(struct parts *p)
{
	free(p->counts);
	free(p->displs);
}

static void put(long *at, int n, long loop, int from, int to)
{
	for (int i = 0; i < n; i++)
		at[i] = word(loop, from, to, i);
}

static void check(const struct prog *prog, const char *call, const long *at, int n, long loop,
	const int ends[2])
{
	for (int i = 0; i < n; i++)
		if (at[i] != word(loop, ends[0], ends[1], i))
			prog_wrong(prog,
				"%s in loop %ld: number %d from rank %d to rank %d is %ld, not %ld",
				call, loop, i, ends[0], ends[1], at[i],
				word(loop, ends[0], ends[1], i));
}

static void check_gap(const struct prog *prog, const char *call, long at)
{
	if (at != UNTOUCHED)
		prog_wrong(prog, "%s wrote %ld between two parts", call, at);
}

static void bcast(const struct prog *prog, long loop)
{
	int root = (int)(loop % prog->size);
	long *buf = numbers(prog, 5);
	if (prog->rank == root)
		put(buf, 5, loop, root, 0);
	MPI_Bcast(buf, 5, MPI_LONG, root, MPI_COMM_WORLD);
	check(prog, "Bcast", buf, 5, loop, (int[]){root, 0});
	free(buf);
}

static void gather(const struct prog *prog, long loop)
{
	int p = prog->size, root = (int)(loop % p);
	long mine[2], *all = numbers(prog, 2 * p);
	put(mine, 2, loop, prog->rank, root);
	MPI_Gather(mine, 2, MPI_LONG, all, 2, MPI_LONG, root, MPI_COMM_WORLD);
	for (int r = 0; prog->rank == root && r < p; r++)
		check(prog, "Gather", all + 2 * (size_t)r, 2, loop, (int[]){r, root});
	MPI_Allgather(mine, 2, MPI_LONG, all, 2, MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < p; r++)
		check(prog, "Allgather", all + 2 * (size_t)r, 2, loop, (int[]){r, root});
	free(all);
}

static void gatherv(const struct prog *prog, long loop)
{
	int p = prog->size, root = (int)(loop % p);
	struct parts parts = parts_make(prog);
	long mine[3], *all = numbers(prog, parts.total), *each = numbers(prog, parts.total);
	put(mine, parts.counts[prog->rank], loop, prog->rank, root);
	MPI_Gatherv(mine, parts.counts[prog->rank], MPI_LONG, all, parts.counts, parts.displs,
		MPI_LONG, root, MPI_COMM_WORLD);
	MPI_Allgatherv(mine, parts.counts[prog->rank], MPI_LONG, each, parts.counts, parts.displs,
		MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < p; r++) {
		int at = parts.displs[r], n = parts.counts[r];
		check(prog, "Allgatherv", each + at, n, loop, (int[]){r, root});
		check_gap(prog, "Allgatherv", each[at + n]);
		if (prog->rank == root)
			check(prog, "Gatherv", all + at, n, loop, (int[]){r, root});
		check_gap(prog, "Gatherv", all[at + n]);
	}
	free(all);
	free(each);
	parts_free(&parts);
}

static void scatter(const struct prog *prog, long loop)
{
	int p = prog->size, root = (int)(loop % p), me = prog->rank;
	struct parts parts = parts_make(prog);
	long mine[4] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
	long *all = numbers(prog, 2 * p), *each = numbers(prog, parts.total);
	for (int r = 0; me == root && r < p; r++) {
		put(all + 2 * (size_t)r, 2, loop, root, r);
		put(each + parts.displs[r], parts.counts[r], loop, root, r);
	}
	MPI_Scatter(all, 2, MPI_LONG, mine, 2, MPI_LONG, root, MPI_COMM_WORLD);
	check(prog, "Scatter", mine, 2, loop, (int[]){root, me});
	mine[1] = mine[2] = UNTOUCHED;
	MPI_Scatterv(each, parts.counts, parts.displs, MPI_LONG, mine, parts.counts[me], MPI_LONG,
		root, MPI_COMM_WORLD);
	check(prog, "Scatterv", mine, parts.counts[me], loop, (int[]){root, me});
	check_gap(prog, "Scatterv", mine[parts.counts[me]]);
	free(all);
	free(each);
	parts_free(&parts);
}

static void alltoall(const struct prog *prog, long loop)
{
	int p = prog->size, me = prog->rank;
	long *out = numbers(prog, 2 * p), *in = numbers(prog, 2 * p);
	for (int r = 0; r < p; r++)
		put(out + 2 * (size_t)r, 2, loop, me, r);
	MPI_Alltoall(out, 2, MPI_LONG, in, 2, MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < p; r++)
		check(prog, "Alltoall", in + 2 * (size_t)r, 2, loop, (int[]){r, me});
	free(out);
	free(in);
}

/* Rank s sends me % 3 + 1 numbers to each: the sender's parts are all of its own size, the
 * receiver's of the senders' sizes. */
static void alltoallv(const struct prog *prog, long loop)
{
	int p = prog->size, me = prog->rank, n = me % 3 + 1;
	struct parts from = parts_make(prog), to = parts_make(prog);
	long *out = numbers(prog, 3 * p), *in = numbers(prog, from.total);
	for (int r = 0; r < p; r++) {
		to.counts[r] = n;
		to.displs[r] = 3 * (p - 1 - r);
		put(out + to.displs[r], n, loop, me, r);
	}
	MPI_Alltoallv(out, to.counts, to.displs, MPI_LONG, in, from.counts, from.displs, MPI_LONG,
		MPI_COMM_WORLD);
	for (int r = 0; r < p; r++) {
		check(prog, "Alltoallv", in + from.displs[r], from.counts[r], loop, (int[]){r, me});
		check_gap(prog, "Alltoallv", in[from.displs[r] + from.counts[r]]);
	}
	free(out);
	free(in);
	parts_free(&from);
	parts_free(&to);
}

void collective_move(const struct prog *prog, long loop)
{
	MPI_Barrier(MPI_COMM_WORLD);
	bcast(prog, loop);
	gather(prog, loop);
	gatherv(prog, loop);
	scatter(prog, loop);
	alltoall(prog, loop);
	alltoallv(prog, loop);
}
