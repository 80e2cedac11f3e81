/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of long vectors: each rank combines one part of the vector. Only for operators that
 * commute. In all of them a rank's first combination of a part goes from the caller's contribution
 * straight into SCHED_OUT, so nothing is copied beforehand.
 */
#include "sched.h"

/* Where a rank's value is: the caller's contribution, or SCHED_OUT. */
struct value {
	enum sched_buf buf;
	size_t n;
};

static struct value value_start(const struct sched_reduction *r)
{
	return (struct value){r->in_place ? SCHED_OUT : SCHED_IN, r->n};
}

/* Receive peer's value of `part` and combine; the value of that part is in SCHED_OUT afterwards. */
static void value_combine(struct sched *s, const struct value *v, int peer, struct sched_span part)
{
	struct sched_span out = sched_span(SCHED_OUT, part.first, part.n);
	struct sched_span in = sched_span(v->buf, part.first, part.n);

	if (v->buf == SCHED_OUT)
		in = sched_span(SCHED_TMP, 0, part.n);
	sched_recv_some(s, peer, v->buf == SCHED_OUT ? in : out);
	sched_reduce(s, out, in);
}

/*
 * The hypercube of `power` ranks. With size = power + rest, each of the first `rest` pairs of
 * neighbours acts as one: by its even rank, or by the root if that is in it.
 *
 * An id has the bits of a rank's place among them in the opposite order. So the first exchanges of the
 * halving, which move the most, are between neighbours: ranks that fill one host after the other
 * send no more from host to host than one rank of each would.
 */
struct cube {
	int power, rest, root;
	int id; /* of this rank in it, or -1 */
};

static int opposite(int bits, int power)
{
	int out = 0;

	for (int low = 1, high = power / 2; high > 0; low *= 2, high /= 2)
		if (bits & low)
			out |= high;
	return out;
}

static struct cube cube_of(const struct sched_place *at)
{
	struct cube c = {1, 0, at->root, -1};

	while (c.power <= at->size - c.power)
		c.power <<= 1;
	c.rest = at->size - c.power;
	if (at->rank >= 2 * c.rest)
		c.id = opposite(at->rank - c.rest, c.power);
	else if (at->root / 2 == at->rank / 2 ? at->rank == at->root : at->rank % 2 == 0)
		c.id = opposite(at->rank / 2, c.power);
	return c;
}

static int cube_rank(const struct cube *c, int id)
{
	int place = opposite(id, c->power);

	if (place >= c->rest)
		return place + c->rest;
	return c->root / 2 == place ? c->root : 2 * place;
}

/* The id of the root, which always has one. */
static int cube_root(const struct cube *c)
{
	return opposite(c->root < 2 * c->rest ? c->root / 2 : c->root - c->rest, c->power);
}

/* Parts [lo, lo + n) of the vector, one part per id. */
static struct sched_span cube_parts(const struct cube *c, const struct value *v, int lo, int n)
{
	struct sched_span x = sched_part(v->buf, v->n, c->power, lo);
	struct sched_span y = sched_part(v->buf, v->n, c->power, lo + n - 1);

	return sched_span(v->buf, x.first, (size_t)(y.first - x.first) + y.n);
}

/* The pairs become one value each. Returns false at a rank that has no more part in it. */
static bool cube_enter(
	struct sched *s, const struct sched_place *at, const struct cube *c, struct value *v)
{
	struct sched_span all = sched_span(v->buf, 0, v->n);

	if (at->rank >= 2 * c->rest)
		return true;
	if (c->id < 0) {
		sched_send(s, at->rank ^ 1, all);
		sched_round(s);
		return false;
	}
	value_combine(s, v, at->rank ^ 1, all);
	v->buf = SCHED_OUT;
	sched_round(s);
	return true;
}

/* Recursive halving: id ends with the value of part id. */
static void cube_halve(struct sched *s, const struct cube *c, struct value *v)
{
	for (int n = c->power / 2; n > 0; n /= 2) {
		int peer = c->id ^ n, keep = c->id & -n, give = peer & -n;

		sched_send_some(s, cube_rank(c, peer), cube_parts(c, v, give, n));
		value_combine(s, v, cube_rank(c, peer), cube_parts(c, v, keep, n));
		sched_round(s);
		v->buf = SCHED_OUT;
	}
	if (v->buf == SCHED_IN) {
		sched_copy(s, sched_span(SCHED_OUT, 0, v->n), sched_span(SCHED_IN, 0, v->n));
		sched_round(s);
		v->buf = SCHED_OUT;
	}
}

void sched_allreduce_rabenseifner(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct sched_place zero = {at->rank, at->size, 0};
	struct cube c = cube_of(&zero);
	struct value v = value_start(r);
	struct sched_span all = sched_span(SCHED_OUT, 0, r->n);

	if (!cube_enter(s, at, &c, &v)) {
		sched_recv(s, at->rank ^ 1, all);
		sched_round(s);
		return;
	}
	cube_halve(s, &c, &v);
	for (int n = 1; n < c.power; n *= 2) {
		int peer = c.id ^ n, to = cube_rank(&c, peer);

		sched_send_some(s, to, cube_parts(&c, &v, c.id & -n, n));
		sched_recv_some(s, to, cube_parts(&c, &v, peer & -n, n));
		sched_round(s);
	}
	if (at->rank < 2 * c.rest)
		sched_send(s, at->rank ^ 1, all);
	sched_round(s);
}

/* After the halving the parts climb a binomial tree over id ^ root: each exchange partner of the
 * halving, met in the opposite order, has the neighbouring range. */
void sched_reduce_rabenseifner(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct cube c = cube_of(at);
	struct value v = value_start(r);

	if (!cube_enter(s, at, &c, &v))
		return;
	cube_halve(s, &c, &v);
	for (int n = 1; n < c.power; n *= 2) {
		int peer = c.id ^ n, to = cube_rank(&c, peer);

		if ((c.id ^ cube_root(&c)) & n) {
			sched_send_some(s, to, cube_parts(&c, &v, c.id & -n, n));
			sched_round(s);
			return;
		}
		sched_recv_some(s, to, cube_parts(&c, &v, peer & -n, n));
		sched_round(s);
	}
}

/* Each part goes once around the ring and gathers the contributions; then once more, complete. */
void sched_allreduce_ring(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	int p = at->size, part = sched_down(at, p > 1);
	struct value v = value_start(r);
	enum sched_buf from = v.buf;

	for (int i = 1; i < p; i++) {
		int next = part > 0 ? part - 1 : p - 1;

		sched_send_some(s, sched_up(at, 1), sched_part(from, r->n, p, part));
		value_combine(s, &v, sched_down(at, 1), sched_part(from, r->n, p, next));
		sched_round(s);
		from = SCHED_OUT;
		part = next;
	}
	for (int i = 1; i < p; i++) {
		int next = part > 0 ? part - 1 : p - 1;

		sched_send_some(s, sched_up(at, 1), sched_part(SCHED_OUT, r->n, p, part));
		sched_recv_some(s, sched_down(at, 1), sched_part(SCHED_OUT, r->n, p, next));
		sched_round(s);
		part = next;
	}
	if (p == 1 && !r->in_place)
		sched_copy(s, sched_span(SCHED_OUT, 0, r->n), sched_span(SCHED_IN, 0, r->n));
	sched_round(s);
}

/*
 * The first half of that with blocks as parts. SCHED_OUT has room for this rank's block only, or
 * holds the input: what is under way is kept in SCHED_TMP and SCHED_AUX by turns.
 */
void sched_reduce_scatter_ring(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in)
{
	int p = at->size, part = sched_down(at, p > 1);
	enum sched_buf input = r->in_place ? SCHED_OUT : SCHED_IN, next_buf = SCHED_TMP;
	struct sched_span held = sched_block_span(input, in, part);

	for (int i = 1; i < p; i++) {
		part = part > 0 ? part - 1 : p - 1;
		struct sched_span own = sched_block_span(input, in, part);
		struct sched_span next = sched_span(next_buf, 0, own.n);

		if (i == p - 1 && !r->in_place)
			next.buf = SCHED_OUT;
		sched_send_some(s, sched_up(at, 1), held);
		sched_recv_some(s, sched_down(at, 1), next);
		sched_reduce(s, next, own);
		sched_round(s);
		next_buf = next_buf == SCHED_TMP ? SCHED_AUX : SCHED_TMP;
		held = next;
	}
	if (held.buf != SCHED_OUT || r->in_place)
		sched_copy(s, sched_span(SCHED_OUT, 0, held.n), held);
	sched_round(s);
}
