/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long messages in pieces: blocks with gaps at one end, other blocks or none at the other; cut off,
 * shorter than their room, found by probes, taken back, many at once. Block lengths do not divide
 * each other, nor what a library may pack at a time, so it stops in the middle of them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "datatypes.h"

/* Blocks of so many bytes, from one to the next `stride`. */
struct shape {
	int block, stride;
};

static const struct shape shapes[] = {{1, 1}, {1, 3}, {8, 16}, {12, 20}, {1000, 1500}, {4099, 8192},
	{5000, 5001}, {70000, 100000}, {300001, 300007}};

enum { SHAPES = sizeof shapes / sizeof *shapes, LENGTH = 1300000, GAP = 0x7b };

/* What lies at byte k of the data of a rank's n-th message. */
static char value(int rank, int n, size_t k)
{
	return (char)(rank * 31 + n * 17 + (int)(k % 251) + (int)(k / 65536));
}

/* Some blocks of a shape in a buffer full of gap. */
struct blocks {
	struct shape shape;
	size_t count, bytes, size; /* of data, of the buffer */
	char *buf;
	MPI_Datatype t;
};

/* At least so many bytes of data. */
static struct blocks blocks_new(int shape, size_t bytes)
{
	struct blocks b = {.shape = shapes[shape]};
	size_t block = (size_t)b.shape.block;
	MPI_Datatype one;

	b.count = (bytes + block - 1) / block;
	b.bytes = b.count * block;
	b.size = b.count * (size_t)b.shape.stride;
	b.buf = prog_alloc(&prog, b.size);
	memset(b.buf, GAP, b.size);
	MPI_Type_contiguous(b.shape.block, MPI_BYTE, &one);
	MPI_Type_create_resized(one, 0, b.shape.stride, &b.t);
	MPI_Type_commit(&b.t);
	MPI_Type_free(&one);
	return b;
}

static void blocks_free(struct blocks *b)
{
	MPI_Type_free(&b->t);
	free(b->buf);
}

static char *byte_of(const struct blocks *b, size_t k)
{
	size_t block = (size_t)b->shape.block;

	return b->buf + k / block * (size_t)b->shape.stride + k % block;
}

static struct blocks message(int shape, int n, size_t bytes)
{
	struct blocks b = blocks_new(shape, bytes);

	for (size_t k = 0; k < b.bytes; k++)
		*byte_of(&b, k) = value(prog.rank, n, k);
	return b;
}

/* The first `bytes` of it came, and nothing else was written. */
static void check_blocks(const char *what, struct blocks *b, int n, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++) {
		char *at = byte_of(b, k), want = value(previous(), n, k);

		if (*at != want)
			prog_wrong(&prog, "%s: byte %zu of %zu in blocks of %d is %d, not %d", what,
				k, bytes, b->shape.block, *at, want);
		*at = GAP;
	}
	for (size_t i = 0; i < b->size; i++)
		if (b->buf[i] != GAP)
			prog_wrong(&prog, "%s: byte %zu behind %zu in blocks of %d was written",
				what, i, bytes, b->shape.block);
}

static void send(const struct blocks *b, int tag, MPI_Request *r)
{
	MPI_Isend(b->buf, (int)b->count, b->t, next(), tag, MPI_COMM_WORLD, r);
}

static void receive(struct blocks *b, int tag, MPI_Request *r)
{
	MPI_Irecv(b->buf, (int)b->count, b->t, previous(), tag, MPI_COMM_WORLD, r);
}

/* From blocks of one shape to those of another that have room for `room` bytes; the receive comes
 * first or later. */
static void pair(int from, int to, size_t bytes, size_t room, bool early)
{
	struct blocks out = message(from, from, bytes), in = blocks_new(to, room);
	size_t most = in.bytes < out.bytes ? in.bytes : out.bytes;
	MPI_Request r[2];
	MPI_Status s;
	MPI_Count n;
	int rc;

	if (early)
		receive(&in, TAG, &r[1]);
	send(&out, TAG, &r[0]);
	if (!early) {
		MPI_Probe(previous(), TAG, MPI_COMM_WORLD, &s);
		MPI_Get_elements_c(&s, MPI_BYTE, &n);
		expect("length that a probe tells", out.bytes, n);
		receive(&in, TAG, &r[1]);
	}
	rc = MPI_Wait(&r[1], &s);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &rc);
	expect("error class", in.bytes < out.bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS, rc);
	MPI_Get_elements_c(&s, MPI_BYTE, &n);
	expect("bytes received", most, n);
	check_blocks(early ? "awaited" : "probed", &in, from, most);
	blocks_free(&out);
	blocks_free(&in);
}

/* All at once, so that they share the sockets; those of one tag in order. */
static void many(void)
{
	struct blocks out[SHAPES], in[SHAPES];
	MPI_Request r[2 * SHAPES];

	for (int i = 0; i < SHAPES; i++) {
		out[i] = message(i, i, 100000 + 50000 * (size_t)i);
		in[i] = blocks_new((i + 3) % SHAPES, out[i].bytes);
		receive(&in[i], i % 2, &r[i]);
	}
	for (int i = 0; i < SHAPES; i++)
		send(&out[i], i % 2, &r[SHAPES + i]);
	MPI_Waitall(2 * SHAPES, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < SHAPES; i++) {
		check_blocks("many", &in[i], i, out[i].bytes);
		blocks_free(&out[i]);
		blocks_free(&in[i]);
	}
}

/* It waits for its receive, whatever its length. */
static void offer(const struct blocks *b, MPI_Request *r)
{
	MPI_Issend(b->buf, (int)b->count, b->t, next(), TAG, MPI_COMM_WORLD, r);
}

/* One that nobody has received can be taken back; one that was found cannot. */
static void taken_back(int shape)
{
	struct blocks out = message(shape, 1, LENGTH),
		      in = blocks_new(SHAPES - 1 - shape, out.bytes);
	MPI_Message found;
	MPI_Request r[2];
	MPI_Status s;
	int flag;

	offer(&out, &r[0]);
	MPI_Cancel(&r[0]);
	MPI_Wait(&r[0], &s);
	MPI_Test_cancelled(&s, &flag);
	expect("taken back", 1, flag);
	MPI_Barrier(MPI_COMM_WORLD);
	offer(&out, &r[0]);
	MPI_Mprobe(previous(), TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Cancel(&r[0]);
	MPI_Imrecv(in.buf, (int)in.count, in.t, &found, &r[1]);
	MPI_Wait(&r[0], &s);
	MPI_Test_cancelled(&s, &flag);
	expect("found, and taken back", 0, flag);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	check_blocks("found", &in, 1, out.bytes);
	blocks_free(&out);
	blocks_free(&in);
}

/* Started twice, with other data; a synchronous one that is short. */
static void again(int shape)
{
	struct blocks out = message(shape, 0, LENGTH), in = blocks_new(shape, LENGTH);
	struct blocks word = message(shape, 5, 100), got = blocks_new(shape, 100);
	MPI_Request r[2];

	MPI_Send_init(out.buf, (int)out.count, out.t, next(), TAG, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(in.buf, (int)in.count, in.t, previous(), TAG, MPI_COMM_WORLD, &r[1]);
	for (int n = 0; n < 2; n++) {
		for (size_t k = 0; k < out.bytes; k++)
			*byte_of(&out, k) = value(prog.rank, n, k);
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		check_blocks("persistent", &in, n, out.bytes);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	MPI_Issend(word.buf, (int)word.count, word.t, next(), TAG, MPI_COMM_WORLD, &r[0]);
	receive(&got, TAG, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	check_blocks("synchronous", &got, 5, word.bytes);
	blocks_free(&out);
	blocks_free(&in);
	blocks_free(&word);
	blocks_free(&got);
}

/* Short ones: their memory is the program's again when a blocking send is over. Lengths are about
 * those up to which they are packed on the stack (2048). */
static void blocking(int shape, size_t bytes)
{
	struct blocks out = message(shape, 3, bytes), in = blocks_new(shape, bytes);
	MPI_Request r;

	receive(&in, TAG, &r);
	MPI_Send(out.buf, (int)out.count, out.t, next(), TAG, MPI_COMM_WORLD);
	memset(out.buf, GAP, out.size);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	check_blocks("blocking", &in, 3, in.bytes);
	blocks_free(&out);
	blocks_free(&in);
}

/* More than a receiver that is late has memory for, so some of them wait. */
static void stream(int shape)
{
	enum { BYTES = 2000, MESSAGES = 3000 };

	for (int i = 0; prog.rank == 0 && prog.size > 1 && i < MESSAGES; i++) {
		struct blocks out = message(shape, i, BYTES);

		MPI_Send(out.buf, (int)out.count, out.t, 1, TAG, MPI_COMM_WORLD);
		blocks_free(&out);
	}
	for (int i = 0; prog.rank == 1 && i < MESSAGES; i++) {
		struct blocks in = blocks_new(shape, BYTES);

		MPI_Recv(in.buf, (int)in.count, in.t, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		check_blocks("stream", &in, i, in.bytes);
		blocks_free(&in);
	}
}

void in_pieces(void)
{
	static const size_t lengths[] = {1, 8, 100, 2040, 2048, 2049, 2064, 4096, 30000};

	for (int shape = 1; shape <= 4; shape++)
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
			blocking(shape, lengths[i]);
	stream(2);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < SHAPES; i++) {
		int other = (i * 4 + 1) % SHAPES;

		pair(i, other, LENGTH, LENGTH + (size_t)shapes[i].block, i % 2);
		pair(other, i, LENGTH, LENGTH + 100000, i % 2 == 0);
		pair(i, other, LENGTH, 150001, i % 2 == 0);
		pair(other, i, 70000, 333, i % 2);
		if (!lines)
			taken_back(i);
		again(i);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	many();
}
