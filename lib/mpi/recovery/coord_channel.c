/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord_channel.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/log.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/envelope.h"
#include "mpi/p2p/p2p_saved.h"

/* More than a protocol sends at once. */
enum { LENGTH_MAX = 16 << 20 };

struct message {
	struct object head; /* OBJECT_CONTROL_RECEIVED or OBJECT_CONTROL_SENT */
	struct link link;   /* received: of its peer; to be sent: of all; oldest first */
	int peer;
	size_t len;
	bool whole;
	_Alignas(16) uint8_t bytes[];
};

static struct {
	struct coord *coord;
	struct link *received; /* by peer: not handled yet */
	bool *reached;	       /* by peer: anything */
	int peers;
	struct coord_channel_sent sent;
	struct link unsent;
	struct engine_deferred send;
} s;

static void send_all(struct engine_deferred *deferred);

int coord_channel_init(struct coord *c, int peers)
{
	s.received = malloc((size_t)peers * sizeof *s.received);
	s.reached = calloc((size_t)peers, sizeof *s.reached);
	if (!s.received || !s.reached) {
		free(s.received);
		free(s.reached);
		s.received = NULL;
		s.reached = NULL;
		return FT_ENOMEM;
	}
	for (int i = 0; i < peers; i++)
		list_init(&s.received[i]);
	list_init(&s.unsent);
	s.send = (struct engine_deferred){.run = send_all};
	s.coord = c;
	s.peers = peers;
	s.sent = (struct coord_channel_sent){0};
	return 0;
}

void coord_channel_forget(void)
{
	engine_assert_held();
	for (int i = 0; i < s.peers; i++)
		for (struct link *item; (item = list_pop(&s.received[i]));)
			free(container_of(item, struct message, link));
	if (s.peers > 0)
		engine_defer_cancel(&s.send);
	for (struct link *item; s.peers > 0 && (item = list_pop(&s.unsent));)
		free(container_of(item, struct message, link));
}

void coord_channel_fini(void)
{
	coord_channel_forget();
	free(s.received);
	free(s.reached);
	s.received = NULL;
	s.reached = NULL;
	s.peers = 0;
}

static _Noreturn void end(const char *why, int errclass, int peer, size_t len)
{
	process_last_words();
	log_error("coordination of checkpoints: %s (%zu bytes, rank %d): the job cannot go on", why,
		len, peer);
	process_die(errclass);
}

static struct message *message_new(enum object_kind kind, int peer, size_t len)
{
	struct message *w = malloc(sizeof *w + len);

	if (!w)
		end("no memory for words of the protocol", MPI_ERR_NO_MEM, peer, len);
	*w = (struct message){.head = {.kind = kind, .refs = 1}, .peer = peer, .len = len};
	list_init(&w->link);
	return w;
}

/* ---- receiving ---- */

static struct tp_place place(int peer, const struct envelope *e, uint64_t length)
{
	struct message *w;

	(void)e;
	if (length > LENGTH_MAX)
		end("words of the protocol are too long", MPI_ERR_INTERN, peer, (size_t)length);
	w = message_new(OBJECT_CONTROL_RECEIVED, peer, (size_t)length);
	list_append(&s.received[peer], &w->link);
	return (struct tp_place){.buf = w->bytes, .room = w->len, .cookie = w};
}

static void handle(struct message *w)
{
	if (!coord_control(s.coord, w->peer, w->bytes, w->len))
		end("words of the protocol make no sense", MPI_ERR_INTERN, w->peer, w->len);
	p2p_drive();
	free(w);
	engine_completed(); /* somebody may be waiting for a line's end */
}

/* A message that a lost rank had begun is not handled, nor is what came behind it: nothing is
 * committed any more. */
static void received(struct object *head, int rc)
{
	struct message *w = (struct message *)(void *)head;
	struct link *queue = &s.received[w->peer], *first;

	if (rc)
		return;
	w->whole = true;
	while ((first = list_first(queue)) && container_of(first, struct message, link)->whole) {
		list_remove(first);
		handle(container_of(first, struct message, link));
	}
}

/* ---- sending ---- */

static void count(int peer, size_t len)
{
	s.sent.messages++;
	s.sent.bytes += len;
	s.sent.peers += !s.reached[peer];
	s.reached[peer] = true;
}

static void transmit(struct message *w)
{
	struct envelope e = {.context = comm_coord()->context, .source = comm_coord()->rank};
	struct tp_envelope te = envelope_pack(&e);
	int peer = w->peer, rc;
	size_t len = w->len;

	coord_finish_bytes(w->bytes, len);
	rc = tp_send(engine_tp(), peer, &te, w->bytes, len, TP_UNCOUNTED, w);
	if (rc == FT_ENOMEM)
		end("no memory for words of the protocol", MPI_ERR_NO_MEM, peer, len);
	if (rc >= 0)
		count(peer, len);
	if (rc != 0)
		free(w);
}

static void send_all(struct engine_deferred *deferred)
{
	struct link *item;

	(void)deferred;
	while ((item = list_pop(&s.unsent)))
		transmit(container_of(item, struct message, link));
}

struct coord_channel_sent coord_channel_sent(void)
{
	send_all(&s.send);
	return s.sent;
}

/* Not at once: a checkpoint would wait for the order of a report, and for the system call. */
void coord_channel_send(int peer, const uint8_t *bytes, size_t len)
{
	struct message *w = message_new(OBJECT_CONTROL_SENT, peer, len);

	engine_assert_held();
	memcpy(w->bytes, bytes, len);
	list_append(&s.unsent, &w->link);
	engine_defer(&s.send);
}

static void sent(struct object *head)
{
	free(head);
}

static void unplace(struct object *head)
{
	struct message *w = (struct message *)(void *)head;

	list_remove(&w->link);
	free(w);
}

const struct p2p_channel coord_channel = {place, received, sent, unplace};
