/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather. All but the ring and Bruck gather in a buffer whose blocks lie side by side in rank
 * order: SCHED_OUT when its elements are plain bytes, else SCHED_TMP, spread at the end.
 */
#include "sched.h"

/* The gathering buffer. */
struct work {
	enum sched_buf buf;
	const struct sched_blocks *blocks;
};

static struct sched_span work_range(const struct work *w, int lo, int hi)
{
	return sched_range(w->buf, w->blocks, lo, hi);
}

/* Where this rank's own block is when the operation begins */
static struct sched_span own_block(const struct sched_place *at, const struct sched_layout *l)
{
	if (l->in_place)
		return sched_block_span(SCHED_OUT, &l->out, at->rank);
	return sched_span(SCHED_IN, 0, l->in.n);
}

static struct work begin(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	struct work w = {SCHED_OUT, &l->out};

	if (l->packed)
		w = (struct work){SCHED_TMP, &l->tmp};
	if (l->packed || !l->in_place)
		sched_copy(s, work_range(&w, at->rank, at->rank + 1), own_block(at, l));
	sched_round(s);
	return w;
}

static void finish(struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	if (!l->packed)
		return;
	if (sched_side_by_side(&l->out)) {
		sched_copy(s, sched_range(SCHED_OUT, &l->out, 0, at->size),
			sched_range(SCHED_TMP, &l->tmp, 0, at->size));
	} else {
		for (int i = 0; i < at->size; i++)
			sched_copy(s, sched_block_span(SCHED_OUT, &l->out, i),
				sched_block_span(SCHED_TMP, &l->tmp, i));
	}
	sched_round(s);
}

/* Binomial gather to rank 0 in natural order, so a subtree is one range; then a broadcast. */
void sched_allgather_tree(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	struct sched_place zero = {at->rank, at->size, 0};
	struct work w = begin(s, at, l);
	int r = at->rank, n = sched_subtree(r, at->size);

	for (int mask = 1; mask < n; mask <<= 1) {
		int end = 2 * mask < n ? r + 2 * mask : r + n;

		sched_recv_some(s, r + mask, work_range(&w, r + mask, end));
		sched_round(s);
	}
	if (r > 0)
		sched_send_some(s, r - (r & -r), work_range(&w, r, r + n));
	sched_round(s);
	sched_bcast_binomial(s, &zero, work_range(&w, 0, at->size));
	finish(s, at, l);
}

/* The leaves give their blocks to their leader and get all of them back. */
void sched_allgather_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_layout *l, int leaders)
{
	struct work w = begin(s, at, l);
	struct sched_half h = sched_half(at, leaders);
	struct sched_span all = work_range(&w, 0, at->size);

	if (at->rank != h.leader) {
		sched_send_some(s, h.leader, work_range(&w, at->rank, at->rank + 1));
		sched_round(s);
		sched_recv_some(s, h.leader, all);
		sched_round(s);
		finish(s, at, l);
		return;
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_recv_some(s, leaf, work_range(&w, leaf, leaf + 1));
		sched_round(s);
	}
	if (h.other < at->size) {
		sched_send_some(s, h.other, work_range(&w, h.leader, h.end));
		sched_recv_some(s, h.other, work_range(&w, h.other, h.other_end));
		sched_round(s);
	}
	for (int leaf = h.leader + 1; leaf < h.end; leaf++) {
		sched_send_some(s, leaf, all);
		sched_round(s);
	}
	finish(s, at, l);
}

void sched_allgather_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	struct work w = begin(s, at, l);

	for (int mask = 1; mask < at->size; mask <<= 1) {
		int peer = at->rank ^ mask, mine = at->rank & -mask, his = peer & -mask;

		sched_send(s, peer, work_range(&w, mine, mine + mask));
		sched_recv(s, peer, work_range(&w, his, his + mask));
		sched_round(s);
	}
	finish(s, at, l);
}

/* Block i of SCHED_TMP is that of rank + i; the number of blocks held doubles each round. */
void sched_allgather_bruck(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int p = at->size, r = at->rank;

	sched_copy(s, sched_range(SCHED_TMP, &l->tmp, 0, 1), own_block(at, l));
	sched_round(s);
	for (int have = 1; have < p; have <<= 1) {
		int n = have < p - have ? have : p - have;

		sched_send(s, sched_down(at, have), sched_range(SCHED_TMP, &l->tmp, 0, n));
		sched_recv(s, sched_up(at, have), sched_range(SCHED_TMP, &l->tmp, have, have + n));
		sched_round(s);
	}
	sched_copy(s, sched_range(SCHED_OUT, &l->out, r, p),
		sched_range(SCHED_TMP, &l->tmp, 0, p - r));
	if (r > 0)
		sched_copy(s, sched_range(SCHED_OUT, &l->out, 0, r),
			sched_range(SCHED_TMP, &l->tmp, p - r, p));
	sched_round(s);
}

void sched_allgather_ring(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int block = at->rank;

	if (!l->in_place)
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, block), own_block(at, l));
	sched_round(s);
	for (int i = 1; i < at->size; i++) {
		int next = block > 0 ? block - 1 : at->size - 1;

		sched_send_some(s, sched_up(at, 1), sched_block_span(SCHED_OUT, &l->out, block));
		sched_recv_some(s, sched_down(at, 1), sched_block_span(SCHED_OUT, &l->out, next));
		sched_round(s);
		block = next;
	}
}
