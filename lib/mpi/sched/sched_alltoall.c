/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all: block j of rank i ends as block i of rank j. */
#include "sched.h"

/* The blocks that this rank sends. */
static enum sched_buf source(const struct sched_layout *l)
{
	return l->in_place ? SCHED_OUT : SCHED_IN;
}

static const struct sched_blocks *source_blocks(const struct sched_layout *l)
{
	return l->in_place ? &l->out : &l->in;
}

static struct sched_span rows(
	enum sched_buf buf, const struct sched_layout *l, int size, int lo, int hi)
{
	size_t row = (size_t)size * l->tmp.n;

	return sched_span(buf, (ptrdiff_t)((size_t)lo * row), (size_t)(hi - lo) * row);
}

/* Rank 0, which has everybody's row i at TMP row i, makes AUX row j of the j-th blocks. */
static void transpose(struct sched *s, const struct sched_layout *l, int p)
{
	for (int i = 0; i < p; i++) {
		for (int j = 0; j < p; j++)
			sched_copy(s, sched_range(SCHED_AUX, &l->tmp, j * p + i, j * p + i + 1),
				sched_range(SCHED_TMP, &l->tmp, i * p + j, i * p + j + 1));
	}
}

/*
 * Everything goes up a binomial tree to rank 0 and down again: 2(size-1) messages, the fewest there
 * can be. For tiny blocks and many ranks on few cores.
 */
void sched_alltoall_tree(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int p = at->size, r = at->rank, n = sched_subtree(r, p), parent = r - (r & -r), mask;
	bool inner = n > 1 || r == 0;
	enum sched_buf down = r == 0 ? SCHED_AUX : SCHED_TMP;
	struct sched_span own = sched_range(source(l), source_blocks(l), 0, p);
	struct sched_span result = sched_range(SCHED_OUT, &l->out, 0, p);

	if (inner)
		sched_copy(s, rows(SCHED_TMP, l, p, 0, 1), own);
	sched_round(s);
	for (mask = 1; mask < n; mask <<= 1) {
		sched_recv(s, r + mask, rows(SCHED_TMP, l, p, mask, 2 * mask < n ? 2 * mask : n));
		sched_round(s);
	}
	if (r == 0) {
		transpose(s, l, p);
	} else {
		sched_send(s, parent, inner ? rows(SCHED_TMP, l, p, 0, n) : own);
		sched_round(s);
		sched_recv(s, parent, inner ? rows(SCHED_TMP, l, p, 0, n) : result);
	}
	sched_round(s);
	for (mask >>= 1; mask > 0; mask >>= 1) {
		sched_send(s, r + mask, rows(down, l, p, mask, 2 * mask < n ? 2 * mask : n));
		sched_round(s);
	}
	if (inner)
		sched_copy(s, result, rows(down, l, p, 0, 1));
	sched_round(s);
}

/* A leader's share of an all-to-all: n sources with all their blocks are rows of SCHED_TMP. In
 * SCHED_AUX follow each other: what goes to the m ranks of the other half, what comes from them
 * (both by destination, and in that by source), and the finished rows of the n ranks here. */
struct share {
	const struct sched_layout *l;
	struct sched_half h;
	int p, n, m;
};

static struct sched_span share_part(const struct share *x, int from, int blocks)
{
	return sched_range(SCHED_AUX, &x->l->tmp, from, from + blocks);
}

static struct sched_span share_row(const struct share *x, int i)
{
	return share_part(x, 2 * x->n * x->m + i * x->p, x->p);
}

static struct sched_span share_source(const struct share *x, int i, int to)
{
	return sched_range(SCHED_TMP, &x->l->tmp, i * x->p + to, i * x->p + to + 1);
}

static void share_exchange(struct sched *s, const struct share *x)
{
	int all = x->n * x->m;

	if (x->m == 0)
		return;
	for (int j = 0; j < x->m; j++) {
		for (int i = 0; i < x->n; i++)
			sched_copy(s, share_part(x, j * x->n + i, 1),
				share_source(x, i, x->h.other + j));
	}
	sched_round(s);
	sched_send(s, x->h.other, share_part(x, 0, all));
	sched_recv(s, x->h.other, share_part(x, all, all));
	sched_round(s);
}

static void share_finish(struct sched *s, const struct share *x)
{
	for (int i = 0; i < x->n; i++) {
		int row = 2 * x->n * x->m + i * x->p;

		for (int j = 0; j < x->n; j++)
			sched_copy(s, share_part(x, row + x->h.leader + j, 1),
				share_source(x, j, x->h.leader + i));
		if (x->m > 0)
			sched_copy(s, share_part(x, row + x->h.other, x->m),
				share_part(x, x->n * x->m + i * x->m, x->m));
	}
	sched_round(s);
}

void sched_alltoall_leaders(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	struct sched_half h = sched_half(at, 2);
	struct share x = {l, h, at->size, h.end - h.leader, h.other_end - h.other};
	struct sched_span own = sched_range(source(l), source_blocks(l), 0, x.p);
	struct sched_span result = sched_range(SCHED_OUT, &l->out, 0, x.p);

	if (at->rank != h.leader) {
		sched_send(s, h.leader, own);
		sched_round(s);
		sched_recv(s, h.leader, result);
		sched_round(s);
		return;
	}
	sched_copy(s, rows(SCHED_TMP, l, x.p, 0, 1), own);
	sched_round(s);
	for (int i = 1; i < x.n; i++) {
		sched_recv(s, h.leader + i, rows(SCHED_TMP, l, x.p, i, i + 1));
		sched_round(s);
	}
	share_exchange(s, &x);
	share_finish(s, &x);
	for (int i = 1; i < x.n; i++) {
		sched_send(s, h.leader + i, share_row(&x, i));
		sched_round(s);
	}
	sched_copy(s, result, share_row(&x, 0));
	sched_round(s);
}

/* The blocks of SCHED_TMP whose index has bit k, side by side into SCHED_AUX; returns how many. */
static int bruck_pack(struct sched *s, const struct sched_layout *l, int p, int k)
{
	int n = 0;

	for (int lo = k; lo < p; lo += 2 * k) {
		int len = k < p - lo ? k : p - lo;

		sched_copy(s, sched_range(SCHED_AUX, &l->tmp, n, n + len),
			sched_range(SCHED_TMP, &l->tmp, lo, lo + len));
		n += len;
	}
	return n;
}

/* And what has come for them, from block `from` of SCHED_AUX on. */
static void bruck_unpack(struct sched *s, const struct sched_layout *l, int p, int k, int from)
{
	for (int lo = k; lo < p; lo += 2 * k) {
		int len = k < p - lo ? k : p - lo;

		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, lo, lo + len),
			sched_range(SCHED_AUX, &l->tmp, from, from + len));
		from += len;
	}
}

/*
 * SCHED_TMP block i is what still has to go i ranks up. The round for bit k moves all blocks whose
 * index has that bit k ranks up, in one message; what has arrived at index i then comes from i
 * ranks down.
 */
void sched_alltoall_bruck(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	int p = at->size, r = at->rank, n;
	const struct sched_blocks *in = source_blocks(l);

	sched_copy(s, sched_range(SCHED_TMP, &l->tmp, 0, p - r), sched_range(source(l), in, r, p));
	if (r > 0)
		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, p - r, p),
			sched_range(source(l), in, 0, r));
	n = bruck_pack(s, l, p, 1);
	sched_round(s);
	for (int k = 1; k < p; k <<= 1) {
		sched_send(s, sched_up(at, k), sched_range(SCHED_AUX, &l->tmp, 0, n));
		sched_recv(s, sched_down(at, k), sched_range(SCHED_AUX, &l->tmp, n, 2 * n));
		bruck_unpack(s, l, p, k, n);
		n = bruck_pack(s, l, p, 2 * k);
		sched_round(s);
	}
	for (int i = 0; i < p; i++)
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, sched_down(at, i)),
			sched_range(SCHED_TMP, &l->tmp, i, i + 1));
	sched_round(s);
}

/* What is to be sent and is to be overwritten goes to SCHED_TMP first. */
static void save_source(struct sched *s, const struct sched_layout *l, int p)
{
	if (sched_side_by_side(&l->out)) {
		sched_copy(s, sched_range(SCHED_TMP, &l->tmp, 0, p),
			sched_range(SCHED_OUT, &l->out, 0, p));
	} else {
		for (int i = 0; i < p; i++)
			sched_copy(s, sched_block_span(SCHED_TMP, &l->tmp, i),
				sched_block_span(SCHED_OUT, &l->out, i));
	}
	sched_round(s);
}

/* Every block in a message of its own, `window` of them at a time each way. */
void sched_alltoall_window(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window)
{
	enum sched_buf buf = l->in_place ? SCHED_TMP : SCHED_IN;
	const struct sched_blocks *in = l->in_place ? &l->tmp : &l->in;

	if (l->in_place)
		save_source(s, l, at->size);
	for (int lo = 1; lo < at->size; lo += window) {
		int hi = window < at->size - lo ? lo + window : at->size;

		for (int i = lo; i < hi; i++)
			sched_recv_some(s, sched_down(at, i),
				sched_block_span(SCHED_OUT, &l->out, sched_down(at, i)));
		for (int i = lo; i < hi; i++)
			sched_send_some(
				s, sched_up(at, i), sched_block_span(buf, in, sched_up(at, i)));
		sched_round(s);
	}
	if (!l->in_place)
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, at->rank),
			sched_block_span(SCHED_IN, &l->in, at->rank));
	sched_round(s);
}
