/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's intercommunicator, of the even and the odd ranks: messages that are received at a later
 * step, collective operations of both sides, and one at a time that nobody waits for at once, which
 * after a restore is begun again. Each rank knows what all others give.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mixed.h"

enum { TAG = 30, WORDS = 300, LATER_EVERY = MIXED_LAG + 1 };

enum kind { ALLREDUCE, BCAST, ALLTOALL, GATHER, BARRIER, KINDS };

static struct {
	int side, rank; /* of this one */
	int us, them;	/* processes of the sides */
	struct mixed_sends sends;
	MPI_Request later;
	uint64_t mine[WORDS], sum[WORDS];
} x = {.later = MPI_REQUEST_NULL};

/* The step at which the one that nobody waits for was begun; 0: none is. */
static int64_t begun;

static bool alone(const struct mixed *m)
{
	return m->prog->size < 2;
}

/* Rank in the world. */
static int one_of(int side, int rank)
{
	return 2 * rank + side;
}

static uint64_t word(const struct mixed *m, long step, int from, int i)
{
	return mixed_random(m, MIXED_INTERCOMM, step, (uint64_t)from << 32 | (uint32_t)i);
}

/* ---- messages: from each to one of the other side ---- */

struct message {
	int bytes, tag, lag;
	uint64_t key;
};

static struct message message_of(const struct mixed *m, long step, int from)
{
	uint64_t random = word(m, step, from, -1);
	struct message g = {.key = random};

	g.bytes = (int)mixed_bytes(m, &random, 1);
	g.tag = TAG + (int)mixed_decide(&random, 2);
	g.lag = (int)mixed_decide(&random, MIXED_LAG + 1);
	return g;
}

static void send(struct mixed *m, long step)
{
	struct message g = message_of(m, step, m->prog->rank);
	void *data = prog_alloc(m->prog, (size_t)g.bytes);

	mixed_fill(g.key, data, g.bytes);
	/* the step is in the tag: what was sent at different steps has different lags */
	MPI_Isend(data, g.bytes, MPI_BYTE, x.rank % x.them, g.tag + 2 * (int)step,
		m->comm[MIXED_INTERCOMM_COMM], mixed_send_add(m, &x.sends, data));
}

/* What rank `from` of the other side sent at that step, if it was for this one. */
static void receive(struct mixed *m, long step, int from)
{
	struct message g = message_of(m, step, one_of(!x.side, from));
	int tag = g.tag + 2 * (int)step;
	void *data = prog_alloc(m->prog, (size_t)g.bytes);
	MPI_Status status;

	MPI_Recv(data, g.bytes, MPI_BYTE, from, tag, m->comm[MIXED_INTERCOMM_COMM], &status);
	mixed_enter_known(m, MIXED_INTERCOMM, step, &status, tag, g.key, data, g.bytes);
	free(data);
}

/* ---- collective operations ---- */

static uint64_t sum_of(const struct mixed *m, long step, int i)
{
	uint64_t sum = 0;

	for (int r = 0; r < x.them; r++)
		sum += word(m, step, one_of(!x.side, r), i);
	return sum;
}

/* The words that this rank gets: as many as are returned. */
struct deal {
	enum kind kind;
	int root, root_side, n;
};

static struct deal deal_at(const struct mixed *m, long step)
{
	uint64_t random = mixed_random(m, MIXED_INTERCOMM, step, 0);
	struct deal d = {.kind = (enum kind)mixed_decide(&random, KINDS)};
	int low = x.us < x.them ? x.us : x.them;

	d.root_side = (int)mixed_decide(&random, 2);
	d.root = (int)mixed_decide(&random, low);
	d.n = 1 + (int)mixed_decide(&random, WORDS / (m->prog->size + 1));
	return d;
}

static bool at_root(const struct deal *d)
{
	return x.side == d->root_side && x.rank == d->root;
}

static int want(const struct mixed *m, long step, const struct deal *d, uint64_t *out)
{
	int from = one_of(!x.side, d->root), n = 0;

	if (d->kind == ALLREDUCE)
		for (; n < d->n; n++)
			out[n] = sum_of(m, step, n);
	if (d->kind == BCAST && x.side != d->root_side)
		for (; n < d->n; n++)
			out[n] = word(m, step, from, n);
	if (d->kind == ALLTOALL || (d->kind == GATHER && at_root(d)))
		for (int r = 0; r < x.them; r++)
			for (int i = 0; i < d->n; i++)
				out[n++] = word(m, step, one_of(!x.side, r),
					d->kind == GATHER ? i : x.rank * d->n + i);
	return n;
}

static void call(const struct mixed *m, const struct deal *d, uint64_t *in, uint64_t *out)
{
	MPI_Comm c = m->comm[MIXED_INTERCOMM_COMM];
	int root = x.side != d->root_side ? d->root : at_root(d) ? MPI_ROOT : MPI_PROC_NULL;

	if (d->kind == ALLREDUCE)
		MPI_Allreduce(in, out, d->n, MPI_UINT64_T, MPI_SUM, c);
	else if (d->kind == BCAST)
		MPI_Bcast(root == MPI_ROOT ? in : out, d->n, MPI_UINT64_T, root, c);
	else if (d->kind == ALLTOALL)
		MPI_Alltoall(in, d->n, MPI_UINT64_T, out, d->n, MPI_UINT64_T, c);
	else if (d->kind == GATHER)
		MPI_Gather(in, d->n, MPI_UINT64_T, out, d->n, MPI_UINT64_T, root, c);
	else
		MPI_Barrier(c);
}

static void enter(struct mixed *m, const uint64_t *words, int n)
{
	m->state.sum[MIXED_INTERCOMM] += mixed_worth(0, n, words, n * (long)sizeof(*words));
	m->state.received++;
}

static void collective(struct mixed *m, long step)
{
	struct deal d = deal_at(m, step);
	uint64_t in[WORDS], out[WORDS], right[WORDS];
	int n = want(m, step, &d, right);

	for (int i = 0; i < WORDS; i++)
		in[i] = word(m, step, m->prog->rank, i);
	call(m, &d, in, out);
	if (memcmp(out, right, (size_t)n * sizeof(*out)) != 0)
		prog_wrong(m->prog, "step %ld: operation %d between two sides gave wrong words",
			step, d.kind);
	enter(m, out, n);
}

/* ---- one that nobody waits for ---- */

static void begin_later(struct mixed *m, long step)
{
	for (int i = 0; i < WORDS; i++)
		x.mine[i] = word(m, step, m->prog->rank, i + WORDS);
	MPI_Iallreduce(x.mine, x.sum, WORDS, MPI_UINT64_T, MPI_SUM, m->comm[MIXED_INTERCOMM_COMM],
		&x.later);
	begun = step;
}

static void end_later(struct mixed *m)
{
	MPI_Wait(&x.later, MPI_STATUS_IGNORE);
	for (int i = 0; i < WORDS; i++)
		if (x.sum[i] != sum_of(m, (long)begun, i + WORDS))
			prog_wrong(m->prog, "the sum begun at step %ld is wrong", (long)begun);
	enter(m, x.sum, WORDS);
	begun = 0;
}

/* ---- the part ---- */

static void begin(struct mixed *m)
{
	x.side = m->prog->rank % 2;
	x.rank = m->prog->rank / 2;
	x.us = (m->prog->size + !x.side) / 2;
	x.them = m->prog->size - x.us;
	mixed_protect(m, MIXED_INTERCOMM, &begun, sizeof(begun));
}

static void restored(struct mixed *m)
{
	if (begun > 0)
		begin_later(m, (long)begun);
}

static void step_between(struct mixed *m, long step)
{
	if (alone(m))
		return;
	mixed_sends_test(&x.sends);
	if (begun > 0 && step == begun + LATER_EVERY - 1)
		end_later(m);
	if (step <= m->steps) {
		send(m, step);
		if (step % LATER_EVERY == 1)
			begin_later(m, step);
		collective(m, step);
	}
	for (long s = step - MIXED_LAG; s <= step; s++)
		for (int from = x.rank; s >= 1 && s <= m->steps && from < x.them; from += x.us)
			if (message_of(m, s, one_of(!x.side, from)).lag == step - s)
				receive(m, s, from);
}

static uint64_t expect(const struct mixed *m, long step)
{
	uint64_t words[WORDS], sum = 0;
	int n;

	if (alone(m))
		return 0;
	struct deal d = deal_at(m, step);

	n = want(m, step, &d, words);
	sum = mixed_worth(0, n, words, n * (long)sizeof(*words));
	for (int i = 0; i < WORDS && step % LATER_EVERY == 1; i++)
		words[i] = sum_of(m, step, i + WORDS);
	if (step % LATER_EVERY == 1)
		sum += mixed_worth(0, WORDS, words, (long)sizeof(words));
	for (int from = x.rank; from < x.them; from += x.us) {
		struct message g = message_of(m, step, one_of(!x.side, from));

		sum += mixed_worth_of(m, from, g.tag + 2 * (int)step, g.key, g.bytes);
	}
	return sum;
}

static void end(struct mixed *m)
{
	(void)m;
	mixed_sends_end(&x.sends);
}

const struct mixed_part mixed_intercomm = {
	.name = "intercomm",
	.begin = begin,
	.restored = restored,
	.step = step_between,
	.expect = expect,
	.end = end,
};
