/* SPDX-License-Identifier: BSD-3-Clause */
/* What arrives: messages are gathered, and handled by the target's part or the origin's. */
#include "rma.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"

static struct {
	struct link *received; /* by peer: not handled yet, oldest first */
	int peers;
} s;

static void handle_all(struct engine_deferred *deferred);
static struct engine_deferred handling = {.run = handle_all};

int rma_start(void)
{
	int peers = comm_world()->size;

	engine_assert_held();
	if (s.received)
		return MPI_SUCCESS;
	s.received = malloc((size_t)peers * sizeof *s.received);
	if (!s.received)
		return fail_with(MPI_ERR_NO_MEM, "no memory for windows among %d ranks", peers);
	for (int i = 0; i < peers; i++)
		list_init(&s.received[i]);
	s.peers = peers;
	return MPI_SUCCESS;
}

void rma_fini(void)
{
	engine_defer_cancel(&handling);
	for (int i = 0; i < s.peers; i++)
		for (struct link *item; (item = list_pop(&s.received[i]));)
			free(container_of(item, struct rma_message, link));
	free(s.received);
	memset(&s, 0, sizeof s);
}

static _Noreturn void end(const char *why, int errclass, int peer, uint64_t len)
{
	process_last_words();
	log_error("one-sided communication: %s (%llu bytes, world rank %d): the job cannot go on",
		why, (unsigned long long)len, peer);
	process_die(errclass);
}

static struct tp_place place(int peer, const struct envelope *e, uint64_t length)
{
	struct rma_message *m;

	engine_assert_held();
	if (!s.received)
		end("words about a window, and this rank never had one", MPI_ERR_INTERN, peer,
			length);
	if (length < sizeof m->wire || length > RMA_MESSAGE_LIMIT)
		end("words of an impossible length", MPI_ERR_INTERN, peer, length);
	m = rma_message_incoming((size_t)length);
	if (!m)
		end("no memory for what another rank puts or asks for", MPI_ERR_NO_MEM, peer,
			length);
	m->peer = peer;
	m->source = e->source;
	m->context = e->context;
	m->stamp = e->stamp;
	list_append(&s.received[peer], &m->link);
	return (struct tp_place){.buf = &m->wire, .room = (size_t)length, .cookie = m};
}

/* A message of which a lost rank sent only a part is not handled, and what came behind it is not
 * either. */
static void received(struct object *head, int rc)
{
	struct rma_message *m = container_of(head, struct rma_message, head);

	engine_assert_held();
	if (rc)
		return;
	p2p_word_arrived(m->peer, m->context, m->stamp);
	m->whole = true;
	engine_defer(&handling);
}

static bool is_answer(uint32_t kind)
{
	return kind >= RMA_DONE && kind < RMA_KIND_END;
}

static void handle(const struct rma_message *m)
{
	struct win *w = win_by_context(m->context);

	if (!w)
		end("words about a window that this rank does not have", MPI_ERR_INTERN, m->peer,
			m->len);
	if (m->source < 0 || m->source >= win_size(w) ||
		comm_world_rank(w->comm, m->source) != m->peer)
		end("words about a window of a rank that is not in it", MPI_ERR_INTERN, m->peer,
			m->len);
	if (is_answer(m->wire.kind))
		rma_answer_handle(w, m->source, m);
	else
		rma_target_handle(w, m->source, m);
}

/* Nothing on the way gives the lock back, so messages are handled by one thread at a time. */
static void handle_all(struct engine_deferred *deferred)
{
	engine_assert_held();
	(void)deferred;
	for (int i = 0; i < s.peers; i++) {
		struct link *first;

		while ((first = list_first(&s.received[i])) &&
			container_of(first, struct rma_message, link)->whole) {
			list_remove(first);
			handle(container_of(first, struct rma_message, link));
			free(container_of(first, struct rma_message, link));
		}
	}
	rma_target_acknowledge_all();
	engine_completed(); /* a thread may be waiting for an answer, or for a post */
}

/* No recovery line holds it: there are no windows then, or nothing is on its way between them. */
static void unplace(struct object *head)
{
	struct rma_message *m = container_of(head, struct rma_message, head);

	list_remove(&m->link);
	free(m);
}

const struct p2p_channel rma_channel = {place, received, rma_message_sent, unplace};
