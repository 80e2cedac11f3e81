/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks that have a datatype each: MPI_Alltoallw (MPI 5.0 section 6.8) and its like among
 * neighbours. To a schedule they are blocks anywhere, each with its own unit; the types are kept
 * beside, and held, since the program may free them while the operation is under way.
 */
#include <stdlib.h>

#include "coll_call.h"
#include "coll_choose.h"
#include "coll_run.h"
#include "mpi/handle/fail.h"

static struct coll_typed *typed_new(int n)
{
	size_t each = sizeof(struct sched_span) + sizeof(struct type *);
	struct coll_typed *typed = malloc(sizeof *typed + (size_t)n * each);

	if (!typed)
		return NULL;
	typed->n = 0;
	typed->spans = (struct sched_span *)(typed + 1);
	typed->types = (struct type **)(typed->spans + n);
	return typed;
}

/* Nothing of a type without data is sent. */
static int add_block(struct coll_typed *typed, const struct coll_said *said, int i)
{
	MPI_Count count = sched_number(said->counts, i);
	ptrdiff_t at = (ptrdiff_t)sched_number(said->displs, i);
	struct type *t;
	int rc = type_lookup_for(said->types[i], count, &t);

	if (rc == MPI_SUCCESS)
		rc = coll_check_bytes(said->name, count, 1, t);
	if (rc == MPI_SUCCESS)
		rc = coll_check_buffer(said->name, (void *)((uintptr_t)said->buf + (uintptr_t)at),
			t, count == 0 || t->size == 0);
	if (rc != MPI_SUCCESS)
		return rc;
	type_hold(t);
	typed->types[i] = t;
	typed->spans[i].block = i;
	typed->spans[i].first = at;
	typed->spans[i].n = t->size > 0 ? (size_t)count : 0;
	typed->n++;
	return MPI_SUCCESS;
}

static int check_arrays(const struct coll_said *said, int n)
{
	MPI_Count sum;
	int rc = coll_check_counts(n, said->name, said->counts, &sum);

	if (rc == MPI_SUCCESS && said->buf == MPI_IN_PLACE)
		rc = fail_with(MPI_ERR_BUFFER, "%s cannot be MPI_IN_PLACE here", said->name);
	if (rc == MPI_SUCCESS && n > 0 && (!sched_given(said->displs) || !said->types))
		rc = fail_with(MPI_ERR_ARG,
			"the array of displacements or datatypes for %s is a null pointer",
			said->name);
	return rc;
}

int coll_typed_use(struct coll_run *run, enum sched_buf which, const struct coll_said *said, int n)
{
	struct coll_typed *typed;
	int rc = check_arrays(said, n);

	if (rc != MPI_SUCCESS)
		return rc;
	typed = typed_new(n);
	if (!typed)
		return fail_with(MPI_ERR_NO_MEM, "no memory for %d blocks", n);
	coll_run_use(run, which, said->buf, type_bytes());
	run->buf[which].typed = typed;
	for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
		rc = add_block(typed, said, i);
		if (rc == MPI_SUCCESS)
			typed->spans[i].buf = which;
	}
	return rc;
}

/* What is sent in place goes through scratch memory, packed: where each block begins there. */
static int packed_offsets(struct coll_run *run, int n, const size_t **offsets)
{
	const struct coll_typed *typed = run->buf[SCHED_OUT].typed;
	size_t sum = 0;

	run->offsets = malloc(((size_t)n + 1) * sizeof *run->offsets);
	if (!run->offsets)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the offsets of %d blocks", n);
	for (int i = 0; i < n; i++) {
		run->offsets[i] = sum;
		sum += typed->spans[i].n * typed->types[i]->size;
		if (sum > PTRDIFF_MAX)
			return fail_with(MPI_ERR_COUNT,
				"the blocks of recvbuf are together larger than all memory");
	}
	run->offsets[n] = sum;
	*offsets = run->offsets;
	return MPI_SUCCESS;
}

/* The two buffers may be the same memory as long as the blocks are not: for example a field with
 * its borders. */
int coll_typed_check_apart(const struct coll_run *run)
{
	const struct coll_buffer *in = &run->buf[SCHED_IN], *out = &run->buf[SCHED_OUT];

	for (int i = 0; i < in->typed->n && i < out->typed->n; i++) {
		const struct sched_span *a = &in->typed->spans[i], *b = &out->typed->spans[i];

		if (a->n > 0 && b->n > 0 && in->typed->types[i] == out->typed->types[i] &&
			coll_run_span_at(run, *a) == coll_run_span_at(run, *b))
			return fail_with(MPI_ERR_BUFFER,
				"block %d of sendbuf and of recvbuf are the same memory", i);
	}
	return MPI_SUCCESS;
}

/* Between the two groups of an intercommunicator: each block for itself. */
static void plan_between(struct coll_run *run)
{
	const struct coll_typed *in = run->buf[SCHED_IN].typed, *out = run->buf[SCHED_OUT].typed;

	for (int i = 0; i < out->n; i++) {
		sched_recv_some(&run->s, i, out->spans[i]);
		sched_send_some(&run->s, i, in->spans[i]);
	}
	sched_round(&run->s);
}

int coll_typed_alltoallw(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct sched_layout l = {.in_place = call->send.buf == MPI_IN_PLACE && !c->remote};
	int rc;

	rc = coll_typed_use(run, SCHED_OUT, &call->recv, c->npeers);
	if (rc == MPI_SUCCESS && l.in_place)
		rc = packed_offsets(run, c->npeers, &l.tmp.offsets);
	else if (rc == MPI_SUCCESS)
		rc = coll_typed_use(run, SCHED_IN, &call->send, c->npeers);
	if (rc == MPI_SUCCESS && !l.in_place)
		rc = coll_typed_check_apart(run);
	if (rc == MPI_SUCCESS && c->remote)
		plan_between(run);
	if (rc != MPI_SUCCESS || c->remote)
		return rc;
	l.out = coll_typed_blocks(run, SCHED_OUT);
	if (!l.in_place)
		l.in = coll_typed_blocks(run, SCHED_IN);
	sched_alltoall_window(&run->s, &run->at, &l, COLL_WINDOW);
	return MPI_SUCCESS;
}
