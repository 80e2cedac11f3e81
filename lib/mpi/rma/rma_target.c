/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The target's part: messages of origins are checked and handled, one at a time, with the engine
 * lock held. So accumulates are atomic, and those of one origin happen in the order in which it
 * sent them. Operations without a result are answered together, by their number.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/type/layout.h"
#include "rma_question.h"

/* ---- answers ---- */

static void acknowledge(struct win *w, int origin)
{
	struct win_peer *p = &w->peers[origin];
	unsigned done = p->done;

	p->done = 0;
	if (done)
		rma_message_answer(w, origin, (struct rma_head){.kind = RMA_DONE, .bytes = done});
}

static void acknowledge_window(struct win *w, void *arg)
{
	(void)arg;
	if (!w->owes)
		return;
	w->owes = false;
	for (int i = 0; i < win_size(w); i++)
		acknowledge(w, i);
}

void rma_target_acknowledge_all(void)
{
	win_each(acknowledge_window, NULL);
}

static void done(struct rma_question *q)
{
	q->w->peers[q->origin].done++;
	q->w->owes = true;
}

static void refuse(struct rma_question *q, int errclass)
{
	acknowledge(q->w, q->origin);
	rma_message_answer(q->w, q->origin,
		(struct rma_head){.kind = RMA_FAILED, .value = (uint32_t)errclass});
}

/* A message with a copy of the data that is here now. NULL: the operation was refused. */
static struct rma_message *answer_with_data(struct rma_question *q)
{
	size_t bytes = q->area.count * q->type.size;
	struct rma_message *answer = rma_message_new(0, bytes);

	if (!answer) {
		refuse(q, MPI_ERR_NO_MEM);
		return NULL;
	}
	answer->wire.kind = RMA_DATA;
	answer->wire.bytes = bytes;
	type_pack(&q->type, q->area.base, q->area.count, answer->bytes);
	return answer;
}

static void send_data(struct rma_question *q, struct rma_message *answer)
{
	acknowledge(q->w, q->origin);
	if (rma_message_send(q->w, q->origin, answer) == MPI_ERR_NO_MEM)
		rma_message_invalid(q->w, q->origin, "no memory for an answer");
}

/* ---- operations ---- */

static void put(struct rma_question *q)
{
	rma_understand_length(q, q->message->wire.bytes);
	type_unpack(&q->type, q->area.base, q->area.count, q->data, q->data_len);
	done(q);
}

static void get(struct rma_question *q)
{
	struct rma_message *answer;

	rma_understand_length(q, 0);
	answer = answer_with_data(q);
	if (answer)
		send_data(q, answer);
}

static void accumulate(struct rma_question *q)
{
	rma_understand_op(q);
	rma_understand_length(q, q->message->wire.bytes);
	if (rma_memory_combine(&q->area, q->data, q->op, q->basic))
		done(q);
	else
		refuse(q, MPI_ERR_NO_MEM);
}

static void get_accumulate(struct rma_question *q)
{
	struct rma_message *answer;

	rma_understand_op(q);
	rma_understand_length(q, q->op->handle == MPI_NO_OP ? 0 : q->message->wire.bytes);
	answer = answer_with_data(q);
	if (!answer)
		return;
	if (rma_memory_combine(&q->area, q->data, q->op, q->basic)) {
		send_data(q, answer);
	} else {
		free(answer);
		refuse(q, MPI_ERR_NO_MEM);
	}
}

static void compare_and_swap(struct rma_question *q)
{
	size_t size = q->message->wire.bytes;
	struct rma_message *answer;

	rma_understand_length(q, 2 * size);
	answer = answer_with_data(q);
	if (!answer)
		return;
	if (memcmp(answer->bytes, q->data + size, size) == 0)
		type_unpack(&q->type, q->area.base, q->area.count, q->data, size);
	send_data(q, answer);
}

static void touch(struct rma_question *q)
{
	switch ((enum rma_kind)q->message->wire.kind) {
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
static void operate(struct win *w, int origin, const struct rma_message *m)
{
	size_t layout_len = m->wire.layout_len, at = rma_message_data_at(layout_len);
	struct rma_question q = {.w = w, .origin = origin, .message = m};
	bool here;

	if (at > m->len)
		rma_message_invalid(w, origin, "a layout that is too long");
	q.data = m->bytes + at;
	q.data_len = m->len - at;
	here = layout_len ? rma_understand_layout(&q) : rma_understand_run(&q);
	if (here)
		touch(&q);
	else
		refuse(&q, MPI_ERR_RMA_RANGE);
	if (layout_len)
		layout_release(q.type.layout);
}

void rma_target_handle(struct win *w, int origin, const struct rma_message *m)
{
	switch ((enum rma_kind)m->wire.kind) {
	case RMA_PUT:
	case RMA_GET:
	case RMA_ACCUMULATE:
	case RMA_GET_ACCUMULATE:
	case RMA_COMPARE_AND_SWAP:
		operate(w, origin, m);
		break;
	case RMA_LOCK_SHARED:
	case RMA_LOCK_EXCLUSIVE:
		rma_turns_queue(w, origin, m->wire.kind == RMA_LOCK_EXCLUSIVE);
		break;
	case RMA_UNLOCK:
		rma_turns_end(w, origin);
		break;
	case RMA_POST:
		w->peers[origin].posts++;
		break;
	case RMA_COMPLETE:
		w->peers[origin].completed++;
		break;
	default:
		rma_message_invalid(w, origin, "a word that does not exist");
	}
}
