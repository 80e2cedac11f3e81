/* SPDX-License-Identifier: BSD-3-Clause */
/* What an origin asks for, checked before any memory is touched. */
#include "mpi/type/type_table.h"
#include "rma_layout.h"
#include "rma_question.h"

static bool is_within(void *arg, int64_t low, int64_t high)
{
	return win_has(arg, low, high);
}

/* Only a dynamic window may have its data here and there. */
static bool area_is_here(const struct rma_question *q)
{
	const struct rma_head *say = &q->words->say;
	int64_t low, high;

	if (!rma_layout_bounds(q->type.layout, say->count, say->extent, &low, &high))
		return false;
	if (__builtin_add_overflow(low, (int64_t)say->at, &low) ||
		__builtin_add_overflow(high, (int64_t)say->at, &high))
		return false;
	return win_has(q->w, low, high);
}

struct elsewhere {
	const struct win *w;
	int64_t at;
};

static bool run_is_here(void *arg, int64_t low, int64_t high)
{
	struct elsewhere *e = arg;

	return !__builtin_add_overflow(low, e->at, &low) &&
	       !__builtin_add_overflow(high, e->at, &high) && win_has(e->w, low, high);
}

static bool runs_are_here(const struct rma_question *q)
{
	const struct rma_head *say = &q->words->say;
	struct elsewhere e = {q->w, (int64_t)say->at};

	return q->w->flavor == MPI_WIN_FLAVOR_DYNAMIC &&
	       rma_layout_runs(q->type.layout, say->count, say->extent, run_is_here, &e);
}

/* An address in this process of byte `at` of the window. */
static void *address(const struct win *w, uint64_t at)
{
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return (void *)(uintptr_t)at;
	return (void *)((uintptr_t)w->base + at);
}

bool rma_understand_run(struct rma_question *q)
{
	const struct rma_head *say = &q->words->say;
	int64_t high;

	q->type = *type_bytes();
	q->area = (struct rma_area){address(q->w, say->at), (size_t)say->bytes, &q->type};
	return say->bytes <= INT64_MAX && (int64_t)say->at >= 0 &&
	       !__builtin_add_overflow((int64_t)say->at, (int64_t)say->bytes, &high) &&
	       is_within(q->w, (int64_t)say->at, high);
}

bool rma_understand_layout(struct rma_question *q)
{
	const struct rma_head *say = &q->words->say;
	uint64_t bytes;

	q->type = (struct type){
		.layout = rma_layout_read(q->words->bytes, say->layout_len), .extent = say->extent};
	if (!q->type.layout || say->count == 0 ||
		__builtin_mul_overflow(say->count, q->type.layout->size, &bytes) ||
		bytes != say->bytes)
		rma_nonsense(q->w, q->origin, "a layout");
	q->type.size = q->type.layout->size;
	q->area = (struct rma_area){address(q->w, say->at), (size_t)say->count, &q->type};
	return area_is_here(q) || runs_are_here(q);
}

void rma_understand_op(struct rma_question *q)
{
	const struct rma_head *say = &q->words->say;
	MPI_Op op = (MPI_Op)(uintptr_t)say->op;

	q->basic = type_predefined((MPI_Datatype)(uintptr_t)say->basic);
	if (!q->basic || q->basic->size == 0 || say->bytes % q->basic->size)
		rma_nonsense(q->w, q->origin, "a datatype");
	if (!handle_is_predefined(op) || op_lookup(op, &q->op) != MPI_SUCCESS)
		rma_nonsense(q->w, q->origin, "an operator");
	if (op != MPI_REPLACE && op != MPI_NO_OP && op_check(q->op, q->basic) != MPI_SUCCESS)
		rma_nonsense(q->w, q->origin, "an operator for such elements");
}

void rma_must_have(const struct rma_question *q, uint64_t bytes)
{
	if (q->data_len != bytes)
		rma_nonsense(q->w, q->origin, "data of another length");
}
