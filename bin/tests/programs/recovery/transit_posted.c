/* SPDX-License-Identifier: BSD-3-Clause */
/* transit: messages of receives that are open when the line is made, and some that were found. */
#include "transit.h"

#include <stdlib.h>
#include <string.h>

/* ---- receives that are open: finished, matched and unmatched at the line ---- */

static struct {
	MPI_Request request[3];
	uint8_t *bytes[3];
} open_recv;

static void post(int i)
{
	size_t len = i == 1 ? TRANSIT_LONG : TRANSIT_SHORT;

	open_recv.bytes[i] = prog_alloc(&transit, len);
	MPI_Irecv(open_recv.bytes[i], (int)len, MPI_BYTE, 0, 50 + i, MPI_COMM_WORLD,
		&open_recv.request[i]);
}

static void open_before(void)
{
	if (transit.rank == 1)
		for (int i = 0; i < 3; i++)
			post(i);
	if (transit.rank != 0)
		return;
	transit_put(1, 50, TRANSIT_SHORT, MPI_COMM_WORLD);
	transit_put(1, 51, TRANSIT_LONG, MPI_COMM_WORLD);
}

static void open_after(void)
{
	if (transit.rank == 0)
		transit_put(1, 52, TRANSIT_SHORT, MPI_COMM_WORLD);
	if (transit.rank != 1)
		return;
	for (int i = 0; i < 3; i++) {
		if (transit_restored)
			post(i);
		MPI_Wait(&open_recv.request[i], MPI_STATUS_IGNORE);
		transit_check("open", open_recv.bytes[i], 0, 50 + i,
			i == 1 ? TRANSIT_LONG : TRANSIT_SHORT);
		free(open_recv.bytes[i]);
	}
}

const struct transit_case transit_open = {open_before, open_after};

/* ---- an open receive with holes ---- */

static int32_t teeth[2 * TRANSIT_COUNT];
static MPI_Request comb_request = MPI_REQUEST_NULL;

static void comb_post(void)
{
	memset(teeth, 0xff, sizeof teeth);
	MPI_Irecv(teeth, 1, transit_comb, 1, 60, MPI_COMM_WORLD, &comb_request);
}

static void comb_before(void)
{
	if (transit.rank == 0)
		comb_post();
	if (transit.rank == 1)
		transit_put(0, 60, TRANSIT_COUNT * sizeof *teeth, MPI_COMM_WORLD);
}

static void comb_after(void)
{
	int32_t sent[TRANSIT_COUNT];

	if (transit.rank != 0)
		return;
	if (transit_restored)
		comb_post();
	MPI_Wait(&comb_request, MPI_STATUS_IGNORE);
	for (int i = 0; i < TRANSIT_COUNT; i++) {
		memcpy(&sent[i], &teeth[2 * i], sizeof *teeth);
		if (teeth[2 * i + 1] != -1)
			prog_wrong(&transit, "comb: hole %d is %d", i, teeth[2 * i + 1]);
	}
	transit_check("comb", (const uint8_t *)sent, 1, 60, sizeof sent);
}

const struct transit_case transit_holes = {comb_before, comb_after};

/* ---- long ones with holes at both ends: in short blocks and in long ones, to a receive that is
 * open and to one that comes later ---- */

enum { RAKES = 4 };

static struct rake {
	int block, stride;
	uint8_t *in, *out;
	MPI_Datatype t;
	MPI_Request request;
} rakes[RAKES] = {{.block = 12, .stride = 20}, {.block = 30000, .stride = 30001},
	{.block = 100, .stride = 101}, {.block = 4096, .stride = 5000}};

static size_t rake_size(const struct rake *k)
{
	return (size_t)TRANSIT_LONG / (size_t)k->block * (size_t)k->stride;
}

static void rake_begin(struct rake *k)
{
	MPI_Type_vector(TRANSIT_LONG / k->block, k->block, k->stride, MPI_BYTE, &k->t);
	MPI_Type_commit(&k->t);
	k->in = prog_alloc(&transit, rake_size(k));
	k->out = prog_alloc(&transit, rake_size(k));
	memset(k->in, 0xff, rake_size(k));
	for (size_t i = 0; i < rake_size(k); i++)
		k->out[i] = transit_byte(transit.rank, 120, i);
}

static void rake_post(int i)
{
	MPI_Irecv(rakes[i].in, 1, rakes[i].t, 0, 120 + i, transit_half, &rakes[i].request);
}

static void rake_before(void)
{
	for (int i = 0; i < RAKES; i++) {
		rake_begin(&rakes[i]);
		if (transit.rank == 1 && i < RAKES / 2)
			rake_post(i);
		if (transit.rank == 0)
			MPI_Isend(rakes[i].out, 1, rakes[i].t, 1, 120 + i, transit_half,
				&rakes[i].request);
	}
}

static void rake_check(const struct rake *k)
{
	size_t data = (size_t)(TRANSIT_LONG / k->block) * (size_t)k->block;

	for (size_t i = 0; i < rake_size(k); i++) {
		bool hole = i % (size_t)k->stride >= (size_t)k->block;
		uint8_t want = hole ? 0xff : transit_byte(0, 120, i);

		if (k->in[i] != want)
			prog_wrong(&transit, "rake: byte %zu of %zu in blocks of %d is %d, not %d",
				i, data, k->block, k->in[i], want);
	}
}

static void rake_after(void)
{
	for (int i = 0; i < RAKES; i++) {
		if (transit_restored)
			rake_begin(&rakes[i]);
		if (transit.rank == 1 && (transit_restored || i >= RAKES / 2))
			rake_post(i);
	}
	for (int i = 0; i < RAKES; i++) {
		if (transit.rank == 1 || (transit.rank == 0 && !transit_restored))
			MPI_Wait(&rakes[i].request, MPI_STATUS_IGNORE);
		if (transit.rank == 1)
			rake_check(&rakes[i]);
		MPI_Type_free(&rakes[i].t);
		free(rakes[i].in);
		free(rakes[i].out);
	}
}

const struct transit_case transit_rake = {rake_before, rake_after};

/* ---- found by matched probes, before and behind an open receive of the same tag ---- */

static struct {
	MPI_Message message[2];
	MPI_Request request;
	uint8_t *bytes;
} found;

static void found_post(void)
{
	found.bytes = prog_alloc(&transit, TRANSIT_LONG + 1);
	MPI_Mprobe(0, 110, transit_half, &found.message[0], MPI_STATUS_IGNORE);
	MPI_Irecv(found.bytes, TRANSIT_LONG + 1, MPI_BYTE, 0, 110, transit_half, &found.request);
	MPI_Mprobe(MPI_ANY_SOURCE, 110, transit_half, &found.message[1], MPI_STATUS_IGNORE);
}

static void found_before(void)
{
	if (transit.rank == 0)
		for (int i = 0; i < 3; i++)
			transit_put(1, 110, TRANSIT_LONG + (size_t)i, transit_half);
	if (transit.rank == 1)
		found_post();
}

static void found_get(int i, size_t len)
{
	uint8_t *p = prog_alloc(&transit, len);
	MPI_Status status;
	int n;

	MPI_Mrecv(p, (int)len, MPI_BYTE, &found.message[i], &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != (int)len || status.MPI_SOURCE != 0 || status.MPI_TAG != 110)
		prog_wrong(&transit, "found: %d bytes from %d, tag %d, not %zu", n,
			status.MPI_SOURCE, status.MPI_TAG, len);
	transit_check("found", p, 0, 110, len);
	free(p);
}

static void found_after(void)
{
	MPI_Status status;
	int n;

	if (transit.rank != 1)
		return;
	if (transit_restored)
		found_post();
	found_get(1, TRANSIT_LONG + 2);
	MPI_Wait(&found.request, &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != TRANSIT_LONG + 1)
		prog_wrong(&transit, "between two that were found: %d bytes", n);
	transit_check("between two that were found", found.bytes, 0, 110, TRANSIT_LONG + 1);
	found_get(0, TRANSIT_LONG);
	free(found.bytes);
}

const struct transit_case transit_found = {found_before, found_after};
