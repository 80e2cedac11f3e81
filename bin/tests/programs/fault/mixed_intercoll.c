/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's collective operations of an intercommunicator, all of them: what each gives and gets. The
 * calls are in mixed_intercoll_calls.c; mixed_ops.c says how long an operation stays open. The even
 * ranks are one side, the odd ones the other.
 */
#include "mixed_intercoll.h"

enum { ROOM = 1 << 16 };

static bool at_root(const struct side *s, const struct mixed_deal *d)
{
	return s->side == d->side && s->rank == d->root;
}

struct side mixed_intercoll_of(const struct mixed *m)
{
	int rank = m->prog->rank, size = m->prog->size;
	struct side s = {.side = rank % 2, .rank = rank / 2};

	s.us = (size + !s.side) / 2;
	s.them = size - s.us;
	return s;
}

/* Rank in the world. */
static int other(const struct side *s, int rank)
{
	return 2 * rank + !s->side;
}

static int self(const struct side *s)
{
	return 2 * s->rank + s->side;
}

long mixed_intercoll_count(const struct mixed_deal *d, int rank)
{
	return d->n + rank % INTERCOLL_UNEVEN;
}

/* All that a side reduces: a multiple of the processes of either side. */
static long total(const struct side *s, const struct mixed_deal *d)
{
	return d->n * s->us * s->them;
}

/* What is left over is the last one's. */
long mixed_intercoll_share(const struct side *s, const struct mixed_deal *d, int rank)
{
	long even = total(s, d) / s->us;

	if (d->kind == INTERCOLL_REDUCE_SCATTER_BLOCK || s->us == 1 || even == 0)
		return even;
	return rank == 0 ? even + 1 : rank == s->us - 1 ? even - 1 : even;
}

static void choose(struct mixed_deal *d, uint64_t *random)
{
	struct side s = mixed_intercoll_of(d->m);
	long low = s.us < s.them ? s.us : s.them, most;

	d->kind = (int)mixed_decide(random, INTERCOLL_KINDS);
	d->which = MIXED_INTERCOLL_COMM;
	d->side = (int)mixed_decide(random, 2);
	d->root = (int)(mixed_decide(random, 1000) % low);
	d->n = mixed_bytes(d->m, random, 8) / 8;
	most = ROOM / (2 * d->m->prog->size * (1 + d->m->prog->size / 2)) - INTERCOLL_UNEVEN;
	if (d->n > most)
		d->n = most;
}

/* ---- given ---- */

static long to_each(const struct side *s, const struct mixed_deal *d, uint64_t *in)
{
	int stride = d->kind == INTERCOLL_ALLTOALLW ? 2 : 1;

	for (int r = 0; r < s->them; r++)
		mixed_ops_words(d, self(s), other(s, r), mixed_intercoll_count(d, r), stride,
			in + r * mixed_intercoll_block(d));
	return s->them * mixed_intercoll_block(d);
}

static long give(const struct mixed_deal *d, uint64_t *in)
{
	struct side s = mixed_intercoll_of(d->m);

	switch (d->kind) {
	case INTERCOLL_SCATTER:
	case INTERCOLL_SCATTERV:
	case INTERCOLL_ALLTOALL:
	case INTERCOLL_ALLTOALLV:
	case INTERCOLL_ALLTOALLW:
		return to_each(&s, d, in);
	case INTERCOLL_REDUCE_SCATTER:
	case INTERCOLL_REDUCE_SCATTER_BLOCK:
		mixed_ops_words(d, self(&s), MIXED_ALL, total(&s, d), 1, in);
		return total(&s, d);
	default:
		mixed_ops_words(d, self(&s), MIXED_ALL, d->n + INTERCOLL_UNEVEN, 1, in);
		return d->n + INTERCOLL_UNEVEN;
	}
}

/* ---- got ---- */

/* From each of the other side, `to` naming what it gives; all of a block is as long as `of` says.
 */
static long from_each(const struct side *s, const struct mixed_deal *d, bool uneven, uint64_t *out)
{
	for (int r = 0; r < s->them; r++)
		mixed_ops_words(d, other(s, r), MIXED_ALL,
			uneven ? mixed_intercoll_count(d, r) : d->n, 1,
			out + r * (uneven ? mixed_intercoll_block(d) : d->n));
	return s->them * (uneven ? mixed_intercoll_block(d) : d->n);
}

static long for_me(const struct side *s, const struct mixed_deal *d, uint64_t *out)
{
	int stride = d->kind == INTERCOLL_ALLTOALLW ? 2 : 1;
	bool uneven = d->kind != INTERCOLL_ALLTOALL;
	long n = uneven ? mixed_intercoll_count(d, s->rank) : d->n;

	for (int r = 0; r < s->them; r++)
		mixed_ops_words(d, other(s, r), self(s), n, stride,
			out + r * (uneven ? mixed_intercoll_block(d) : d->n));
	return s->them * (uneven ? mixed_intercoll_block(d) : d->n);
}

static long from_root(const struct side *s, const struct mixed_deal *d, uint64_t *out)
{
	int root = other(s, d->root);
	long n = d->kind == INTERCOLL_SCATTERV ? mixed_intercoll_count(d, s->rank) : d->n;

	mixed_ops_words(d, root, d->kind == INTERCOLL_BCAST ? MIXED_ALL : self(s), n, 1, out);
	return n;
}

static long sums(
	const struct side *s, const struct mixed_deal *d, long first, long n, uint64_t *out)
{
	for (long i = 0; i < n; i++) {
		out[i] = 0;
		for (int r = 0; r < s->them; r++)
			out[i] += mixed_ops_word(d, other(s, r), MIXED_ALL, first + i);
	}
	return n;
}

static long my_share(const struct side *s, const struct mixed_deal *d, uint64_t *out)
{
	long first = 0;

	for (int r = 0; r < s->rank; r++)
		first += mixed_intercoll_share(s, d, r);
	return sums(s, d, first, mixed_intercoll_share(s, d, s->rank), out);
}

static long want(const struct mixed_deal *d, uint64_t *out)
{
	struct side s = mixed_intercoll_of(d->m);
	bool rooted = at_root(&s, d), their_root = s.side != d->side;

	switch (d->kind) {
	case INTERCOLL_BCAST:
	case INTERCOLL_SCATTER:
	case INTERCOLL_SCATTERV:
		return their_root ? from_root(&s, d, out) : 0;
	case INTERCOLL_GATHER:
	case INTERCOLL_GATHERV:
		return rooted ? from_each(&s, d, d->kind == INTERCOLL_GATHERV, out) : 0;
	case INTERCOLL_ALLGATHER:
	case INTERCOLL_ALLGATHERV:
		return from_each(&s, d, d->kind == INTERCOLL_ALLGATHERV, out);
	case INTERCOLL_ALLTOALL:
	case INTERCOLL_ALLTOALLV:
	case INTERCOLL_ALLTOALLW:
		return for_me(&s, d, out);
	case INTERCOLL_REDUCE:
		return rooted ? sums(&s, d, 0, d->n, out) : 0;
	case INTERCOLL_ALLREDUCE:
		return sums(&s, d, 0, d->n, out);
	case INTERCOLL_REDUCE_SCATTER:
	case INTERCOLL_REDUCE_SCATTER_BLOCK:
		return my_share(&s, d, out);
	default:
		return 0;
	}
}

/* ---- the part ---- */

static struct mixed_family family = {
	.part = MIXED_INTERCOLL,
	.most = 2,
	.room = ROOM,
	.choose = choose,
	.give = give,
	.want = want,
	.call = mixed_intercoll_call,
};

static bool alone(const struct mixed *m)
{
	return m->prog->size < 2;
}

static void begin(struct mixed *m)
{
	if (!alone(m))
		mixed_ops_begin(&family, m);
}

static void restored(struct mixed *m)
{
	if (!alone(m))
		mixed_ops_restored(&family, m);
}

static void step_sides(struct mixed *m, long step)
{
	if (!alone(m))
		mixed_ops_step(&family, m, step);
}

static uint64_t expect(const struct mixed *m, long step)
{
	return alone(m) ? 0 : mixed_ops_expect(&family, m, step);
}

static void end(struct mixed *m)
{
	if (!alone(m))
		mixed_ops_end(&family);
}

const struct mixed_part mixed_intercoll = {
	.name = "intercoll",
	.begin = begin,
	.restored = restored,
	.step = step_sides,
	.expect = expect,
	.end = end,
};
