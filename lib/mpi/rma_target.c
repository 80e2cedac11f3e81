/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The target's part: words of origins are checked and obeyed, one at a time, with the engine lock
 * held; so accumulates are atomic, and those of one origin happen in the order in which it asked.
 * What was merely done is answered together, by a number.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "rma.h"
#include "rma_layout.h"
#include "type_table.h"

/* What an origin asks to be done, as understood. */
struct question {
	struct win *w;
	int origin;
	const struct rma_words *words;
	const uint8_t *data;
	size_t data_len;
	struct type type; /* of the data here */
	struct rma_area area;
	struct op *op;
	struct type *basic;
};

/* ---- answers ---- */

/* It failed only when there is no memory or the origin is gone: then nobody waits, or for ever. */
static void tell(struct win *w, int origin, struct rma_head say)
{
	if (rma_tell(w, origin, say) == MPI_ERR_NO_MEM)
		rma_nonsense(w, origin, "no memory for an answer");
}

void rma_answer(struct win *w, int origin)
{
	struct win_peer *p = &w->peers[origin];
	unsigned done = p->done;

	p->done = 0;
	if (done)
		tell(w, origin, (struct rma_head){.kind = RMA_DONE, .bytes = done});
}

static void answer_window(struct win *w, void *arg)
{
	(void)arg;
	if (!w->owes)
		return;
	w->owes = false;
	for (int i = 0; i < win_size(w); i++)
		rma_answer(w, i);
}

void rma_answer_all(void)
{
	win_each(answer_window, NULL);
}

static void done(struct question *q)
{
	q->w->peers[q->origin].done++;
	q->w->owes = true;
}

static void refuse(struct question *q, int errclass)
{
	rma_answer(q->w, q->origin);
	tell(q->w, q->origin, (struct rma_head){.kind = RMA_FAILED, .value = (uint32_t)errclass});
}

/* Words with room for the data that is here now; NULL: it was refused. */
static struct rma_words *answer_with_data(struct question *q)
{
	size_t bytes = q->area.count * q->type.size;
	struct rma_words *answer = rma_words_new(0, bytes);

	if (!answer) {
		refuse(q, MPI_ERR_NO_MEM);
		return NULL;
	}
	answer->say.kind = RMA_DATA;
	answer->say.bytes = bytes;
	type_pack(&q->type, q->area.base, q->area.count, answer->bytes);
	return answer;
}

static void say_data(struct question *q, struct rma_words *answer)
{
	rma_answer(q->w, q->origin);
	if (rma_say(q->w, q->origin, answer) == MPI_ERR_NO_MEM)
		rma_nonsense(q->w, q->origin, "no memory for an answer");
}

/* ---- understanding ---- */

static bool is_within(void *arg, int64_t low, int64_t high)
{
	return win_has(arg, low, high);
}

/* Only a dynamic window may have its data here and there. */
static bool area_is_here(const struct question *q)
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

static bool runs_are_here(const struct question *q)
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

static bool understand_run(struct question *q)
{
	const struct rma_head *say = &q->words->say;
	int64_t high;

	q->type = *type_bytes();
	q->area = (struct rma_area){address(q->w, say->at), (size_t)say->bytes, &q->type};
	return say->bytes <= INT64_MAX && (int64_t)say->at >= 0 &&
	       !__builtin_add_overflow((int64_t)say->at, (int64_t)say->bytes, &high) &&
	       is_within(q->w, (int64_t)say->at, high);
}

/* The layout is the question's to release. */
static bool understand_layout(struct question *q)
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

/* The operator and the elements it is for. */
static void understand_op(struct question *q)
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

static void must_have(const struct question *q, uint64_t bytes)
{
	if (q->data_len != bytes)
		rma_nonsense(q->w, q->origin, "data of another length");
}

/* ---- obeying ---- */

static void put(struct question *q)
{
	must_have(q, q->words->say.bytes);
	type_unpack(&q->type, q->area.base, q->area.count, q->data, q->data_len);
	done(q);
}

static void get(struct question *q)
{
	struct rma_words *answer;

	must_have(q, 0);
	answer = answer_with_data(q);
	if (answer)
		say_data(q, answer);
}

static void accumulate(struct question *q)
{
	understand_op(q);
	must_have(q, q->words->say.bytes);
	if (rma_combine(&q->area, q->data, q->op, q->basic))
		done(q);
	else
		refuse(q, MPI_ERR_NO_MEM);
}

static void get_accumulate(struct question *q)
{
	struct rma_words *answer;

	understand_op(q);
	must_have(q, q->op->handle == MPI_NO_OP ? 0 : q->words->say.bytes);
	answer = answer_with_data(q);
	if (!answer)
		return;
	if (rma_combine(&q->area, q->data, q->op, q->basic)) {
		say_data(q, answer);
	} else {
		free(answer);
		refuse(q, MPI_ERR_NO_MEM);
	}
}

static void compare_and_swap(struct question *q)
{
	size_t size = q->words->say.bytes;
	struct rma_words *answer;

	must_have(q, 2 * size);
	answer = answer_with_data(q);
	if (!answer)
		return;
	if (memcmp(answer->bytes, q->data + size, size) == 0)
		type_unpack(&q->type, q->area.base, q->area.count, q->data, size);
	say_data(q, answer);
}

static void touch(struct question *q)
{
	switch ((enum rma_kind)q->words->say.kind) {
	case RMA_PUT:
		put(q);
		break;
	case RMA_GET:
		get(q);
		break;
	case RMA_ACCUMULATE:
		accumulate(q);
		break;
	case RMA_GET_ACCUMULATE:
		get_accumulate(q);
		break;
	default:
		compare_and_swap(q);
	}
}

/* What touches this rank's memory. */
static void ask(struct win *w, int origin, const struct rma_words *words)
{
	size_t layout_len = words->say.layout_len, at = rma_data_at(layout_len);
	struct question q = {.w = w, .origin = origin, .words = words};
	bool here;

	if (at > words->len)
		rma_nonsense(w, origin, "a layout that is too long");
	q.data = words->bytes + at;
	q.data_len = words->len - at;
	here = layout_len ? understand_layout(&q) : understand_run(&q);
	if (here)
		touch(&q);
	else
		refuse(&q, MPI_ERR_RMA_RANGE);
	if (layout_len)
		layout_release(q.type.layout);
}

/* ---- the lock ---- */

static void grant_turns(struct win *w)
{
	struct link *item;

	while ((item = list_first(&w->turns))) {
		struct win_turn *t = container_of(item, struct win_turn, link);

		if (w->exclusive || (t->exclusive && w->shared))
			return;
		w->exclusive = t->exclusive;
		w->shared += !t->exclusive;
		w->peers[t->origin].holds = true;
		w->peers[t->origin].queues = false;
		tell(w, t->origin, (struct rma_head){.kind = RMA_GRANTED});
		list_remove(item);
		free(t);
	}
}

/* First come, first served: a stream of shared ones does not keep an exclusive one waiting. */
static void queue_turn(struct win *w, int origin, bool exclusive)
{
	struct win_peer *p = &w->peers[origin];
	struct win_turn *t;

	if (p->holds || p->queues)
		rma_nonsense(w, origin, "it wants a second lock");
	t = malloc(sizeof *t);
	if (!t)
		rma_nonsense(w, origin, "no memory for one more that waits for a lock");
	p->queues = true;
	*t = (struct win_turn){.origin = origin, .exclusive = exclusive};
	list_append(&w->turns, &t->link);
	grant_turns(w);
}

static void unlock(struct win *w, int origin)
{
	struct win_peer *p = &w->peers[origin];

	if (!p->holds)
		rma_nonsense(w, origin, "the end of a lock that it does not hold");
	p->holds = false;
	if (w->exclusive)
		w->exclusive = false;
	else
		w->shared--;
	p->done++;
	w->owes = true;
	grant_turns(w);
}

void rma_obey(struct win *w, int origin, const struct rma_words *words)
{
	switch ((enum rma_kind)words->say.kind) {
	case RMA_PUT:
	case RMA_GET:
	case RMA_ACCUMULATE:
	case RMA_GET_ACCUMULATE:
	case RMA_COMPARE_AND_SWAP:
		ask(w, origin, words);
		break;
	case RMA_LOCK_SHARED:
	case RMA_LOCK_EXCLUSIVE:
		queue_turn(w, origin, words->say.kind == RMA_LOCK_EXCLUSIVE);
		break;
	case RMA_UNLOCK:
		unlock(w, origin);
		break;
	case RMA_POST:
		w->peers[origin].posts++;
		break;
	case RMA_COMPLETE:
		w->peers[origin].completed++;
		break;
	default:
		rma_nonsense(w, origin, "a word that does not exist");
	}
}
