/* SPDX-License-Identifier: BSD-3-Clause */
/* How much each rank has sent in each interval. */
#include <stdlib.h>
#include <string.h>

#include "coord/actions.h"
#include "coord/lines.h"

/* Entries of a log for one peer, after which it is told before its time; simulations set less. */
#ifndef COORD_LOG_MOST
#define COORD_LOG_MOST 4096
#endif

/* ---- to others ---- */

static void apply(struct coord *c, int peer, const struct control_message *r);

/* What this rank sends to itself is reported the same way, but nobody waits for its order. */
static void deliver(
	struct coord *c, int peer, struct control_message *r, uint8_t *bytes, size_t len)
{
	if (peer != c->self) {
		actions_send(c, peer, bytes, len);
		return;
	}
	if (!bytes)
		environment_no_memory(c);
	r->list = bytes + CONTROL_HEAD_BYTES + CONTROL_REPORT_BYTES;
	apply(c, peer, r);
	free(bytes);
}

static uint64_t sum(const struct envelope_counters *log)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < log->n; i++)
		all += log->slots[i].a;
	return all;
}

/* The peer learns what is in the log, which is empty then. */
static void tell_log(struct coord *c, int peer, struct control_message *r)
{
	struct envelope_counters *log = &c->peers[peer].log;
	struct to *to = &c->lines->to[peer];
	uint8_t *bytes;
	size_t len;

	if (coord_logs(c)) {
		r->flags |= CONTROL_ENTRIES;
		r->n = log->n;
		to->reported += sum(log);
		r->total = to->reported;
	}
	bytes = control_message_encode_report(r, log->slots, &len);
	if (coord_logs(c))
		envelope_counters_clear(log);
	deliver(c, peer, r, bytes, len);
}

void reports_send(struct coord *c, uint32_t *counts)
{
	for (int q = 0; q < c->size; q++) {
		struct to *to = &c->lines->to[q];
		struct control_message r = {.kind = CONTROL_REPORT,
			.flags = CONTROL_LAST,
			.restores = c->restores,
			.line = c->line,
			.total = c->sent[q] - to->before};

		if (r.total)
			tell_log(c, q, &r);
		if (q == c->self)
			lines_close(c, q, c->line);
		else
			counts[q] = r.total > 0;
		*to = (struct to){.before = c->sent[q]};
	}
}

struct envelope_slot *coord_log_entry(struct coord *c, int peer, uint64_t context, int32_t tag)
{
	struct envelope_counters *log = &c->peers[peer].log;
	struct control_message r = {
		.kind = CONTROL_REPORT, .restores = c->restores, .line = c->line + 1};
	struct envelope_slot *e = envelope_counters_again(log, context, tag);

	if (e)
		return e;
	if (log->n >= COORD_LOG_MOST)
		tell_log(c, peer, &r);
	e = envelope_counters_get(log, context, tag);
	if (!e)
		environment_no_memory(c);
	return e;
}

/* ---- from others ---- */

/* Does it continue what the peer has said? A tagger's last report may follow one with entries,
 * while no protocol was chosen. */
static bool continues(const struct coord *c, const struct from *f, const struct control_message *r)
{
	bool same = r->line == f->interval, entries = r->flags & CONTROL_ENTRIES;
	uint64_t before = same ? f->entries : 0;

	if (r->line <= f->closed || r->line < f->interval || (same && f->ended))
		return false;
	if (r->line - c->lines->base > c->line - c->lines->base + LINES_AHEAD)
		return false;
	if (!entries)
		return (!coord_logs(c) || coord_is_auto(c)) && r->total >= before;
	return r->total == before + control_message_sum(r);
}

/* Does it fit what the tree says? */
static bool is_expected(const struct coord *c, const struct control_message *r)
{
	const struct reduction *t = reduction_find(c->lines->reductions, r->line);

	return !(r->flags & CONTROL_LAST) || !t || t->counts_state != COUNTS_BACK ||
	       t->lasts < t->expected;
}

static void note(struct from *f, const struct control_message *r)
{
	if (r->line != f->interval)
		f->entries = 0;
	f->interval = r->line;
	f->ended = r->flags & CONTROL_LAST;
	f->entries += control_message_sum(r);
}

/* One that speaks of an interval says that all lines before are closed. */
static void apply(struct coord *c, int peer, const struct control_message *r)
{
	struct coord_lines *x = c->lines;

	lines_close(c, peer, r->line - 1);
	for (uint32_t i = 0; coord_logs(c) && i < r->n; i++) {
		struct envelope_slot e = control_message_entry(r, i), *seen;

		seen = envelope_counters_get(&c->peers[peer].seen, e.context, e.tag);
		if (!seen)
			environment_no_memory(c);
		seen->s += e.a;
	}
	if (!(r->flags & CONTROL_LAST))
		return;
	x->from[peer].sent += r->total;
	lines_close(c, peer, r->line);
	if (peer != c->self)
		sums_at(c, r->line)->lasts++;
}

static void keep_early(struct coord *c, int peer, const uint8_t *bytes, size_t len)
{
	struct early_report *e = malloc(sizeof *e + len);

	if (!e)
		environment_no_memory(c);
	*e = (struct early_report){.peer = peer, .len = len};
	memcpy(e->bytes, bytes, len);
	*c->lines->early_end = e;
	c->lines->early_end = &e->next;
}

bool reports_got(struct coord *c, int peer, const struct control_message *r, const uint8_t *bytes,
	size_t len)
{
	struct from *f = &c->lines->from[peer];

	if (!continues(c, f, r) || !is_expected(c, r))
		return false;
	note(f, r);
	if (r->line > c->line + 1) {
		keep_early(c, peer, bytes, len);
		return true;
	}
	apply(c, peer, r);
	counts_sweep(c);
	return true;
}

void reports_got_early(struct coord *c)
{
	struct coord_lines *x = c->lines;
	struct early_report **at = &x->early;

	while (*at) {
		struct early_report *e = *at;
		struct control_message r;

		if (!control_message_decode(&r, e->bytes, e->len) || r.line > c->line + 1) {
			at = &e->next;
			continue;
		}
		apply(c, e->peer, &r);
		*at = e->next;
		free(e);
	}
	x->early_end = at;
}

/* ---- entries that nobody needs ---- */

static void hold(struct coord *c, const struct coord_message *m)
{
	struct envelope_slot *e =
		envelope_counters_find(&c->peers[m->peer].seen, m->context, m->tag);

	if (e)
		e->held = true;
}

/* E9. The sender need not know: it tells increments. */
void reports_forget(struct coord *c, const struct coord_undelivered *u)
{
	for (size_t i = 0; i < u->n; i++)
		hold(c, &u->v[i]);
	for (size_t i = 0; c->suppress.left && i < c->suppress.n; i++) {
		const struct orphan_range *r = &c->suppress.v[i].range;
		struct coord_message m = {
			.peer = (int)r->peer, .context = r->context, .tag = r->tag};

		hold(c, &m);
	}
	for (int p = 0; p < c->size; p++)
		envelope_counters_keep(&c->peers[p].seen);
}
