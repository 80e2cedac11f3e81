/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers and broadcasts.
 *
 * The binomial tree: rank v (counted from the root) hangs under v without its lowest one bit, and
 * heads the ranks v .. v + lowest bit - 1. A tree sends one message a round: its motion then reads
 * the one socket that matters.
 */
#include "sched.h"

/* The rank whose message v waits for is v - *mask; its children are v + smaller masks. */
static int tree_parent_mask(int v, int size)
{
	int mask = 1;

	while (mask < size && !(v & mask))
		mask <<= 1;
	return mask;
}

void sched_barrier_dissemination(struct sched *s, const struct sched_place *at)
{
	struct sched_span none = sched_span(SCHED_OUT, 0, 0);

	for (int by = 1; by < at->size; by <<= 1) {
		sched_send(s, sched_up(at, by), none);
		sched_recv(s, sched_down(at, by), none);
		sched_round(s);
	}
}

void sched_barrier_tree(struct sched *s, const struct sched_place *at)
{
	struct sched_span none = sched_span(SCHED_OUT, 0, 0);
	int v = sched_vrank(at), top = tree_parent_mask(v, at->size);

	for (int mask = 1; mask < top; mask <<= 1) {
		if (mask < at->size - v) {
			sched_recv(s, sched_rank(at, v + mask), none);
			sched_round(s);
		}
	}
	if (v > 0) {
		sched_send(s, sched_rank(at, v - top), none);
		sched_round(s);
	}
	sched_bcast_binomial(s, at, none);
}

void sched_barrier_leaders(struct sched *s, const struct sched_place *at, int leaders)
{
	struct sched_span none = sched_span(SCHED_OUT, 0, 0);
	struct sched_half h = sched_half(at, leaders);

	if (at->rank != h.leader) {
		sched_send(s, h.leader, none);
		sched_round(s);
		sched_recv(s, h.leader, none);
		sched_round(s);
		return;
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_recv(s, leaf, none);
		sched_round(s);
	}
	if (h.other < at->size) {
		sched_send(s, h.other, none);
		sched_recv(s, h.other, none);
		sched_round(s);
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_send(s, leaf, none);
		sched_round(s);
	}
}

void sched_bcast_binomial(struct sched *s, const struct sched_place *at, struct sched_span a)
{
	int v = sched_vrank(at), mask = tree_parent_mask(v, at->size);

	if (v > 0) {
		sched_recv(s, sched_rank(at, v - mask), a);
		sched_round(s);
	}
	/* the largest subtree first: it has the longest way to go */
	for (mask >>= 1; mask > 0; mask >>= 1) {
		if (mask < at->size - v) {
			sched_send(s, sched_rank(at, v + mask), a);
			sched_round(s);
		}
	}
}

void sched_bcast_star(
	struct sched *s, const struct sched_place *at, struct sched_span a, int window)
{
	if (at->rank != at->root) {
		sched_recv(s, at->root, a);
		sched_round(s);
		return;
	}
	for (int v = 1; v < at->size; v++) {
		sched_send(s, sched_rank(at, v), a);
		if (v % window == 0)
			sched_round(s);
	}
	sched_round(s);
}

static struct sched_span segment(struct sched_span a, size_t seg, size_t i)
{
	size_t rest = a.n - i * seg;

	return sched_span(a.buf, a.first + (ptrdiff_t)(i * seg), rest < seg ? rest : seg);
}

/* A rank passes segment i - 1 on while it receives segment i. */
void sched_bcast_chain(
	struct sched *s, const struct sched_place *at, struct sched_span a, size_t seg)
{
	int v = sched_vrank(at);
	size_t segs = (a.n + seg - 1) / seg, lag = v > 0;

	for (size_t i = 0; i < segs + lag; i++) {
		if (v > 0 && i < segs)
			sched_recv(s, sched_rank(at, v - 1), segment(a, seg, i));
		if (v + 1 < at->size && i >= lag)
			sched_send(s, sched_rank(at, v + 1), segment(a, seg, i - lag));
		sched_round(s);
	}
}

/* Parts lo to hi-1 (hi > lo) of a, which is cut into one part per rank. */
static struct sched_span parts(struct sched_span a, int size, int lo, int hi)
{
	struct sched_span x = sched_part(a.buf, a.n, size, lo);
	struct sched_span y = sched_part(a.buf, a.n, size, hi - 1);

	return sched_span(a.buf, a.first + x.first, (size_t)(y.first - x.first) + y.n);
}

static void scatter_parts(struct sched *s, const struct sched_place *at, struct sched_span a)
{
	int v = sched_vrank(at), mask = tree_parent_mask(v, at->size);

	if (v > 0) {
		int end = v + sched_subtree(v, at->size);

		sched_recv_some(s, sched_rank(at, v - mask), parts(a, at->size, v, end));
		sched_round(s);
	}
	for (mask >>= 1; mask > 0; mask >>= 1) {
		if (mask >= at->size - v)
			continue;
		int child = v + mask, end = child + sched_subtree(child, at->size);

		sched_send_some(s, sched_rank(at, child), parts(a, at->size, child, end));
		sched_round(s);
	}
}

void sched_bcast_scatter(struct sched *s, const struct sched_place *at, struct sched_span a)
{
	int p = at->size, v = sched_vrank(at), part = v;

	scatter_parts(s, at, a);
	for (int i = 1; i < p; i++) {
		int next = part > 0 ? part - 1 : p - 1;

		sched_send_some(s, sched_up(at, 1), parts(a, p, part, part + 1));
		sched_recv_some(s, sched_down(at, 1), parts(a, p, next, next + 1));
		sched_round(s);
		part = next;
	}
}
