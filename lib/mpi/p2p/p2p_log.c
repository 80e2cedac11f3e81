/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "envelope.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_log_inside.h"

/* A message of the log that the transport has. */
struct sending {
	struct object head; /* OBJECT_LOGGED */
	struct link link;
	struct logged_message *message;
};

/* A synchronous message has met its receive, and its sender is told when outcomes up to `need` are
 * durable. */
struct owed {
	struct link link;
	int peer;
	uint64_t number, need;
};

static struct {
	const struct p2p_log_keeper *keeper;
	struct link sending;
	struct link owed; /* oldest first */
	bool driving;
} s;

void p2p_log_begin(const struct p2p_log_keeper *keeper)
{
	s.keeper = keeper;
	s.driving = false;
	list_init(&s.sending);
	list_init(&s.owed);
}

void p2p_log_drop(void)
{
	for (struct link *item; (item = list_pop(&s.sending));) {
		struct sending *w = container_of(item, struct sending, link);

		sender_log_back(w->message);
		free(w);
	}
	for (struct link *item; (item = list_pop(&s.owed));)
		free(container_of(item, struct owed, link));
}

/* ---- the transport ---- */

static struct tp_envelope envelope_of(const struct logged_message *l)
{
	struct envelope e = {.context = l->envelope.context,
		.tag = l->envelope.tag,
		.source = (int32_t)l->envelope.flags,
		.stamp = (uint32_t)l->number};

	return envelope_pack(&e);
}

/* With a peer that cannot be reached any more: it is sent again when there is a connection. */
static void transmit_slowly(int peer, struct logged_message *l)
{
	struct tp_envelope te = envelope_of(l);
	struct sending *w = malloc(sizeof *w);
	int rc;

	if (!w)
		p2p_log_no_memory(peer);
	w->head = (struct object){.kind = OBJECT_LOGGED, .refs = 1};
	w->message = l;
	l->lent = true;
	list_append(&s.sending, &w->link);
	rc = tp_send(engine_tp(), peer, &te, l->bytes, l->len, TP_UNCOUNTED, w);
	if (rc == FT_ENOMEM)
		p2p_log_no_memory(peer);
	if (rc)
		p2p_log_sent(&w->head);
}

static void transmit(int peer, struct logged_message *l)
{
	struct tp_envelope te = envelope_of(l);
	bool was = s.driving;

	if (p2p_log_leaving)
		return;
	s.driving = true;
	if (tp_send(engine_tp(), peer, &te, l->bytes, l->len, TP_NOW | TP_UNCOUNTED, NULL) != 1)
		transmit_slowly(peer, l);
	p2p_log_vouch(peer, l->number, l);
	s.driving = was;
}

void p2p_log_sent(struct object *head)
{
	struct sending *w = (struct sending *)(void *)head;

	list_remove(&w->link);
	sender_log_back(w->message);
	free(w);
}

/* ---- what is to be done ---- */

static void act(const struct msglog_action *a)
{
	switch (a->what) {
	case MSGLOG_TELL:
		if (p2p_msglog->running_prefix) /* it has had all that it has now */
			p2p_log_strange();
		s.keeper->tell(a->number + a->n - 1);
		break;
	case MSGLOG_SEND:
		transmit(a->peer, a->message);
		p2p_log_say_repeated(a->peer);
		break;
	case MSGLOG_COVER:
		p2p_log_say_cover(a->peer, a->keep, a->number);
		break;
	case MSGLOG_FORGET:
		s.keeper->forget(a->number);
		break;
	}
}

/* What is done may bring events, which are done next: messages of a pair leave in their order. */
void p2p_log_drive(void)
{
	struct msglog_action a;

	engine_assert_held();
	if (s.driving)
		return;
	s.driving = true;
	while (msglog_next(p2p_msglog, &a))
		act(&a);
	s.driving = false;
}

/* ---- the program sends ---- */

static struct logged_message *copy_of(const struct p2p_message *m, struct sender_log *log)
{
	size_t len = (size_t)p2p_room(m);
	struct logged_envelope e = {.context = p2p_context(m),
		.tag = m->tag,
		.flags = (uint32_t)m->comm->rank | (m->mode == SEND_SYNC ? P2P_LOG_SYNC : 0)};
	struct logged_message *l = sender_log_message(log, &e, len);
	const void *piece = type_piece(m->type, m->buf, (size_t)m->count);

	if (!l) {
		fail_with(MPI_ERR_NO_MEM, "no memory to log a message of %zu bytes", len);
		return NULL;
	}
	l->call = fail_call();
	if (piece)
		memcpy(l->bytes, piece, len);
	else if (len)
		type_pack(m->type, m->buf, (size_t)m->count, l->bytes);
	return l;
}

static void is_not_within_noes(void)
{
	if (outcomes_is_within_noes(&p2p_msglog->outcomes))
		p2p_log_strange();
}

int p2p_log_send(const struct p2p_message *m, int peer, struct request *sync)
{
	struct msglog_pair *p = &p2p_msglog->pairs[peer];
	struct logged_message *l;
	uint64_t number, before;
	bool leaves;

	engine_assert_held();
	if (!m->number) {
		is_not_within_noes();
		p2p_log_limit_await((size_t)p2p_room(m));
	} else if (!p2p_log_is_reserved(peer, m->number)) {
		p2p_log_end(MPI_ERR_INTERN, "its checkpoint has a message in two operations", peer);
	}
	l = copy_of(m, &p->log);
	if (!l)
		return MPI_ERR_NO_MEM;
	tp_count_sent(engine_tp(), peer, (size_t)p2p_room(m)); /* once, however often it leaves */
	number = m->number ? m->number : p->sent + 1;
	before = p->log.bytes;
	if (!p2p_log_has_said(peer))
		p2p_log_say_hello(peer);
	if (p->up && number <= p->has) /* it does not leave */
		p2p_log_vouch(peer, number, l);
	leaves = m->number ? msglog_sent_reserved(p2p_msglog, peer, m->number, l)
			   : msglog_sent(p2p_msglog, peer, l);
	if (sync)
		p2p_log_sync_begin(sync, peer, p->sent);
	p2p_log_limit_grown(p->log.bytes - before);
	if (leaves)
		transmit(peer, l);
	else if (sync && !request_done(sync) && p->up && p->sent <= p->has)
		p2p_log_say(peer, LOG_ASK, p->sent);
	p2p_log_say_repeated(peer);
	p2p_log_drive();
	return MPI_SUCCESS;
}

static bool has_room(void *arg, int *expect)
{
	const int *peer = arg;

	*expect = *peer;
	return p2p_msglog->pairs[*peer].nreserved < MSGLOG_RESERVED_MOST;
}

uint64_t p2p_log_reserve(int peer)
{
	uint64_t number;

	engine_assert_held();
	is_not_within_noes();
	engine_wait(has_room, &peer);
	number = msglog_reserve(p2p_msglog, peer, 1);
	if (!number)
		fail_with(MPI_ERR_NO_MEM, "no memory for the number of a message to rank %d", peer);
	return number;
}

bool p2p_log_is_reserved(int peer, uint64_t number)
{
	return number && msglog_is_reserved(&p2p_msglog->pairs[peer], number);
}

bool p2p_log_keeps(const struct request *r)
{
	return p2p_log_is_used() && request_active(r) && r->kind == REQUEST_SEND &&
	       r->m.mode == SEND_SYNC && r->m.rank >= 0 && r->peer != p2p_msglog->self && !r->over;
}

bool p2p_log_is_determined(const struct request *r)
{
	if (!request_active(r) || r->told || r->m.rank == MPI_PROC_NULL)
		return true;
	return r->kind == REQUEST_SEND && (r->m.mode != SEND_SYNC || r->over);
}

/* ---- synchronous messages ---- */

static void free_owed(struct owed *o)
{
	list_remove(&o->link);
	free(o);
}

/* To whom it may be said by now. */
static void say_met(void)
{
	for (struct link *item; (item = list_first(&s.owed));) {
		struct owed *o = container_of(item, struct owed, link);

		if (o->need > p2p_msglog->outcomes.safe)
			return;
		p2p_log_say(o->peer, LOG_MET, o->number);
		free_owed(o);
	}
}

void p2p_log_owe_no_more(int peer)
{
	list_for_each_safe (item, &s.owed) {
		struct owed *o = container_of(item, struct owed, link);

		if (o->peer == peer)
			free_owed(o);
	}
}

void p2p_log_owe(int peer, uint64_t number)
{
	struct owed *o = malloc(sizeof *o);

	if (!o)
		p2p_log_no_memory(peer);
	outcomes_close(&p2p_msglog->outcomes);
	*o = (struct owed){
		.peer = peer, .number = number, .need = outcomes_last(&p2p_msglog->outcomes)};
	list_append(&s.owed, &o->link);
	say_met();
	p2p_log_drive();
}

/* ---- outcomes ---- */

const struct outcome *p2p_log_expected(void)
{
	engine_assert_held();
	if (outcomes_lacks_receive(&p2p_msglog->outcomes))
		p2p_log_strange();
	return outcomes_expected(&p2p_msglog->outcomes);
}

void p2p_log_is_through(void)
{
	if (p2p_log_expected())
		p2p_log_strange();
}

void p2p_log_followed(void)
{
	size_t before = p2p_msglog->outcomes.nended;

	engine_assert_held();
	outcomes_follow(&p2p_msglog->outcomes);
	if (p2p_msglog->outcomes.nended > before)
		p2p_log_end_as_before();
}

void p2p_log_happened(const struct outcome *what)
{
	engine_assert_held();
	if (!msglog_outcome(p2p_msglog, what))
		p2p_log_no_memory(p2p_msglog->self);
	p2p_log_drive();
}

bool p2p_log_is_live(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return outcomes_is_live(&p2p_msglog->outcomes);
}

void p2p_log_are_safe(void)
{
	say_met();
	p2p_log_drive();
}

void p2p_log_acknowledged(uint64_t number)
{
	engine_assert_held();
	if (p2p_msglog->running_prefix) {
		p2p_log_behind.acked = number;
		return;
	}
	if (!msglog_acknowledged(p2p_msglog, number))
		p2p_log_end(MPI_ERR_INTERN, "the keeper has more outcomes than there are",
			p2p_msglog->self);
	p2p_log_are_safe();
}

void p2p_log_untold(void)
{
	engine_assert_held();
	if (p2p_msglog->running_prefix) {
		p2p_log_behind.untold = true;
		p2p_log_behind.acked = 0;
		return;
	}
	msglog_untold(p2p_msglog);
	p2p_log_drive();
}

/* v: those behind `covered`. */
static void encode(
	const struct outcome *v, uint64_t covered, uint64_t first, uint64_t count, uint8_t *bytes)
{
	uint64_t gone = covered >= first ? covered - first + 1 : 0;

	if (gone > count)
		gone = count;
	memset(bytes, 0, (size_t)gone * OUTCOME_BYTES);
	if (gone < count)
		outcomes_encode(v + (first + gone - covered - 1), (size_t)(count - gone),
			bytes + gone * OUTCOME_BYTES);
}

void p2p_log_encode(uint64_t first, uint32_t count, uint8_t *bytes)
{
	const struct outcomes *o = &p2p_msglog->outcomes;
	const struct p2p_log_behind *b = &p2p_log_behind;

	engine_assert_held();
	if (p2p_msglog->running_prefix) {
		assert(first + count - 1 <= b->covered + b->n);
		encode(b->v, b->covered, first, count, bytes);
		return;
	}
	assert(first + count - 1 <= outcomes_last(o));
	encode(o->v, o->covered, first, count, bytes);
}
