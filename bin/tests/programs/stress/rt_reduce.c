/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce, Allreduce and Scan with predefined operators on all types they are for, and with user
 * operators, also such that do not commute. The numbers are chosen so that the result is exact in
 * any order of evaluation. The expected result is a fold over the ranks in their order.
 */
#include "rt_data.h"
#include "rt_value.h"

#include <string.h>

/* Numbers repeat after a prime number of items, so that a reference for that many items is enough
 * and yet nothing can be misplaced unseen. */
enum { PERIOD = 1021 };

enum shape { SHAPE_REDUCE, SHAPE_ALLREDUCE, SHAPE_SCAN };

struct reduction {
	struct rt_case *c;
	enum shape shape;
	bool user, commutes, in_place;
	enum rt_op op; /* of a predefined operator */
	MPI_Op handle;
	struct rt_pattern pattern;
	size_t units;
	int root;
};

/* What a fold over ranks 0 .. last gives, or what rank last gives when alone. */
struct answer {
	const struct reduction *r;
	int last;
	bool alone;
	struct rt_value memo[PERIOD];
};

/* The user's operators work on pairs of MPI_UINT64_T: the map x -> ax + b, and maps are composed
 * (which does not commute), or numbers that are added. */
static const struct rt_layout *user_layout;
static const struct rt_case *user_case;

typedef void combiner(uint64_t *left, uint64_t *right);

/* right becomes x -> left(right(x)). */
static void compose(uint64_t *left, uint64_t *right)
{
	right[1] = left[0] * right[1] + left[1];
	right[0] = left[0] * right[0];
}

static void add(uint64_t *left, uint64_t *right)
{
	right[0] += left[0];
	right[1] += left[1];
}

static void apply(combiner *combine, char *in, char *inout, int len, MPI_Datatype type)
{
	const struct rt_layout *l = user_layout;
	if (type != l->type)
		rt_wrong(user_case, "the user's operator got another datatype than was given");
	for (int e = 0; e < len; e++)
		for (int i = 0; i < l->n; i += 2) {
			uint64_t left[2], right[2];
			ptrdiff_t base = e * (l->ub - l->lb);
			for (int j = 0; j < 2; j++) {
				memcpy(&left[j], in + base + l->item[i + j].at, 8);
				memcpy(&right[j], inout + base + l->item[i + j].at, 8);
			}
			combine(left, right);
			for (int j = 0; j < 2; j++)
				memcpy(inout + base + l->item[i + j].at, &right[j], 8);
		}
}

static void user_compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
	apply(compose, in, inout, *len, *type);
}

static void user_add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	apply(add, in, inout, *len, *type);
}

/* Rank r's item number k; for user operators items come in pairs. */
static uint64_t seed_of(const struct reduction *r, int rank, size_t k)
{
	return rt_mix(rt_stream(r->c, rank, 0, 0), k % PERIOD);
}

static void fold_user(const struct answer *a, size_t pair, uint64_t out[2])
{
	const struct reduction *r = a->r;
	int from = a->alone ? a->last : 0;
	for (int rank = a->last; rank >= from; rank--) {
		uint64_t left[2] = {seed_of(r, rank, pair), seed_of(r, rank, pair + PERIOD / 2)};
		if (rank == a->last)
			memcpy(out, left, sizeof(left));
		else
			(r->commutes ? add : compose)(left, out);
	}
}

static struct rt_value fold(const struct answer *a, size_t k)
{
	const struct reduction *r = a->r;
	const struct rt_basic *b = &rt_basics[r->pattern.basic[0]];
	int from = a->alone ? a->last : 0;
	struct rt_value sum = rt_value_draw(b, r->op, seed_of(r, from, k));
	for (int rank = from + 1; rank <= a->last; rank++) {
		struct rt_value next = rt_value_draw(b, r->op, seed_of(r, rank, k));
		sum = rt_value_combine(b, r->op, sum, next);
	}
	return sum;
}

static void write_answer(const void *arg, size_t k, int basic, void *at)
{
	const struct answer *a = arg;
	if (a->r->user) {
		uint64_t pair[2];
		fold_user(a, k / 2, pair);
		memcpy(at, &pair[k % 2], 8);
		return;
	}
	rt_value_store(&rt_basics[basic], a->memo[k % PERIOD], at);
}

static void write(
	const struct reduction *r, struct rt_side *s, enum rt_sides sides, int last, bool alone)
{
	struct answer a = {.r = r, .last = last, .alone = alone};
	size_t items = r->units * (size_t)r->pattern.n;
	for (size_t k = 0; !r->user && k < PERIOD && k < items; k++)
		a.memo[k] = fold(&a, k);
	rt_image_write(&s->image, sides, 0, r->units, write_answer, &a);
}

static void draw_predefined(struct reduction *r)
{
	struct rng *rng = &r->c->common;
	do {
		r->pattern.basic[0] = (int)rng_below(rng, (size_t)rt_basic_count);
		r->op = (enum rt_op)rng_below(rng, RT_OPS);
	} while (!rt_op_fits(&rt_basics[r->pattern.basic[0]], r->op));
	r->pattern.n = 1;
	r->handle = rt_op_handle(r->op);
}

static void draw_user(struct reduction *r)
{
	r->pattern = (struct rt_pattern){2, {rt_basic_uint64, rt_basic_uint64}};
	r->commutes = rng_chance(&r->c->common, 30);
	MPI_Op_create(r->commutes ? user_add : user_compose, r->commutes, &r->handle);
}

static struct reduction draw(struct rt_case *c, enum shape shape)
{
	struct reduction r = {.c = c, .shape = shape};
	r.user = rng_chance(&c->common, 30);
	if (r.user)
		draw_user(&r);
	else
		draw_predefined(&r);
	r.units = rt_amount_draw(c, &c->common, &r.pattern, 1);
	r.root = (int)rng_below(&c->common, (size_t)c->size);
	r.in_place = rng_chance(&c->common, 30);
	rt_describe(c, "%zu of %s with %s, root %d%s", r.units, rt_basics[r.pattern.basic[0]].name,
		!r.user	     ? rt_op_name(r.op)
		: r.commutes ? "a user's sum"
			     : "a user's operator that does not commute",
		r.root, r.in_place ? ", in place" : "");
	return r;
}

/* The type and count of a reduction are the same on all ranks: the layout is drawn from the common
 * numbers. */
static void side_make(
	const struct reduction *r, struct rt_side *s, const struct rng *rng, int units)
{
	struct rng same = *rng;
	if (r->user)
		rt_layout_draw(r->c, &same, &r->pattern, units, r->units > 4096, &s->layout);
	else
		rt_layout_basic(r->pattern.basic[0], &s->layout);
	rt_image_make(&s->image, r->c, &s->layout, r->units / (size_t)s->layout.units);
}

static void call(const struct reduction *r, struct rt_side *out, struct rt_side *in)
{
	struct rt_case *c = r->c;
	bool result_here = r->shape != SHAPE_REDUCE || c->rank == r->root;
	int count = rt_side_count(out, r->units);
	void *from = r->in_place && result_here ? MPI_IN_PLACE : out->image.buf;
	void *to = result_here ? in->image.buf : NULL;
	/* one handle for both buffers, as the call has one */
	user_layout = &in->layout;
	user_case = c;
	if (r->shape == SHAPE_REDUCE)
		MPI_Reduce(from, to, count, in->layout.type, r->handle, r->root, c->comm);
	else if (r->shape == SHAPE_ALLREDUCE)
		MPI_Allreduce(from, to, count, in->layout.type, r->handle, c->comm);
	else
		MPI_Scan(from, to, count, in->layout.type, r->handle, c->comm);
}

static void run(struct rt_case *c, enum shape shape)
{
	struct reduction r = draw(c, shape);
	struct rt_side out, in;
	bool result_here = shape != SHAPE_REDUCE || c->rank == r.root;
	int units = rt_units_draw(&c->common, r.units);
	struct rng rng = {rng_next(&c->common)};
	side_make(&r, &out, &rng, units);
	side_make(&r, &in, &rng, units);
	write(&r, &out, RT_BOTH, c->rank, true);
	if (r.in_place && result_here)
		write(&r, &in, RT_HAVE, c->rank, true);
	if (result_here)
		write(&r, &in, RT_WANT, shape == SHAPE_SCAN ? c->rank : c->size - 1, false);
	call(&r, &out, &in);
	rt_side_close(&in, "result");
	rt_side_close(&out, "send buffer");
	if (r.user)
		MPI_Op_free(&r.handle);
}

static void run_reduce(struct rt_case *c)
{
	run(c, SHAPE_REDUCE);
}

static void run_allreduce(struct rt_case *c)
{
	run(c, SHAPE_ALLREDUCE);
}

static void run_scan(struct rt_case *c)
{
	run(c, SHAPE_SCAN);
}

const struct rt_kind rt_reduce_kinds[] = {
	{"reduce", run_reduce},
	{"allreduce", run_allreduce},
	{"scan", run_scan},
	{NULL, NULL},
};
