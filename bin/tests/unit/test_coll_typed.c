/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Alltoallw, whose blocks have a datatype each, on ranks that are threads (fake_team). Which
 * datatypes a rank uses for its blocks, where they lie, and whether it calls the form with large
 * counts, is its own affair.
 */
#include "fake_team.h"
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "mpi/type/type.h"

enum { SHAPES = 4, FENCE = 64, UNTOUCHED = 0xa5 };

/* Datatypes that hold 1, 2, 3 or 2 ints: plain, side by side, with holes, backwards. */
static struct {
	struct type *type;
	int ints;
} shapes[SHAPES];

struct task {
	uint64_t seed;
	int size, n; /* blocks hold up to 3 n ints, a multiple of 6 */
	bool in_place;
};

static uint64_t draw(const struct task *t, uint64_t what, int a, int b)
{
	uint64_t x = t->seed * 1000003 + what * 10007 + (uint64_t)a * 101 + (uint64_t)b;

	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Ints in the block from one rank to another; in place as many go as come. */
static int length(const struct task *t, int from, int to)
{
	if (t->in_place && from > to)
		return length(t, to, from);
	return (int)(draw(t, 1, from, to) % 4) * t->n;
}

struct side {
	char *mem, *base;
	int counts[TEAM_MOST], displs[TEAM_MOST], shape[TEAM_MOST];
	MPI_Count counts_c[TEAM_MOST];
	MPI_Aint displs_c[TEAM_MOST];
	MPI_Datatype types[TEAM_MOST];
	size_t bytes;
};

/* Blocks out of order, with gaps, some before the buffer's address. An empty one may have no type.
 */
static void side_make(struct side *s, const struct task *t, int rank, bool sending)
{
	int at = -100;

	for (int k = 0; k < t->size; k++) {
		int i = (k + 2) % t->size,
		    shape = (int)(draw(t, 2, 2 * rank + sending, i) % SHAPES);
		const struct type *type = shapes[shape].type;
		int ints = sending ? length(t, rank, i) : length(t, i, rank);
		int n = ints / shapes[shape].ints, room = n * (int)labs(type->extent);

		s->shape[i] = shape;
		s->counts_c[i] = s->counts[i] = n;
		s->types[i] = n == 0 && k % 2 ? MPI_DATATYPE_NULL : type->handle;
		s->displs_c[i] = s->displs[i] = at + (type->extent < 0 ? room : 0);
		at += room + 8 * (k % 3) + 16;
	}
	s->bytes = (size_t)(at + 100 + 2 * FENCE);
	s->mem = malloc(s->bytes);
	memset(s->mem, UNTOUCHED, s->bytes);
	s->base = s->mem + FENCE + 100;
}

static void put(struct side *s, const struct task *t, int i, int from, int to)
{
	struct type *type = shapes[s->shape[i]].type;
	int n = length(t, from, to), *ints = calloc((size_t)n + 1, sizeof *ints);

	for (int k = 0; k < n; k++)
		ints[k] = (int)draw(t, 3 + (uint64_t)k, from, to);
	type_unpack(
		type, s->base + s->displs[i], (size_t)s->counts[i], ints, (size_t)n * sizeof *ints);
	free(ints);
}

static int call(const struct task *t, struct comm *c, struct side *s, struct side *r)
{
	void *in = t->in_place ? MPI_IN_PLACE : s->base;

	if (draw(t, 4, c->rank, 0) % 2)
		return MPI_Alltoallw_c(in, s->counts_c, s->displs_c, s->types, r->base, r->counts_c,
			r->displs_c, r->types, c->handle);
	return MPI_Alltoallw(in, s->counts, s->displs, s->types, r->base, r->counts, r->displs,
		r->types, c->handle);
}

static void one_case(const struct task *t, struct comm *c)
{
	struct side s, r, want;

	side_make(&s, t, c->rank, true);
	side_make(&r, t, c->rank, false);
	side_make(&want, t, c->rank, false);
	for (int i = 0; i < t->size; i++) {
		put(&s, t, i, c->rank, i);
		if (t->in_place)
			put(&r, t, i, c->rank, i);
		put(&want, t, i, i, c->rank);
	}
	int rc = call(t, c, &s, &r);

	team_must(rc == MPI_SUCCESS, "class %d", rc);
	for (size_t i = 0; i < r.bytes; i++)
		team_must(r.mem[i] == want.mem[i],
			"seed %llu: %d ranks, n %d%s: rank %d: byte %td is wrong",
			(unsigned long long)t->seed, t->size, t->n, t->in_place ? ", in place" : "",
			c->rank, r.mem + i - r.base);
	team_must(team_open(c) == 0, "messages left open");
	free(s.mem);
	free(r.mem);
	free(want.mem);
}

static void setup(void)
{
	struct type *t = NULL;

	ck_assert_int_eq(type_lookup(MPI_INT, &t), MPI_SUCCESS);
	shapes[0].type = t;
	ck_assert_int_eq(type_make_contiguous(t, 2, &shapes[1].type), MPI_SUCCESS);
	ck_assert_int_eq(type_make_hvector(t, 3, 1, 8, &shapes[2].type), MPI_SUCCESS);
	ck_assert_int_eq(type_make_hvector(t, 2, 1, -8, &shapes[3].type), MPI_SUCCESS);
	for (int i = 0; i < SHAPES; i++) {
		shapes[i].ints = (int[]){1, 2, 3, 2}[i];
		shapes[i].type->committed = true;
	}
}

static void random_cases(struct comm *c, void *arg)
{
	uint64_t seed = *(const uint64_t *)arg;
	static const int lengths[] = {6, 6, 60, 6000};

	for (uint64_t i = 0; i < 20; i++) {
		struct task t = {.seed = seed * 100 + i, .size = c->size, .n = lengths[i % 4]};

		t.in_place = i % 3 == 0;
		one_case(&t, c);
	}
}

START_TEST(test_random)
{
	uint64_t seed = (uint64_t)_i;

	setup();
	team_run(1 + _i % 9, _i % 2 == 0, random_cases, &seed);
}
END_TEST

static void expect(struct comm *c, int got, int want, const char *what)
{
	team_must(got == want, "%s: class %d, not %d", what, got, want);
	team_must(team_messages() == 0, "%s: rank %d has sent something", what, c->rank);
}

/* The same on all ranks: the class, nothing sent, and the next operation still meets. */
static void refused(struct comm *c, void *arg)
{
	MPI_Comm w = c->handle;
	int a[TEAM_MOST] = {0}, b[TEAM_MOST], ones[TEAM_MOST], at[TEAM_MOST], bad[TEAM_MOST] = {0};
	MPI_Datatype ints[TEAM_MOST], none[TEAM_MOST];
	MPI_Count all[TEAM_MOST];
	MPI_Aint zero[TEAM_MOST] = {0};

	(void)arg;
	for (int i = 0; i < c->size; i++) {
		ones[i] = 1;
		at[i] = i * (int)sizeof(int);
		ints[i] = MPI_INT;
		none[i] = i == 1 ? MPI_DATATYPE_NULL : MPI_INT;
		all[i] = (MPI_Count)1 << 62;
	}
	bad[c->size - 1] = -1;
	expect(c, MPI_Alltoallw(a, bad, at, ints, b, ones, at, ints, w), MPI_ERR_COUNT, "count");
	expect(c, MPI_Alltoallw(a, ones, at, ints, b, ones, at, none, w), MPI_ERR_TYPE, "type");
	expect(c, MPI_Alltoallw(a, ones, at, NULL, b, ones, at, ints, w), MPI_ERR_ARG, "types");
	expect(c, MPI_Alltoallw(a, ones, NULL, ints, b, ones, at, ints, w), MPI_ERR_ARG, "displs");
	expect(c, MPI_Alltoallw(a, ones, at, ints, b, NULL, at, ints, w), MPI_ERR_ARG, "counts");
	expect(c, MPI_Alltoallw(a, ones, at, ints, MPI_IN_PLACE, ones, at, ints, w), MPI_ERR_BUFFER,
		"recvbuf in place");
	expect(c, MPI_Alltoallw(a, ones, at, ints, a, ones, at, ints, w), MPI_ERR_BUFFER, "same");
	expect(c, MPI_Alltoallw(NULL, ones, at, ints, b, ones, at, ints, w), MPI_ERR_BUFFER,
		"null");
	expect(c, MPI_Alltoallw_c(a, all, zero, ints, b, all, zero, ints, w), MPI_ERR_COUNT,
		"more than all memory");
}

/* One rank alone finds its argument wrong, and makes the call again: that meets the others'. */
static void refused_by_one(struct comm *c, void *arg)
{
	int a[TEAM_MOST], b[TEAM_MOST] = {0}, counts[TEAM_MOST], at[TEAM_MOST], me = c->rank, rc;
	MPI_Datatype ints[TEAM_MOST];

	(void)arg;
	for (int i = 0; i < c->size; i++) {
		counts[i] = 1;
		at[i] = i * (int)sizeof(int);
		ints[i] = MPI_INT;
		a[i] = 10 * me + i;
	}
	if (me == 2) {
		rc = MPI_Alltoallw(a, counts, at, NULL, b, counts, at, ints, c->handle);
		team_must(rc == MPI_ERR_ARG, "class %d", rc);
	}
	rc = MPI_Alltoallw(a, counts, at, ints, b, counts, at, ints, c->handle);
	for (int i = 0; i < c->size; i++)
		team_must(rc == MPI_SUCCESS && b[i] == 10 * i + me, "class %d, %d", rc, b[i]);
}

START_TEST(test_refused)
{
	team_run(4, false, refused, NULL);
	team_run(4, false, refused_by_one, NULL);
}
END_TEST

/* The program frees its type as soon as the call that uses it is over. */
static void type_goes(struct comm *c, void *arg)
{
	struct type *t = shapes[1].type;
	int refs = t->head.refs, a[2 * TEAM_MOST] = {0}, b[2 * TEAM_MOST], ones[TEAM_MOST],
	    at[TEAM_MOST];
	MPI_Datatype types[TEAM_MOST];

	(void)arg;
	for (int i = 0; i < c->size; i++) {
		ones[i] = 1;
		at[i] = i * 2 * (int)sizeof(int);
		types[i] = t->handle;
	}
	team_must(MPI_Alltoallw(a, ones, at, types, b, ones, at, types, c->handle) == MPI_SUCCESS,
		"class");
	team_must(c->size > 1 || t->head.refs == refs, "%d references, %d before", t->head.refs,
		refs);
}

START_TEST(test_references)
{
	setup();
	team_run(1, false, type_goes, NULL);
}
END_TEST

UNIT_MAIN("coll_typed", tcase_add_loop_test(tc, test_random, 0, 36);
	  tcase_add_test(tc, test_refused); tcase_add_test(tc, test_references);)
