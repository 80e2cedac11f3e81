/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages between ranks of a window: their memory, and how they are sent. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"
#include "rma.h"

/* Bytes that were handed to the transport and are not given back yet. */
static size_t unsent;

static struct rma_message *message_alloc(enum object_kind kind, size_t len)
{
	struct rma_message *m = malloc(sizeof *m + len);

	if (!m)
		return NULL;
	memset(m, 0, sizeof *m);
	m->head = (struct object){.kind = kind, .refs = 1};
	m->len = len;
	list_init(&m->link);
	return m;
}

struct rma_message *rma_message_incoming(size_t length)
{
	return message_alloc(OBJECT_RMA_RECEIVED, length - sizeof(struct rma_head));
}

struct rma_message *rma_message_new(size_t layout_len, size_t data)
{
	size_t at = rma_message_data_at(layout_len), len;
	struct rma_message *m;

	if (__builtin_add_overflow(at, data, &len) || len > RMA_MESSAGE_LIMIT)
		return NULL;
	m = message_alloc(OBJECT_RMA_SENT, len);
	if (!m)
		return NULL;
	memset(m->bytes + layout_len, 0, at - layout_len);
	m->wire.layout_len = (uint32_t)layout_len;
	return m;
}

static void forget(struct rma_message *m)
{
	unsent -= m->len;
	free(m);
}

/* What the program has in it. */
static size_t data_in(const struct rma_message *m)
{
	return m->len - rma_message_data_at(m->wire.layout_len);
}

/* A launcher acts on a lost rank, so a message to it is no error: a call that waits for that rank
 * goes on waiting. */
int rma_message_send(struct win *w, int rank, struct rma_message *m)
{
	struct envelope e = {
		.context = w->context, .source = win_rank(w), .stamp = p2p_word_stamp()};
	struct tp_envelope te = envelope_pack(&e);
	int peer = comm_world_rank(w->comm, rank), rc;
	size_t data = data_in(m); /* of m, which may be gone once it is sent */

	engine_assert_held();
	unsent += m->len;
	rc = tp_send(engine_tp(), peer, &te, &m->wire, sizeof m->wire + m->len, TP_UNCOUNTED, m);
	if (rc >= 0)
		p2p_word_sent(peer, w->context);
	if (rc >= 0 && data)
		tp_count_sent(engine_tp(), peer, data);
	if (rc != 0)
		forget(m);
	if (rc >= 0 || (rc == FT_EPEER && !p2p_gone()))
		return MPI_SUCCESS;
	if (rc == FT_EPEER)
		return fail_with(
			MPI_ERR_PROC_ABORTED, "rank %d of the window has left the job", rank);
	return fail_with(
		MPI_ERR_NO_MEM, "no memory for one-sided communication with rank %d", rank);
}

int rma_message_send_head(struct win *w, int rank, struct rma_head head)
{
	struct rma_message *m = rma_message_new(0, 0);

	if (!m)
		return fail_with(
			MPI_ERR_NO_MEM, "no memory for words to rank %d of a window", rank);
	m->wire = head;
	return rma_message_send(w, rank, m);
}

void rma_message_answer(struct win *w, int origin, struct rma_head head)
{
	if (rma_message_send_head(w, origin, head) == MPI_ERR_NO_MEM)
		rma_message_invalid(w, origin, "no memory for an answer");
}

void rma_message_sent(struct object *head)
{
	forget(container_of(head, struct rma_message, head));
	engine_completed(); /* a thread may be waiting for memory */
}

size_t rma_message_unsent(void)
{
	return unsent;
}

void rma_message_invalid(const struct win *w, int origin, const char *what)
{
	process_last_words();
	log_error("one-sided communication: rank %d of window %s says what makes no sense (%s): "
		  "the job cannot go on",
		origin, win_label(w), what);
	process_die(MPI_ERR_INTERN);
}
