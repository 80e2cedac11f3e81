/* SPDX-License-Identifier: BSD-3-Clause */
/* What this rank says to others of the log, in control messages (p2p_log_inside.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "envelope.h"
#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"

static_assert(sizeof((struct log_control *)NULL)->bytes <= P2P_LOG_EAGER_LEAST,
	"not announced for its length");

struct log_peer {
	bool said;	/* hello */
	bool awaited;	/* its REPEATED */
	bool repeats;	/* this rank has not said REPEATED */
	uint64_t begun; /* of that */
};

static struct log_peer *peers; /* by rank */
static int nawaited;

int p2p_log_say_start(int size)
{
	peers = calloc((size_t)size, sizeof *peers);
	nawaited = 0;
	return peers ? 0 : FT_ENOMEM;
}

void p2p_log_say_fini(void)
{
	free(peers);
	peers = NULL;
}

bool p2p_log_has_said(int peer)
{
	return peers[peer].said;
}

/* What is lost with the connection is said again. */
void p2p_log_say_as(int peer, const struct log_control *m)
{
	struct envelope e = {.context = comm_coord()->context, .source = comm_coord()->rank};
	struct tp_envelope te = envelope_pack(&e);
	struct log_control *w;
	int rc;

	if (p2p_log_leaving)
		return;
	w = malloc(sizeof *w);
	if (!w)
		p2p_log_no_memory(peer);
	*w = *m;
	w->head = (struct object){.kind = OBJECT_CONTROL_SENT, .refs = 1};
	rc = tp_send(engine_tp(), peer, &te, w->bytes, w->len, TP_UNCOUNTED, w);
	if (rc == FT_ENOMEM)
		p2p_log_no_memory(peer);
	if (rc != 0)
		free(w);
}

/* What comes is looked at though the program computes. There are no windows, which want the same.
 */
static void await(int peer, bool awaited)
{
	if (peers[peer].awaited == awaited)
		return;
	peers[peer].awaited = awaited;
	nawaited += awaited ? 1 : -1;
	engine_set_windows(nawaited > 0);
}

void p2p_log_say_hello(int peer)
{
	struct msglog_hello h = msglog_hello(p2p_msglog, peer);
	struct log_control m = {.peer = peer, .len = LOG_HELLO_BYTES};
	struct writer w = writer_over(m.bytes, LOG_HELLO_BYTES);

	peers[peer].said = true;
	await(peer, true);
	writer_u32(&w, LOG_HELLO);
	writer_u64(&w, h.has);
	writer_u64(&w, h.limit);
	writer_u64(&w, h.keep);
	writer_u64(&w, h.covered);
	writer_u64(&w, p2p_msglog->pairs[peer].arrived.begun);
	p2p_log_say_as(peer, &m);
}

void p2p_log_say_forget(int size)
{
	memset(peers, 0, (size_t)size * sizeof *peers);
	nawaited = 0;
	engine_set_windows(false);
}

void p2p_log_say_cover(int peer, uint64_t keep, uint64_t covered)
{
	struct log_control m = {.peer = peer, .len = LOG_COVER_BYTES};
	struct writer w = writer_over(m.bytes, LOG_COVER_BYTES);

	writer_u32(&w, LOG_COVER);
	writer_u64(&w, keep);
	writer_u64(&w, covered);
	p2p_log_say_as(peer, &m);
}

void p2p_log_say(int peer, enum log_control_kind kind, uint64_t number)
{
	struct log_control m = {.peer = peer, .len = LOG_NUMBER_BYTES};
	struct writer w = writer_over(m.bytes, LOG_NUMBER_BYTES);

	writer_u32(&w, kind);
	writer_u64(&w, number);
	p2p_log_say_as(peer, &m);
}

void p2p_log_repeat(int peer, uint64_t begun)
{
	peers[peer].repeats = true;
	peers[peer].begun = begun;
}

void p2p_log_say_repeated(int peer)
{
	const struct msglog_pair *p = &p2p_msglog->pairs[peer];
	struct log_peer *it = &peers[peer];

	if (!p->up || !it->repeats || p->sent < it->begun ||
		(p->next && p->next->number <= it->begun))
		return;
	it->repeats = false;
	p2p_log_say(peer, LOG_REPEATED, it->begun);
}

void p2p_log_was_repeated(int peer)
{
	await(peer, false);
}

void p2p_log_say_all(void)
{
	engine_assert_held();
	for (int i = 0; i < p2p_msglog->size; i++)
		if (i != p2p_msglog->self && !peers[i].said)
			p2p_log_say_hello(i);
}
