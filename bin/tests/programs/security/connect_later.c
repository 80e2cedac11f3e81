/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * connect_later: a number goes round the ring all the time, and is checked. Rank 0 takes orders
 * from a named pipe, one a line: `D` lets all ranks at distance D exchange messages, which makes
 * their connections when it is the first time; `0` ends the job. So a test chooses the moment at
 * which ranks connect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "prog.h"

enum { TAG_RING = 1, TAG_CONNECT, SHORT = 64, LONG = 300000, NO_ORDER = -1, GUARD_SECONDS = 300 };

struct token {
	long round, sum, order;
};

/* The next whole line of the pipe, as a number; NO_ORDER while there is none. */
static long take_order(const struct prog *p, int fd)
{
	static char line[32];
	static size_t have;
	char byte;

	while (read(fd, &byte, 1) == 1) {
		if (byte != '\n') {
			if (have == sizeof line - 1)
				prog_wrong(p, "an order is too long");
			line[have++] = byte;
			continue;
		}
		line[have] = '\0';
		have = 0;
		return strtol(line, NULL, 10);
	}
	return NO_ORDER;
}

/* Once round. Every rank knows the order afterwards. */
static struct token go_round(const struct prog *p, struct token t)
{
	int next = (p->rank + 1) % p->size, before = (p->rank + p->size - 1) % p->size;
	long each = (long)p->size * (p->size + 1) / 2;

	if (p->rank == 0) {
		t.sum++;
		MPI_Send(&t, 3, MPI_LONG, next, TAG_RING, MPI_COMM_WORLD);
	}
	MPI_Recv(&t, 3, MPI_LONG, before, TAG_RING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (p->rank > 0) {
		t.sum += p->rank + 1;
		MPI_Send(&t, 3, MPI_LONG, next, TAG_RING, MPI_COMM_WORLD);
	} else if (t.sum != ++t.round * each) {
		prog_wrong(p, "the sum is %ld after %ld rounds", t.sum, t.round);
	}
	return t;
}

static unsigned char byte_of(int from, int to, size_t i)
{
	return (unsigned char)(from * 17 + to * 29 + (int)(i % 251));
}

static void check_bytes(const struct prog *p, const unsigned char *got, int from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (got[i] != byte_of(from, p->rank, i))
			prog_wrong(p, "byte %zu of %zu from rank %d is wrong", i, len, from);
}

/* Both sides send at once, a short and a long message. */
static void exchange(const struct prog *p, int to, int from, size_t len)
{
	unsigned char *out = prog_alloc(p, len), *in = prog_alloc(p, len);

	for (size_t i = 0; i < len; i++)
		out[i] = byte_of(p->rank, to, i);
	MPI_Sendrecv(out, (int)len, MPI_BYTE, to, TAG_CONNECT, in, (int)len, MPI_BYTE, from,
		TAG_CONNECT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check_bytes(p, in, from, len);
	free(out);
	free(in);
}

static void connect_at(const struct prog *p, long distance)
{
	int up = (int)((p->rank + distance) % p->size);
	int down = (int)((p->rank + p->size - distance % p->size) % p->size);

	exchange(p, up, down, SHORT);
	exchange(p, down, up, SHORT);
	exchange(p, up, down, LONG);
}

static void run(const struct prog *p, int orders)
{
	struct token t = {0, 0, NO_ORDER};

	while (t.order != 0) {
		t.order = p->rank == 0 ? take_order(p, orders) : NO_ORDER;
		t = go_round(p, t);
		if (t.order > 0) {
			connect_at(p, t.order);
			t = go_round(p, t);
			if (p->rank == 0)
				printf("distance %ld: right after %ld rounds\n", t.order, t.round);
			fflush(stdout);
		}
	}
	if (p->rank == 0)
		printf("connect_later: right, %ld rounds, %d ranks\n", t.round, p->size);
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	const struct prog_option options[] = {
		{"-orders", "PIPE", PROG_TEXT, &path, 0, "named pipe with the orders"},
	};
	struct prog p = {
		"connect_later", "ranks that connect when they are told to", options, 1, 0, 1};
	int orders = -1;

	alarm(GUARD_SECONDS); /* a test that was killed gives no orders any more */
	MPI_Init(&argc, &argv);
	prog_begin(&p, argc, argv);
	if (path == NULL)
		prog_wrong(&p, "give it -orders PIPE");
	if (p.rank == 0) {
		/* also for writing: so it never reads as ended */
		orders = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (orders < 0)
			prog_wrong(&p, "%s: %s", path, strerror(errno));
		printf("connect_later: ready\n");
		fflush(stdout);
	}
	run(&p, orders);
	MPI_Finalize();
	return 0;
}
