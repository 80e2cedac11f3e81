/* SPDX-License-Identifier: BSD-3-Clause */
/* The origin's part: answers of targets. They come in the order of the operations. */
#include "mpi/p2p/request.h"
#include "rma.h"

static struct rma_pending *oldest(struct win *w, int target)
{
	struct rma_pending *p = rma_pending_oldest(&w->peers[target]);

	if (!p)
		rma_message_invalid(w, target, "an answer to no question");
	return p;
}

static void handle_done(struct win *w, int target, uint64_t n)
{
	if (n > w->peers[target].unanswered)
		rma_message_invalid(w, target, "too many answers");
	while (n-- > 0) {
		struct rma_pending *p = oldest(w, target);

		if (p->brings)
			rma_message_invalid(w, target, "an answer without data");
		rma_pending_done(&w->peers[target], p);
	}
}

static void handle_data(struct win *w, int target, const struct rma_message *m)
{
	struct rma_pending *p = oldest(w, target);
	struct rma_area *to = &p->result;

	if (!p->brings || m->len != m->wire.bytes || m->len > to->count * to->type->size)
		rma_message_invalid(w, target, "data that nobody asked for");
	type_unpack(to->type, to->base, to->count, m->bytes, m->len);
	if (p->request)
		request_complete(p->request, MPI_SUCCESS);
	rma_pending_done(&w->peers[target], p);
}

/* The error is the request's; without a request, that of the call that ends the epoch. */
static void handle_failed(struct win *w, int target, uint32_t errclass)
{
	struct rma_pending *p = oldest(w, target);

	if (errclass == MPI_SUCCESS || errclass > MPI_ERR_LASTCODE)
		rma_message_invalid(w, target, "an error that does not exist");
	if (p->request) {
		request_complete(p->request, (int)errclass);
	} else if (!w->error) {
		w->error = (int)errclass;
		w->error_rank = target;
	}
	rma_pending_done(&w->peers[target], p);
}

void rma_answer_handle(struct win *w, int target, const struct rma_message *m)
{
	struct win_peer *p = &w->peers[target];

	switch ((enum rma_kind)m->wire.kind) {
	case RMA_DONE:
		handle_done(w, target, m->wire.bytes);
		break;
	case RMA_DATA:
		handle_data(w, target, m);
		break;
	case RMA_FAILED:
		handle_failed(w, target, m->wire.value);
		break;
	default:
		if (!p->waits)
			rma_message_invalid(w, target, "a lock that nobody waits for");
		p->waits = false;
	}
}
