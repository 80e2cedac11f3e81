/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's collective operations: all that the library has, in the whole job and in parts of it.
 * Contents are a function of step, source and destination, so each rank knows what it must get.
 */
#include <stdlib.h>
#include <string.h>

#include "mixed_coll_calls.h"

enum { UNEVEN = 3 };

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b;
}

static uint64_t differ(uint64_t a, uint64_t b)
{
	return a ^ b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void choose_fold(struct mixed_call *c, uint64_t *random)
{
	switch (mixed_decide(random, 3)) {
	case 0:
		c->op = MPI_SUM;
		c->fold = add;
		break;
	case 1:
		c->op = MPI_BXOR;
		c->fold = differ;
		break;
	default:
		c->op = MPI_MAX;
		c->fold = larger;
		break;
	}
}

static void uneven(struct mixed_call *c)
{
	c->counts = prog_alloc(c->m->prog, 4 * (size_t)c->size * sizeof(int));
	c->displs = c->counts + c->size;
	c->heard = c->displs + c->size;
	c->places = c->heard + c->size;
	for (int r = 0, at = 0; r < c->size; r++) {
		c->counts[r] = c->n + r % UNEVEN;
		c->displs[r] = at;
		at += c->counts[r];
	}
	for (int r = 0; r < c->size; r++) {
		c->heard[r] = c->counts[c->self];
		c->places[r] = r * c->heard[r];
	}
}

int mixed_call_plan(const struct mixed *m, long step, uint64_t *random, struct mixed_call *c)
{
	*c = (struct mixed_call){.m = m, .step = step};
	int kind = (int)mixed_decide(random, mixed_kind_count);
	c->which = (enum mixed_comm)mixed_decide(random, MIXED_TRIPLE + 1);
	c->comm = m->comm[c->which];
	MPI_Comm_rank(c->comm, &c->self);
	MPI_Comm_size(c->comm, &c->size);
	c->root = (int)(mixed_decide(random, 1000) % c->size);
	c->n = (int)(mixed_bytes(m, random, 8) / 8 / c->size);
	choose_fold(c, random);
	uneven(c);
	return kind;
}

uint64_t *mixed_call_room(const struct mixed_call *c)
{
	size_t most = (size_t)(c->n + UNEVEN) * (size_t)c->size;
	return prog_alloc(c->m->prog, most * sizeof(uint64_t));
}

static uint64_t worth(const struct mixed_call *c, int kind, const uint64_t *words, long bytes)
{
	return bytes ? mixed_worth(c->root, kind, words, bytes) : 0;
}

uint64_t mixed_call_verify(const struct mixed_call *c, int kind, const uint64_t *got)
{
	uint64_t *want = mixed_call_room(c);
	long bytes = (mixed_kinds[kind].want(c, want) - want) * (long)sizeof(*want);
	if (memcmp(got, want, (size_t)bytes) != 0)
		prog_wrong(c->m->prog,
			"step %ld: MPI_%s in communicator %d, root %d: wrong contents", c->step,
			mixed_kinds[kind].name, c->which, c->root);
	free(want);
	return worth(c, kind, got, bytes);
}

uint64_t mixed_call_expect(const struct mixed_call *c, int kind)
{
	uint64_t *want = mixed_call_room(c);
	uint64_t sum = worth(
		c, kind, want, (mixed_kinds[kind].want(c, want) - want) * (long)sizeof(*want));
	free(want);
	return sum;
}

/* In a step without an operation, -1. counts must be freed otherwise. */
static int call_at(const struct mixed *m, long step, struct mixed_call *c)
{
	uint64_t random = mixed_random(m, MIXED_COLL, step, 0);
	if (step < 1 || step > m->steps || mixed_decide(&random, 3) == 0)
		return -1;
	return mixed_call_plan(m, step, &random, c);
}

static void coll_step(struct mixed *m, long step)
{
	struct mixed_call c;
	int kind = call_at(m, step, &c), n;
	if (kind < 0)
		return;
	uint64_t *out = mixed_call_room(&c), *in = mixed_kinds[kind].in(&c, &n);
	if (mixed_kinds[kind].gives_out && in != NULL)
		memcpy(out, in, (size_t)n * sizeof(*in));
	mixed_kinds[kind].run(&c, in, out);
	m->state.sum[MIXED_COLL] += mixed_call_verify(&c, kind, out);
	m->state.received++;
	free(in);
	free(out);
	free(c.counts);
}

static uint64_t coll_expect(const struct mixed *m, long step)
{
	struct mixed_call c;
	int kind = call_at(m, step, &c);
	if (kind < 0)
		return 0;
	uint64_t sum = mixed_call_expect(&c, kind);
	free(c.counts);
	return sum;
}

const struct mixed_part mixed_coll = {
	.name = "collective",
	.step = coll_step,
	.expect = coll_expect,
};
