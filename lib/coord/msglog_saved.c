/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a checkpoint holds of message logging. Little-endian:
 *
 *     u32 rank, u32 ranks, u64 outcomes that had happened, u64 receives that had been posted
 *     u64 known: 1 if there is a prefix, else 0; u64 count of its outcomes, these (outcomes_encode)
 *     for each peer: u64 begun to arrive in the prefix
 *     for each peer: u64 sent; u64 count of numbers that are reserved and not sent, u64 each; u64
 *         begun to arrive; u64 count of those that are open, u64 each; u64 count of those that were
 *         skipped, u64 each; u64 count of logged messages, each u64 number, u64 context, i32 tag,
 *         u32 flags, u64 length, and contents
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "coord/msglog.h"

enum { HEAD = 2 * 4 + 4 * 8, PEER = 7 * 8, MESSAGE = 4 * 8 };

/* ---- to bytes ---- */

static size_t length(const struct msglog *m)
{
	size_t len = HEAD + m->prefix.n * OUTCOME_BYTES + (size_t)m->size * PEER;

	for (int q = 0; q < m->size; q++) {
		const struct msglog_pair *p = &m->pairs[q];

		len += (p->nreserved + p->arrived.open.n + p->arrived.skipped.n) * sizeof(uint64_t);
		for (const struct logged_message *l = p->log.first; l; l = l->next)
			len += MESSAGE + l->len;
	}
	return len;
}

static void write_log(struct writer *w, const struct sender_log *log)
{
	uint64_t n = 0;

	for (const struct logged_message *l = log->first; l; l = l->next)
		n++;
	writer_u64(w, n);
	for (const struct logged_message *l = log->first; l; l = l->next) {
		writer_u64(w, l->number);
		writer_u64(w, l->envelope.context);
		writer_u32(w, (uint32_t)l->envelope.tag);
		writer_u32(w, l->envelope.flags);
		writer_u64(w, l->len);
		writer_bytes(w, l->bytes, l->len);
	}
}

static void write_numbers(struct writer *w, const struct number_list *l)
{
	writer_u64(w, l->n);
	for (size_t i = 0; i < l->n; i++)
		writer_u64(w, l->v[i]);
}

static void write_all(const struct msglog *m, struct writer *w)
{
	writer_u32(w, (uint32_t)m->self);
	writer_u32(w, (uint32_t)m->size);
	writer_u64(w, outcomes_last(&m->outcomes));
	writer_u64(w, m->outcomes.posted);
	writer_u64(w, m->prefix.known);
	writer_u64(w, m->prefix.n);
	outcomes_encode(m->prefix.v, m->prefix.n, w->at);
	w->at += m->prefix.n * OUTCOME_BYTES;
	for (int q = 0; q < m->size; q++)
		writer_u64(w, m->prefix.begun[q]);
	for (int q = 0; q < m->size; q++) {
		const struct msglog_pair *p = &m->pairs[q];

		writer_u64(w, p->sent);
		writer_u64(w, p->nreserved);
		for (size_t i = 0; i < p->nreserved; i++)
			writer_u64(w, p->reserved[i].number);
		writer_u64(w, p->arrived.begun);
		write_numbers(w, &p->arrived.open);
		write_numbers(w, &p->arrived.skipped);
		write_log(w, &p->log);
	}
}

bool msglog_save(struct msglog *m, uint8_t **bytes, size_t *len)
{
	size_t size = length(m);
	uint8_t *made = malloc(size);
	struct writer w = writer_over(made, size);

	if (!made)
		return false;
	msglog_take(m);
	write_all(m, &w);
	assert(!w.bad && w.at == w.end);
	*bytes = made;
	*len = size;
	return true;
}

/* ---- from bytes ---- */

static size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static bool read_prefix(struct msglog_prefix *p, struct cursor *c, int size)
{
	uint64_t known = cursor_u64(c), n = cursor_u64(c);

	if (c->bad || known > 1 || (n && !known) || n > left(c) / OUTCOME_BYTES)
		return false;
	p->v = malloc(((size_t)n + 1) * sizeof *p->v);
	if (!p->v || !outcomes_decode(p->v, c->at, (size_t)n * OUTCOME_BYTES, size))
		return false;
	c->at += n * OUTCOME_BYTES;
	p->known = known;
	p->n = (size_t)n;
	for (int q = 0; q < size; q++) {
		p->begun[q] = cursor_u64(c);
		if (p->begun[q] && !known)
			return false;
	}
	return !c->bad;
}

/* Of messages up to `last`. */
static bool read_numbers(struct number_list *l, uint64_t last, size_t most, struct cursor *c)
{
	uint64_t before = 0, n = cursor_u64(c);

	if (c->bad || n > most || n > left(c) / sizeof *l->v || !number_list_reserve(l, (size_t)n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t number = cursor_u64(c);

		if (number <= before || number > last)
			return false;
		number_list_append(l, number);
		before = number;
	}
	return true;
}

/* None is in both, and the highest that has begun is not skipped. */
static bool read_arrivals(struct arrival_order *a, struct cursor *c)
{
	a->begun = cursor_u64(c);
	if (!read_numbers(&a->open, a->begun, SIZE_MAX, c) ||
		!read_numbers(&a->skipped, a->begun ? a->begun - 1 : 0, ARRIVAL_SKIPPED_MOST, c))
		return false;
	for (size_t i = 0; i < a->skipped.n; i++)
		if (number_list_has(&a->open, a->skipped.v[i]))
			return false;
	return true;
}

/* What they need is safe: the checkpoint covers it. */
static bool read_reserved(struct msglog_pair *p, struct cursor *c)
{
	struct number_list numbers = {0};
	bool right = read_numbers(&numbers, p->sent, MSGLOG_RESERVED_MOST, c);

	p->reserved = right ? malloc((numbers.n + 1) * sizeof *p->reserved) : NULL;
	right = p->reserved != NULL;
	p->reserved_room = numbers.n + 1;
	for (size_t i = 0; right && i < numbers.n; i++)
		p->reserved[p->nreserved++] = (struct reserved){.number = numbers.v[i]};
	number_list_free(&numbers);
	return right;
}

static bool read_message(struct msglog_pair *p, struct cursor *c)
{
	uint64_t number = cursor_u64(c), context = cursor_u64(c);
	uint32_t tag = cursor_u32(c), flags = cursor_u32(c);
	uint64_t len = cursor_u64(c);
	struct logged_envelope e = {.context = context, .tag = (int32_t)tag, .flags = flags};
	struct logged_message *l;

	if (c->bad || len > left(c) || number > p->sent || msglog_is_reserved(p, number) ||
		number <= (p->log.last ? p->log.last->number : 0))
		return false;
	l = sender_log_message(&p->log, &e, (size_t)len);
	if (!l)
		return false;
	l->number = number;
	cursor_bytes(c, l->bytes, (size_t)len);
	sender_log_add(&p->log, l);
	return true;
}

static bool read_pair(struct msglog_pair *p, struct cursor *c)
{
	uint64_t n;

	p->sent = cursor_u64(c);
	if (!read_reserved(p, c) || !read_arrivals(&p->arrived, c))
		return false;
	n = cursor_u64(c);
	for (uint64_t i = 0; i < n; i++)
		if (!read_message(p, c))
			return false;
	return !c->bad;
}

/* Into one that msglog_init made; of its outcomes what the checkpoint covers. */
static bool read_all(struct msglog *m, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);

	if (cursor_u32(&c) != (uint32_t)m->self || cursor_u32(&c) != (uint32_t)m->size)
		return false;
	m->outcomes.covered = cursor_u64(&c);
	m->outcomes.posted = cursor_u64(&c);
	if (m->outcomes.posted > OUTCOME_NUMBER_MOST || !read_prefix(&m->prefix, &c, m->size) ||
		m->prefix.n > m->outcomes.covered)
		return false;
	for (int q = 0; q < m->size; q++) {
		struct msglog_pair *p = &m->pairs[q];

		if (!read_pair(p, &c))
			return false;
		p->covered = arrival_order_got(&p->arrived);
		if (m->prefix.begun[q] > p->arrived.begun)
			return false;
	}
	return cursor_done(&c);
}

bool msglog_load(
	struct msglog *m, const uint8_t *bytes, size_t len, const struct outcome *v, size_t n)
{
	struct msglog new;

	if (!msglog_init(&new, m->self, m->size))
		return false;
	if (!read_all(&new, bytes, len) ||
		!outcomes_begin(&new.outcomes, new.outcomes.covered, new.outcomes.posted, v, n)) {
		msglog_fini(&new);
		return false;
	}
	msglog_fini(m);
	*m = new;
	return true;
}

/* What came after the prefix is not there yet, but for what it covers. */
static void only_prefix(struct msglog *m)
{
	for (int q = 0; q < m->size; q++) {
		struct msglog_pair *p = &m->pairs[q];

		sender_log_free(&p->log);
		arrival_order_free(&p->arrived);
		p->sent = p->nreserved = 0;
	}
	m->running_prefix = true;
}

bool msglog_load_prefix(struct msglog *m, const uint8_t *bytes, size_t len)
{
	struct msglog new;

	if (!msglog_init(&new, m->self, m->size))
		return false;
	if (!read_all(&new, bytes, len) || !new.prefix.known ||
		!outcomes_begin(&new.outcomes, 0, 0, new.prefix.v, new.prefix.n)) {
		msglog_fini(&new);
		return false;
	}
	only_prefix(&new);
	msglog_fini(m);
	*m = new;
	return true;
}

/* A field of the head, by its place. */
static uint64_t head_field(const uint8_t *bytes, size_t len, int i)
{
	struct cursor c = cursor_over(bytes, len);

	cursor_u32(&c);
	cursor_u32(&c);
	while (i-- > 0)
		cursor_u64(&c);
	return cursor_u64(&c);
}

uint64_t msglog_saved_outcomes(const uint8_t *bytes, size_t len)
{
	return head_field(bytes, len, 0);
}

uint64_t msglog_saved_posted(const uint8_t *bytes, size_t len)
{
	return head_field(bytes, len, 1);
}

bool msglog_saved_has_prefix(const uint8_t *bytes, size_t len)
{
	return head_field(bytes, len, 2) != 0;
}

bool msglog_load_outcomes(struct msglog *m, const struct outcome *v, size_t n)
{
	struct msglog new;

	if (!msglog_init(&new, m->self, m->size))
		return false;
	if (!outcomes_begin(&new.outcomes, 0, 0, v, n)) {
		msglog_fini(&new);
		return false;
	}
	msglog_fini(m);
	*m = new;
	return true;
}

bool msglog_valid(const uint8_t *bytes, size_t len, int self, int size)
{
	struct msglog m;
	bool valid;

	if (!msglog_init(&m, self, size))
		return false;
	valid = read_all(&m, bytes, len);
	msglog_fini(&m);
	return valid;
}
