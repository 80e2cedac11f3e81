/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/sender_log.h"

#include <assert.h>

struct logged_message *sender_log_message(
	struct sender_log *log, const struct logged_envelope *e, size_t len)
{
	struct logged_message *m = log_memory_take(&log->memory, sizeof *m, len, log->bytes);

	if (m)
		*m = (struct logged_message){.envelope = *e, .len = len};
	return m;
}

void sender_log_discard(struct logged_message *m)
{
	log_memory_give(m);
}

void sender_log_add(struct sender_log *log, struct logged_message *m)
{
	struct logged_message *before = log->last, **at;

	while (before && before->number > m->number)
		before = before->before;
	assert(!before || before->number < m->number);
	at = before ? &before->next : &log->first;
	m->before = before;
	m->next = *at;
	*at = m;
	if (m->next)
		m->next->before = m;
	else
		log->last = m;
	log->bytes += m->len + SENDER_LOG_EACH;
}

struct logged_message *sender_log_after(const struct sender_log *log, uint64_t number)
{
	struct logged_message *m = log->first;

	if (!log->last || log->last->number <= number)
		return NULL;
	while (m->number <= number)
		m = m->next;
	return m;
}

struct logged_message *sender_log_waiting(struct logged_message *m)
{
	while (m && m->left)
		m = m->next;
	return m;
}

static void drop(struct logged_message *m)
{
	if (m->lent)
		m->dropped = true;
	else
		log_memory_give(m);
}

void sender_log_back(struct logged_message *m)
{
	assert(m->lent);
	m->lent = false;
	if (m->dropped)
		log_memory_give(m);
}

void sender_log_drop(struct sender_log *log, uint64_t keep, uint64_t covered)
{
	struct logged_message **at = &log->first, *before = NULL, *m;

	while ((m = *at) && m->number <= keep) {
		before = m;
		at = &m->next;
	}
	while ((m = *at) && m->number <= covered) {
		*at = m->next;
		log->bytes -= m->len + SENDER_LOG_EACH;
		drop(m);
	}
	if (*at)
		(*at)->before = before;
	else
		log->last = before;
}

void sender_log_free(struct sender_log *log)
{
	sender_log_drop(log, 0, UINT64_MAX);
	log_memory_close(&log->memory);
}
