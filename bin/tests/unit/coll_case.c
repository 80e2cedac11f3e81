/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_case.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct shape shapes[SHAPES];

uint64_t case_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t case_draw(const struct coll_case *t, uint64_t what, uint64_t a, uint64_t b)
{
	return case_mix(case_mix(case_mix(t->seed + what) + a) + b);
}

int case_length(const struct coll_case *t, int from, int to)
{
	switch (t->kind) {
	case GATHERV:
	case ALLGATHERV:
	case REDUCE_SCATTER: /* the block of that rank, in pairs */
		return (int)(case_draw(t, 1, (uint64_t)from, 0) % 4) * t->n;
	case SCATTERV:
		return (int)(case_draw(t, 1, (uint64_t)to, 0) % 4) * t->n;
	case ALLTOALLV:
		if (t->in_place && from > to) /* as much has to go as comes */
			return case_length(t, to, from);
		return (int)(case_draw(t, 1, (uint64_t)from, (uint64_t)to) % 4) * t->n;
	default:
		return t->n;
	}
}

/* What is in the block from one rank to another */
static void datum(const struct coll_case *t, int from, int to, int *ints)
{
	bool same_for_all = t->kind == GATHER || t->kind == GATHERV || t->kind == ALLGATHER ||
			    t->kind == ALLGATHERV || t->kind == BCAST;

	uint64_t first = case_draw(t, 2, (uint64_t)from, same_for_all ? 0 : (uint64_t)to);

	for (int i = 0, n = case_length(t, from, to); i < n; i++)
		ints[i] = (int)case_mix(first + (uint64_t)i);
}

bool case_wide(const struct coll_case *t, const struct comm *c)
{
	return case_draw(t, 12, (uint64_t)c->rank, 0) % 3 == 0;
}

/* ---- memory: elements of a type, with what must not be touched around and between them ---- */

enum { FENCE = 64, UNTOUCHED = 0xa5 };

void area_make(struct area *a, int shape, ptrdiff_t first, ptrdiff_t n)
{
	const struct type *t = shapes[shape].type;
	ptrdiff_t step = t->extent > 0 ? t->extent : -t->extent;
	ptrdiff_t below = (first < 0 ? -first : 0) * step + FENCE + 2 * step;

	a->shape = shape;
	a->bytes = (size_t)(below + (n + 2) * step + FENCE);
	a->mem = malloc(a->bytes);
	memset(a->mem, UNTOUCHED, a->bytes);
	a->base = a->mem + below;
}

void area_put(struct area *a, ptrdiff_t first, int count, const int *ints)
{
	struct type *t = shapes[a->shape].type;

	type_unpack(t, a->base + first * t->extent, (size_t)count, ints, (size_t)count * t->size);
}

void area_free(struct area *a)
{
	free(a->mem);
}

void area_compare(const struct coll_case *t, int rank, const struct area *got,
	const struct area *want, const char *what)
{
	if (memcmp(got->mem, want->mem, got->bytes) == 0)
		return;
	for (size_t i = 0; i < got->bytes; i++)
		team_must(got->mem[i] == want->mem[i],
			"kind %d seed %llu: %d ranks, root %d, n %d%s: rank %d: byte %td of %s is "
			"wrong",
			t->kind, (unsigned long long)t->seed, t->size, t->root, t->n,
			t->in_place ? ", in place" : "", rank, got->mem + i - got->base, what);
}

MPI_Datatype side_handle(const struct side *s)
{
	return shapes[s->shape].type->handle;
}

static int block_ints(const struct coll_case *t, int rank, int i, bool sending)
{
	return sending ? case_length(t, rank, i) : case_length(t, i, rank);
}

void side_make(struct side *s, const struct coll_case *t, int rank, bool sending, int blocks)
{
	bool irregular = t->kind == GATHERV || t->kind == SCATTERV || t->kind == ALLGATHERV ||
			 t->kind == ALLTOALLV;
	bool own = blocks == 0;
	bool tidy = case_draw(t, 3, (uint64_t)sending, 0) % 3 == 0 || own;
	int at = irregular && !tidy ? -5 : 0;

	s->shape = (int)(case_draw(t, 4, (uint64_t)rank, (uint64_t)sending) % SHAPES);
	for (int k = 0; k < blocks + own; k++) {
		int i = irregular && !tidy ? (k + 3) % blocks : k;
		int ints = own ? case_length(t, sending ? rank : 0, sending ? 0 : rank)
			       : block_ints(t, rank, i, sending);

		s->counts[i] = ints / shapes[s->shape].ints;
		s->displs[i] = at;
		at += s->counts[i] + (irregular && !tidy ? k % 3 : 0);
	}
	s->n = s->counts[0];
	area_make(&s->area, s->shape, -5, at + 5);
}

void side_put(struct side *s, const struct coll_case *t, int i, int from, int to)
{
	int *ints = malloc(sizeof(int) * (size_t)(case_length(t, from, to) + 1));

	datum(t, from, to, ints);
	area_put(&s->area, s->displs[i], s->counts[i], ints);
	free(ints);
}

void side_copy(struct side *to, const struct side *from)
{
	*to = *from;
	to->area.mem = malloc(from->area.bytes);
	memcpy(to->area.mem, from->area.mem, from->area.bytes);
	to->area.base = to->area.mem + (from->area.base - from->area.mem);
}

void case_setup(void)
{
	struct type *t = NULL;
	int rc = type_lookup(MPI_INT, &t);

	shapes[0].type = shapes[1].type = t;
	shapes[0].ints = shapes[1].ints = 1;
	rc |= type_make_hvector(t, 3, 1, 8, &shapes[1].type);
	shapes[1].ints = 3;
	rc |= type_make_contiguous(t, 2, &shapes[2].type);
	rc |= type_make_hvector(t, 2, 1, 8, &shapes[3].type);
	rc |= type_make_hvector(t, 2, 1, -8, &shapes[4].type);
	for (int i = 1; i < SHAPES; i++)
		shapes[i].type->committed = true;
	shapes[2].ints = shapes[3].ints = shapes[4].ints = 2;
	rc |= reduction_setup();
	ck_assert_int_eq(rc, MPI_SUCCESS);
}
