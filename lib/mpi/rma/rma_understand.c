/* SPDX-License-Identifier: BSD-3-Clause */
/* The operation that an origin asks for is checked before any memory is touched. */
#include "mpi/type/type_table.h"
#include "rma_layout.h"
#include "rma_question.h"

static bool area_is_here(const struct rma_question *q)
{
	const struct rma_head *head = &q->message->wire;
	int64_t low, high;

	if (!rma_layout_bounds(q->type.layout, head->count, head->extent, &low, &high))
		return false;
	if (__builtin_add_overflow(low, (int64_t)head->at, &low) ||
		__builtin_add_overflow(high, (int64_t)head->at, &high))
		return false;
	return win_memory_has(q->w, low, high);
}

struct shifted {
	const struct win *w;
	int64_t at;
};

static bool run_is_here(void *arg, int64_t low, int64_t high)
{
	struct shifted *e = arg;

	return !__builtin_add_overflow(low, e->at, &low) &&
	       !__builtin_add_overflow(high, e->at, &high) && win_memory_has(e->w, low, high);
}

/* Only the memory of a dynamic window may have gaps. */
static bool runs_are_here(const struct rma_question *q)
{
	const struct rma_head *head = &q->message->wire;
	struct shifted e = {q->w, (int64_t)head->at};

	return q->w->flavor == MPI_WIN_FLAVOR_DYNAMIC &&
	       rma_layout_runs(q->type.layout, head->count, head->extent, run_is_here, &e);
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
	const struct rma_head *head = &q->message->wire;
	int64_t high;

	q->type = *type_bytes();
	q->area = (struct rma_area){address(q->w, head->at), (size_t)head->bytes, &q->type};
	return head->bytes <= INT64_MAX && (int64_t)head->at >= 0 &&
	       !__builtin_add_overflow((int64_t)head->at, (int64_t)head->bytes, &high) &&
	       win_memory_has(q->w, (int64_t)head->at, high);
}

bool rma_understand_layout(struct rma_question *q)
{
	const struct rma_head *head = &q->message->wire;
	uint64_t bytes;

	q->type = (struct type){.layout = rma_layout_read(q->message->bytes, head->layout_len),
		.extent = head->extent};
	if (!q->type.layout || head->count == 0 ||
		__builtin_mul_overflow(head->count, q->type.layout->size, &bytes) ||
		bytes != head->bytes)
		rma_message_invalid(q->w, q->origin, "a layout");
	q->type.size = q->type.layout->size;
	q->area = (struct rma_area){address(q->w, head->at), (size_t)head->count, &q->type};
	return area_is_here(q) || runs_are_here(q);
}

void rma_understand_op(struct rma_question *q)
{
	const struct rma_head *head = &q->message->wire;
	MPI_Op op = (MPI_Op)(uintptr_t)head->op;

	q->basic = type_predefined((MPI_Datatype)(uintptr_t)head->basic);
	if (!q->basic || q->basic->size == 0 || head->bytes % q->basic->size)
		rma_message_invalid(q->w, q->origin, "a datatype");
	if (!handle_is_predefined(op) || op_lookup(op, &q->op) != MPI_SUCCESS)
		rma_message_invalid(q->w, q->origin, "an operator");
	if (op != MPI_REPLACE && op != MPI_NO_OP && op_check(q->op, q->basic) != MPI_SUCCESS)
		rma_message_invalid(q->w, q->origin, "an operator for such elements");
}

void rma_understand_length(const struct rma_question *q, uint64_t bytes)
{
	if (q->data_len != bytes)
		rma_message_invalid(q->w, q->origin, "data of another length");
}
