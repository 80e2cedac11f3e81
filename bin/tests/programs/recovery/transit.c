/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transit: messages across a recovery line, one case for each way in which a message can lie when
 * the line is made. Each case has a part before the checkpoint and a part after it; a run that
 * restores the line runs only the latter, and must find the same messages. Told what it did, rank 0
 * prints "transit: made" or "transit: restored", and "transit: all right".
 */
#include "transit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

static int no_cut;
static const struct prog_option options[] = {{"-no-cut", NULL, PROG_FLAG, &no_cut, 0,
	"nobody leaves a broadcast before the others come"}};
struct prog transit = {.name = "transit",
	.text = "messages across a recovery line",
	.options = options,
	.count = 1};

enum { OPEN_MOST = 100 };

bool transit_restored;
MPI_Comm transit_half;
MPI_Datatype transit_comb;

uint8_t transit_byte(int source, int tag, size_t i)
{
	return (uint8_t)(source * 31 + tag * 7 + (int)(i % 251));
}

uint8_t *transit_made(int source, int tag, size_t len)
{
	uint8_t *p = prog_alloc(&transit, len);

	for (size_t i = 0; i < len; i++)
		p[i] = transit_byte(source, tag, i);
	return p;
}

void transit_check(const char *what, const uint8_t *p, int source, int tag, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != transit_byte(source, tag, i))
			prog_wrong(&transit, "%s: byte %zu of %zu from %d, tag %d", what, i, len,
				source, tag);
}

void transit_get(const char *what, int source, int tag, size_t len, MPI_Comm comm)
{
	uint8_t *p = prog_alloc(&transit, len);
	MPI_Status status;
	int n;

	MPI_Recv(p, (int)len, MPI_BYTE, source, tag, comm, &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != (int)len)
		prog_wrong(&transit, "%s: %d bytes, not %zu", what, n, len);
	transit_check(what, p, status.MPI_SOURCE, status.MPI_TAG, len);
	free(p);
}

static struct {
	MPI_Request request[OPEN_MOST];
	uint8_t *bytes[OPEN_MOST];
	int n;
} sends;

void transit_put(int dest, int tag, size_t len, MPI_Comm comm)
{
	uint8_t *p = transit_made(transit.rank, tag, len);

	if (sends.n == OPEN_MOST)
		prog_wrong(&transit, "too many open sends");
	sends.bytes[sends.n] = p;
	MPI_Isend(p, (int)len, MPI_BYTE, dest, tag, comm, &sends.request[sends.n++]);
}

static void finish_sends(void)
{
	MPI_Waitall(sends.n, sends.request, MPI_STATUSES_IGNORE);
	for (int i = 0; i < sends.n; i++)
		free(sends.bytes[i]);
}

static const struct transit_case *const cases[] = {&transit_short, &transit_long, &transit_open,
	&transit_holes, &transit_self, &transit_any, &transit_buffered, &transit_found,
	&transit_rake, &transit_cut};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- variables and the buffer ---- */

struct state {
	long number;
	size_t n;
	double *array;
	int32_t holes[2 * TRANSIT_COUNT];
};

static void name_state(struct state *s)
{
	if (FTMPI_CKPT_Protect(1, &s->number, 1, MPI_LONG) != MPI_SUCCESS ||
		FTMPI_CKPT_Protect(2, &s->n, sizeof s->n, MPI_BYTE) != MPI_SUCCESS ||
		FTMPI_CKPT_Protect(3, s->holes, 1, transit_comb) != MPI_SUCCESS)
		prog_wrong(&transit, "cannot protect");
}

static void name_array(struct state *s)
{
	s->array = prog_alloc(&transit, s->n * sizeof *s->array);
	if (FTMPI_CKPT_Protect(4, s->array, (MPI_Count)s->n, MPI_DOUBLE) != MPI_SUCCESS)
		prog_wrong(&transit, "cannot protect the array");
}

static void fill_state(struct state *s)
{
	s->number = 1000 + transit.rank;
	s->n = 10 + (size_t)transit.rank;
	for (int i = 0; i < TRANSIT_COUNT; i++)
		s->holes[2 * i] = i;
	name_array(s);
	for (size_t i = 0; i < s->n; i++)
		s->array[i] = (double)i / 3;
	if (FTMPI_CKPT_AllocBuffer(100) || FTMPI_CKPT_AddToBuffer("rank", 5) ||
		FTMPI_CKPT_AddToBuffer(&transit.rank, sizeof transit.rank))
		prog_wrong(&transit, "cannot fill the buffer");
}

static void check_state(struct state *s)
{
	char word[5];
	int rank = -1;

	if (transit_restored)
		name_array(s); /* its length came with the line */
	if (s->number != 1000 + transit.rank || s->n != 10 + (size_t)transit.rank)
		prog_wrong(&transit, "number %ld, n %zu", s->number, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (s->array[i] != (double)i / 3)
			prog_wrong(&transit, "array[%zu] is %g", i, s->array[i]);
	for (int i = 0; i < TRANSIT_COUNT; i++)
		if (s->holes[2 * i] != i || s->holes[2 * i + 1] != 0)
			prog_wrong(&transit, "holes[%d]", 2 * i);
	if (FTMPI_CKPT_ResetBufPtr() || FTMPI_CKPT_GetFromBuffer(word, 5) ||
		FTMPI_CKPT_GetFromBuffer(&rank, sizeof rank) || strcmp(word, "rank") != 0 ||
		rank != transit.rank)
		prog_wrong(&transit, "the buffer holds rank %d", rank);
	free(s->array);
}

static void make(struct state *s)
{
	int got;

	fill_state(s);
	for (int i = 0; i < CASES - no_cut; i++)
		cases[i]->before();
	got = FTMPI_Perform_Checkpoint();
	if (got != FTMPI_CHECKPOINTED)
		prog_wrong(&transit, "FTMPI_Perform_Checkpoint gave %d", got);
}

int main(int argc, char **argv)
{
	struct state s = {0};
	int got;

	MPI_Init(&argc, &argv);
	prog_begin(&transit, argc, argv);
	MPI_Comm_split(MPI_COMM_WORLD, transit.rank / 2, 0, &transit_half);
	MPI_Type_vector(TRANSIT_COUNT, 1, 2, MPI_INT32_T, &transit_comb);
	MPI_Type_commit(&transit_comb);
	/* void when a line is transit_restored: nobody receives it twice */
	transit_put((transit.rank + 1) % transit.size, 99, TRANSIT_SHORT, MPI_COMM_WORLD);
	name_state(&s);
	got = FTMPI_Restore();
	transit_restored = got == FTMPI_RESTORED;
	if (!transit_restored) {
		transit_get("prefix", (transit.rank + transit.size - 1) % transit.size, 99,
			TRANSIT_SHORT, MPI_COMM_WORLD);
		make(&s);
	}
	for (int i = 0; i < CASES - no_cut; i++)
		cases[i]->after();
	check_state(&s);
	finish_sends();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE);
	if (got)
		prog_wrong(&transit, "a message is left over");
	if (transit.rank == 0)
		printf("transit: %s\ntransit: all right\n", transit_restored ? "restored" : "made");
	MPI_Type_free(&transit_comb);
	MPI_Comm_free(&transit_half);
	MPI_Finalize();
	return 0;
}
