/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/msglog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool msglog_init(struct msglog *m, int self, int size)
{
	*m = (struct msglog){.self = self, .size = size};
	m->pairs = calloc((size_t)size, sizeof *m->pairs);
	m->queue = calloc((size_t)size, sizeof *m->queue);
	m->prefix.begun = calloc((size_t)size, sizeof *m->prefix.begun);
	if (!m->pairs || !m->queue || !m->prefix.begun) {
		msglog_fini(m);
		return false;
	}
	for (int q = 0; q < size; q++)
		m->pairs[q].limit = MSGLOG_ALL;
	m->cover_at = size;
	return true;
}

void msglog_fini(struct msglog *m)
{
	for (int q = 0; m->pairs && q < m->size; q++) {
		sender_log_free(&m->pairs[q].log);
		free(m->pairs[q].reserved);
		arrival_order_free(&m->pairs[q].arrived);
	}
	outcomes_free(&m->outcomes);
	free(m->pairs);
	free(m->queue);
	free(m->prefix.begun);
	free(m->prefix.v);
	*m = (struct msglog){0};
}

/* ---- what may leave ---- */

static void enqueue(struct msglog *m, int peer)
{
	struct msglog_pair *p = &m->pairs[peer];

	if (p->queued || !p->up || !p->next)
		return;
	p->queued = true;
	m->queue[(m->queue_at + m->queued++) % m->size] = peer;
}

static bool may_leave(const struct msglog *m, const struct msglog_pair *p)
{
	return p->up && p->next && p->next->need <= m->outcomes.safe && p->next->number <= p->limit;
}

static struct logged_message *leave(struct msglog_pair *p)
{
	struct logged_message *message = p->next;

	message->left = true;
	p->next = sender_log_waiting(message->next);
	return message;
}

/* Of a peer that is queued. One whose next message may not leave is queued again by the event that
 * lets it. */
static bool next_send(struct msglog *m, struct msglog_action *a)
{
	while (m->queued) {
		int peer = m->queue[m->queue_at];
		struct msglog_pair *p = &m->pairs[peer];

		if (may_leave(m, p)) {
			*a = (struct msglog_action){
				.what = MSGLOG_SEND, .peer = peer, .message = leave(p)};
			return true;
		}
		p->queued = false;
		m->queue_at = (m->queue_at + 1) % m->size;
		m->queued--;
	}
	return false;
}

/* One that is not connected is told when it is, or by msglog_hello. */
static bool next_cover(struct msglog *m, struct msglog_action *a)
{
	for (; m->cover_at < m->size; m->cover_at++) {
		struct msglog_pair *p = &m->pairs[m->cover_at];

		if (!p->cover_due || !p->up)
			continue;
		p->cover_due = false;
		*a = (struct msglog_action){.what = MSGLOG_COVER,
			.peer = m->cover_at,
			.keep = m->prefix.begun[m->cover_at],
			.number = p->covered};
		return true;
	}
	return false;
}

bool msglog_next(struct msglog *m, struct msglog_action *a)
{
	struct msglog_action tell = {.what = MSGLOG_TELL};

	tell.n = outcomes_tell(&m->outcomes, &tell.number, &tell.outcomes);
	if (tell.n) {
		*a = tell;
		return true;
	}
	if (next_send(m, a) || next_cover(m, a))
		return true;
	if (!m->forget_due)
		return false;
	m->forget_due = false;
	*a = (struct msglog_action){.what = MSGLOG_FORGET, .number = m->outcomes.covered};
	return true;
}

/* ---- messages ---- */

/* It has its number, and what it needs. */
static bool sent(struct msglog *m, int peer, struct logged_message *message)
{
	struct msglog_pair *p = &m->pairs[peer];

	if (message->number > p->keep && message->number <= p->held) {
		sender_log_discard(message);
		return false;
	}
	message->left = message->number <= p->has;
	sender_log_add(&p->log, message);
	if (message->left)
		return false;
	if (!p->next || message->number < p->next->number)
		p->next = message;
	if (p->next == message && may_leave(m, p)) {
		leave(p);
		return true;
	}
	enqueue(m, peer);
	return false;
}

bool msglog_sent(struct msglog *m, int peer, struct logged_message *message)
{
	assert(peer != m->self);
	outcomes_close(&m->outcomes);
	message->number = ++m->pairs[peer].sent;
	message->need = outcomes_last(&m->outcomes);
	return sent(m, peer, message);
}

static bool reserve_room(struct msglog_pair *p, size_t more)
{
	size_t room = p->reserved_room ? p->reserved_room : 8;
	struct reserved *v;

	while (room < p->nreserved + more)
		room *= 2;
	if (room == p->reserved_room)
		return true;
	v = realloc(p->reserved, room * sizeof *v);
	if (!v)
		return false;
	p->reserved = v;
	p->reserved_room = room;
	return true;
}

uint64_t msglog_reserve(struct msglog *m, int peer, uint64_t n)
{
	struct msglog_pair *p = &m->pairs[peer];

	assert(peer != m->self && n);
	if (n > MSGLOG_RESERVED_MOST - p->nreserved || !reserve_room(p, (size_t)n))
		return 0;
	outcomes_close(&m->outcomes);
	for (uint64_t i = 0; i < n; i++)
		p->reserved[p->nreserved++] =
			(struct reserved){++p->sent, outcomes_last(&m->outcomes)};
	return p->sent - n + 1;
}

/* NULL: it is not reserved. */
static struct reserved *reserved_at(const struct msglog_pair *p, uint64_t number)
{
	size_t low = 0, high = p->nreserved;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->reserved[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->nreserved && p->reserved[low].number == number ? &p->reserved[low] : NULL;
}

bool msglog_is_reserved(const struct msglog_pair *p, uint64_t number)
{
	return reserved_at(p, number) != NULL;
}

bool msglog_sent_reserved(
	struct msglog *m, int peer, uint64_t number, struct logged_message *message)
{
	struct msglog_pair *p = &m->pairs[peer];
	struct reserved *r = reserved_at(p, number);

	assert(r);
	message->number = number;
	message->need = r->need;
	p->nreserved--;
	memmove(r, r + 1, (size_t)(p->reserved + p->nreserved - r) * sizeof *r);
	return sent(m, peer, message);
}

uint64_t msglog_sent_to_self(struct msglog *m)
{
	struct msglog_pair *p = &m->pairs[m->self];

	p->arrived.begun = ++p->sent;
	return p->sent;
}

enum arrival msglog_arrives(struct msglog *m, int peer, uint64_t number)
{
	return arrival_order_begin(&m->pairs[peer].arrived, number);
}

bool msglog_arrived(struct msglog *m, int peer, uint64_t number)
{
	return arrival_order_end(&m->pairs[peer].arrived, number);
}

/* ---- outcomes ---- */

bool msglog_outcome(struct msglog *m, const struct outcome *what)
{
	return outcomes_add(&m->outcomes, what);
}

/* Messages may wait for them. */
static void are_safe(struct msglog *m)
{
	for (int q = 0; q < m->size; q++)
		enqueue(m, q);
}

bool msglog_acknowledged(struct msglog *m, uint64_t number)
{
	if (!outcomes_acknowledged(&m->outcomes, number))
		return false;
	are_safe(m);
	return true;
}

void msglog_untold(struct msglog *m)
{
	outcomes_untold(&m->outcomes);
}

/* ---- peers ---- */

struct msglog_hello msglog_hello(struct msglog *m, int peer)
{
	struct msglog_pair *p = &m->pairs[peer];

	p->cover_due = false;
	return (struct msglog_hello){.has = arrival_order_got(&p->arrived),
		.limit = m->running_prefix ? m->prefix.begun[peer] : MSGLOG_ALL,
		.keep = m->prefix.begun[peer],
		.covered = p->covered};
}

static bool makes_sense(const struct msglog_pair *p, const struct msglog_hello *said)
{
	if (said->covered < p->held) /* a durable checkpoint is not taken back */
		return false;
	return said->limit == MSGLOG_ALL ? said->covered <= said->has : said->limit == said->keep;
}

/* Has the log what comes after what the peer has, or is that not sent yet? */
static bool goes_on(const struct msglog_pair *p, const struct msglog_hello *said)
{
	const struct logged_message *after;
	uint64_t lacks = said->has + 1;

	if (p->sent <= said->has)
		return true;
	while (msglog_is_reserved(p, lacks))
		lacks++;
	if (lacks > said->limit) /* it takes no more in its prefix */
		return true;
	after = sender_log_after(&p->log, lacks - 1);
	return lacks > p->sent || (after && after->number == lacks);
}

/* The peer's checkpoint holds what was sent up to `covered`. In its prefix it takes it all the
 * same. */
static void forget(struct msglog_pair *p, uint64_t keep, uint64_t covered)
{
	p->keep = keep;
	p->held = covered;
	if (p->limit == MSGLOG_ALL && covered > p->has) {
		p->has = covered;
		for (struct logged_message *l = p->log.first; l && l->number <= covered;
			l = l->next)
			l->left = true;
	}
	sender_log_drop(&p->log, keep, covered);
	p->next = sender_log_waiting(p->log.first);
}

bool msglog_connected(struct msglog *m, int peer, const struct msglog_hello *said)
{
	struct msglog_pair *p = &m->pairs[peer];

	if (!makes_sense(p, said) || !goes_on(p, said))
		return false;
	p->has = said->has;
	p->limit = said->limit;
	p->up = true;
	if (p->cover_due && peer < m->cover_at) /* it became due behind this rank's hello */
		m->cover_at = peer;
	for (struct logged_message *l = p->log.first; l; l = l->next)
		l->left = l->number <= said->has;
	forget(p, said->keep, said->covered);
	enqueue(m, peer);
	return true;
}

void msglog_lost(struct msglog *m, int peer)
{
	m->pairs[peer].up = false;
}

void msglog_covered(struct msglog *m, int peer, uint64_t keep, uint64_t covered)
{
	forget(&m->pairs[peer], keep, covered);
}

uint64_t msglog_bytes(const struct msglog *m)
{
	uint64_t bytes = 0;

	for (int q = 0; q < m->size; q++)
		bytes += m->pairs[q].log.bytes;
	return bytes;
}

/* ---- checkpoints ---- */

bool msglog_restore_point(struct msglog *m)
{
	struct outcomes *o = &m->outcomes;

	assert(!m->prefix.known && !o->covered);
	outcomes_close(o);
	m->prefix.v = malloc(((size_t)outcomes_last(o) + 1) * sizeof *m->prefix.v);
	if (!m->prefix.v)
		return false;
	m->prefix.n = outcomes_copy_happened(o, m->prefix.v);
	for (int q = 0; q < m->size; q++)
		m->prefix.begun[q] = m->pairs[q].arrived.begun;
	m->prefix.known = true;
	return true;
}

void msglog_take(struct msglog *m)
{
	assert(!m->taking && !m->running_prefix && outcomes_may_cover(&m->outcomes));
	outcomes_close(&m->outcomes);
	m->taking = true;
	m->taken = outcomes_last(&m->outcomes);
	for (int q = 0; q < m->size; q++)
		m->pairs[q].taken = arrival_order_got(&m->pairs[q].arrived);
}

void msglog_saved(struct msglog *m, bool durable)
{
	assert(m->taking);
	m->taking = false;
	if (!durable)
		return;
	outcomes_cover(&m->outcomes, m->taken);
	are_safe(m); /* the event logger acknowledges nothing that is covered */
	m->forget_due = true;
	for (int q = 0; q < m->size; q++) {
		m->pairs[q].covered = m->pairs[q].taken;
		m->pairs[q].cover_due = q != m->self;
	}
	m->cover_at = 0;
}

/* ---- this rank comes back ---- */

/* What the checkpoint covers is safe, and what peers have they will say. */
static void wake_pair(struct msglog_pair *p)
{
	p->covered = p->taken;
	p->has = p->keep = p->held = 0;
	p->limit = MSGLOG_ALL;
	p->up = p->queued = p->cover_due = false;
	for (size_t i = 0; i < p->nreserved; i++)
		p->reserved[i].need = 0;
	for (struct logged_message *l = p->log.first; l; l = l->next) {
		l->need = 0;
		l->left = false;
	}
	p->next = p->log.first;
}

bool msglog_woke(struct msglog *m, const struct outcome *v, size_t n)
{
	assert(m->taking);
	if (!outcomes_begin(&m->outcomes, m->taken, m->outcomes.posted, v, n))
		return false;
	for (int q = 0; q < m->size; q++)
		wake_pair(&m->pairs[q]);
	m->taking = m->forget_due = false;
	m->queue_at = m->queued = 0;
	m->cover_at = m->size;
	return true;
}
