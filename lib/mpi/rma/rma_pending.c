/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an origin has asked and not been answered: noted for each target in the order in which it
 * was asked, which is the order of the answers; and waiting for them.
 */
#include <stdlib.h>

#include "mpi/handle/fail.h"
#include "mpi/p2p/request.h"
#include "rma.h"

/* Questions that were asked of one target, one after the other: `count` that bring nothing, or one
 * that somebody waits for. */
struct rma_asked {
	struct link link;
	unsigned count;
	bool brings;
	struct rma_area result; /* the type is held */
	struct request *request;
};

/* One of its questions has its answer, or was not asked. */
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

static struct rma_asked *asked_new(struct win_peer *p)
{
	struct rma_asked *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	list_append(&p->asked, &a->link);
	return a;
}

static struct rma_asked *newest(struct win_peer *p)
{
	return container_of(p->asked.prev, struct rma_asked, link);
}

/* One more that brings nothing: the last entry counts them. */
static bool ask_plain(struct win_peer *p)
{
	struct rma_asked *last = list_empty(&p->asked) ? NULL : newest(p);

	if (!last || last->brings)
		last = asked_new(p);
	if (!last)
		return false;
	last->count++;
	p->unanswered++;
	return true;
}

void rma_forget_question(struct win_peer *p)
{
	settle(p, newest(p));
}

bool rma_note_question(struct win_peer *p, const struct rma_call *c)
{
	struct rma_asked *a;

	if (!c->result.type)
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

int rma_ask_unlock(struct win *w, int target)
{
	int rc;

	if (!ask_plain(&w->peers[target]))
		return fail_with(MPI_ERR_NO_MEM, "no memory to give back a lock");
	rc = rma_tell(w, target, (struct rma_head){.kind = RMA_UNLOCK});
	if (rc)
		rma_forget_question(&w->peers[target]);
	return rc;
}

static void complete(struct request *r)
{
	if (r)
		request_complete(r, MPI_SUCCESS);
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
		return fail_with(error,
			"rank %d refused an operation: it was not in the memory of window %s there",
			w->error_rank, win_label(w));
	return fail_with(
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

static void await_answers(struct win *w, void *arg)
{
	struct quiet q = {w, 0, win_size(w), false};

	(void)arg;
	rma_wait(is_quiet, &q);
}

void rma_settle(void)
{
	win_each(await_answers, NULL);
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
