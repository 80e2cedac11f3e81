/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans, always in rank order. In the doubling form a rank holds, after k rounds, the combination
 * of the last 2^k ranks up to itself: size * log2(size) messages. The chain takes size - 1.
 */
#include "sched.h"

static struct sched_span vector(enum sched_buf buf, const struct sched_reduction *r)
{
	return sched_span(buf, 0, r->n);
}

static void scan_start(struct sched *s, const struct sched_reduction *r)
{
	if (!r->in_place)
		sched_copy(s, vector(SCHED_OUT, r), vector(SCHED_IN, r));
	sched_round(s);
}

/* Doubling among the ranks from `low` on; the value to begin with is in SCHED_OUT. */
static void doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r, int low)
{
	for (int by = 1; by < at->size - low; by <<= 1) {
		bool receives = at->rank - low >= by;

		if (by < at->size - at->rank)
			sched_send(s, at->rank + by, vector(SCHED_OUT, r));
		if (receives) {
			sched_recv(s, at->rank - by, vector(SCHED_TMP, r));
			sched_reduce(s, vector(SCHED_OUT, r), vector(SCHED_TMP, r));
		}
		sched_round(s);
	}
}

void sched_scan_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	scan_start(s, r);
	doubling(s, at, r, 0);
}

void sched_scan_chain(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	scan_start(s, r);
	if (at->rank > 0) {
		sched_recv(s, at->rank - 1, vector(SCHED_TMP, r));
		sched_reduce(s, vector(SCHED_OUT, r), vector(SCHED_TMP, r));
		sched_round(s);
	}
	if (at->rank + 1 < at->size)
		sched_send(s, at->rank + 1, vector(SCHED_OUT, r));
	sched_round(s);
}

/* Every contribution moves one rank up; then it is a scan among the ranks from 1 on. */
void sched_exscan_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	struct sched_span in = vector(r->in_place ? SCHED_OUT : SCHED_IN, r);
	struct sched_span got = vector(r->in_place ? SCHED_TMP : SCHED_OUT, r);

	if (at->rank + 1 < at->size)
		sched_send(s, at->rank + 1, in);
	if (at->rank > 0) {
		sched_recv(s, at->rank - 1, got);
		if (r->in_place)
			sched_copy(s, vector(SCHED_OUT, r), got);
	}
	sched_round(s);
	if (at->rank > 0)
		doubling(s, at, r, 1);
}

void sched_exscan_chain(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	bool first = at->rank == 0, last = at->rank + 1 == at->size;
	struct sched_span out = vector(SCHED_OUT, r), tmp = vector(SCHED_TMP, r);
	struct sched_span before = r->in_place ? tmp : out;  /* the ranks below this one */
	struct sched_span through = r->in_place ? out : tmp; /* and this one */

	if (first)
		through = r->in_place ? out : vector(SCHED_IN, r);
	if (!first) {
		sched_recv(s, at->rank - 1, before);
		if (!last && !r->in_place)
			sched_copy(s, through, vector(SCHED_IN, r));
		if (!last)
			sched_reduce(s, through, before);
		sched_round(s);
	}
	if (!last)
		sched_send(s, at->rank + 1, through);
	if (!first && r->in_place)
		sched_copy(s, out, before);
	sched_round(s);
}
