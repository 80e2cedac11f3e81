/* SPDX-License-Identifier: BSD-3-Clause */
/* transit: messages that no receive is posted for when the line is made. */
#include "transit.h"

#include <stdlib.h>

/* ---- short ones that wait, several of one tag, in order ---- */

static void short_before(void)
{
	if (transit.rank == 1)
		for (int i = 0; i < TRANSIT_COUNT; i++)
			transit_put(0, i / 5, TRANSIT_SHORT + (size_t)i, MPI_COMM_WORLD);
}

static void short_after(void)
{
	if (transit.rank == 0)
		for (int i = TRANSIT_COUNT - 1; i >= 0; i--) {
			/* within a tag in order, the tags backwards */
			int k = i / 5 * 5 + (4 - i % 5);

			transit_get("short", 1, k / 5, TRANSIT_SHORT + (size_t)k, MPI_COMM_WORLD);
		}
}

const struct transit_case transit_short = {short_before, short_after};

/* ---- a long one whose send is open, and an empty one ---- */

static void long_before(void)
{
	if (transit.rank != 0)
		return;
	transit_put(1, 40, TRANSIT_LONG, MPI_COMM_WORLD);
	transit_put(1, 41, 0, MPI_COMM_WORLD);
}

static void long_after(void)
{
	if (transit.rank == 1) {
		transit_get("empty", 0, 41, 0, MPI_COMM_WORLD);
		transit_get("long", 0, 40, TRANSIT_LONG, MPI_COMM_WORLD);
	}
}

const struct transit_case transit_long = {long_before, long_after};

/* ---- from anyone, any tag: each source in its order ---- */

static void any_before(void)
{
	if (transit.rank != 0)
		for (int i = 0; i < TRANSIT_COUNT; i++)
			transit_put(0, 70 + i, TRANSIT_SHORT, MPI_COMM_WORLD);
}

static void any_after(void)
{
	int *next = prog_alloc(&transit, (size_t)transit.size * sizeof *next);

	for (int i = 0; i < transit.size; i++)
		next[i] = 70;
	for (int i = 0; transit.rank == 0 && i < TRANSIT_COUNT * (transit.size - 1); i++) {
		MPI_Status status;

		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG != next[status.MPI_SOURCE]++)
			prog_wrong(&transit, "any: tag %d came from %d before its turn",
				status.MPI_TAG, status.MPI_SOURCE);
		transit_get(
			"any", status.MPI_SOURCE, status.MPI_TAG, TRANSIT_SHORT, MPI_COMM_WORLD);
	}
	free(next);
}

const struct transit_case transit_any = {any_before, any_after};

/* ---- to oneself, short and long ---- */

static void self_before(void)
{
	transit_put(transit.rank, 90, TRANSIT_SHORT, MPI_COMM_WORLD);
	transit_put(transit.rank, 91, TRANSIT_LONG, MPI_COMM_WORLD);
}

static void self_after(void)
{
	transit_get("self", transit.rank, 91, TRANSIT_LONG, MPI_COMM_WORLD);
	transit_get("self", transit.rank, 90, TRANSIT_SHORT, MPI_COMM_WORLD);
}

const struct transit_case transit_self = {self_before, self_after};

/* ---- in the buffer of a rank that has said MPI_Bsend; among ranks 0 and 1 alone, as that before
 * looks at everything ---- */

static void buffered_before(void)
{
	uint8_t *p;

	if (transit.rank != 1)
		return;
	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
	for (int i = 0; i < 3; i++) {
		size_t len = i == 1 ? TRANSIT_LONG : TRANSIT_SHORT;

		p = transit_made(1, 100 + i, len);
		MPI_Bsend(p, (int)len, MPI_BYTE, 0, 100 + i, transit_half);
		free(p);
	}
}

static void buffered_after(void)
{
	void *address;
	int size;

	if (transit.rank == 0)
		for (int i = 2; i >= 0; i--)
			transit_get("buffered", 1, 100 + i, i == 1 ? TRANSIT_LONG : TRANSIT_SHORT,
				transit_half);
	if (transit.rank == 1 && !transit_restored)
		MPI_Buffer_detach(&address, &size);
}

const struct transit_case transit_buffered = {buffered_before, buffered_after};

/* ---- a collective operation that the root has left, in another communicator; where all messages
 * wait for their receives it cannot ---- */

static int cut_value;

static void cut_before(void)
{
	int r;

	MPI_Comm_rank(transit_half, &r);
	for (int i = 0; i < 3; i++)
		MPI_Barrier(transit_half); /* so that operations are not numbered from 0 */
	cut_value = r == 0 ? 4711 : 0;
	if (r == 0)
		MPI_Bcast(&cut_value, 1, MPI_INT, 0, transit_half);
}

static void cut_after(void)
{
	int r, sum = 0, size;

	MPI_Comm_rank(transit_half, &r);
	MPI_Comm_size(transit_half, &size);
	if (r == 0)
		cut_value = 4711;
	else
		MPI_Bcast(&cut_value, 1, MPI_INT, 0, transit_half);
	MPI_Allreduce(&cut_value, &sum, 1, MPI_INT, MPI_SUM, transit_half);
	if (sum != 4711 * size)
		prog_wrong(&transit, "cut: %d", sum);
}

const struct transit_case transit_cut = {cut_before, cut_after};
