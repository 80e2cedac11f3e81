/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/coord.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "coord/actions.h"
#include "coord/lines.h"

static const struct name {
	const char *name;
	enum coord_protocol protocol;
} names[] = {
	{"auto", COORD_AUTO},
	{"blocking", COORD_BLOCKING},
	{"eventlog", COORD_EVENTLOG},
	{"tagging", COORD_TAGGING},
	{"compare", COORD_COMPARE},
};

const char *coord_names(void)
{
	return "auto, blocking, eventlog, tagging, compare";
}

static const struct name *find_name(const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, name) == 0)
			return &names[i];
	return NULL;
}

#define BIT(protocol) (1u << (protocol))

/* From each protocol, those that it leads to; one that was named at launch stays, or is committed
 * later. */
static const unsigned leads[COORD_PROTOCOLS] = {
	[COORD_BLOCKING] = BIT(COORD_LATER),
	[COORD_AUTO] = BIT(COORD_BLOCKING) | BIT(COORD_EVENTLOG) | BIT(COORD_TAGGING),
};

static void become(struct coord *c, enum coord_protocol protocol)
{
	assert(leads[c->protocol] & BIT(protocol));
	c->protocol = protocol;
	lines_busy(c);
}

int coord_init(
	struct coord *c, const char *name, int self, int size, coord_fatal *fatal, void *user)
{
	const struct name *n = find_name(name);
	int rc;

	*c = (struct coord){
		.fatal = fatal, .user = user, .self = self, .size = size, .concluded = true};
	if (!n)
		return FT_EINVAL;
	c->protocol = n->protocol;
	c->sent = calloc((size_t)size, sizeof *c->sent);
	rc = c->sent ? 0 : FT_ENOMEM;
	if (rc == 0 && !coord_is_blocking(c))
		rc = state_init(c);
	if (rc)
		coord_fini(c);
	else if (c->lines)
		lines_busy(c);
	return rc;
}

int coord_commit_later(struct coord *c)
{
	int rc;

	assert(!c->lines);
	rc = state_init(c);
	if (rc)
		state_fini(c);
	else
		become(c, COORD_LATER);
	return rc;
}

void coord_fini(struct coord *c)
{
	actions_free(c);
	state_fini(c);
	suppress_free(&c->suppress);
	free(c->sent);
	c->sent = NULL;
}

/* What it is called: when lines are committed is not in its name. */
static enum coord_protocol named(const struct coord *c)
{
	return coord_commits_later(c) ? COORD_BLOCKING : c->protocol;
}

/* What others tell of the other protocols before they choose is of no interest then. */
bool coord_choose(struct coord *c, const char *name)
{
	const struct name *n = find_name(name);

	if (!n || !coord_is_auto(c))
		return n && n->protocol == named(c);
	if (n->protocol == COORD_AUTO || n->protocol == COORD_COMPARE)
		return n->protocol == COORD_AUTO;
	become(c, n->protocol);
	return true;
}

/* ---- lines ---- */

bool coord_next_action(struct coord *c, struct coord_action *a)
{
	return step_next(c, a);
}

bool coord_lines_over(const struct coord *c)
{
	return !c->lines || !c->lines->list;
}

bool coord_lines_made(const struct coord *c)
{
	return c->protocol == COORD_BLOCKING ? c->concluded : c->lines->committed == c->line;
}

uint32_t coord_next_line(const struct coord *c, uint32_t after)
{
	for (const struct line *l = c->lines ? c->lines->list : NULL; l; l = l->next)
		if (l->line > after && l->state != LINE_LOST && !lines_is_over(l))
			return l->line;
	return 0;
}

enum coord_fate coord_fate(const struct coord *c, uint32_t line, const struct coord_message *m)
{
	const struct line *l = lines_find(c, line);
	enum coord_fate fate = COORD_OUT;

	if (!l)
		return COORD_OUT;
	if (l->tag)
		fate = tag_cut_fate(l->tag, m);
	if (!l->cut)
		return fate;
	if (!l->tag)
		return cut_fate(l->cut, m);
	compare_fate(c, l, m, fate);
	return cut_fate(l->cut, m);
}

void coord_written(struct coord *c, uint32_t line, const struct coord_part *part)
{
	struct line *l = lines_find(c, line);

	if (!l)
		return;
	lines_said(c, l, part);
	c->due = true;
}

void coord_committed(struct coord *c, uint32_t line, bool ok)
{
	agree_committed(c, line, ok);
	c->due = true;
}

/* Of a line that all wait for ranks say nothing but whose part is durable and what becomes of it,
 * and not before all have begun it (B5). */
static bool is_said(const struct coord *c, const struct control_message *r)
{
	return !coord_is_blocking(c) ||
	       (r->line <= c->line && (r->kind == CONTROL_READY || r->kind == CONTROL_VERDICT));
}

/* Before a restore other numbers were in use. */
bool coord_control(struct coord *c, int peer, const uint8_t *bytes, size_t len)
{
	struct control_message r;
	bool right;

	if (!c->lines || peer < 0 || peer >= c->size || peer == c->self ||
		!control_message_decode(&r, bytes, len))
		return false;
	if (coord_is_silent(c) || r.restores < c->restores)
		return true;
	if (r.restores > c->restores || !is_said(c, &r))
		return false;
	right = r.kind == CONTROL_REPORT ? reports_got(c, peer, &r, bytes, len)
					 : agree_got(c, peer, &r);
	c->due |= right;
	return right;
}

void coord_finish_bytes(uint8_t *bytes, size_t len)
{
	control_message_finish(bytes, len);
}

bool coord_is_writing(const struct coord *c)
{
	const struct line *last = lines_find(c, c->line);

	return last && lines_is_open(last);
}

bool coord_due(struct coord *c, bool elapsed)
{
	if (coord_is_blocking(c))
		return elapsed;
	if (coord_is_writing(c))
		return false;
	if (elapsed && c->lines->wanted <= c->line)
		agree_want(c, c->line + 1, -1);
	return c->lines->wanted > c->line;
}

bool coord_torn(const struct coord *c, uint32_t line)
{
	const struct line *l = lines_find(c, line);

	return l && ((l->cut && l->cut->torn) || (l->tag && l->tag->torn));
}

bool coord_crowded(const struct coord *c, uint32_t line)
{
	const struct line *l = lines_find(c, line);

	return l && l->early && l->early->lost;
}

/* ---- across a restore ---- */

void coord_compared(struct coord *c)
{
	if (--c->comparing == 0)
		c->due = true;
}

void coord_received(
	struct coord *c, const struct coord_message *m, const struct orphan_sum *contents)
{
	if (c->lines && !coord_is_blocking(c))
		early_received(&c->lines->received, m, contents);
}

uint64_t coord_injected(struct coord *c, int peer, uint64_t context, int32_t tag)
{
	struct envelope_slot *e;

	if (c->lines)
		c->lines->injected++;
	if (!coord_logs(c))
		return 0;
	e = envelope_counters_get(&c->peers[peer].seen, context, tag);
	if (!e)
		environment_no_memory(c);
	e->s++;
	return ++e->a;
}

bool coord_save(struct coord *c, uint32_t line, uint8_t **out, size_t *len)
{
	const struct line *l = lines_find(c, line);
	struct orphans o = {0};
	bool ok = true;

	if (l && l->cut)
		ok = cut_orphans(l->cut, &o);
	else if (l && l->tag)
		ok = tag_cut_orphans(l->tag, &o);
	else if (coord_is_blocking(c))
		ok = suppress_left(&c->suppress, &o);
	if (ok && l && l->early && !l->early->lost)
		ok = early_cut_sums(l->early, &o);
	ok = ok && orphans_encode(&o, out, len);
	orphans_free(&o);
	return ok;
}

bool coord_valid(const uint8_t *bytes, size_t len, int size)
{
	return orphans_valid(bytes, len, size);
}

bool coord_load(struct coord *c, const uint8_t *bytes, size_t len)
{
	struct orphans o = {0};
	bool ok = orphans_decode(&o, bytes, len) && suppress_load(&c->suppress, &o);

	orphans_free(&o);
	return ok;
}
