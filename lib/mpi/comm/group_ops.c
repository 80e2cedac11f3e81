/* SPDX-License-Identifier: BSD-3-Clause */
/* Making groups from groups, and comparing them. Pure but for the memory it takes. */
#include "group.h"
#include "mpi/handle/fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(int size)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
}

/* The rank in the world of this process if it is in a or b, else a rank nobody has. */
static int own_world_rank(const struct group *a, const struct group *b)
{
	if (a->rank != MPI_UNDEFINED)
		return a->world[a->rank];
	return b->rank != MPI_UNDEFINED ? b->world[b->rank] : -1;
}

/* Rank in the world -> rank in g, for the world ranks below `size`. */
struct reverse {
	int size;
	int *rank; /* MPI_UNDEFINED for those who are not in g */
};

static int reverse_make(const struct group *g, struct reverse *r)
{
	int size = 0;

	for (int i = 0; i < g->size; i++) {
		if (g->world[i] >= size)
			size = g->world[i] + 1;
	}
	r->size = size;
	r->rank = malloc(((size_t)size + 1) * sizeof(int));
	if (!r->rank)
		return no_memory(size);
	for (int i = 0; i < size; i++)
		r->rank[i] = MPI_UNDEFINED;
	for (int i = 0; i < g->size; i++)
		r->rank[g->world[i]] = i;
	return MPI_SUCCESS;
}

static int reverse_find(const struct reverse *r, int world)
{
	return world < r->size ? r->rank[world] : MPI_UNDEFINED;
}

static int check_list(int n, const void *list, const char *what)
{
	if (n < 0)
		return fail_with(MPI_ERR_ARG, "the number of %s is %d, which is negative", what, n);
	if (n > 0 && !list)
		return fail_with(MPI_ERR_ARG, "the array of %d %s is NULL", n, what);
	return MPI_SUCCESS;
}

/* A selection of ranks of a group, in the order they were named. */
struct pick {
	const struct group *from;
	bool *taken; /* per rank of from */
	int *list;
	int count;
};

static int pick_begin(struct pick *p, const struct group *g)
{
	*p = (struct pick){.from = g};
	p->taken = calloc((size_t)g->size + 1, sizeof(*p->taken));
	p->list = malloc(((size_t)g->size + 1) * sizeof(*p->list));
	if (p->taken && p->list)
		return MPI_SUCCESS;
	free(p->taken);
	free(p->list);
	return no_memory(g->size);
}

static void pick_end(struct pick *p)
{
	free(p->taken);
	free(p->list);
}

static int pick_add(struct pick *p, long long rank)
{
	if (rank < 0 || rank >= p->from->size)
		return fail_with(
			MPI_ERR_RANK, "rank %lld is not in a group of %d", rank, p->from->size);
	if (p->taken[rank])
		return fail_with(MPI_ERR_RANK, "rank %lld is named twice", rank);
	p->taken[rank] = true;
	p->list[p->count++] = (int)rank;
	return MPI_SUCCESS;
}

static int pick_ranks(struct pick *p, int n, const int *ranks)
{
	int rc = MPI_SUCCESS;

	for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
		rc = pick_add(p, ranks[i]);
	return rc;
}

/* first, first + stride, ... up to and including last where it is met (MPI 5.0 section 7.3.2) */
static int pick_range(struct pick *p, int which, const int range[3])
{
	long long first = range[0], last = range[1], stride = range[2];
	int rc = MPI_SUCCESS;

	if (stride == 0)
		return fail_with(MPI_ERR_ARG, "range %d has the stride 0", which);
	if ((stride > 0 && first > last) || (stride < 0 && first < last))
		return fail_with(MPI_ERR_ARG,
			"range %d never gets from %lld to %lld by steps of %lld", which, first,
			last, stride);
	for (long long r = first; (stride > 0 ? r <= last : r >= last) && rc == MPI_SUCCESS;
		r += stride)
		rc = pick_add(p, r);
	return rc;
}

static int pick_ranges(struct pick *p, int n, int ranges[][3])
{
	int rc = MPI_SUCCESS;

	for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
		rc = pick_range(p, i, ranges[i]);
	return rc;
}

/* Turn the selection round: those not named, in the group's order. */
static void pick_complement(struct pick *p)
{
	p->count = 0;
	for (int i = 0; i < p->from->size; i++) {
		if (!p->taken[i])
			p->list[p->count++] = i;
	}
}

static int pick_group(const struct pick *p, struct group **out)
{
	struct group *g;

	for (int i = 0; i < p->count; i++)
		p->list[i] = p->from->world[p->list[i]];
	g = group_make(p->count, p->list, own_world_rank(p->from, p->from));
	if (!g)
		return no_memory(p->count);
	group_inherit(g, p->from);
	*out = g;
	return MPI_SUCCESS;
}

/* What the four selections name: single ranks or ranges, to be kept or left out. */
struct selection {
	int n;
	const int *ranks;
	int (*ranges)[3];
	bool leave_out;
};

static int select_from(const struct group *g, const struct selection *s, struct group **out)
{
	const void *list = s->ranges ? (const void *)s->ranges : s->ranks;
	struct pick p;
	int rc = check_list(s->n, list, s->ranges ? "ranges" : "ranks");

	if (rc == MPI_SUCCESS)
		rc = pick_begin(&p, g);
	if (rc != MPI_SUCCESS)
		return rc;
	rc = s->ranges ? pick_ranges(&p, s->n, s->ranges) : pick_ranks(&p, s->n, s->ranks);
	if (rc == MPI_SUCCESS) {
		if (s->leave_out)
			pick_complement(&p);
		rc = pick_group(&p, out);
	}
	pick_end(&p);
	return rc;
}

int group_incl(const struct group *g, int n, const int *ranks, struct group **out)
{
	return select_from(g, &(struct selection){.n = n, .ranks = ranks}, out);
}

int group_excl(const struct group *g, int n, const int *ranks, struct group **out)
{
	return select_from(g, &(struct selection){.n = n, .ranks = ranks, .leave_out = true}, out);
}

int group_range_incl(const struct group *g, int n, int ranges[][3], struct group **out)
{
	return select_from(g, &(struct selection){.n = n, .ranges = ranges}, out);
}

int group_range_excl(const struct group *g, int n, int ranges[][3], struct group **out)
{
	return select_from(
		g, &(struct selection){.n = n, .ranges = ranges, .leave_out = true}, out);
}

/* Those of a whose being in b is `in_b`, and, for a union, all of b behind them. */
static int combine(
	const struct group *a, const struct group *b, bool in_b, bool all_b, struct group **out)
{
	struct reverse of_b, of_a = {0};
	struct group *g;
	int *world, n = 0;
	int rc = reverse_make(b, &of_b);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = reverse_make(a, &of_a);
	if (rc != MPI_SUCCESS)
		goto free_of_b;
	world = malloc(((size_t)a->size + (size_t)b->size + 1) * sizeof(*world));
	if (!world) {
		rc = no_memory(a->size);
		goto free_of_a;
	}
	for (int i = 0; i < a->size; i++) {
		bool there = reverse_find(&of_b, a->world[i]) != MPI_UNDEFINED;

		if (all_b || there == in_b)
			world[n++] = a->world[i];
	}
	for (int i = 0; all_b && i < b->size; i++) {
		if (reverse_find(&of_a, b->world[i]) == MPI_UNDEFINED)
			world[n++] = b->world[i];
	}
	g = group_make(n, world, own_world_rank(a, b));
	if (!g)
		rc = no_memory(n);
	else
		group_inherit(*out = g, a->size > 0 ? a : b);
	free(world);
free_of_a:
	free(of_a.rank);
free_of_b:
	free(of_b.rank);
	return rc;
}

int group_union(const struct group *a, const struct group *b, struct group **out)
{
	return combine(a, b, false, true, out);
}

int group_intersection(const struct group *a, const struct group *b, struct group **out)
{
	return combine(a, b, true, false, out);
}

int group_difference(const struct group *a, const struct group *b, struct group **out)
{
	return combine(a, b, false, false, out);
}

int group_compare(const struct group *a, const struct group *b, int *result)
{
	struct reverse of_b;
	bool same_members = true;
	int rc;

	if (a->size != b->size) {
		*result = MPI_UNEQUAL;
		return MPI_SUCCESS;
	}
	if (memcmp(a->world, b->world, (size_t)a->size * sizeof(int)) == 0) {
		*result = MPI_IDENT;
		return MPI_SUCCESS;
	}
	rc = reverse_make(b, &of_b);
	if (rc != MPI_SUCCESS)
		return rc;
	for (int i = 0; i < a->size; i++)
		same_members &= reverse_find(&of_b, a->world[i]) != MPI_UNDEFINED;
	free(of_b.rank);
	*result = same_members ? MPI_SIMILAR : MPI_UNEQUAL;
	return MPI_SUCCESS;
}

static int check_translate(const struct group *a, int n, const int *ranks)
{
	int rc = check_list(n, ranks, "ranks");

	for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
		if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= a->size))
			rc = fail_with(
				MPI_ERR_RANK, "rank %d is not in a group of %d", ranks[i], a->size);
	}
	return rc;
}

int group_translate(const struct group *a, int n, const int *ranks, const struct group *b, int *out)
{
	struct reverse of_b;
	int rc = check_translate(a, n, ranks);

	if (rc == MPI_SUCCESS && n > 0 && !out)
		rc = fail_with(MPI_ERR_ARG, "the array for %d translated ranks is NULL", n);
	if (rc == MPI_SUCCESS)
		rc = reverse_make(b, &of_b);
	if (rc != MPI_SUCCESS)
		return rc;
	for (int i = 0; i < n; i++)
		out[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL
						   : reverse_find(&of_b, a->world[ranks[i]]);
	free(of_b.rank);
	return MPI_SUCCESS;
}
