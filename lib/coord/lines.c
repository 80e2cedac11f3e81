/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- start and end ---- */

int lines_init(struct coord *c)
{
	struct coord_lines *x = calloc(1, sizeof *x);

	c->lines = x;
	if (!x)
		return FT_ENOMEM;
	x->early_end = &x->early;
	x->from = calloc((size_t)c->size, sizeof *x->from);
	x->to = calloc((size_t)c->size, sizeof *x->to);
	c->peers = calloc((size_t)c->size, sizeof *c->peers);
	if (!x->from || !x->to || !c->peers)
		return FT_ENOMEM;
	for (int p = 0; p < c->size; p++) {
		envlog_init(&c->peers[p].log);
		envlog_init(&c->peers[p].seen);
	}
	return tagging_init(&x->tagging, c->size);
}

static void free_line(struct line *l)
{
	cut_free(l->cut);
	tag_cut_free(l->tag);
	free(l->settle);
	free(l);
}

/* Without asking lib/mpi. */
static void drop_lines(struct coord_lines *x)
{
	while (x->list) {
		struct line *l = x->list;

		x->list = l->next;
		free_line(l);
	}
	while (x->tallies)
		tally_remove(&x->tallies, x->tallies);
	while (x->early) {
		struct early_report *e = x->early;

		x->early = e->next;
		free(e);
	}
	x->early_end = &x->early;
}

void lines_fini(struct coord *c)
{
	if (!c->lines)
		return;
	drop_lines(c->lines);
	for (int p = 0; c->peers && p < c->size; p++) {
		envlog_free(&c->peers[p].log);
		envlog_free(&c->peers[p].seen);
	}
	tagging_free(&c->lines->tagging);
	free(c->peers);
	free(c->lines->from);
	free(c->lines->to);
	free(c->lines);
	c->lines = NULL;
	c->peers = NULL;
}

void lines_fatal(const struct coord *c, const char *sentence)
{
	c->env->fatal(c->user, sentence);
	abort();
}

void lines_no_memory(const struct coord *c)
{
	lines_fatal(c, "no memory to count messages for checkpoints");
}

/* ---- lookups ---- */

struct line *lines_find(const struct coord *c, uint32_t line)
{
	struct line *l = c->lines ? c->lines->list : NULL;

	while (l && l->line < line)
		l = l->next;
	return l && l->line == line ? l : NULL;
}

void lines_busy(struct coord *c)
{
	c->making = 0;
	for (const struct line *l = c->lines->list; l; l = l->next)
		c->making += !l->lost;
	c->busy = c->tags || c->making;
}

/* Nothing will be added to it any more. */
static bool is_identified(const struct line *l)
{
	return !l->lost && !l->open && !(l->cut && l->cut->missing) && !(l->tag && l->tag->left);
}

/* ---- beginning one ---- */

struct waiting {
	struct coord_message *v;
	size_t n, room;
	bool bad;
};

static void gather(void *arg, const struct coord_message *m)
{
	struct waiting *w = arg;

	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		struct coord_message *v = realloc(w->v, room * sizeof *v);

		if (!v) {
			w->bad = true;
			return;
		}
		w->v = v;
		w->room = room;
	}
	w->v[w->n++] = *m;
}

/* Debts are numbered behind what has come, so they need entries. */
static bool enter_debts(struct coord *c)
{
	for (size_t i = 0; c->debts.left && i < c->debts.n; i++) {
		const struct orphan_range *r = &c->debts.v[i].range;

		if (!envlog_get(&c->peers[r->peer].seen, r->context, r->tag))
			return false;
	}
	return true;
}

static bool cut_log(struct coord *c, struct line *l, const struct waiting *w)
{
	const struct envlog **logs = malloc((size_t)c->size * sizeof *logs);
	struct cut_state state = {.size = c->size,
		.arrived = logs,
		.waiting = w->v,
		.nwaiting = w->n,
		.debts = &c->debts};

	if (!logs || !enter_debts(c)) {
		free(logs);
		return false;
	}
	for (int p = 0; p < c->size; p++)
		logs[p] = &c->peers[p].seen;
	l->cut = cut_new(&state);
	free(logs);
	return l->cut != NULL;
}

static bool cut_all(struct coord *c, struct line *l)
{
	struct waiting w = {0};
	bool ok;

	c->env->undelivered(c->user, gather, &w);
	ok = !w.bad;
	cut_sort(w.v, w.n);
	if (ok && c->logs)
		ok = cut_log(c, l, &w);
	if (ok && c->tags) {
		l->tag = tag_cut_new(&c->lines->tagging, l->line, w.v, w.n, &c->debts);
		ok = l->tag != NULL;
	}
	free(w.v);
	return ok;
}

static struct line *new_line(struct coord *c)
{
	struct line **at = &c->lines->list, *l = calloc(1, sizeof *l);

	if (!l)
		lines_no_memory(c);
	l->line = c->line;
	l->open = c->size;
	l->settle = malloc((size_t)c->size * sizeof *l->settle);
	if (!l->settle)
		lines_no_memory(c);
	while (*at)
		at = &(*at)->next;
	*at = l;
	return l;
}

static void report_line(struct coord *c)
{
	uint32_t *counts = calloc((size_t)c->size, sizeof *counts);

	if (!counts)
		lines_no_memory(c);
	reports_send(c, counts);
	agree_counts(c, c->line, counts);
	free(counts);
}

static void close_line(struct coord *c, struct line *l, int peer);

/* E2. From the cut on a message counts for the next interval; peers that had closed the line before
 * do so now, when lib/mpi has its copy. */
bool lines_begin(struct coord *c)
{
	struct coord_lines *x = c->lines;
	struct line *l;
	bool captured;

	c->line++;
	l = new_line(c);
	x->running = true;
	captured = cut_all(c, l);
	lines_busy(c);
	if (captured)
		captured = c->env->capture(c->user, l->line);
	if (!captured)
		lines_said(c, l, NULL);
	for (int p = 0; p < c->size; p++)
		if (p != c->self && x->from[p].closed >= l->line)
			close_line(c, l, p);
	report_line(c);
	reports_got_early(c);
	reports_sweep(c);
	x->running = false;
	lines_run(c);
	return captured;
}

void lines_said(struct coord *c, struct line *l, const struct coord_part *part)
{
	struct coord_part none = {0};

	if (l->said)
		return;
	l->said = true;
	l->lost = !part;
	agree_ready(c, l->line, part ? part : &none);
	if (part)
		return;
	cut_free(l->cut);
	tag_cut_free(l->tag);
	l->cut = NULL;
	l->tag = NULL;
	lines_busy(c);
}

/* ---- peers that close it ---- */

static void disagree(const struct coord *c, const struct line *l, const char *what)
{
	char text[128];

	snprintf(text, sizeof text, "line %u: eventlog and tagging disagree about %s", l->line,
		what);
	lines_fatal(c, text);
}

void lines_compare_fate(const struct coord *c, const struct line *l, const struct coord_message *m,
	enum coord_fate tagging)
{
	enum coord_fate log = cut_fate(l->cut, m);

	if (log != COORD_OPEN && log != tagging)
		disagree(c, l, "a message that is on its way");
}

/* A tagger cannot know yet which of what is to come are debts. */
static void compare_missing(struct coord *c, const struct line *l, int peer)
{
	uint64_t missing =
		l->cut->peers[peer].missing + cut_debts_missing(l->cut, peer, &c->peers[peer].seen);

	if (missing != l->tag->missing[peer])
		disagree(c, l, "how many messages are on their way");
}

static void close_line(struct coord *c, struct line *l, int peer)
{
	l->open--;
	if (l->lost)
		return;
	if (l->tag)
		tag_cut_close(l->tag, peer, c->lines->from[peer].sent);
	if (l->tag && (int64_t)l->tag->missing[peer] < 0)
		lines_fatal(c, "more messages have come than a rank says that it has sent");
	if (l->cut && !cut_close(l->cut, peer, &c->peers[peer].seen)) {
		lines_said(c, l, NULL);
		return;
	}
	if (l->cut && l->tag)
		compare_missing(c, l, peer);
	l->settle[l->nsettle++] = peer;
	c->due = true;
}

void lines_close(struct coord *c, int peer, uint32_t line)
{
	struct from *f = &c->lines->from[peer];

	if (line <= f->closed)
		return;
	for (struct line *l = c->lines->list; l && l->line <= line; l = l->next)
		if (l->line > f->closed)
			close_line(c, l, peer);
	f->closed = line;
}

void lines_arrived(struct coord *c, const struct coord_message *m, bool debt)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->cut && !debt)
			cut_arrived(l->cut, m);
		if (l->tag)
			tag_cut_arrived(l->tag, m);
		if (!l->asked && is_identified(l))
			c->due = true;
	}
}

/* ---- what is asked of lib/mpi ---- */

static bool settle_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->lost || l->over || l->settled == l->nsettle)
			continue;
		c->env->settle(c->user, l->line, l->settle[l->settled++]);
		return true;
	}
	return false;
}

static void compare_orphans(struct coord *c, const struct line *l)
{
	struct orphans log = {0}, tag = {0};

	if (!cut_orphans(l->cut, &log) || !tag_cut_orphans(l->tag, &tag))
		lines_no_memory(c);
	if (log.n != tag.n || (log.n && memcmp(log.v, tag.v, log.n * sizeof *log.v) != 0))
		disagree(c, l, "orphans");
	orphans_free(&log);
	orphans_free(&tag);
}

static bool finish_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->asked || l->over || !is_identified(l))
			continue;
		if (l->cut && l->tag)
			compare_orphans(c, l);
		l->asked = true;
		c->env->finish(c->user, l->line);
		return true;
	}
	return false;
}

static bool over_step(struct coord *c)
{
	for (struct line **at = &c->lines->list; *at; at = &(*at)->next) {
		struct line *l = *at;

		if (!l->over)
			continue;
		*at = l->next;
		lines_busy(c);
		c->env->over(c->user, l->line, l->committed);
		free_line(l);
		if (!c->lines->list)
			reports_forget(c);
		return true;
	}
	return false;
}

void lines_run(struct coord *c)
{
	struct coord_lines *x = c->lines;

	if (x->running)
		return;
	x->running = true;
	do
		c->due = false;
	while (settle_step(c) || finish_step(c) || agree_step(c) || over_step(c));
	x->running = false;
}

void lines_clear(struct coord *c)
{
	struct coord_lines *x = c->lines;

	for (struct line *l = x->list; l; l = l->next)
		l->over = true;
	while (over_step(c))
		;
	drop_lines(x);
	for (int p = 0; p < c->size; p++) {
		envlog_clear(&c->peers[p].log);
		envlog_clear(&c->peers[p].seen);
		x->from[p] = (struct from){.closed = c->line};
		x->to[p] = (struct to){.before = c->sent[p]};
	}
	tagging_clear(&x->tagging);
	x->base = x->closed = x->committed = x->wanted = c->line;
	lines_busy(c);
}
