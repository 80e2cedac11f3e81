/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks, and many messages that wait: for their receives at the receiver (unexpected), or
 * receives for them (posted). They must match in the right order, and what they took is given back.
 */
#include "load.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "memory.h"

/* ---- every rank with every other ---- */

static uint32_t word(int from, int to, long round, long i)
{
	return (uint32_t)from * 2654435761u ^ (uint32_t)to * 40503u ^ (uint32_t)(round * 97 + i);
}

static void fill(const struct load *l, uint32_t *out, long n, long round)
{
	for (int to = 0; to < l->prog.size; to++)
		for (long i = 0; i < n; i++)
			out[to * n + i] = word(l->prog.rank, to, round, i);
}

static void check(const struct load *l, const uint32_t *in, long n, long round)
{
	for (int from = 0; from < l->prog.size; from++)
		for (long i = 0; i < n; i++)
			if (in[from * n + i] != word(from, l->prog.rank, round, i))
				prog_wrong(&l->prog, "round %ld: word %ld from rank %d is %u",
					round, i, from, in[from * n + i]);
}

static void run_alltoall(struct load *l)
{
	long n = l->bytes / (long)sizeof(uint32_t);
	size_t bytes = (size_t)l->prog.size * (size_t)n * sizeof(uint32_t);
	uint32_t *out = prog_alloc(&l->prog, bytes), *in = prog_alloc(&l->prog, bytes);
	for (long round = 0; round < l->rounds; round++) {
		long mine = l->prog.rank + round, sum = 0, p = l->prog.size;
		fill(l, out, n, round);
		MPI_Alltoall(out, (int)n, MPI_UINT32_T, in, (int)n, MPI_UINT32_T, MPI_COMM_WORLD);
		check(l, in, n, round);
		MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		if (sum != p * (p - 1) / 2 + p * round)
			prog_wrong(&l->prog, "round %ld: the sum is %ld", round, sum);
	}
	free(out);
	free(in);
}

/* Every rank to every other in the user's own messages, all at once: every pair is connected. */
static void run_everyone(struct load *l)
{
	int p = l->prog.size;
	MPI_Request *r = prog_alloc(&l->prog, 2 * (size_t)p * sizeof(*r));
	int *in = prog_alloc(&l->prog, (size_t)p * sizeof(*in));
	for (int i = 0; i < p; i++) {
		MPI_Irecv(&in[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &r[i]);
		MPI_Isend(&l->prog.rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &r[p + i]);
	}
	MPI_Waitall(2 * p, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < p; i++)
		if (in[i] != i)
			prog_wrong(&l->prog, "rank %d says that it is %d", i, in[i]);
	free(r);
	free(in);
}

/* What all ranks together share of memory to talk through, when each has talked with each: not more
 * than -kib. */
static void run_shared(struct load *l)
{
	unsigned long mine, all = 0;
	run_alltoall(l);
	MPI_Barrier(MPI_COMM_WORLD);
	mine = memory_shared(&l->prog, "/memfd:ftmpi-");
	MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (l->prog.rank > 0)
		return;
	printf("load: %lu KiB are shared\n", all >> 10);
	if (all == 0)
		prog_wrong(&l->prog, "no memory is shared");
	load_bound(l, "shared by all", all, (size_t)l->kib << 10);
}

/* All the others to rank 0, which connects to nobody. */
static void run_towards(struct load *l)
{
	if (l->prog.rank > 0)
		MPI_Ssend(&l->prog.rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; i < l->prog.size && l->prog.rank == 0; i++) {
		MPI_Status s;
		int in = -1;
		MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);
		if (in != s.MPI_SOURCE)
			prog_wrong(&l->prog, "rank %d says that it is %d", s.MPI_SOURCE, in);
	}
}

/* ---- waiting messages from rank 0 to rank 1 ---- */

enum order { FORWARD, BACKWARD, ANY_TAG, ANY_SOURCE, SAME_TAG, INTERLEAVED, ORDERS };
static const char *const order_names[ORDERS] = {
	"forward", "backward", "any tag", "any source", "same tag", "three tags"};

/* Tag of the i-th message. The last message of all has END. */
enum { END = 32000 };

static int tag_of(enum order o, long i)
{
	return o == SAME_TAG ? 5 : o == INTERLEAVED ? (int)(i % 3) : (int)(i % END);
}

/* Which message the k-th receive asks for. With three tags: all of tag 2 first, then 1, then 0,
 * each in their order. */
static long message_of(enum order o, long k, long n)
{
	long third[3] = {(n + 2) / 3, (n + 1) / 3, n / 3};
	if (o == BACKWARD)
		return n - 1 - k;
	if (o != INTERLEAVED)
		return k;
	for (int tag = 2; tag > 0; k -= third[tag--])
		if (k < third[tag])
			return 3 * k + tag;
	return 3 * k;
}

static void ask(enum order o, long k, long n, int *source, int *tag)
{
	*source = o == ANY_SOURCE || (o == ANY_TAG && k % 2) ? MPI_ANY_SOURCE : 0;
	*tag = o == ANY_TAG ? MPI_ANY_TAG : tag_of(o, message_of(o, k, n));
}

static void send_all(struct load *l, enum order o, long *value, MPI_Request *r)
{
	long n = l->messages;
	for (long i = 0; i < n; i++) {
		value[i] = 7 * i + o;
		MPI_Isend(&value[i], 1, MPI_LONG, 1, tag_of(o, i), MPI_COMM_WORLD, &r[i]);
	}
	MPI_Send(NULL, 0, MPI_LONG, 1, END, MPI_COMM_WORLD);
	MPI_Waitall((int)n, r, MPI_STATUSES_IGNORE);
}

static void expect(struct load *l, enum order o, long k, long value, const MPI_Status *s)
{
	long i = message_of(o, k, l->messages);
	if (value != 7 * i + o || s->MPI_SOURCE != 0 || s->MPI_TAG != tag_of(o, i))
		prog_wrong(&l->prog, "%s, %s: receive %ld got %ld from rank %d with tag %d",
			l->what, order_names[o], k, value, s->MPI_SOURCE, s->MPI_TAG);
}

/* The last message overtakes none of the others: when it is here, all of them wait. */
static void receive_unexpected(struct load *l, enum order o)
{
	MPI_Recv(NULL, 0, MPI_LONG, 0, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (long k = 0; k < l->messages; k++) {
		MPI_Status s;
		long value = -1;
		int source, tag;
		ask(o, k, l->messages, &source, &tag);
		MPI_Recv(&value, 1, MPI_LONG, source, tag, MPI_COMM_WORLD, &s);
		expect(l, o, k, value, &s);
	}
}

static void receive_posted(struct load *l, enum order o, long *value, MPI_Request *r)
{
	long n = l->messages;
	MPI_Status *s = prog_alloc(&l->prog, (size_t)n * sizeof(*s));
	for (long k = 0; k < n; k++) {
		int source, tag;
		ask(o, k, n, &source, &tag);
		value[k] = -1;
		MPI_Irecv(&value[k], 1, MPI_LONG, source, tag, MPI_COMM_WORLD, &r[k]);
	}
	MPI_Send(NULL, 0, MPI_LONG, 0, END, MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_LONG, 0, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Waitall((int)n, r, s);
	for (long k = 0; k < n; k++)
		expect(l, o, k, value[k], &s[k]);
	free(s);
}

static void one_order(struct load *l, enum order o, int posted)
{
	long *value = prog_alloc(&l->prog, (size_t)l->messages * sizeof(*value));
	MPI_Request *r = prog_alloc(&l->prog, (size_t)l->messages * sizeof(MPI_Request));
	if (l->prog.rank == 0) {
		if (posted)
			MPI_Recv(NULL, 0, MPI_LONG, 1, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		send_all(l, o, value, r);
	} else if (l->prog.rank == 1 && posted) {
		receive_posted(l, o, value, r);
	} else if (l->prog.rank == 1) {
		receive_unexpected(l, o);
	}
	free(value);
	free(r);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* What the first turn through all orders took may be kept for the next; it must be enough for it,
 * but for messages of which more wait for room at a time than in the first. */
enum { WAITING_BYTES = 256 };

static void all_orders(struct load *l, int posted)
{
	size_t first = 0, before = memory_in_use();
	for (int turn = 0; turn < 3; turn++) {
		for (int o = 0; o < ORDERS; o++)
			one_order(l, (enum order)o, posted);
		if (turn == 0)
			first = memory_in_use();
	}
	load_bound(l, "in use after the third turn", memory_in_use(),
		first + 4096 + (posted ? (size_t)l->messages * WAITING_BYTES : 0));
	if (l->prog.rank == 1 && !posted)
		load_bound(l, "in use after all was received", memory_in_use(), before + 65536);
}

static void run_unexpected(struct load *l)
{
	all_orders(l, 0);
}

static void run_posted(struct load *l)
{
	all_orders(l, 1);
}

const struct load_case load_many_cases[] = {
	{"alltoall", run_alltoall, 1},
	{"everyone", run_everyone, 1},
	{"shared", run_shared, 1},
	{"towards", run_towards, 1},
	{"unexpected", run_unexpected, 2},
	{"posted", run_posted, 2},
	{NULL, NULL, 0},
};
