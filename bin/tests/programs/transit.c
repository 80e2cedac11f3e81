/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transit: messages across a recovery line, one case for each way in which a message can lie when
 * the line is made. Each case has a part before the checkpoint and a part after it; a run that
 * restores the line runs only the latter, and must find the same messages. Told what it did, rank 0
 * prints "transit: made" or "transit: restored", and "transit: all right".
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "prog.h"

static int no_cut;
static const struct prog_option options[] = {{"-no-cut", NULL, PROG_FLAG, &no_cut, 0,
	"nobody leaves a broadcast before the others come"}};
static struct prog prog = {.name = "transit",
	.text = "messages across a recovery line",
	.options = options,
	.count = 1};

enum { LARGE = 300000, SMALL = 100, COUNT = 20, OPEN_MOST = 100 };

static bool restored;
static MPI_Comm half; /* ranks 0 and 1; the others among themselves */

/* Contents that depend on everything. */
static uint8_t byte_of(int source, int tag, size_t i)
{
	return (uint8_t)(source * 31 + tag * 7 + (int)(i % 251));
}

static uint8_t *made(int source, int tag, size_t len)
{
	uint8_t *p = prog_alloc(&prog, len);

	for (size_t i = 0; i < len; i++)
		p[i] = byte_of(source, tag, i);
	return p;
}

static void check(const char *what, const uint8_t *p, int source, int tag, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != byte_of(source, tag, i))
			prog_wrong(&prog, "%s: byte %zu of %zu from %d, tag %d", what, i, len,
				source, tag);
}

static void get(const char *what, int source, int tag, size_t len, MPI_Comm comm)
{
	uint8_t *p = prog_alloc(&prog, len);
	MPI_Status status;
	int n;

	MPI_Recv(p, (int)len, MPI_BYTE, source, tag, comm, &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != (int)len)
		prog_wrong(&prog, "%s: %d bytes, not %zu", what, n, len);
	check(what, p, status.MPI_SOURCE, status.MPI_TAG, len);
	free(p);
}

/* Sends stay open until the end: a message may have to wait for its receive. */
static struct {
	MPI_Request request[OPEN_MOST];
	uint8_t *bytes[OPEN_MOST];
	int n;
} sends;

static void put(int dest, int tag, size_t len, MPI_Comm comm)
{
	uint8_t *p = made(prog.rank, tag, len);

	if (sends.n == OPEN_MOST)
		prog_wrong(&prog, "too many open sends");
	sends.bytes[sends.n] = p;
	MPI_Isend(p, (int)len, MPI_BYTE, dest, tag, comm, &sends.request[sends.n++]);
}

static void finish_sends(void)
{
	MPI_Waitall(sends.n, sends.request, MPI_STATUSES_IGNORE);
	for (int i = 0; i < sends.n; i++)
		free(sends.bytes[i]);
}

/* ---- short ones that wait, several of one tag, in order ---- */

static void short_before(void)
{
	if (prog.rank == 1)
		for (int i = 0; i < COUNT; i++)
			put(0, i / 5, SMALL + (size_t)i, MPI_COMM_WORLD);
}

static void short_after(void)
{
	if (prog.rank == 0)
		for (int i = COUNT - 1; i >= 0; i--) {
			/* within a tag in order, the tags backwards */
			int k = i / 5 * 5 + (4 - i % 5);

			get("short", 1, k / 5, SMALL + (size_t)k, MPI_COMM_WORLD);
		}
}

/* ---- a long one whose send is open, and an empty one ---- */

static void long_before(void)
{
	if (prog.rank != 0)
		return;
	put(1, 40, LARGE, MPI_COMM_WORLD);
	put(1, 41, 0, MPI_COMM_WORLD);
}

static void long_after(void)
{
	if (prog.rank == 1) {
		get("empty", 0, 41, 0, MPI_COMM_WORLD);
		get("long", 0, 40, LARGE, MPI_COMM_WORLD);
	}
}

/* ---- receives that are open: finished, matched and unmatched at the line ---- */

static struct {
	MPI_Request request[3];
	uint8_t *bytes[3];
} open_recv;

static void post(int i)
{
	size_t len = i == 1 ? LARGE : SMALL;

	open_recv.bytes[i] = prog_alloc(&prog, len);
	MPI_Irecv(open_recv.bytes[i], (int)len, MPI_BYTE, 0, 50 + i, MPI_COMM_WORLD,
		&open_recv.request[i]);
}

static void open_before(void)
{
	if (prog.rank == 1)
		for (int i = 0; i < 3; i++)
			post(i);
	if (prog.rank != 0)
		return;
	put(1, 50, SMALL, MPI_COMM_WORLD);
	put(1, 51, LARGE, MPI_COMM_WORLD);
}

static void open_after(void)
{
	if (prog.rank == 0)
		put(1, 52, SMALL, MPI_COMM_WORLD);
	if (prog.rank != 1)
		return;
	for (int i = 0; i < 3; i++) {
		if (restored)
			post(i);
		MPI_Wait(&open_recv.request[i], MPI_STATUS_IGNORE);
		check("open", open_recv.bytes[i], 0, 50 + i, i == 1 ? LARGE : SMALL);
		free(open_recv.bytes[i]);
	}
}

/* ---- an open receive with holes ---- */

static MPI_Datatype comb;
static int32_t teeth[2 * COUNT];
static MPI_Request comb_request = MPI_REQUEST_NULL;

static void comb_post(void)
{
	memset(teeth, 0xff, sizeof teeth);
	MPI_Irecv(teeth, 1, comb, 1, 60, MPI_COMM_WORLD, &comb_request);
}

static void comb_before(void)
{
	if (prog.rank == 0)
		comb_post();
	if (prog.rank == 1)
		put(0, 60, COUNT * sizeof *teeth, MPI_COMM_WORLD);
}

static void comb_after(void)
{
	int32_t sent[COUNT];

	if (prog.rank != 0)
		return;
	if (restored)
		comb_post();
	MPI_Wait(&comb_request, MPI_STATUS_IGNORE);
	for (int i = 0; i < COUNT; i++) {
		memcpy(&sent[i], &teeth[2 * i], sizeof *teeth);
		if (teeth[2 * i + 1] != -1)
			prog_wrong(&prog, "comb: hole %d is %d", i, teeth[2 * i + 1]);
	}
	check("comb", (const uint8_t *)sent, 1, 60, sizeof sent);
}

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
	return (size_t)LARGE / (size_t)k->block * (size_t)k->stride;
}

static void rake_begin(struct rake *k)
{
	MPI_Type_vector(LARGE / k->block, k->block, k->stride, MPI_BYTE, &k->t);
	MPI_Type_commit(&k->t);
	k->in = prog_alloc(&prog, rake_size(k));
	k->out = prog_alloc(&prog, rake_size(k));
	memset(k->in, 0xff, rake_size(k));
	for (size_t i = 0; i < rake_size(k); i++)
		k->out[i] = byte_of(prog.rank, 120, i);
}

static void rake_post(int i)
{
	MPI_Irecv(rakes[i].in, 1, rakes[i].t, 0, 120 + i, half, &rakes[i].request);
}

static void rake_before(void)
{
	for (int i = 0; i < RAKES; i++) {
		rake_begin(&rakes[i]);
		if (prog.rank == 1 && i < RAKES / 2)
			rake_post(i);
		if (prog.rank == 0)
			MPI_Isend(rakes[i].out, 1, rakes[i].t, 1, 120 + i, half, &rakes[i].request);
	}
}

static void rake_check(const struct rake *k)
{
	size_t data = (size_t)(LARGE / k->block) * (size_t)k->block;

	for (size_t i = 0; i < rake_size(k); i++) {
		bool hole = i % (size_t)k->stride >= (size_t)k->block;
		uint8_t want = hole ? 0xff : byte_of(0, 120, i);

		if (k->in[i] != want)
			prog_wrong(&prog, "rake: byte %zu of %zu in blocks of %d is %d, not %d", i,
				data, k->block, k->in[i], want);
	}
}

static void rake_after(void)
{
	for (int i = 0; i < RAKES; i++) {
		if (restored)
			rake_begin(&rakes[i]);
		if (prog.rank == 1 && (restored || i >= RAKES / 2))
			rake_post(i);
	}
	for (int i = 0; i < RAKES; i++) {
		if (prog.rank == 1 || (prog.rank == 0 && !restored))
			MPI_Wait(&rakes[i].request, MPI_STATUS_IGNORE);
		if (prog.rank == 1)
			rake_check(&rakes[i]);
		MPI_Type_free(&rakes[i].t);
		free(rakes[i].in);
		free(rakes[i].out);
	}
}

/* ---- from anyone, any tag: each source in its order ---- */

static void any_before(void)
{
	if (prog.rank != 0)
		for (int i = 0; i < COUNT; i++)
			put(0, 70 + i, SMALL, MPI_COMM_WORLD);
}

static void any_after(void)
{
	int *next = prog_alloc(&prog, (size_t)prog.size * sizeof *next);

	for (int i = 0; i < prog.size; i++)
		next[i] = 70;
	for (int i = 0; prog.rank == 0 && i < COUNT * (prog.size - 1); i++) {
		MPI_Status status;

		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG != next[status.MPI_SOURCE]++)
			prog_wrong(&prog, "any: tag %d came from %d before its turn",
				status.MPI_TAG, status.MPI_SOURCE);
		get("any", status.MPI_SOURCE, status.MPI_TAG, SMALL, MPI_COMM_WORLD);
	}
	free(next);
}

/* ---- to oneself, short and long ---- */

static void self_before(void)
{
	put(prog.rank, 90, SMALL, MPI_COMM_WORLD);
	put(prog.rank, 91, LARGE, MPI_COMM_WORLD);
}

static void self_after(void)
{
	get("self", prog.rank, 91, LARGE, MPI_COMM_WORLD);
	get("self", prog.rank, 90, SMALL, MPI_COMM_WORLD);
}

/* ---- in the buffer of a rank that has said MPI_Bsend; among ranks 0 and 1 alone, as that before
 * looks at everything ---- */

static void buffered_before(void)
{
	uint8_t *p;

	if (prog.rank != 1)
		return;
	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
	for (int i = 0; i < 3; i++) {
		size_t len = i == 1 ? LARGE : SMALL;

		p = made(1, 100 + i, len);
		MPI_Bsend(p, (int)len, MPI_BYTE, 0, 100 + i, half);
		free(p);
	}
}

static void buffered_after(void)
{
	void *address;
	int size;

	if (prog.rank == 0)
		for (int i = 2; i >= 0; i--)
			get("buffered", 1, 100 + i, i == 1 ? LARGE : SMALL, half);
	if (prog.rank == 1 && !restored)
		MPI_Buffer_detach(&address, &size);
}

/* ---- found by matched probes, before and behind an open receive of the same tag ---- */

static struct {
	MPI_Message message[2];
	MPI_Request request;
	uint8_t *bytes;
} found;

static void found_post(void)
{
	found.bytes = prog_alloc(&prog, LARGE + 1);
	MPI_Mprobe(0, 110, half, &found.message[0], MPI_STATUS_IGNORE);
	MPI_Irecv(found.bytes, LARGE + 1, MPI_BYTE, 0, 110, half, &found.request);
	MPI_Mprobe(MPI_ANY_SOURCE, 110, half, &found.message[1], MPI_STATUS_IGNORE);
}

static void found_before(void)
{
	if (prog.rank == 0)
		for (int i = 0; i < 3; i++)
			put(1, 110, LARGE + (size_t)i, half);
	if (prog.rank == 1)
		found_post();
}

static void found_get(int i, size_t len)
{
	uint8_t *p = prog_alloc(&prog, len);
	MPI_Status status;
	int n;

	MPI_Mrecv(p, (int)len, MPI_BYTE, &found.message[i], &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != (int)len || status.MPI_SOURCE != 0 || status.MPI_TAG != 110)
		prog_wrong(&prog, "found: %d bytes from %d, tag %d, not %zu", n, status.MPI_SOURCE,
			status.MPI_TAG, len);
	check("found", p, 0, 110, len);
	free(p);
}

static void found_after(void)
{
	MPI_Status status;
	int n;

	if (prog.rank != 1)
		return;
	if (restored)
		found_post();
	found_get(1, LARGE + 2);
	MPI_Wait(&found.request, &status);
	MPI_Get_count(&status, MPI_BYTE, &n);
	if (n != LARGE + 1)
		prog_wrong(&prog, "between two that were found: %d bytes", n);
	check("between two that were found", found.bytes, 0, 110, LARGE + 1);
	found_get(0, LARGE);
	free(found.bytes);
}

/* ---- a collective operation that the root has left, in another communicator; where all messages
 * wait for their receives it cannot ---- */

static int cut_value;

static void cut_before(void)
{
	int r;

	MPI_Comm_rank(half, &r);
	for (int i = 0; i < 3; i++)
		MPI_Barrier(half); /* so that operations are not numbered from 0 */
	cut_value = r == 0 ? 4711 : 0;
	if (r == 0)
		MPI_Bcast(&cut_value, 1, MPI_INT, 0, half);
}

static void cut_after(void)
{
	int r, sum = 0, size;

	MPI_Comm_rank(half, &r);
	MPI_Comm_size(half, &size);
	if (r == 0)
		cut_value = 4711;
	else
		MPI_Bcast(&cut_value, 1, MPI_INT, 0, half);
	MPI_Allreduce(&cut_value, &sum, 1, MPI_INT, MPI_SUM, half);
	if (sum != 4711 * size)
		prog_wrong(&prog, "cut: %d", sum);
}

static const struct {
	void (*before)(void), (*after)(void);
} cases[] = {
	{short_before, short_after},
	{long_before, long_after},
	{open_before, open_after},
	{comb_before, comb_after},
	{self_before, self_after},
	{any_before, any_after},
	{buffered_before, buffered_after},
	{found_before, found_after},
	{rake_before, rake_after},
	{cut_before, cut_after},
};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- variables and the buffer ---- */

struct state {
	long number;
	size_t n;
	double *array;
	int32_t holes[2 * COUNT];
};

static void name_state(struct state *s)
{
	if (FTMPI_CKPT_Protect(1, &s->number, 1, MPI_LONG) != MPI_SUCCESS ||
		FTMPI_CKPT_Protect(2, &s->n, sizeof s->n, MPI_BYTE) != MPI_SUCCESS ||
		FTMPI_CKPT_Protect(3, s->holes, 1, comb) != MPI_SUCCESS)
		prog_wrong(&prog, "cannot protect");
}

static void name_array(struct state *s)
{
	s->array = prog_alloc(&prog, s->n * sizeof *s->array);
	if (FTMPI_CKPT_Protect(4, s->array, (MPI_Count)s->n, MPI_DOUBLE) != MPI_SUCCESS)
		prog_wrong(&prog, "cannot protect the array");
}

static void fill_state(struct state *s)
{
	s->number = 1000 + prog.rank;
	s->n = 10 + (size_t)prog.rank;
	for (int i = 0; i < COUNT; i++)
		s->holes[2 * i] = i;
	name_array(s);
	for (size_t i = 0; i < s->n; i++)
		s->array[i] = (double)i / 3;
	if (FTMPI_CKPT_AllocBuffer(100) || FTMPI_CKPT_AddToBuffer("rank", 5) ||
		FTMPI_CKPT_AddToBuffer(&prog.rank, sizeof prog.rank))
		prog_wrong(&prog, "cannot fill the buffer");
}

static void check_state(struct state *s)
{
	char word[5];
	int rank = -1;

	if (restored)
		name_array(s); /* its length came with the line */
	if (s->number != 1000 + prog.rank || s->n != 10 + (size_t)prog.rank)
		prog_wrong(&prog, "number %ld, n %zu", s->number, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (s->array[i] != (double)i / 3)
			prog_wrong(&prog, "array[%zu] is %g", i, s->array[i]);
	for (int i = 0; i < COUNT; i++)
		if (s->holes[2 * i] != i || s->holes[2 * i + 1] != 0)
			prog_wrong(&prog, "holes[%d]", 2 * i);
	if (FTMPI_CKPT_ResetBufPtr() || FTMPI_CKPT_GetFromBuffer(word, 5) ||
		FTMPI_CKPT_GetFromBuffer(&rank, sizeof rank) || strcmp(word, "rank") != 0 ||
		rank != prog.rank)
		prog_wrong(&prog, "the buffer holds rank %d", rank);
	free(s->array);
}

static void make(struct state *s)
{
	int got;

	fill_state(s);
	for (int i = 0; i < CASES - no_cut; i++)
		cases[i].before();
	got = FTMPI_Perform_Checkpoint();
	if (got != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_Perform_Checkpoint gave %d", got);
}

int main(int argc, char **argv)
{
	struct state s = {0};
	int got;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_split(MPI_COMM_WORLD, prog.rank / 2, 0, &half);
	MPI_Type_vector(COUNT, 1, 2, MPI_INT32_T, &comb);
	MPI_Type_commit(&comb);
	/* void when a line is restored: nobody receives it twice */
	put((prog.rank + 1) % prog.size, 99, SMALL, MPI_COMM_WORLD);
	name_state(&s);
	got = FTMPI_Restore();
	restored = got == FTMPI_RESTORED;
	if (!restored) {
		get("prefix", (prog.rank + prog.size - 1) % prog.size, 99, SMALL, MPI_COMM_WORLD);
		make(&s);
	}
	for (int i = 0; i < CASES - no_cut; i++)
		cases[i].after();
	check_state(&s);
	finish_sends();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE);
	if (got)
		prog_wrong(&prog, "a message is left over");
	if (prog.rank == 0)
		printf("transit: %s\ntransit: all right\n", restored ? "restored" : "made");
	MPI_Type_free(&comb);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
