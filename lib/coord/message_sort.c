/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long list is sorted by one byte of the key after the other, the last one first. Most bytes are
 * the same in all messages and are left out: those of a few ranks and communicators with less than
 * 65536 tags need four passes at most, however many messages there are.
 */
#include "coord/message_sort.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 4 };

/* Up to so many are compared; simulations set less. */
#ifndef MESSAGE_SORT_SHORT
#define MESSAGE_SORT_SHORT 64
#endif

int message_order(const struct coord_message *a, const struct coord_message *b)
{
	int order;

	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	order = envelope_counters_order(a->context, a->tag, b->context, b->tag);
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static int by_message(const void *a, const void *b)
{
	return message_order(a, b);
}

/* Of the key, the least significant first. Tags are signed. */
static inline uint64_t word(const struct coord_message *m, int i)
{
	switch (i) {
	case 0:
		return m->index;
	case 1:
		return (uint32_t)m->tag ^ UINT32_C(1) << 31;
	case 2:
		return m->context;
	default:
		return (uint32_t)m->peer;
	}
}

static inline const struct coord_message *message_at(const uint8_t *items, size_t i, size_t size)
{
	return (const struct coord_message *)(const void *)(items + i * size);
}

/* The bits of each word that are not the same in all. */
static void find_differences(const uint8_t *items, size_t n, size_t size, uint64_t *differs)
{
	const struct coord_message *first = message_at(items, 0, size);

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < WORDS; k++)
			differs[k] |= word(message_at(items, i, size), k) ^ word(first, k);
}

/* In the order of one byte; those with the same byte stay in their order. */
static void pass(const uint8_t *from, uint8_t *to, size_t n, size_t size, int k, int shift)
{
	size_t place[256] = {0}, before = 0;

	for (size_t i = 0; i < n; i++)
		place[word(message_at(from, i, size), k) >> shift & 0xff]++;
	for (int b = 0; b < 256; b++) {
		size_t here = place[b];

		place[b] = before;
		before += here;
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = place[word(message_at(from, i, size), k) >> shift & 0xff]++;

		memcpy(to + at * size, from + i * size, size);
	}
}

void message_sort(void *items, size_t n, size_t size)
{
	uint8_t *room = n > MESSAGE_SORT_SHORT ? malloc(n * size) : NULL, *from = items, *to = room;
	uint64_t differs[WORDS] = {0};

	if (!room) {
		if (n)
			qsort(items, n, size, by_message);
		return;
	}
	find_differences(items, n, size, differs);
	for (int k = 0; k < WORDS; k++)
		for (int shift = 0; shift < 64; shift += 8) {
			uint8_t *was = from;

			if (!(differs[k] >> shift & 0xff))
				continue;
			pass(from, to, n, size, k, shift);
			from = to;
			to = was;
		}
	if (from == room)
		memcpy(items, room, n * size);
	free(room);
}
