/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather and scatter. In the binomial tree a rank holds the blocks of its subtree in SCHED_TMP, in
 * the order counted from the root. The root needs no such copy, except for the one child whose
 * subtree runs past the last rank to rank 0: those blocks are not side by side.
 */
#include "sched.h"

/* The two runs of ranks that the vranks lo .. lo + n - 1 are: [first, first + head), [0, n - head).
 */
struct run {
	int first, head, n;
};

static struct run run_of(const struct sched_place *at, int lo, int n)
{
	int first = sched_rank(at, lo);
	int head = at->size - first < n ? at->size - first : n;

	return (struct run){first, head, n};
}

static bool run_wraps(const struct run *r)
{
	return r->head < r->n;
}

static void gather_child(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int child)
{
	struct run r = run_of(at, child, sched_subtree(child, at->size));
	int peer = r.first;

	if (!run_wraps(&r)) {
		sched_recv(s, peer, sched_range(SCHED_OUT, &l->out, r.first, r.first + r.n));
	} else {
		sched_recv(s, peer, sched_range(SCHED_TMP, &l->tmp, 0, r.n));
		sched_copy(s, sched_range(SCHED_OUT, &l->out, r.first, at->size),
			sched_range(SCHED_TMP, &l->tmp, 0, r.head));
		sched_copy(s, sched_range(SCHED_OUT, &l->out, 0, r.n - r.head),
			sched_range(SCHED_TMP, &l->tmp, r.head, r.n));
	}
	sched_round(s);
}

static void gather_root(struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	if (!l->in_place)
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, at->rank),
			sched_span(SCHED_IN, 0, l->in.n));
	sched_round(s);
	for (int mask = 1; mask < at->size; mask <<= 1)
		gather_child(s, at, l, mask);
}

void sched_gather_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int v = sched_vrank(at), n = sched_subtree(v, at->size), low = v & -v;
	struct sched_span own = sched_span(SCHED_IN, 0, l->in.n);

	if (v == 0) {
		gather_root(s, at, l);
		return;
	}
	if (n > 1) {
		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, 0, 1), own);
		sched_round(s);
		own = sched_range(SCHED_TMP, &l->tmp, 0, n);
	}
	for (int mask = 1; mask < n; mask <<= 1) {
		int end = 2 * mask < n ? 2 * mask : n;

		sched_recv(s, sched_rank(at, v + mask), sched_range(SCHED_TMP, &l->tmp, mask, end));
		sched_round(s);
	}
	sched_send(s, sched_rank(at, v - low), own);
	sched_round(s);
}

static void scatter_child(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int child)
{
	struct run r = run_of(at, child, sched_subtree(child, at->size));
	int peer = r.first;

	if (!run_wraps(&r)) {
		sched_send(s, peer, sched_range(SCHED_IN, &l->in, r.first, r.first + r.n));
	} else {
		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, 0, r.head),
			sched_range(SCHED_IN, &l->in, r.first, at->size));
		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, r.head, r.n),
			sched_range(SCHED_IN, &l->in, 0, r.n - r.head));
		sched_round(s);
		sched_send(s, peer, sched_range(SCHED_TMP, &l->tmp, 0, r.n));
	}
	sched_round(s);
}

/* The highest power of two below n, 0 for n = 1. */
static int top_mask(int n)
{
	int mask = 1;

	while (mask < n)
		mask <<= 1;
	return mask >> 1;
}

static void scatter_root(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	for (int mask = top_mask(at->size); mask > 0; mask >>= 1)
		scatter_child(s, at, l, mask);
	if (!l->in_place)
		sched_copy(s, sched_span(SCHED_OUT, 0, l->out.n),
			sched_block_span(SCHED_IN, &l->in, at->rank));
	sched_round(s);
}

void sched_scatter_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int v = sched_vrank(at), n = sched_subtree(v, at->size), low = v & -v;
	struct sched_span own = sched_span(SCHED_OUT, 0, l->out.n);

	if (v == 0) {
		scatter_root(s, at, l);
		return;
	}
	sched_recv(s, sched_rank(at, v - low), n > 1 ? sched_range(SCHED_TMP, &l->tmp, 0, n) : own);
	sched_round(s);
	for (int mask = top_mask(n); mask > 0; mask >>= 1) {
		int end = 2 * mask < n ? 2 * mask : n;

		sched_send(s, sched_rank(at, v + mask), sched_range(SCHED_TMP, &l->tmp, mask, end));
		sched_round(s);
	}
	if (n > 1)
		sched_copy(s, own, sched_range(SCHED_TMP, &l->tmp, 0, 1));
	sched_round(s);
}

void sched_gather_linear(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window)
{
	if (at->rank != at->root) {
		sched_send_some(s, at->root, sched_span(SCHED_IN, 0, l->in.n));
		sched_round(s);
		return;
	}
	for (int i = 1; i < at->size; i++) {
		int peer = sched_up(at, i);

		sched_recv_some(s, peer, sched_block_span(SCHED_OUT, &l->out, peer));
		if (i % window == 0)
			sched_round(s);
	}
	if (!l->in_place)
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, at->rank),
			sched_span(SCHED_IN, 0, l->in.n));
	sched_round(s);
}

void sched_scatter_linear(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window)
{
	if (at->rank != at->root) {
		sched_recv_some(s, at->root, sched_span(SCHED_OUT, 0, l->out.n));
		sched_round(s);
		return;
	}
	for (int i = 1; i < at->size; i++) {
		int peer = sched_up(at, i);

		sched_send_some(s, peer, sched_block_span(SCHED_IN, &l->in, peer));
		if (i % window == 0)
			sched_round(s);
	}
	if (!l->in_place)
		sched_copy(s, sched_span(SCHED_OUT, 0, l->out.n),
			sched_block_span(SCHED_IN, &l->in, at->rank));
	sched_round(s);
}
