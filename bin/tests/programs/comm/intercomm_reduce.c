/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions between two sides: each gets what the other one's contributions make. */
#include "intercomm.h"

#include <stdlib.h>

/* x -> a x + b modulo PRIME: a group whose operation is not commutative. */
struct map {
	long a, b;
};

enum { PRIME = 1000003 };

static struct map after(struct map f, struct map g)
{
	return (struct map){f.a * g.a % PRIME, (f.a * g.b + f.b) % PRIME};
}

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
	const struct map *f = in;
	struct map *g = inout;

	(void)type;
	for (int i = 0; i < *n; i++)
		g[i] = after(f[i], g[i]);
}

static struct map contribution(int rank, int i)
{
	return (struct map){rank + 2, 7 * rank + i};
}

/* What a side's contributions make, in the order of its ranks. */
static struct map made(const struct intercomm_side *side, int i)
{
	struct map m = contribution(side->world[0], i);

	for (int r = 1; r < side->size; r++)
		m = after(m, contribution(side->world[r], i));
	return m;
}

struct trial {
	const struct intercomm *in;
	MPI_Datatype type;
	MPI_Op op;
	struct map *send, *recv;
};

/* n elements that came are elements from `first` on of the other side's result. */
static void check(const struct trial *t, const char *what, int first, int n)
{
	for (int i = 0; i < n; i++) {
		struct map want = made(&t->in->them, first + i);

		if (t->recv[i].a != want.a || t->recv[i].b != want.b)
			intercomm_wrong(t->in, "%s: element %d of %d is (%ld, %ld), not (%ld, %ld)",
				what, first + i, n, t->recv[i].a, t->recv[i].b, want.a, want.b);
	}
	if (t->recv[n].a != -1)
		intercomm_wrong(t->in, "%s: something lies behind the result", what);
}

static void renew(const struct trial *t, int n)
{
	for (int i = 0; i <= n; i++) {
		t->send[i] = contribution(t->in->prog->rank, i);
		t->recv[i] = (struct map){-1, -1};
	}
}

static void reduce(const struct trial *t, int n, int side, int root)
{
	int arg = t->in->side != side ? root : t->in->rank == root ? MPI_ROOT : MPI_PROC_NULL;

	renew(t, n);
	MPI_Reduce(arg == MPI_ROOT ? NULL : t->send, t->recv, n, t->type, t->op, arg, t->in->comm);
	check(t, "Reduce", 0, arg == MPI_ROOT ? n : 0);
}

static void allreduce(const struct trial *t, int n)
{
	renew(t, n);
	MPI_Allreduce(t->send, t->recv, n, t->type, t->op, t->in->comm);
	check(t, "Allreduce", 0, n);
}

/* each * (both sizes) elements in all, so that either side can deal them out evenly. */
static void reduce_scatter_block(const struct trial *t, int each)
{
	int n = each * t->in->them.size;

	renew(t, n * t->in->us.size);
	MPI_Reduce_scatter_block(t->send, t->recv, n, t->type, t->op, t->in->comm);
	check(t, "Reduce_scatter_block", n * t->in->rank, n);
}

/* The first of a side gives up what the last one gets. */
static void reduce_scatter(const struct trial *t, int each)
{
	int size = t->in->us.size, n = each * t->in->them.size, counts[INTERCOMM_MOST], first = 0;

	for (int i = 0; i < size; i++)
		counts[i] = n;
	counts[0] -= size > 1 ? n : 0;
	counts[size - 1] += size > 1 ? n : 0;
	renew(t, n * size);
	for (int i = 0; i < t->in->rank; i++)
		first += counts[i];
	MPI_Reduce_scatter(t->send, t->recv, counts, t->type, t->op, t->in->comm);
	check(t, "Reduce_scatter", first, counts[t->in->rank]);
}

static void one_length(const struct trial *t, int n)
{
	for (int side = 0; side < 2; side++) {
		int size = side == t->in->side ? t->in->us.size : t->in->them.size;

		for (int root = 0; root < size; root++)
			reduce(t, n, side, root);
	}
	allreduce(t, n);
	reduce_scatter_block(t, n);
	reduce_scatter(t, n);
}

static void sums(const struct intercomm *in)
{
	int mine = in->prog->rank, got = -1, want = 0;

	for (int i = 0; i < in->them.size; i++)
		want += in->them.world[i];
	MPI_Allreduce(&mine, &got, 1, MPI_INT, MPI_SUM, in->comm);
	if (got != want)
		intercomm_wrong(in, "the sum is %d, not %d", got, want);
}

void intercomm_reductions(const struct intercomm *in)
{
	static const int lengths[] = {0, 1, 60};
	size_t most = 60 * (size_t)in->us.size * (size_t)in->them.size + 1;
	struct trial t = {in, MPI_DATATYPE_NULL, MPI_OP_NULL,
		prog_alloc(in->prog, most * sizeof(struct map)),
		prog_alloc(in->prog, most * sizeof(struct map))};

	MPI_Type_contiguous(2, MPI_LONG, &t.type);
	MPI_Type_commit(&t.type);
	MPI_Op_create(compose, 0, &t.op);
	for (int i = 0; i < 3; i++)
		one_length(&t, lengths[i]);
	sums(in);
	MPI_Op_free(&t.op);
	MPI_Type_free(&t.type);
	free(t.send);
	free(t.recv);
}
