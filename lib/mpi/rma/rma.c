/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/log.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"

/* More than an address space has. */
#define LENGTH_MAX ((uint64_t)1 << 47)

static struct {
	struct link *heard; /* by peer: not obeyed yet, oldest first */
	int peers;
	size_t unsent;
} s;

static void obey_all(struct engine_chore *chore);
static struct engine_chore obeying = {.run = obey_all};

int rma_start(void)
{
	int peers = comm_world()->size;

	if (s.heard)
		return MPI_SUCCESS;
	s.heard = malloc((size_t)peers * sizeof *s.heard);
	if (!s.heard)
		return fail_with(MPI_ERR_NO_MEM, "no memory for windows among %d ranks", peers);
	for (int i = 0; i < peers; i++)
		list_init(&s.heard[i]);
	s.peers = peers;
	return MPI_SUCCESS;
}

void rma_fini(void)
{
	engine_never(&obeying);
	for (int i = 0; i < s.peers; i++)
		for (struct link *item; (item = list_pop(&s.heard[i]));)
			free(container_of(item, struct rma_words, link));
	free(s.heard);
	memset(&s, 0, sizeof s);
}

static _Noreturn void end(const char *why, int errclass, int peer, uint64_t len)
{
	process_last_words();
	log_error("one-sided communication: %s (%llu bytes, world rank %d): the job cannot go on",
		why, (unsigned long long)len, peer);
	process_die(errclass);
}

void rma_nonsense(const struct win *w, int origin, const char *what)
{
	process_last_words();
	log_error("one-sided communication: rank %d of window %s says what makes no sense (%s): "
		  "the job cannot go on",
		origin, win_label(w), what);
	process_die(MPI_ERR_INTERN);
}

/* ---- hearing ---- */

static struct rma_words *words_alloc(enum object_kind kind, size_t len)
{
	struct rma_words *words = malloc(sizeof *words + len);

	if (!words)
		return NULL;
	memset(words, 0, sizeof *words);
	words->head = (struct object){.kind = kind, .refs = 1};
	words->len = len;
	list_init(&words->link);
	return words;
}

static struct tp_place place(int peer, const struct envelope *e, uint64_t length)
{
	struct rma_words *words;

	if (!s.heard)
		end("words about a window, and this rank never had one", MPI_ERR_INTERN, peer,
			length);
	if (length < sizeof words->say || length > LENGTH_MAX)
		end("words of an impossible length", MPI_ERR_INTERN, peer, length);
	words = words_alloc(OBJECT_RMA_HEARD, (size_t)length - sizeof words->say);
	if (!words)
		end("no memory for what another rank puts or asks for", MPI_ERR_NO_MEM, peer,
			length);
	words->peer = peer;
	words->source = e->source;
	words->context = e->context;
	words->stamp = e->stamp;
	list_append(&s.heard[peer], &words->link);
	return (struct tp_place){.buf = &words->say, .room = (size_t)length, .cookie = words};
}

/* What a lost rank had begun to say stays unheard, and so does what came behind it. */
static void received(struct object *head, int rc)
{
	struct rma_words *words = container_of(head, struct rma_words, head);

	if (rc)
		return;
	p2p_word_arrived(words->peer, words->context, words->stamp);
	words->whole = true;
	engine_soon(&obeying);
}

static bool is_answer(uint32_t kind)
{
	return kind >= RMA_DONE && kind < RMA_KIND_END;
}

static void obey(const struct rma_words *words)
{
	struct win *w = win_by_context(words->context);

	if (!w)
		end("words about a window that this rank does not have", MPI_ERR_INTERN,
			words->peer, words->len);
	if (words->source < 0 || words->source >= win_size(w) ||
		comm_world_rank(w->comm, words->source) != words->peer)
		end("words about a window of a rank that is not in it", MPI_ERR_INTERN, words->peer,
			words->len);
	if (is_answer(words->say.kind))
		rma_answered(w, words->source, words);
	else
		rma_obey(w, words->source, words);
}

static void obey_peer(struct link *heard)
{
	struct link *first;

	while ((first = list_first(heard)) && container_of(first, struct rma_words, link)->whole) {
		struct rma_words *words = container_of(first, struct rma_words, link);

		list_remove(first);
		obey(words);
		free(words);
	}
}

/* Nothing on the way lets the lock go, so words are obeyed by one thread at a time. */
static void obey_all(struct engine_chore *chore)
{
	(void)chore;
	for (int i = 0; i < s.peers; i++)
		if (!list_empty(&s.heard[i]))
			obey_peer(&s.heard[i]);
	rma_answer_all();
	engine_completed(); /* somebody may be waiting for an answer, or a post */
}

/* ---- saying ---- */

struct rma_words *rma_words_new(size_t layout_len, size_t data)
{
	size_t at = rma_data_at(layout_len), len;
	struct rma_words *words;

	if (__builtin_add_overflow(at, data, &len) || len > LENGTH_MAX)
		return NULL;
	words = words_alloc(OBJECT_RMA_SAID, len);
	if (!words)
		return NULL;
	memset(words->bytes + layout_len, 0, at - layout_len);
	words->say.layout_len = (uint32_t)layout_len;
	return words;
}

static void forget(struct rma_words *words)
{
	s.unsent -= words->len;
	free(words);
}

/* rc is what tp_send returned. A launcher acts on lost ranks, and what waits for one waits on. */
static int said(struct rma_words *words, int rank, int rc)
{
	if (rc != 0)
		forget(words);
	if (rc >= 0 || (rc == FT_EPEER && !p2p_gone()))
		return MPI_SUCCESS;
	if (rc == FT_EPEER)
		return fail_with(
			MPI_ERR_PROC_ABORTED, "rank %d of the window has left the job", rank);
	return fail_with(
		MPI_ERR_NO_MEM, "no memory for one-sided communication with rank %d", rank);
}

int rma_say(struct win *w, int rank, struct rma_words *words)
{
	struct envelope e = {
		.context = w->context, .source = win_rank(w), .stamp = p2p_word_stamp()};
	struct tp_envelope te = envelope_pack(&e);
	int peer = comm_world_rank(w->comm, rank), rc;

	s.unsent += words->len;
	rc = tp_send(engine_tp(), peer, &te, &words->say, sizeof words->say + words->len, 0, words);
	if (rc >= 0)
		p2p_word_sent(peer, w->context);
	return said(words, rank, rc);
}

int rma_tell(struct win *w, int rank, struct rma_head say)
{
	struct rma_words *words = rma_words_new(0, 0);

	if (!words)
		return fail_with(
			MPI_ERR_NO_MEM, "no memory for words to rank %d of a window", rank);
	words->say = say;
	return rma_say(w, rank, words);
}

static void sent(struct object *head)
{
	forget(container_of(head, struct rma_words, head));
	engine_completed(); /* somebody may be waiting for memory */
}

size_t rma_unsent(void)
{
	return s.unsent;
}

/* ---- waiting ---- */

struct until {
	bool (*done)(void *arg);
	void *arg;
};

static bool reached(void *arg, int *expect)
{
	struct until *u = arg;

	(void)expect;
	return u->done(u->arg) || p2p_gone();
}

int rma_wait(bool (*done)(void *arg), void *arg)
{
	struct until u = {done, arg};

	engine_wait(reached, &u);
	if (done(arg))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_PROC_ABORTED, "a rank has left the job");
}

const struct p2p_channel rma_channel = {place, received, sent};
