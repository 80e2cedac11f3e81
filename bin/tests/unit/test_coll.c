/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations as the program calls them, on ranks that are threads (fake_team), against
 * results worked out one by one. Each case is drawn from a seed that all ranks share: the kind, the
 * lengths, who describes its data by which datatype, what is in place.
 */
#include "fake_team.h"
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "mpi/type.h"
#include "mpi/op.h"

enum kind {
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	REDUCE,
	ALLREDUCE,
	REDUCE_SCATTER,
	REDUCE_SCATTER_BLOCK,
	SCAN,
	EXSCAN,
	KINDS,
};

/* Datatypes that hold 1, 2, 3 or 2 ints: plain, side by side, with holes, backwards. */
enum { SHAPES = 5, FIRST_PAIR = 2 };

static struct {
	struct type *type;
	int ints;
} shapes[SHAPES];

static struct op *affine; /* on pairs (a, b), which stand for x -> a x + b: does not commute */
static struct op *plus;	  /* on pairs: adds, and commutes */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

struct task {
	uint64_t seed;
	enum kind kind;
	int size, root;
	bool in_place;
	int n; /* ints in a regular block, a multiple of 6 */
};

static uint64_t draw(const struct task *t, uint64_t what, uint64_t a, uint64_t b)
{
	return mix(mix(mix(t->seed + what) + a) + b);
}

/* Ints in the block from one rank to another */
static int length(const struct task *t, int from, int to)
{
	switch (t->kind) {
	case GATHERV:
	case ALLGATHERV:
	case REDUCE_SCATTER: /* the block of that rank, in pairs */
		return (int)(draw(t, 1, (uint64_t)from, 0) % 4) * t->n;
	case SCATTERV:
		return (int)(draw(t, 1, (uint64_t)to, 0) % 4) * t->n;
	case ALLTOALLV:
		if (t->in_place && from > to) /* as much has to go as comes */
			return length(t, to, from);
		return (int)(draw(t, 1, (uint64_t)from, (uint64_t)to) % 4) * t->n;
	default:
		return t->n;
	}
}

/* What is in the block from one rank to another */
static void datum(const struct task *t, int from, int to, int *ints)
{
	bool same_for_all = t->kind == GATHER || t->kind == GATHERV || t->kind == ALLGATHER ||
			    t->kind == ALLGATHERV || t->kind == BCAST;

	uint64_t first = draw(t, 2, (uint64_t)from, same_for_all ? 0 : (uint64_t)to);

	for (int i = 0, n = length(t, from, to); i < n; i++)
		ints[i] = (int)mix(first + (uint64_t)i);
}

/* ---- memory: elements of a type, with what must not be touched around and between them ---- */

struct area {
	char *mem, *base;
	size_t bytes;
	int shape;
};

enum { FENCE = 64, UNTOUCHED = 0xa5 };

static void area_make(struct area *a, int shape, ptrdiff_t first, ptrdiff_t n)
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

static void area_put(struct area *a, ptrdiff_t first, int count, const int *ints)
{
	struct type *t = shapes[a->shape].type;

	type_unpack(t, a->base + first * t->extent, (size_t)count, ints, (size_t)count * t->size);
}

static void area_free(struct area *a)
{
	free(a->mem);
}

/* One side of a movement: blocks in an area */
struct side {
	struct area area;
	int counts[TEAM_MOST], displs[TEAM_MOST], n;
	int shape;
};

static MPI_Datatype handle(const struct side *s)
{
	return shapes[s->shape].type->handle;
}

static int block_ints(const struct task *t, int rank, int i, bool sending)
{
	return sending ? length(t, rank, i) : length(t, i, rank);
}

/* blocks == 0: this rank's own one; else one per rank, out of order and with gaps if irregular. */
static void side_make(struct side *s, const struct task *t, int rank, bool sending, int blocks)
{
	bool irregular = t->kind == GATHERV || t->kind == SCATTERV || t->kind == ALLGATHERV ||
			 t->kind == ALLTOALLV;
	bool own = blocks == 0;
	bool tidy = draw(t, 3, (uint64_t)sending, 0) % 3 == 0 || own;
	int at = irregular && !tidy ? -5 : 0;

	s->shape = (int)(draw(t, 4, (uint64_t)rank, (uint64_t)sending) % SHAPES);
	for (int k = 0; k < blocks + own; k++) {
		int i = irregular && !tidy ? (k + 3) % blocks : k;
		int ints = own ? length(t, sending ? rank : 0, sending ? 0 : rank)
			       : block_ints(t, rank, i, sending);

		s->counts[i] = ints / shapes[s->shape].ints;
		s->displs[i] = at;
		at += s->counts[i] + (irregular && !tidy ? k % 3 : 0);
	}
	s->n = s->counts[0];
	area_make(&s->area, s->shape, -5, at + 5);
}

static void side_put(struct side *s, const struct task *t, int i, int from, int to)
{
	int *ints = malloc(sizeof(int) * (size_t)(length(t, from, to) + 1));

	datum(t, from, to, ints);
	area_put(&s->area, s->displs[i], s->counts[i], ints);
	free(ints);
}

/* ---- movements ---- */

static bool rooted(enum kind k)
{
	return k == GATHER || k == GATHERV || k == SCATTER || k == SCATTERV || k == REDUCE;
}

static bool scatters(enum kind k)
{
	return k == SCATTER || k == SCATTERV;
}

static bool alltoalls(enum kind k)
{
	return k == ALLTOALL || k == ALLTOALLV;
}

/* Each rank for itself: ranks that use large counts meet others that do not. */
static bool is_wide(const struct task *t, const struct comm *c)
{
	return draw(t, 12, (uint64_t)c->rank, 0) % 3 == 0;
}

struct wide {
	MPI_Count counts[TEAM_MOST];
	MPI_Aint displs[TEAM_MOST];
};

static void widen(struct wide *w, const struct side *s, int size)
{
	for (int i = 0; i < size; i++) {
		w->counts[i] = s->counts[i];
		w->displs[i] = s->displs[i];
	}
}

static int call_movement_c(
	const struct task *t, struct comm *c, struct side *s, struct side *r, bool in_place)
{
	MPI_Comm comm = c->handle;
	void *in = in_place && !scatters(t->kind) ? MPI_IN_PLACE : s->area.base;
	void *out = in_place && scatters(t->kind) ? MPI_IN_PLACE : r->area.base;
	MPI_Datatype st = handle(s), rt = handle(r);
	struct wide ws, wr;

	widen(&ws, s, c->size);
	widen(&wr, r, c->size);
	switch (t->kind) {
	case GATHER:
		return MPI_Gather_c(in, s->n, st, out, r->n, rt, t->root, comm);
	case GATHERV:
		return MPI_Gatherv_c(in, s->n, st, out, wr.counts, wr.displs, rt, t->root, comm);
	case SCATTER:
		return MPI_Scatter_c(in, s->n, st, out, r->n, rt, t->root, comm);
	case SCATTERV:
		return MPI_Scatterv_c(in, ws.counts, ws.displs, st, out, r->n, rt, t->root, comm);
	case ALLGATHER:
		return MPI_Allgather_c(in, s->n, st, out, r->n, rt, comm);
	case ALLGATHERV:
		return MPI_Allgatherv_c(in, s->n, st, out, wr.counts, wr.displs, rt, comm);
	case ALLTOALL:
		return MPI_Alltoall_c(in, s->n, st, out, r->n, rt, comm);
	default:
		return MPI_Alltoallv_c(
			in, ws.counts, ws.displs, st, out, wr.counts, wr.displs, rt, comm);
	}
}

static int call_movement(
	const struct task *t, struct comm *c, struct side *s, struct side *r, bool in_place)
{
	MPI_Comm comm = c->handle;
	void *in = in_place && !scatters(t->kind) ? MPI_IN_PLACE : s->area.base;
	void *out = in_place && scatters(t->kind) ? MPI_IN_PLACE : r->area.base;
	MPI_Datatype st = handle(s), rt = handle(r);

	switch (t->kind) {
	case GATHER:
		return MPI_Gather(in, s->n, st, out, r->n, rt, t->root, comm);
	case GATHERV:
		return MPI_Gatherv(in, s->n, st, out, r->counts, r->displs, rt, t->root, comm);
	case SCATTER:
		return MPI_Scatter(in, s->n, st, out, r->n, rt, t->root, comm);
	case SCATTERV:
		return MPI_Scatterv(in, s->counts, s->displs, st, out, r->n, rt, t->root, comm);
	case ALLGATHER:
		return MPI_Allgather(in, s->n, st, out, r->n, rt, comm);
	case ALLGATHERV:
		return MPI_Allgatherv(in, s->n, st, out, r->counts, r->displs, rt, comm);
	case ALLTOALL:
		return MPI_Alltoall(in, s->n, st, out, r->n, rt, comm);
	default:
		return MPI_Alltoallv(
			in, s->counts, s->displs, st, out, r->counts, r->displs, rt, comm);
	}
}

/* At a rank where the receiving side does not count, garbage stands for it. */
static int call_without_recv(const struct task *t, struct comm *c, struct side *s)
{
	MPI_Datatype none = MPI_DATATYPE_NULL;

	if (t->kind == GATHER)
		return MPI_Gather(
			s->area.base, s->n, handle(s), NULL, -1, none, t->root, c->handle);
	return MPI_Gatherv(
		s->area.base, s->n, handle(s), NULL, NULL, NULL, none, t->root, c->handle);
}

static int call_without_send(const struct task *t, struct comm *c, struct side *r)
{
	MPI_Datatype none = MPI_DATATYPE_NULL;

	if (t->kind == SCATTER)
		return MPI_Scatter(
			NULL, -1, none, r->area.base, r->n, handle(r), t->root, c->handle);
	return MPI_Scatterv(
		NULL, NULL, NULL, none, r->area.base, r->n, handle(r), t->root, c->handle);
}

static void compare(const struct task *t, int rank, const struct area *got, const struct area *want,
	const char *what)
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

/* The same area, to hold what the other shall become. */
static void copy_area(struct side *to, const struct side *from)
{
	*to = *from;
	to->area.mem = malloc(from->area.bytes);
	memcpy(to->area.mem, from->area.mem, from->area.bytes);
	to->area.base = to->area.mem + (from->area.base - from->area.mem);
}

static void fill_send(const struct task *t, int rank, struct side *s, int blocks)
{
	for (int i = 0; i < blocks; i++)
		side_put(s, t, i, rank, i);
	if (blocks == 0)
		side_put(s, t, 0, rank, 0);
}

static void fill_result(const struct task *t, int rank, struct side *r, int blocks, bool in_place)
{
	if (scatters(t->kind) && in_place)
		return;
	for (int i = 0; i < blocks; i++)
		side_put(r, t, i, i, rank);
	if (blocks == 0)
		side_put(r, t, 0, t->root, rank);
}

static void movement(const struct task *t, struct comm *c)
{
	int p = c->size, rank = c->rank;
	bool at_root = rank == t->root, in_place = t->in_place && (!rooted(t->kind) || at_root);
	int in_blocks = (scatters(t->kind) && at_root) || alltoalls(t->kind) ? p : 0;
	int out_blocks = scatters(t->kind) ? 0 : p;
	struct side s, r, want, s_before;
	int rc;

	side_make(&s, t, rank, true, in_blocks);
	side_make(&r, t, rank, false, out_blocks);
	fill_send(t, rank, &s, in_blocks);
	for (int i = 0; in_place && i < p; i++) {
		if (alltoalls(t->kind))
			side_put(&r, t, i, rank, i);
		else if (!scatters(t->kind) && i == rank)
			side_put(&r, t, i, rank, 0);
	}
	copy_area(&want, &r);
	copy_area(&s_before, &s);
	if (!rooted(t->kind) || at_root || scatters(t->kind))
		fill_result(t, rank, &want, out_blocks, in_place);
	if (is_wide(t, c) && (!rooted(t->kind) || at_root))
		rc = call_movement_c(t, c, &s, &r, in_place);
	else if (!rooted(t->kind) || at_root)
		rc = call_movement(t, c, &s, &r, in_place);
	else
		rc = scatters(t->kind) ? call_without_send(t, c, &r) : call_without_recv(t, c, &s);
	team_must(rc == MPI_SUCCESS, "kind %d: class %d", t->kind, rc);
	compare(t, rank, &r.area, &want.area, "recvbuf");
	compare(t, rank, &s.area, &s_before.area, "sendbuf");
	area_free(&s.area);
	area_free(&r.area);
	area_free(&want.area);
	area_free(&s_before.area);
}

static void bcast(const struct task *t, struct comm *c)
{
	struct side s, want;

	side_make(&s, t, c->rank, true, 0);
	copy_area(&want, &s);
	side_put(&want, t, 0, 0, 0);
	if (c->rank == t->root)
		side_put(&s, t, 0, 0, 0);
	int rc = is_wide(t, c) ? MPI_Bcast_c(s.area.base, s.n, handle(&s), t->root, c->handle)
			       : MPI_Bcast(s.area.base, s.n, handle(&s), t->root, c->handle);

	team_must(rc == MPI_SUCCESS, "bcast: class %d", rc);
	compare(t, c->rank, &s.area, &want.area, "buffer");
	area_free(&s.area);
	area_free(&want.area);
}

/* ---- reductions ---- */

typedef void pair_function(const int *left, int *right);

static void affine_pair(const int *left, int *right)
{
	unsigned a = (unsigned)left[0], b = (unsigned)left[1], c = (unsigned)right[0],
		 d = (unsigned)right[1];

	right[0] = (int)(c * a);
	right[1] = (int)(c * b + d);
}

static void plus_pair(const int *left, int *right)
{
	right[0] = (int)((unsigned)left[0] + (unsigned)right[0]);
	right[1] = (int)((unsigned)left[1] + (unsigned)right[1]);
}

static void on_pairs(char *in, char *inout, int len, MPI_Datatype datatype, pair_function *f)
{
	struct type *t = (struct type *)(void *)datatype;

	for (int i = 0; i < len; i++) {
		int x[2], y[2];

		type_pack(t, in + i * t->extent, 1, x);
		type_pack(t, inout + i * t->extent, 1, y);
		f(x, y);
		type_unpack(t, inout + i * t->extent, 1, y, sizeof y);
	}
}

static void affine_user(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	on_pairs(in, inout, *len, *datatype, affine_pair);
}

static void plus_user(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	on_pairs(in, inout, *len, *datatype, plus_pair);
}

/* Contribution of a rank: odd factors, so that no information is lost */
static void contribution(const struct task *t, int rank, int n, int *ints)
{
	uint64_t first = draw(t, 5, (uint64_t)rank, 0);

	for (int i = 0; i < n; i++)
		ints[i] = (int)mix(first + (uint64_t)i) | (i % 2 == 0);
}

/* The reduction of ranks below `end`, n ints */
static int *reduced(const struct task *t, int end, int n, pair_function *f)
{
	int *sum = calloc((size_t)n + 2, sizeof *sum), *next = calloc((size_t)n + 2, sizeof *next);

	contribution(t, 0, n, sum);
	for (int r = 1; r < end; r++) {
		contribution(t, r, n, next);
		for (int i = 0; i < n; i += 2)
			f(sum + i, next + i);
		int *free_one = sum;

		sum = next;
		next = free_one;
	}
	free(next);
	return sum;
}

struct vector {
	int counts[TEAM_MOST]; /* REDUCE_SCATTER: in elements */
	int total, own_first, own, ints, end;
};

static void vector_make(struct vector *v, const struct task *t, int rank, int ints)
{
	*v = (struct vector){.ints = ints, .end = t->size};
	for (int i = 0; i < t->size; i++) {
		v->counts[i] = length(t, i, 0) / ints;
		if (i < rank)
			v->own_first += v->counts[i];
		v->total += v->counts[i];
	}
	v->own = v->counts[rank];
	if (t->kind == SCAN)
		v->end = rank + 1;
	if (t->kind == EXSCAN)
		v->end = rank;
	if (t->kind != REDUCE_SCATTER && t->kind != REDUCE_SCATTER_BLOCK) {
		v->total = v->own = t->n / ints;
		v->own_first = 0;
	}
}

static int call_reduction_c(const struct task *t, struct comm *c, const void *in, void *out,
	const struct vector *v, MPI_Datatype dt, MPI_Op op)
{
	MPI_Count counts[TEAM_MOST];

	for (int i = 0; i < c->size; i++)
		counts[i] = v->counts[i];
	switch (t->kind) {
	case REDUCE:
		return MPI_Reduce_c(in, out, v->total, dt, op, t->root, c->handle);
	case ALLREDUCE:
		return MPI_Allreduce_c(in, out, v->total, dt, op, c->handle);
	case SCAN:
		return MPI_Scan_c(in, out, v->total, dt, op, c->handle);
	case EXSCAN:
		return MPI_Exscan_c(in, out, v->total, dt, op, c->handle);
	case REDUCE_SCATTER_BLOCK:
		return MPI_Reduce_scatter_block_c(in, out, v->own, dt, op, c->handle);
	default:
		return MPI_Reduce_scatter_c(in, out, counts, dt, op, c->handle);
	}
}

static int call_reduction(const struct task *t, struct comm *c, const void *in, void *out,
	const struct vector *v, MPI_Datatype dt, MPI_Op op)
{
	if (is_wide(t, c))
		return call_reduction_c(t, c, in, out, v, dt, op);
	switch (t->kind) {
	case REDUCE:
		return MPI_Reduce(in, out, v->total, dt, op, t->root, c->handle);
	case ALLREDUCE:
		return MPI_Allreduce(in, out, v->total, dt, op, c->handle);
	case SCAN:
		return MPI_Scan(in, out, v->total, dt, op, c->handle);
	case EXSCAN:
		return MPI_Exscan(in, out, v->total, dt, op, c->handle);
	case REDUCE_SCATTER_BLOCK:
		return MPI_Reduce_scatter_block(in, out, v->own, dt, op, c->handle);
	default:
		return MPI_Reduce_scatter(in, out, v->counts, dt, op, c->handle);
	}
}

static void reduction(const struct task *t, struct comm *c)
{
	int pick = (int)(draw(t, 6, 0, 0) % 3), shape = 0;
	bool has_result = t->kind != REDUCE || c->rank == t->root;
	bool in_place = t->in_place && has_result;
	pair_function *f = pick == 1 ? affine_pair : plus_pair;
	struct vector v;
	struct side in = {0}, out = {0}, want, in_before;

	if (pick > 0)
		shape = FIRST_PAIR + (int)(draw(t, 7, 0, 0) % (SHAPES - FIRST_PAIR));
	vector_make(&v, t, c->rank, shapes[shape].ints);
	int ints = v.total * v.ints, *own = calloc((size_t)ints + 2, sizeof *own);

	contribution(t, c->rank, ints, own);
	in.shape = out.shape = shape;
	area_make(&in.area, shape, 0, v.total);
	area_make(&out.area, shape, 0, in_place ? v.total : v.own);
	area_put(in_place ? &out.area : &in.area, 0, v.total, own);
	free(own);
	copy_area(&want, &out);
	copy_area(&in_before, &in);
	if (has_result && v.end > 0) {
		int *sum = reduced(t, v.end, ints, f);

		area_put(&want.area, 0, v.own, sum + v.own_first * v.ints);
		free(sum);
	}
	int rc = call_reduction(t, c, in_place ? MPI_IN_PLACE : in.area.base,
		has_result ? out.area.base : NULL, &v, handle(&in),
		pick == 0   ? MPI_SUM
		: pick == 1 ? affine->handle
			    : plus->handle);

	team_must(rc == MPI_SUCCESS, "kind %d: class %d", t->kind, rc);
	/* in place, what lies beyond the own block of a reduce-scatter is nobody's business */
	if (in_place && v.own < v.total) {
		size_t keep = (size_t)(out.area.base - out.area.mem) +
			      (size_t)v.own * (size_t)shapes[shape].type->extent;

		out.area.bytes = want.area.bytes = keep < out.area.bytes ? keep : out.area.bytes;
	}
	compare(t, c->rank, &out.area, &want.area, "result");
	compare(t, c->rank, &in.area, &in_before.area, "contribution");
	area_free(&in.area);
	area_free(&out.area);
	area_free(&want.area);
	area_free(&in_before.area);
}

/* ---- the random test ---- */

static void setup(void)
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
	rc |= op_make(affine_user, NULL, false, &affine);
	rc |= op_make(plus_user, NULL, true, &plus);
	ck_assert_int_eq(rc, MPI_SUCCESS);
}

/* Ints in a block; the thresholds of coll_choose.c lie between these. */
static const int lengths[] = {0, 6, 12, 96, 240, 606, 4002, 12000, 30000};

static void one_case(const struct task *t, struct comm *c)
{
	if (t->kind == BCAST)
		bcast(t, c);
	else if (t->kind < REDUCE)
		movement(t, c);
	else
		reduction(t, c);
	team_must(team_open(c) == 0, "kind %d: messages left open", t->kind);
}

enum { CASES = 60, LARGE_CASES = 3 };

/* Each is a process of threads, which the thread sanitizer makes slow. */
#ifdef __SANITIZE_THREAD__
enum { SEEDS = 15, LARGE_SEEDS = 2 };
#else
enum { SEEDS = 90, LARGE_SEEDS = 8 };
#endif

static void random_cases(struct comm *c, void *arg)
{
	uint64_t seed = *(const uint64_t *)arg;

	for (uint64_t i = 0; i < CASES; i++) {
		struct task t = {.seed = mix(seed * 1000 + i), .size = c->size};
		int most = i < CASES - LARGE_CASES ? 6 : 9;

		t.kind = (enum kind)(draw(&t, 8, 0, 0) % KINDS);
		t.root = (int)(draw(&t, 9, 0, 0) % (uint64_t)c->size);
		t.in_place = draw(&t, 10, 0, 0) % 3 == 0;
		t.n = lengths[draw(&t, 11, 0, 0) % (uint64_t)most];
		one_case(&t, c);
		if (i % 7 == 0)
			team_must(MPI_Barrier(c->handle) == MPI_SUCCESS, "barrier");
	}
}

START_TEST(test_random)
{
	uint64_t seed = (uint64_t)_i;

	setup();
	team_run(1 + _i % 9, _i % 2 == 0, random_cases, &seed);
}
END_TEST

/* Each kind with lengths above its last threshold. */
static void large_cases(struct comm *c, void *arg)
{
	(void)arg;
	for (int kind = 0; kind < KINDS; kind++) {
		struct task t = {.seed = 77, .kind = (enum kind)kind, .size = c->size};

		t.n = kind == BCAST ? 72000 : 18000;
		t.root = c->size / 2;
		one_case(&t, c);
		t.in_place = true;
		one_case(&t, c);
	}
}

START_TEST(test_large)
{
	setup();
	team_run(2 + _i, false, large_cases, NULL);
	team_run(2 + _i, true, large_cases, NULL);
}
END_TEST

UNIT_MAIN("coll", tcase_add_loop_test(tc, test_random, 0, SEEDS);
	  tcase_add_loop_test(tc, test_large, 0, LARGE_SEEDS);)
