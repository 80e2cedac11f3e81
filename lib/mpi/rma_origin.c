/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The origin's part: operations become questions to the target, who answers them in order. What
 * brings nothing back (puts, accumulates, unlocks) is only counted. What this process can reach
 * itself it does at once: its own memory all of it, that of a shared window what need not be
 * atomic.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "engine.h"
#include "request.h"
#include "rma.h"
#include "rma_layout.h"

/* Of one target: an operation that would make it more waits. It bounds the memory that a flood of
 * them takes on both sides. */
enum { UNANSWERED_MOST = 512 };
#define UNSENT_MOST ((size_t)64 << 20)

/* Questions that were asked of one target, one after the other: `count` that bring nothing, or one
 * that somebody waits for. */
struct rma_asked {
	struct link link;
	unsigned count;
	bool brings;
	struct rma_area result; /* the type is held */
	struct request *request;
};

/* ---- the calls ---- */

static int no_memory(const struct rma_call *c)
{
	return api_fail(MPI_ERR_NO_MEM, "no memory for %zu bytes at rank %d of window %s",
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
		return api_fail(
			MPI_ERR_DISP, "displacement %lld cannot be reached", (long long)c->disp);
	if (c->w->flavor == MPI_WIN_FLAVOR_DYNAMIC || (low >= 0 && (uint64_t)high <= p->size))
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_RMA_RANGE,
		"bytes %lld to %lld are not in the window of rank %d, which has %llu",
		(long long)low, (long long)high - 1, c->target, (unsigned long long)p->size);
}

static bool bring(const struct rma_call *c)
{
	return c->result.type != NULL;
}

/* ---- at once ---- */

/* Of this process's own memory a dynamic window may have some or not. */
static char *reach(const struct rma_call *c, int64_t at)
{
	char *near = c->w->peers[c->target].near;
	int64_t low, high;

	if (near)
		return near + at;
	if (c->w->flavor != MPI_WIN_FLAVOR_DYNAMIC || c->target != win_rank(c->w) ||
		!bounds(c, at, &low, &high) || !win_has(c->w, low, high))
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

/* The origin's data as the operators want it. */
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
	ok = rma_combine(there, packed, c->op, c->basic);
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

static struct rma_asked *asked_new(struct win_peer *p)
{
	struct rma_asked *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	list_append(&p->asked, &a->link);
	return a;
}

/* One more that brings nothing: the last entry counts them. */
static bool ask_plain(struct win_peer *p)
{
	struct rma_asked *last = NULL;

	if (!list_empty(&p->asked))
		last = container_of(p->asked.prev, struct rma_asked, link);
	if (!last || last->brings)
		last = asked_new(p);
	if (!last)
		return false;
	last->count++;
	p->unanswered++;
	return true;
}

static bool ask_for(struct win_peer *p, const struct rma_call *c)
{
	struct rma_asked *a;

	if (!bring(c))
		return ask_plain(p);
	a = asked_new(p);
	if (!a)
		return false;
	a->count = 1;
	a->brings = true;
	a->request = c->request;
	a->result = c->result;
	type_hold(a->result.type);
	p->results++;
	p->unanswered++;
	return true;
}

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

static struct rma_words *question(const struct rma_call *c, int64_t at)
{
	size_t layout_len = c->type->contiguous ? 0 : rma_layout_bytes(c->type->layout);
	struct rma_words *words;

	if (layout_len > UINT32_MAX)
		return NULL;
	words = rma_words_new(layout_len, data_of(c));
	if (!words)
		return NULL;
	words->say.kind = kind_of(c->what);
	words->say.at = (uint64_t)at;
	words->say.bytes = c->count * c->type->size;
	words->say.count = c->count;
	words->say.extent = c->type->extent;
	words->say.op = c->op ? (uint32_t)(uintptr_t)c->op->handle : 0;
	words->say.basic = c->basic ? (uint32_t)(uintptr_t)c->basic->handle : 0;
	if (layout_len)
		rma_layout_write(c->type->layout, words->bytes);
	write_data(c, words->bytes + rma_data_at(layout_len));
	return words;
}

struct target {
	struct win *w;
	int rank;
};

static bool has_room(void *arg)
{
	const struct target *t = arg;

	return t->w->peers[t->rank].unanswered < UNANSWERED_MOST && rma_unsent() < UNSENT_MOST;
}

static int ask(struct rma_call *c, int64_t at)
{
	struct target t = {c->w, c->target};
	struct rma_words *words;
	int rc = MPI_SUCCESS;

	if (!has_room(&t))
		rc = rma_wait(has_room, &t);
	if (rc)
		return rc;
	words = question(c, at);
	if (!words)
		return no_memory(c);
	if (!ask_for(&c->w->peers[c->target], c)) {
		free(words);
		return no_memory(c);
	}
	return rma_say(c->w, c->target, words);
}

static void complete(struct request *r)
{
	if (r)
		request_complete(r, MPI_SUCCESS);
}

int rma_begin(struct rma_call *c)
{
	struct rma_area there = {NULL, c->count, c->type};
	int64_t at;
	int rc;

	if (c->count * c->type->size == 0) {
		complete(c->request);
		return MPI_SUCCESS;
	}
	rc = check_range(c, &at);
	if (rc)
		return rc;
	there.base = may_be_done_here(c) ? reach(c, at) : NULL;
	if (!there.base)
		return ask(c, at);
	if (!do_here(c, &there))
		return no_memory(c);
	complete(c->request);
	return MPI_SUCCESS;
}

int rma_ask_unlock(struct win *w, int target)
{
	if (!ask_plain(&w->peers[target]))
		return api_fail(MPI_ERR_NO_MEM, "no memory to give back a lock");
	return rma_tell(w, target, (struct rma_head){.kind = RMA_UNLOCK});
}

/* ---- answers ---- */

/* Tell the request, or whoever ends the epoch. */
static void fail(struct win *w, int target, struct rma_asked *a, int errclass)
{
	if (a->request) {
		request_complete(a->request, errclass);
	} else if (!w->error) {
		w->error = errclass;
		w->error_rank = target;
	}
}

/* The oldest question has its answer. */
static void settle(struct win_peer *p, struct rma_asked *a)
{
	p->unanswered--;
	if (--a->count > 0)
		return;
	p->results -= a->brings;
	list_remove(&a->link);
	if (a->brings)
		type_release(a->result.type);
	free(a);
}

static struct rma_asked *oldest(struct win *w, int target)
{
	struct link *first = list_first(&w->peers[target].asked);

	if (!first)
		rma_nonsense(w, target, "an answer to no question");
	return container_of(first, struct rma_asked, link);
}

static void take_done(struct win *w, int target, uint64_t n)
{
	if (n > w->peers[target].unanswered)
		rma_nonsense(w, target, "too many answers");
	while (n-- > 0) {
		struct rma_asked *a = oldest(w, target);

		if (a->brings)
			rma_nonsense(w, target, "an answer without data");
		settle(&w->peers[target], a);
	}
}

static void take_data(struct win *w, int target, const struct rma_words *words)
{
	struct rma_asked *a = oldest(w, target);
	struct rma_area *to = &a->result;

	if (!a->brings || words->len != words->say.bytes || words->len > to->count * to->type->size)
		rma_nonsense(w, target, "data that nobody asked for");
	type_unpack(to->type, to->base, to->count, words->bytes, words->len);
	complete(a->request);
	settle(&w->peers[target], a);
}

static void take_failed(struct win *w, int target, uint32_t errclass)
{
	struct rma_asked *a = oldest(w, target);

	if (errclass == MPI_SUCCESS || errclass > MPI_ERR_LASTCODE)
		rma_nonsense(w, target, "an error that does not exist");
	fail(w, target, a, (int)errclass);
	settle(&w->peers[target], a);
}

void rma_answered(struct win *w, int target, const struct rma_words *words)
{
	struct win_peer *p = &w->peers[target];

	switch ((enum rma_kind)words->say.kind) {
	case RMA_DONE:
		take_done(w, target, words->say.bytes);
		break;
	case RMA_DATA:
		take_data(w, target, words);
		break;
	case RMA_FAILED:
		take_failed(w, target, words->say.value);
		break;
	default:
		if (!p->waits)
			rma_nonsense(w, target, "a lock that nobody waits for");
		p->waits = false;
	}
}

/* ---- waiting ---- */

struct quiet {
	struct win *w;
	int from, to; /* targets, `to` not included */
	bool local;
};

static bool is_quiet(void *arg)
{
	struct quiet *q = arg;

	for (; q->from < q->to; q->from++) {
		const struct win_peer *p = &q->w->peers[q->from];

		if (q->local ? p->results : p->unanswered)
			return false;
	}
	return true;
}

/* Errors that targets answered since this was last asked. */
static int tell_error(struct win *w)
{
	int error = w->error;

	w->error = MPI_SUCCESS;
	if (!error)
		return MPI_SUCCESS;
	if (error == MPI_ERR_RMA_RANGE)
		return api_fail(error,
			"rank %d refused an operation: it was not in the memory of window %s there",
			w->error_rank, win_label(w));
	return api_fail(
		error, "rank %d refused an operation on window %s", w->error_rank, win_label(w));
}

static int wait_quiet(struct quiet q)
{
	int rc = rma_wait(is_quiet, &q);

	return rc ? rc : tell_error(q.w);
}

int rma_wait_for(struct win *w, int target, bool local)
{
	return wait_quiet((struct quiet){w, target, target + 1, local});
}

int rma_wait_for_all(struct win *w, bool local)
{
	return wait_quiet((struct quiet){w, 0, win_size(w), local});
}

void rma_forget_asked(struct win *w)
{
	for (int i = 0; i < win_size(w); i++) {
		struct link *item;

		while ((item = list_pop(&w->peers[i].asked))) {
			struct rma_asked *a = container_of(item, struct rma_asked, link);

			if (a->brings)
				type_release(a->result.type);
			free(a);
		}
	}
}
