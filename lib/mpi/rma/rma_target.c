/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The target's part: words of origins are checked and obeyed, one at a time, with the engine lock
 * held; so accumulates are atomic, and those of one origin happen in the order in which it asked.
 * What was merely done is answered together, by a number.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/type/type_layout.h"
#include "rma_question.h"

/* ---- answers ---- */

void rma_reply(struct win *w, int origin, struct rma_head say)
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
		rma_reply(w, origin, (struct rma_head){.kind = RMA_DONE, .bytes = done});
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

static void done(struct rma_question *q)
{
	q->w->peers[q->origin].done++;
	q->w->owes = true;
}

static void refuse(struct rma_question *q, int errclass)
{
	rma_answer(q->w, q->origin);
	rma_reply(q->w, q->origin,
		(struct rma_head){.kind = RMA_FAILED, .value = (uint32_t)errclass});
}

/* Words with room for the data that is here now; NULL: it was refused. */
static struct rma_words *answer_with_data(struct rma_question *q)
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

static void say_data(struct rma_question *q, struct rma_words *answer)
{
	rma_answer(q->w, q->origin);
	if (rma_say(q->w, q->origin, answer) == MPI_ERR_NO_MEM)
		rma_nonsense(q->w, q->origin, "no memory for an answer");
}

/* ---- obeying ---- */

static void put(struct rma_question *q)
{
	rma_must_have(q, q->words->say.bytes);
	type_unpack(&q->type, q->area.base, q->area.count, q->data, q->data_len);
	done(q);
}

static void get(struct rma_question *q)
{
	struct rma_words *answer;

	rma_must_have(q, 0);
	answer = answer_with_data(q);
	if (answer)
		say_data(q, answer);
}

static void accumulate(struct rma_question *q)
{
	rma_understand_op(q);
	rma_must_have(q, q->words->say.bytes);
	if (rma_combine(&q->area, q->data, q->op, q->basic))
		done(q);
	else
		refuse(q, MPI_ERR_NO_MEM);
}

static void get_accumulate(struct rma_question *q)
{
	struct rma_words *answer;

	rma_understand_op(q);
	rma_must_have(q, q->op->handle == MPI_NO_OP ? 0 : q->words->say.bytes);
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

static void compare_and_swap(struct rma_question *q)
{
	size_t size = q->words->say.bytes;
	struct rma_words *answer;

	rma_must_have(q, 2 * size);
	answer = answer_with_data(q);
	if (!answer)
		return;
	if (memcmp(answer->bytes, q->data + size, size) == 0)
		type_unpack(&q->type, q->area.base, q->area.count, q->data, size);
	say_data(q, answer);
}

static void touch(struct rma_question *q)
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
	struct rma_question q = {.w = w, .origin = origin, .words = words};
	bool here;

	if (at > words->len)
		rma_nonsense(w, origin, "a layout that is too long");
	q.data = words->bytes + at;
	q.data_len = words->len - at;
	here = layout_len ? rma_understand_layout(&q) : rma_understand_run(&q);
	if (here)
		touch(&q);
	else
		refuse(&q, MPI_ERR_RMA_RANGE);
	if (layout_len)
		layout_release(q.type.layout);
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
		rma_queue_turn(w, origin, words->say.kind == RMA_LOCK_EXCLUSIVE);
		break;
	case RMA_UNLOCK:
		rma_end_turn(w, origin);
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
