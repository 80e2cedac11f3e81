/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sender far ahead of its receiver. Rank 1 probes for a mark that rank 0 sends when it is far
 * enough: that comes after all before it, so rank 1 has taken in everything and received nothing.
 * What it keeps then is bounded by FTMPI_UNEXPECTED_LIMIT when rank 0 sends by blocking calls; what
 * it keeps beyond that is bounded by the requests that rank 0 has.
 */
#include "load.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { MARK = 1, FLOOD = 2 };

/* Memory that a message may take beside its bytes at the receiver, and at the sender's request;
 * what pages and the kernel's way of counting them may add. */
enum { RECORD = 400, REQUEST = 640, SLACK = 2 << 20 };

static size_t unexpected_limit(void)
{
	const char *text = getenv("FTMPI_UNEXPECTED_LIMIT");
	return text != NULL ? strtoul(text, NULL, 10) : 4 << 20;
}

/* Rank 0 to 1: send until one message does not get through at once; then let the other end go on,
 * and send the rest. */
static void send_blocking(struct load *l)
{
	size_t before = memory_resident(&l->prog);
	long value = 0;
	MPI_Request r;
	int done = 1;
	for (; value < l->messages && done; value++) {
		MPI_Isend(&value, 1, MPI_LONG, 1, FLOOD, MPI_COMM_WORLD, &r);
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
		if (!done)
			break;
	}
	if (done)
		prog_wrong(&l->prog, "%ld messages nobody receives, and all are sent", value);
	printf("load: %ld messages got through before a receive\n", value);
	load_bound(l, "the sender's memory", memory_resident(&l->prog),
		before + unexpected_limit() + SLACK);
	MPI_Send(NULL, 0, MPI_BYTE, 1, MARK, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (value++; value < l->messages; value++)
		MPI_Send(&value, 1, MPI_LONG, 1, FLOOD, MPI_COMM_WORLD);
}

static void send_at_once(struct load *l)
{
	size_t n = (size_t)l->messages, before;
	long *value = prog_alloc(&l->prog, n * sizeof(*value));
	MPI_Request *r = prog_alloc(&l->prog, n * sizeof(MPI_Request));
	for (size_t i = 0; i < n; i++) {
		value[i] = (long)i;
		r[i] = MPI_REQUEST_NULL;
	}
	before = memory_resident(&l->prog);
	for (size_t i = 0; i < n; i++)
		MPI_Isend(&value[i], 1, MPI_LONG, 1, FLOOD, MPI_COMM_WORLD, &r[i]);
	load_bound(l, "the sender's memory", memory_resident(&l->prog),
		before + n * REQUEST + unexpected_limit() + SLACK);
	MPI_Send(NULL, 0, MPI_BYTE, 1, MARK, MPI_COMM_WORLD);
	MPI_Waitall((int)n, r, MPI_STATUSES_IGNORE);
	free(value);
	free(r);
}

static void receive(struct load *l, size_t most)
{
	size_t before = memory_resident(&l->prog), grown;
	MPI_Probe(0, MARK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	grown = memory_resident(&l->prog) - before;
	printf("load: the receiver kept %zu KiB\n", grown >> 10);
	load_bound(l, "kept at the receiver", grown, most);
	MPI_Recv(NULL, 0, MPI_BYTE, 0, MARK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (long i = 0; i < l->messages; i++) {
		long value = -1;
		MPI_Recv(&value, 1, MPI_LONG, 0, FLOOD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (value != i)
			prog_wrong(&l->prog, "message %ld is %ld", i, value);
	}
	load_bound(l, "kept while it received", memory_resident(&l->prog) - before, most);
}

static void run(struct load *l, void (*send)(struct load *), size_t most)
{
	MPI_Barrier(MPI_COMM_WORLD);
	size_t before = memory_in_use();
	if (l->prog.rank == 0)
		send(l);
	if (l->prog.rank == 1)
		receive(l, most);
	MPI_Barrier(MPI_COMM_WORLD);
	if (l->prog.rank == 1)
		load_bound(l, "in use when all was received", memory_in_use(), before + 65536);
}

/* A message counts its bytes and a header of 64 against the limit. */
static void run_flood(struct load *l)
{
	size_t kept = unexpected_limit() / (64 + sizeof(long));
	run(l, send_blocking, kept * RECORD + SLACK);
}

static void run_flood_requests(struct load *l)
{
	run(l, send_at_once, (size_t)l->messages * RECORD + SLACK);
}

const struct load_case load_flood_cases[] = {
	{"flood", run_flood, 2},
	{"flood-requests", run_flood_requests, 2},
	{NULL, NULL, 0},
};
