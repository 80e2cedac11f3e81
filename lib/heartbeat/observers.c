/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks stand in a row, host beside host: the largest host first, those with one rank last.
 * The rank `largest` places further on is on another host, as long as the largest host has no
 * more than half of all; and because that is a permutation, each rank observes one such. A host
 * with more than half is observed by the others in turn, each of which has to take several.
 */
#include "heartbeat/observers.h"

#include <assert.h>
#include <stdlib.h>

struct observers {
	int size, hosts;
	int largest; /* ranks on the first host of the row */
	int alone;   /* ranks at the end of the row, each the only one of its host */
	int *row;    /* place -> rank */
	int *place;  /* rank -> place */
	int *first;  /* rank -> first place of its host */
	int *count;  /* rank -> ranks on its host */
};

/* Counts by host, then the first place of each: the largest, the others, those of one rank. */
static void lay_hosts(struct observers *r, const int *at, int *start)
{
	int best = 0, next;

	for (int h = 0; h < r->size; h++) {
		r->hosts += at[h] > 0;
		r->alone += at[h] == 1;
		if (at[h] > at[best])
			best = h;
	}
	r->largest = next = at[best];
	for (int h = 0; h < r->size; h++)
		if (h != best && at[h] > 1) {
			start[h] = next;
			next += at[h];
		}
	for (int h = 0; h < r->size; h++)
		if (h != best && at[h] == 1)
			start[h] = next++;
	start[best] = 0;
}

static void lay_ranks(
	struct observers *r, const int *node, const int *at, const int *start, int *taken)
{
	for (int rank = 0; rank < r->size; rank++) {
		int h = node[rank];

		r->first[rank] = start[h];
		r->count[rank] = at[h];
		r->place[rank] = start[h] + taken[h]++;
		r->row[r->place[rank]] = rank;
	}
}

struct observers *observers_new(const int *node, int size)
{
	size_t n = (size_t)size;
	struct observers *r = calloc(1, sizeof *r);
	int *host = calloc(3 * n, sizeof *host), *at = host;

	if (!r || !host)
		goto free_both;
	r->size = size;
	r->row = calloc(4 * n, sizeof *r->row);
	if (!r->row)
		goto free_both;
	r->place = r->row + n;
	r->first = r->place + n;
	r->count = r->first + n;
	for (int rank = 0; rank < size; rank++) {
		assert(node[rank] >= 0 && node[rank] < size);
		at[node[rank]]++;
	}
	lay_hosts(r, at, host + n);
	lay_ranks(r, node, at, host + n, host + 2 * n);
	free(host);
	return r;

free_both:
	free(host);
	free(r);
	return NULL;
}

void observers_free(struct observers *r)
{
	if (r)
		free(r->row);
	free(r);
}

/* On another host. */
static int far_place(const struct observers *r, int place)
{
	int rest = r->size - r->largest;

	if (r->largest <= rest)
		return (place + r->largest) % r->size;
	return place < r->largest ? r->largest + place % rest : place - r->largest;
}

/* For one that is alone on its host: another one that is alone, so that the load stays even. */
static int other_place(const struct observers *r, int place, int taken)
{
	int begin = r->size - r->alone, next = begin + (place - begin + 1) % r->alone;

	if (next == taken)
		next = begin + (place - begin + 2) % r->alone;
	if (r->alone > 1)
		return next;
	return place != r->largest ? r->largest : (taken + 1) % r->largest;
}

static int second_place(const struct observers *r, int rank, int taken)
{
	int place = r->place[rank], first = r->first[rank], count = r->count[rank];

	if (count > 1)
		return first + (place - first + 1) % count;
	return other_place(r, place, taken);
}

int observers_of(const struct observers *r, int rank, int out[OBSERVERS_MOST])
{
	int place = r->place[rank], one, two;

	if (r->size < 2)
		return 0;
	if (r->hosts == 1) {
		one = (place + 1) % r->size;
		two = (place + 2) % r->size;
	} else {
		one = far_place(r, place);
		two = second_place(r, rank, one);
	}
	out[0] = r->row[one];
	out[1] = r->row[two];
	return two == place || two == one ? 1 : 2;
}

int observers_observed(const struct observers *r, int rank, int *out)
{
	int n = 0;

	for (int other = 0; other < r->size; other++) {
		int by[OBSERVERS_MOST], count = observers_of(r, other, by);

		for (int i = 0; i < count; i++)
			if (by[i] == rank)
				out[n++] = other;
	}
	return n;
}
