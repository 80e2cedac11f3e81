/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions that combine whole vectors, in rank order. No data is copied that need not be: the
 * value begins in the caller's (constant) contribution, and moves to whichever buffer the result of
 * a combination lies in.
 */
#include "sched.h"

/* A running value and the buffer that the next contribution is received in. */
struct fold {
	enum sched_buf acc, spare;
	enum sched_buf
		extra; /* the second buffer, while acc is the caller's and not to be written */
	bool constant; /* acc is the caller's */
	bool commutative;
	size_t n;
};

static struct fold fold_start(const struct sched_reduction *r)
{
	struct fold f = {SCHED_IN, SCHED_OUT, SCHED_TMP, true, r->commutative, r->n};

	if (r->in_place) {
		f.acc = SCHED_OUT;
		f.spare = SCHED_TMP;
		f.constant = false;
	}
	return f;
}

static struct sched_span fold_acc(const struct fold *f)
{
	return sched_span(f->acc, 0, f->n);
}

static struct sched_span fold_spare(const struct fold *f)
{
	return sched_span(f->spare, 0, f->n);
}

/* The value is now in spare; what held it before is free, unless it was the caller's. */
static void fold_swap(struct fold *f)
{
	enum sched_buf old = f->constant ? f->extra : f->acc;

	f->acc = f->spare;
	f->spare = old;
	f->constant = false;
}

/* Combine with what has been received in spare, which stands to the right (higher ranks). */
static void fold_right(struct sched *s, struct fold *f)
{
	if (f->commutative && !f->constant) {
		sched_reduce(s, fold_acc(f), fold_spare(f));
	} else {
		sched_reduce(s, fold_spare(f), fold_acc(f));
		fold_swap(f);
	}
}

/* The same with what stands to the left. */
static void fold_left(struct sched *s, struct fold *f)
{
	if (f->constant && f->commutative) {
		sched_reduce(s, fold_spare(f), fold_acc(f));
		fold_swap(f);
		return;
	}
	if (f->constant) {
		struct sched_span input = fold_acc(f);

		f->acc = f->extra;
		f->constant = false;
		sched_copy(s, fold_acc(f), input);
	}
	sched_reduce(s, fold_acc(f), fold_spare(f));
}

static void fold_end(struct sched *s, const struct fold *f, enum sched_buf result)
{
	if (f->acc != result)
		sched_copy(s, sched_span(result, 0, f->n), fold_acc(f));
	sched_round(s);
}

/* Rank v combines v .. v + 2^k - 1, then hands that to v - 2^k: a contribution that is received
 * always stands to the right of what is there. */
static void fold_tree(struct sched *s, const struct sched_place *at, struct fold *f)
{
	int v = sched_vrank(at), n = sched_subtree(v, at->size);

	for (int mask = 1; mask < n; mask <<= 1) {
		sched_recv(s, sched_rank(at, v + mask), fold_spare(f));
		fold_right(s, f);
		sched_round(s);
	}
	if (v > 0)
		sched_send(s, sched_rank(at, v - (v & -v)), fold_acc(f));
	sched_round(s);
}

/* Without commutativity the ranks have to stand in their own order: to rank 0, then to the root. */
static void reduce_ordered(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct sched_place zero = {at->rank, at->size, 0};
	struct fold f = fold_start(r);

	fold_tree(s, &zero, &f);
	if (at->rank == at->root)
		sched_recv(s, 0, sched_span(SCHED_OUT, 0, r->n));
	else if (at->rank == 0)
		sched_send(s, at->root, fold_acc(&f));
	sched_round(s);
}

void sched_reduce_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct fold f = fold_start(r);

	if (!r->commutative && at->root != 0) {
		reduce_ordered(s, at, r);
		return;
	}
	fold_tree(s, at, &f);
	if (at->rank == at->root)
		fold_end(s, &f, SCHED_OUT);
}

void sched_reduce_star(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct fold f = fold_start(r);

	if (at->rank != at->root) {
		sched_send(s, at->root, fold_acc(&f));
		sched_round(s);
		return;
	}
	for (int leaf = at->root - 1; leaf >= 0; leaf--) {
		sched_recv(s, leaf, fold_spare(&f));
		fold_left(s, &f);
		sched_round(s);
	}
	for (int leaf = at->root + 1; leaf < at->size; leaf++) {
		sched_recv(s, leaf, fold_spare(&f));
		fold_right(s, &f);
		sched_round(s);
	}
	fold_end(s, &f, SCHED_OUT);
}

void sched_allreduce_tree(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct sched_place zero = {at->rank, at->size, 0};

	sched_reduce_binomial(s, &zero, r);
	sched_bcast_binomial(s, &zero, sched_span(SCHED_OUT, 0, r->n));
}

/* One exchange with a rank that holds the value of a neighbouring group. */
static void fold_exchange(struct sched *s, struct fold *f, int rank, int peer)
{
	sched_send(s, peer, fold_acc(f));
	sched_recv(s, peer, fold_spare(f));
	if (peer < rank)
		fold_left(s, f);
	else
		fold_right(s, f);
	sched_round(s);
}

/* The leaves give to their leader, two leaders exchange. The order is kept for
 * commutative operators too: then both leaders, and so all ranks, get the same bits. */
static void fold_leaders(
	struct sched *s, const struct sched_place *at, const struct sched_half *h, struct fold *f)
{
	f->commutative = false;
	if (at->rank != h->leader) {
		sched_send(s, h->leader, fold_acc(f));
		sched_round(s);
		return;
	}
	for (int leaf = h->leader + 1; leaf < h->end; leaf++) {
		sched_recv(s, leaf, fold_spare(f));
		fold_right(s, f);
		sched_round(s);
	}
	if (h->other < at->size)
		fold_exchange(s, f, at->rank, h->other);
}

void sched_allreduce_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, int leaders)
{
	struct sched_half h = sched_half(at, leaders);
	struct fold f = fold_start(r);

	fold_leaders(s, at, &h, &f);
	if (at->rank != h.leader) {
		sched_recv(s, h.leader, sched_span(SCHED_OUT, 0, r->n));
		sched_round(s);
		return;
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_send(s, leaf, fold_acc(&f));
		sched_round(s);
	}
	fold_end(s, &f, SCHED_OUT);
}

/*
 * With size = power + rest, each of the first `rest` pairs of neighbours (2i, 2i+1) acts as one, by
 * its even rank; so the groups that meet are always neighbouring ranges. The order is kept for
 * commutative operators too: then all ranks get the same bits.
 */
void sched_allreduce_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	int rank = at->rank, power = 1;
	struct fold f = fold_start(r);

	f.commutative = false;
	while (power <= at->size - power)
		power <<= 1;
	int rest = at->size - power, id = rank < 2 * rest ? rank / 2 : rank - rest;
	bool paired = rank < 2 * rest;

	if (paired && rank % 2 == 1) {
		sched_send(s, rank - 1, fold_acc(&f));
		sched_round(s);
		sched_recv(s, rank - 1, sched_span(SCHED_OUT, 0, r->n));
		sched_round(s);
		return;
	}
	if (paired) {
		sched_recv(s, rank + 1, fold_spare(&f));
		fold_right(s, &f);
		sched_round(s);
	}
	for (int mask = 1; mask < power; mask <<= 1) {
		int peer = id ^ mask;

		fold_exchange(s, &f, rank, peer < rest ? 2 * peer : peer + rest);
	}
	if (paired)
		sched_send(s, rank + 1, fold_acc(&f));
	fold_end(s, &f, SCHED_OUT);
}

/* The result lies in `whole` of rank 0: down a binomial tree, in which a rank gets the blocks of
 * its subtree, at their places in its own `whole`. */
static void scatter_blocks(struct sched *s, const struct sched_place *at, enum sched_buf whole,
	const struct sched_blocks *in)
{
	int r = at->rank, n = sched_subtree(r, at->size), mask = 1;
	struct sched_span own = sched_block_span(whole, in, r);
	struct sched_span out = sched_span(SCHED_OUT, 0, own.n);

	while (mask < n)
		mask <<= 1;
	if (r > 0) {
		sched_recv_some(s, r - (r & -r), n > 1 ? sched_range(whole, in, r, r + n) : out);
		sched_round(s);
	}
	for (mask >>= 1; mask > 0; mask >>= 1) {
		int end = 2 * mask < n ? r + 2 * mask : r + n;

		sched_send_some(s, r + mask, sched_range(whole, in, r + mask, end));
		sched_round(s);
	}
	if (n > 1 || r == 0)
		sched_copy(s, out, own);
	sched_round(s);
}

/* SCHED_OUT may be as small as one block, or hold the input: it takes no part. */
static struct fold fold_start_apart(const struct sched_reduction *r)
{
	struct fold f = fold_start(r);

	f.acc = r->in_place ? SCHED_OUT : SCHED_IN;
	f.constant = true;
	f.spare = SCHED_AUX;
	return f;
}

void sched_reduce_scatter_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in, int leaders)
{
	struct sched_half h = sched_half(at, leaders);
	struct fold f = fold_start_apart(r);
	struct sched_span own = sched_block_span(SCHED_OUT, in, at->rank);
	struct sched_span out = sched_span(SCHED_OUT, 0, own.n);

	fold_leaders(s, at, &h, &f);
	if (at->rank != h.leader) {
		sched_recv_some(s, h.leader, out);
		sched_round(s);
		return;
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_send_some(s, leaf, sched_block_span(f.acc, in, leaf));
		sched_round(s);
	}
	sched_copy(s, out, sched_block_span(f.acc, in, at->rank));
	sched_round(s);
}

void sched_reduce_scatter_tree(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in)
{
	struct sched_place zero = {at->rank, at->size, 0};
	struct fold f = fold_start_apart(r);

	fold_tree(s, &zero, &f);
	scatter_blocks(s, &zero, at->rank == 0 ? f.acc : SCHED_AUX, in);
}
