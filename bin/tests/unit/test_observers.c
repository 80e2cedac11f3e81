/* SPDX-License-Identifier: BSD-3-Clause */
/* Who observes whom: every placement of few ranks, random ones of many. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "heartbeat/observers.h"
#include "unit.h"

enum { SMALL = 6, MANY = 2000, ROUNDS = 300 };

/* ck_assert writes at each call, and there are millions */
#define HOLDS(holds, ...)                                                                          \
	do {                                                                                       \
		if (!(holds))                                                                      \
			ck_abort_msg(__VA_ARGS__);                                                 \
	} while (0)

static int node[MANY], load[MANY], on_host[MANY];

static struct observers *lay(int size)
{
	struct observers *r = observers_new(node, size);

	ck_assert_ptr_nonnull(r);
	memset(load, 0, sizeof load);
	memset(on_host, 0, sizeof on_host);
	for (int rank = 0; rank < size; rank++)
		on_host[node[rank]]++;
	return r;
}

static int hosts_of(int size)
{
	int hosts = 0;

	for (int h = 0; h < size; h++)
		hosts += on_host[h] > 0;
	return hosts;
}

static int largest_of(int size)
{
	int most = 0;

	for (int h = 0; h < size; h++)
		most = on_host[h] > most ? on_host[h] : most;
	return most;
}

static const char *shown_placement(int size)
{
	static char text[8 * SMALL];
	int len = 0;

	for (int i = 0; i < size && i < SMALL; i++)
		len += snprintf(text + len, sizeof text - (size_t)len, " %d", node[i]);
	return text;
}

static void check_rank(const struct observers *r, int size, int rank)
{
	int by[OBSERVERS_MOST], n = observers_of(r, rank, by), far = 0, near = 0;

	HOLDS(n == (size > 2 ? 2 : size - 1), "%d ranks, placed%s: rank %d has %d observers", size,
		shown_placement(size), rank, n);
	for (int i = 0; i < n; i++) {
		HOLDS(by[i] >= 0 && by[i] < size, "observer %d", by[i]);
		HOLDS(by[i] != rank && (i == 0 || by[0] != by[1]),
			"%d ranks, placed%s: rank %d: observer %d", size, shown_placement(size),
			rank, by[i]);
		far += node[by[i]] != node[rank];
		near += node[by[i]] == node[rank];
		load[by[i]]++;
	}
	HOLDS(hosts_of(size) < 2 || (n > 0 && node[by[0]] != node[rank]),
		"%d ranks, placed%s: nobody on another host observes rank %d first", size,
		shown_placement(size), rank);
	HOLDS(n < 2 || on_host[node[rank]] == 1 || near >= 1,
		"%d ranks, placed%s: nobody on its host observes rank %d", size,
		shown_placement(size), rank);
}

/* One near, one far; more only where a host has more ranks than all others together, and one more
 * where a single rank is alone on its host. */
static void check_load(int size)
{
	int largest = largest_of(size), rest = size - largest, alone = 0, most;

	for (int h = 0; h < size; h++)
		alone += on_host[h] == 1;
	most = OBSERVERS_MOST + (alone == 1);
	if (rest > 0 && largest > rest)
		most += (largest + rest - 1) / rest - 1;
	for (int rank = 0; rank < size; rank++)
		HOLDS(load[rank] <= most, "%d ranks, placed%s: rank %d observes %d, not %d", size,
			shown_placement(size), rank, load[rank], most);
}

/* The other direction says the same. */
static void check_observed(const struct observers *r, int size)
{
	int observed[MANY], by[OBSERVERS_MOST];

	for (int rank = 0; rank < size; rank++) {
		int n = observers_observed(r, rank, observed);

		HOLDS(n == load[rank], "rank %d observes %d or %d", rank, n, load[rank]);
		for (int i = 0; i < n; i++) {
			int m = observers_of(r, observed[i], by);

			HOLDS(i == 0 || observed[i] > observed[i - 1], "not ascending");
			HOLDS(by[0] == rank || (m == 2 && by[1] == rank), "rank %d", rank);
		}
	}
}

/* Whatever hosts are gone, if one is left: does one of its ranks miss somebody? */
static void check_hosts_gone(const struct observers *r, int size, unsigned gone)
{
	int left = 0, lost = 0, by[OBSERVERS_MOST];

	for (int rank = 0; rank < size; rank++) {
		left += !(gone >> node[rank] & 1);
		lost += gone >> node[rank] & 1;
	}
	if (!left || !lost)
		return;
	for (int rank = 0; rank < size; rank++)
		for (int i = observers_of(r, rank, by); gone >> node[rank] & 1 && i-- > 0;)
			if (!(gone >> node[by[i]] & 1))
				return;
	ck_abort_msg(
		"%d ranks, placed%s: nobody misses hosts %#x", size, shown_placement(size), gone);
}

static void check_all(int size)
{
	struct observers *r = lay(size);

	for (int rank = 0; rank < size; rank++)
		check_rank(r, size, rank);
	check_load(size);
	check_observed(r, size);
	for (unsigned gone = 0; size <= SMALL && gone < 1u << size; gone++)
		check_hosts_gone(r, size, gone);
	observers_free(r);
}

/* The next placement of `size` ranks on at most as many hosts; false after the last. */
static bool next_placement(int size)
{
	for (int i = 0; i < size; i++) {
		if (++node[i] < size)
			return true;
		node[i] = 0;
	}
	return false;
}

START_TEST(every_small_placement)
{
	for (int size = 1; size <= SMALL; size++) {
		memset(node, 0, sizeof node);
		do
			check_all(size);
		while (next_placement(size));
	}
}
END_TEST

START_TEST(random_placements)
{
	srandom(4711);
	for (int round = 0; round < ROUNDS; round++) {
		int size = 1 + (int)(random() % (round % 10 ? 60 : MANY));
		int hosts = 1 + (int)(random() % size), lean = (int)(random() % 3);

		for (int i = 0; i < size; i++)
			node[i] = lean && random() % 3 < lean ? 0 : (int)(random() % hosts);
		check_all(size);
	}
}
END_TEST

START_TEST(one_observes_few_where_hosts_are_alike)
{
	for (int hosts = 2; hosts <= 16; hosts++)
		for (int each = 1; each <= 8; each++) {
			struct observers *r;
			int out[MANY];

			for (int i = 0; i < hosts * each; i++)
				node[i] = i % hosts;
			r = lay(hosts * each);
			for (int i = 0; i < hosts * each; i++)
				ck_assert_int_eq(observers_observed(r, i, out),
					hosts * each == 2 ? 1 : OBSERVERS_MOST);
			observers_free(r);
		}
}
END_TEST

UNIT_MAIN("observers", tcase_add_test(tc, every_small_placement);
	  tcase_add_test(tc, random_placements);
	  tcase_add_test(tc, one_observes_few_where_hosts_are_alike);)
