/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The origin's part: operations become messages to the target, which answers them in order. Those
 * that bring nothing back (puts, accumulates, unlocks) are only counted. What this process can
 * reach without the target it does at once: any operation on its own memory, and in a shared window
 * those that need not be atomic.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/request.h"
#include "rma.h"
#include "rma_layout.h"

/* For one target: an operation beyond this number waits, so that a flood of operations takes a
 * limited amount of memory on both sides. */
enum { UNANSWERED_MOST = 512 };
#define UNSENT_MOST ((size_t)64 << 20)

/* ---- the calls ---- */

static int no_memory(const struct rma_call *c)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for %zu bytes at rank %d of window %s",
		c->count * c->type->size, c->target, win_label(c->w));
}

/* Byte of the window, or address, where the target's data begins. */
static bool place(const struct rma_call *c, int64_t *at)
{
	if (c->w->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
		*at = c->disp;
		return true;
	}
	return !__builtin_mul_overflow(
		(int64_t)c->disp, (int64_t)c->w->peers[c->target].disp_unit, at);
}

static bool bounds(const struct rma_call *c, int64_t at, int64_t *low, int64_t *high)
{
	*low = 0;
	*high = (int64_t)(c->count * c->type->size);
	if (!c->type->contiguous &&
		!rma_layout_bounds(c->type->layout, c->count, c->type->extent, low, high))
		return false;
	return !__builtin_add_overflow(*low, at, low) && !__builtin_add_overflow(*high, at, high);
}

static int check_range(const struct rma_call *c, int64_t *at)
{
	const struct win_peer *p = &c->w->peers[c->target];
	int64_t low, high;

	if (!place(c, at) || !bounds(c, *at, &low, &high))
		return fail_with(
			MPI_ERR_DISP, "displacement %lld cannot be reached", (long long)c->disp);
	if (c->w->flavor == MPI_WIN_FLAVOR_DYNAMIC || (low >= 0 && (uint64_t)high <= p->size))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RMA_RANGE,
		"bytes %lld to %lld are not in the window of rank %d, which has %llu",
		(long long)low, (long long)high - 1, c->target, (unsigned long long)p->size);
}

/* ---- at once ---- */

/* An address in this process of what the target has at `at`; NULL: it cannot be reached from here.
 * A dynamic window has only the parts of this process's memory that are attached. */
static char *reach(const struct rma_call *c, int64_t at)
{
	char *near = c->w->peers[c->target].near;
	int64_t low, high;

	if (near)
		return near + at;
	if (c->w->flavor != MPI_WIN_FLAVOR_DYNAMIC || c->target != win_rank(c->w) ||
		!bounds(c, at, &low, &high) || !win_memory_has(c->w, low, high))
		return NULL;
	return (char *)(uintptr_t)at; // NOLINT(performance-no-int-to-ptr)
}

static bool may_be_done_here(const struct rma_call *c)
{
	return c->target == win_rank(c->w) || c->what == RMA_DO_PUT || c->what == RMA_DO_GET;
}

static bool copy(const struct rma_area *from, const struct rma_area *to)
{
	return type_copy(from->type, from->base, from->count, to->type, to->base, to->count) !=
	       (size_t)-1;
}

/* The origin's data is packed first, as the operators take arrays. */
static bool combine_here(const struct rma_call *c, const struct rma_area *there)
{
	size_t bytes = c->origin.count * (c->origin.type ? c->origin.type->size : 0);
	void *packed;
	bool ok;

	if (c->op->handle == MPI_NO_OP)
		return true;
	packed = malloc(bytes + 1);
	if (!packed)
		return false;
	type_pack(c->origin.type, c->origin.base, c->origin.count, packed);
	ok = rma_memory_combine(there, packed, c->op, c->basic);
	free(packed);
	return ok;
}

static bool do_here(const struct rma_call *c, const struct rma_area *there)
{
	switch (c->what) {
	case RMA_DO_PUT:
		return copy(&c->origin, there);
	case RMA_DO_GET:
		return copy(there, &c->result);
	case RMA_DO_ACCUMULATE:
		return combine_here(c, there);
	case RMA_DO_GET_ACCUMULATE:
		return copy(there, &c->result) && combine_here(c, there);
	case RMA_DO_SWAP:
		memcpy(c->result.base, there->base, c->type->size);
		if (memcmp(there->base, c->compare, c->type->size) == 0)
			memcpy(there->base, c->origin.base, c->type->size);
	}
	return true;
}

/* ---- asking ---- */

static uint32_t kind_of(enum rma_what what)
{
	static const uint32_t kinds[] = {
		[RMA_DO_PUT] = RMA_PUT,
		[RMA_DO_GET] = RMA_GET,
		[RMA_DO_ACCUMULATE] = RMA_ACCUMULATE,
		[RMA_DO_GET_ACCUMULATE] = RMA_GET_ACCUMULATE,
		[RMA_DO_SWAP] = RMA_COMPARE_AND_SWAP,
	};

	return kinds[what];
}

static size_t data_of(const struct rma_call *c)
{
	if (!c->origin.type || (c->op && c->op->handle == MPI_NO_OP))
		return 0;
	return c->origin.count * c->origin.type->size * (c->what == RMA_DO_SWAP ? 2 : 1);
}

static void write_data(const struct rma_call *c, uint8_t *data)
{
	if (!data_of(c))
		return;
	type_pack(c->origin.type, c->origin.base, c->origin.count, data);
	if (c->what == RMA_DO_SWAP)
		memcpy(data + c->type->size, c->compare, c->type->size);
}

static struct rma_message *message_of(const struct rma_call *c, int64_t at)
{
	size_t layout_len = c->type->contiguous ? 0 : rma_layout_bytes(c->type->layout);
	struct rma_message *m;

	if (layout_len > UINT32_MAX)
		return NULL;
	m = rma_message_new(layout_len, data_of(c));
	if (!m)
		return NULL;
	m->wire.kind = kind_of(c->what);
	m->wire.at = (uint64_t)at;
	m->wire.bytes = c->count * c->type->size;
	m->wire.count = c->count;
	m->wire.extent = c->type->extent;
	m->wire.op = c->op ? (uint32_t)(uintptr_t)c->op->handle : 0;
	m->wire.basic = c->basic ? (uint32_t)(uintptr_t)c->basic->handle : 0;
	if (layout_len)
		rma_layout_write(c->type->layout, m->bytes);
	write_data(c, m->bytes + rma_message_data_at(layout_len));
	return m;
}

struct target {
	struct win *w;
	int rank;
};

static bool has_room(void *arg)
{
	const struct target *t = arg;

	return t->w->peers[t->rank].unanswered < UNANSWERED_MOST &&
	       rma_message_unsent() < UNSENT_MOST;
}

static int ask(struct rma_call *c, int64_t at)
{
	struct target t = {c->w, c->target};
	struct win_peer *peer = &c->w->peers[c->target];
	struct rma_message *m;
	int rc = MPI_SUCCESS;

	if (!has_room(&t))
		rc = rma_wait(has_room, &t);
	if (rc)
		return rc;
	m = message_of(c, at);
	if (!m)
		return no_memory(c);
	if (!(c->result.type ? rma_pending_add_result(peer, &c->result, c->request)
			     : rma_pending_add(peer))) {
		free(m);
		return no_memory(c);
	}
	rc = rma_message_send(c->w, c->target, m);
	if (rc)
		rma_pending_undo(peer);
	return rc;
}

int rma_origin_begin(struct rma_call *c)
{
	struct rma_area there = {NULL, c->count, c->type};
	int64_t at;
	int rc;

	engine_assert_held();
	if (c->count * c->type->size > 0) {
		rc = check_range(c, &at);
		if (rc)
			return rc;
		there.base = may_be_done_here(c) ? reach(c, at) : NULL;
		if (!there.base)
			return ask(c, at);
		if (!do_here(c, &there))
			return no_memory(c);
	}
	if (c->request)
		request_complete(c->request, MPI_SUCCESS);
	return MPI_SUCCESS;
}

int rma_origin_unlock(struct win *w, int target)
{
	int rc;

	engine_assert_held();
	if (!rma_pending_add(&w->peers[target]))
		return fail_with(MPI_ERR_NO_MEM, "no memory to give back a lock");
	rc = rma_message_send_head(w, target, (struct rma_head){.kind = RMA_UNLOCK});
	if (rc)
		rma_pending_undo(&w->peers[target]);
	return rc;
}
