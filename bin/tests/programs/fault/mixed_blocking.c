/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's messages that are received at the step at which they are sent: everybody sends to the
 * rank at the same distance (oneself, too), in one of the blocking ways.
 */
#include "mixed.h"

#include <stdlib.h>

struct pair {
	long step;
	int from, to, tag;
	long out, in; /* bytes */
	uint64_t out_key, in_key;
	MPI_Comm comm;
};

static long bytes_from(const struct mixed *m, long step, int rank)
{
	uint64_t random = mixed_random(m, MIXED_BLOCKING, step, 1000 + (uint64_t)rank);
	return mixed_bytes(m, &random, MIXED_ITEM);
}

static uint64_t key_from(const struct mixed *m, long step, int rank)
{
	return mixed_random(m, MIXED_BLOCKING, step, 2000 + (uint64_t)rank);
}

static struct pair pair_at(const struct mixed *m, long step, long *way)
{
	uint64_t random = mixed_random(m, MIXED_BLOCKING, step, 0);
	int size = m->prog->size, rank = m->prog->rank;
	int distance = (int)mixed_decide(&random, size);
	struct pair p = {.step = step,
		.from = (rank + size - distance) % size,
		.to = (rank + distance) % size,
		.tag = (int)mixed_decide(&random, 3)};
	p.comm = m->comm[mixed_decide(&random, 2) ? MIXED_DUP : MIXED_WORLD];
	*way = mixed_decide(&random, 1 << 20);
	p.out = bytes_from(m, step, rank);
	p.out_key = key_from(m, step, rank);
	p.in = bytes_from(m, step, p.from);
	p.in_key = key_from(m, step, p.from);
	return p;
}

static void sendrecv(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	(void)m;
	MPI_Sendrecv(out, (int)p->out, MPI_BYTE, p->to, p->tag, in, (int)p->in, MPI_BYTE, p->from,
		p->tag, p->comm, status);
}

static void synchronous(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	MPI_Request request;
	(void)m;
	MPI_Irecv(in, (int)p->in, MPI_BYTE, p->from, p->tag, p->comm, &request);
	MPI_Ssend(out, (int)p->out, MPI_BYTE, p->to, p->tag, p->comm);
	MPI_Wait(&request, status);
}

static void blocking(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	MPI_Request request;
	(void)m;
	MPI_Irecv(in, (int)p->in, MPI_BYTE, p->from, p->tag, p->comm, &request);
	MPI_Send(out, (int)p->out, MPI_BYTE, p->to, p->tag, p->comm);
	MPI_Wait(&request, status);
}

/* Sent from items, received as bytes. */
static void from_items(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	void *items = mixed_spread(m, out, p->out);
	MPI_Sendrecv(items, (int)(p->out / MIXED_ITEM), m->item, p->to, p->tag, in, (int)p->in,
		MPI_BYTE, p->from, p->tag, p->comm, status);
	free(items);
}

/* Sent as bytes, received into items. */
static void into_items(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	void *items = mixed_blank(m, p->in);
	MPI_Sendrecv(out, (int)p->out, MPI_BYTE, p->to, p->tag, items, (int)(p->in / MIXED_ITEM),
		m->item, p->from, p->tag, p->comm, status);
	mixed_collect(m, in, p->in, items);
	free(items);
}

static void probed(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status)
{
	MPI_Request request;
	int bytes = -1;
	MPI_Isend(out, (int)p->out, MPI_BYTE, p->to, p->tag, p->comm, &request);
	MPI_Probe(p->from, p->tag, p->comm, status);
	MPI_Get_count(status, MPI_BYTE, &bytes);
	if (bytes != p->in)
		prog_wrong(m->prog, "step %ld: a probe finds %d bytes, not %ld", p->step, bytes,
			p->in);
	MPI_Recv(in, bytes, MPI_BYTE, p->from, p->tag, p->comm, status);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void (*const ways[])(
	const struct mixed *m, const struct pair *p, void *out, void *in, MPI_Status *status) = {
	sendrecv,
	synchronous,
	blocking,
	from_items,
	into_items,
	probed,
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void pairs_step(struct mixed *m, long step)
{
	if (step < 1 || step > m->steps)
		return;
	long way;
	MPI_Status status;
	struct pair p = pair_at(m, step, &way);
	void *out = prog_alloc(m->prog, (size_t)p.out), *in = prog_alloc(m->prog, (size_t)p.in);
	mixed_fill(p.out_key, out, p.out);
	ways[way % WAYS](m, &p, out, in, &status);
	mixed_enter_known(m, MIXED_BLOCKING, step, &status, p.tag, p.in_key, in, p.in);
	free(out);
	free(in);
}

static uint64_t pairs_expect(const struct mixed *m, long step)
{
	long way;
	struct pair p = pair_at(m, step, &way);
	return mixed_worth_of(m, p.from, p.tag, p.in_key, p.in);
}

const struct mixed_part mixed_blocking = {
	.name = "blocking",
	.step = pairs_step,
	.expect = pairs_expect,
};
