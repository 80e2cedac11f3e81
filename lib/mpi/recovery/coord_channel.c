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

/* More than a protocol says at once. */
enum { LENGTH_MAX = 16 << 20 };

struct words {
	struct object head; /* OBJECT_HEARD or OBJECT_SAID */
	struct link link;   /* heard: of its peer; to be said: of all; oldest first */
	int peer;
	size_t len;
	bool whole;
	_Alignas(16) uint8_t bytes[];
};

static struct {
	struct coord *coord;
	struct link *heard; /* by peer: not obeyed yet */
	bool *told;	    /* by peer: anything */
	int peers;
	struct talk_said said;
	struct link unsaid;
	struct engine_chore say;
} s;

static void say_all(struct engine_chore *chore);

int talk_init(struct coord *c, int peers)
{
	s.heard = malloc((size_t)peers * sizeof *s.heard);
	s.told = calloc((size_t)peers, sizeof *s.told);
	if (!s.heard || !s.told) {
		free(s.heard);
		free(s.told);
		s.heard = NULL;
		s.told = NULL;
		return FT_ENOMEM;
	}
	for (int i = 0; i < peers; i++)
		list_init(&s.heard[i]);
	list_init(&s.unsaid);
	s.say = (struct engine_chore){.run = say_all};
	s.coord = c;
	s.peers = peers;
	s.said = (struct talk_said){0};
	return 0;
}

void talk_fini(void)
{
	for (int i = 0; i < s.peers; i++)
		for (struct link *item; (item = list_pop(&s.heard[i]));)
			free(container_of(item, struct words, link));
	if (s.peers > 0)
		engine_never(&s.say);
	for (struct link *item; s.peers > 0 && (item = list_pop(&s.unsaid));)
		free(container_of(item, struct words, link));
	free(s.heard);
	free(s.told);
	s.heard = NULL;
	s.told = NULL;
	s.peers = 0;
}

static _Noreturn void end(const char *why, int errclass, int peer, size_t len)
{
	process_last_words();
	log_error("coordination of checkpoints: %s (%zu bytes, rank %d): the job cannot go on", why,
		len, peer);
	process_die(errclass);
}

static struct words *words_new(enum object_kind kind, int peer, size_t len)
{
	struct words *w = malloc(sizeof *w + len);

	if (!w)
		end("no memory for words of the protocol", MPI_ERR_NO_MEM, peer, len);
	*w = (struct words){.head = {.kind = kind, .refs = 1}, .peer = peer, .len = len};
	list_init(&w->link);
	return w;
}

/* ---- hearing ---- */

static struct tp_place place(int peer, const struct envelope *e, uint64_t length)
{
	struct words *w;

	(void)e;
	if (length > LENGTH_MAX)
		end("words of the protocol are too long", MPI_ERR_INTERN, peer, (size_t)length);
	w = words_new(OBJECT_HEARD, peer, (size_t)length);
	list_append(&s.heard[peer], &w->link);
	return (struct tp_place){.buf = w->bytes, .room = w->len, .cookie = w};
}

static void obey(struct words *w)
{
	if (!coord_control(s.coord, w->peer, w->bytes, w->len))
		end("words of the protocol make no sense", MPI_ERR_INTERN, w->peer, w->len);
	p2p_drive();
	free(w);
	engine_completed(); /* somebody may be waiting for a line's end */
}

/* What a lost rank had begun to say stays unheard, and so does what came behind it: nothing is
 * committed any more. */
static void received(struct object *head, int rc)
{
	struct words *w = (struct words *)(void *)head;
	struct link *heard = &s.heard[w->peer], *first;

	if (rc)
		return;
	w->whole = true;
	while ((first = list_first(heard)) && container_of(first, struct words, link)->whole) {
		list_remove(first);
		obey(container_of(first, struct words, link));
	}
}

/* ---- saying ---- */

static void count(int peer, size_t len)
{
	s.said.messages++;
	s.said.bytes += len;
	s.said.peers += !s.told[peer];
	s.told[peer] = true;
}

static void say(struct words *w)
{
	struct envelope e = {.context = comm_coord()->context, .source = comm_coord()->rank};
	struct tp_envelope te = envelope_pack(&e);
	int peer = w->peer, rc;
	size_t len = w->len;

	rc = tp_send(engine_tp(), peer, &te, w->bytes, len, 0, w);
	if (rc == FT_ENOMEM)
		end("no memory for words of the protocol", MPI_ERR_NO_MEM, peer, len);
	if (rc >= 0)
		count(peer, len);
	if (rc != 0)
		free(w);
}

static void say_all(struct engine_chore *chore)
{
	struct link *item;

	(void)chore;
	while ((item = list_pop(&s.unsaid)))
		say(container_of(item, struct words, link));
}

struct talk_said talk_said(void)
{
	say_all(&s.say);
	return s.said;
}

/* Not at once: a checkpoint would wait for the system call. */
void talk_say(int peer, const uint8_t *bytes, size_t len)
{
	struct words *w = words_new(OBJECT_SAID, peer, len);

	memcpy(w->bytes, bytes, len);
	list_append(&s.unsaid, &w->link);
	engine_soon(&s.say);
}

static void sent(struct object *head)
{
	free(head);
}

const struct p2p_channel talk_channel = {place, received, sent};
