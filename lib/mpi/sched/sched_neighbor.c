/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbourhoods: MPI 5.0 section 8.6. Messages between two ranks meet in the order in which both
 * name them, so where a pair has more than one, what matters is the order of the receives. All are
 * started at once: nobody knows in which order its neighbours name theirs, and with a window two of
 * them could wait for each other.
 */
#include "sched.h"

/* The i-th source to be received from. In a grid a block that is sent down is received from above:
 * it is named first there, too. */
static int nth_source(const struct sched_around *n, int i)
{
	return n->grid ? i ^ 1 : i;
}

static struct sched_span given(const struct sched_layout *l, int i, bool one)
{
	return sched_block_span(SCHED_IN, &l->in, one ? 0 : i);
}

/* The next edge to this rank itself, from the i-th on; the number of edges when there is none. */
static int own_source(const struct sched_around *n, int rank, int i)
{
	while (i < n->nsources && n->sources[nth_source(n, i)] != rank)
		i++;
	return i;
}

static void copy_own(struct sched *s, int rank, const struct sched_around *n,
	const struct sched_layout *l, bool one)
{
	int from = 0;

	for (int i = 0; i < n->ndestinations; i++) {
		if (n->destinations[i] != rank)
			continue;
		from = own_source(n, rank, from);
		if (from == n->nsources)
			return;
		sched_copy(s, sched_block_span(SCHED_OUT, &l->out, nth_source(n, from)),
			given(l, i, one));
		from++;
	}
}

void sched_neighbor(struct sched *s, const struct sched_place *at, const struct sched_around *n,
	const struct sched_layout *l, bool one)
{
	for (int i = 0; i < n->nsources; i++) {
		int k = nth_source(n, i), peer = n->sources[k];

		if (peer >= 0 && peer != at->rank)
			sched_recv_some(s, peer, sched_block_span(SCHED_OUT, &l->out, k));
	}
	for (int i = 0; i < n->ndestinations; i++) {
		int peer = n->destinations[i];

		if (peer >= 0 && peer != at->rank)
			sched_send_some(s, peer, given(l, i, one));
	}
	copy_own(s, at->rank, n, l, one);
	sched_round(s);
}
