/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks agree on, on the tree: how many reports come to each, whose part of a line is durable,
 * what becomes of it; and that a line is wanted. */
#include <stdlib.h>

#include "coord/lines.h"
#include "coord/tree.h"

static struct tally *tally_of(struct coord *c, uint32_t line)
{
	struct tally *t = tally_at(&c->lines->tallies, line, c->self, c->size);

	if (!t)
		environment_no_memory(c);
	return t;
}

static bool is_child(const struct coord *c, int peer)
{
	return tree_child_bit(c->self, c->size, peer) >= 0;
}

/* Nothing more is to be counted there. */
static bool is_behind(const struct coord *c, uint32_t line)
{
	return line <= c->lines->closed && !tally_find(c->lines->tallies, line);
}

/* ---- how many reports ---- */

/* list: of this rank's subtree. */
static void counts_down(struct coord *c, struct tally *t, const uint32_t *list)
{
	struct report r = environment_head(c, REPORT_COUNTS_DOWN, t->line);
	int child;

	t->known = true;
	t->expected = list[0];
	for (int bit = 0; (child = tree_child(c->self, c->size, bit)) >= 0; bit++) {
		size_t len;
		uint8_t *bytes;

		r.n = (uint32_t)tree_span(child, c->size);
		bytes = report_encode_counts(&r, list + (child - c->self), &len);
		environment_send(c, child, bytes, len);
	}
	reports_sweep(c);
}

static void counts_up(struct coord *c, struct tally *t)
{
	struct report r = environment_head(c, REPORT_COUNTS_UP, t->line);
	uint8_t *bytes;
	size_t len;

	if (t->counted != tree_all(c->self, c->size))
		return;
	if (c->self == 0) {
		counts_down(c, t, t->counts);
		return;
	}
	r.n = (uint32_t)c->size;
	bytes = report_encode_counts(&r, t->counts, &len);
	environment_send(c, tree_parent(c->self), bytes, len);
}

void agree_counts(struct coord *c, uint32_t line, const uint32_t *counts)
{
	struct tally *t = tally_of(c, line);

	tally_count(t, TREE_SELF, c->size, counts);
	counts_up(c, t);
}

static uint32_t *take_counts(struct coord *c, const struct report *r)
{
	uint32_t *counts = malloc((size_t)r->n * sizeof *counts);

	if (!counts)
		environment_no_memory(c);
	for (uint32_t i = 0; i < r->n; i++)
		counts[i] = report_count(r, i);
	return counts;
}

static bool got_counts_up(struct coord *c, int peer, const struct report *r)
{
	uint32_t *counts;
	bool right;

	if (!is_child(c, peer) || r->n != (uint32_t)c->size || is_behind(c, r->line))
		return false;
	counts = take_counts(c, r);
	right = tally_count_right(
		tally_find(c->lines->tallies, r->line), c->self, c->size, peer, counts);
	if (right) {
		struct tally *t = tally_of(c, r->line);

		tally_count(t, tree_child_bit(c->self, c->size, peer), c->size, counts);
		counts_up(c, t);
	}
	free(counts);
	return right;
}

static bool got_counts_down(struct coord *c, int peer, const struct report *r)
{
	struct tally *t = tally_find(c->lines->tallies, r->line);
	uint32_t *counts;
	bool right;

	if (peer != tree_parent(c->self) || r->n != (uint32_t)tree_span(c->self, c->size))
		return false;
	if (!t || t->known || t->counted != tree_all(c->self, c->size))
		return false;
	counts = take_counts(c, r);
	right = counts[0] >= t->lasts && counts[0] < (uint32_t)c->size;
	if (right)
		counts_down(c, t, counts);
	free(counts);
	return right;
}

/* ---- whose part is durable ---- */

void agree_ready(struct coord *c, uint32_t line, const struct coord_part *part)
{
	struct tally *t = tally_of(c, line);

	t->parts[0] = *part;
	t->readied |= 1u << TREE_SELF;
	c->due = true;
}

static bool got_ready(struct coord *c, int peer, const struct report *r)
{
	int bit = tree_child_bit(c->self, c->size, peer);
	struct tally *t;

	if (bit < 0 || r->n != (uint32_t)tree_span(peer, c->size) || is_behind(c, r->line))
		return false;
	t = tally_of(c, r->line);
	if (t->readied & 1u << bit)
		return false;
	for (uint32_t i = 0; i < r->n; i++)
		t->parts[(uint32_t)(peer - c->self) + i] = report_part(r, i);
	t->readied |= 1u << bit;
	return true;
}

/* ---- the verdict ---- */

static void judge(struct coord *c, struct tally *t, bool committed)
{
	struct report r = environment_head(c, REPORT_VERDICT, t->line);
	struct line *l = lines_find(c, t->line);
	int child;

	t->judged = true;
	r.committed = committed;
	for (int bit = 0; (child = tree_child(c->self, c->size, bit)) >= 0; bit++) {
		size_t len;
		uint8_t *bytes = report_encode_rest(&r, &len);

		environment_send(c, child, bytes, len);
	}
	if (committed && t->line > c->lines->committed)
		c->lines->committed = t->line;
	if (l) {
		l->over = true;
		l->committed = committed;
	}
}

static bool got_verdict(struct coord *c, int peer, const struct report *r)
{
	struct tally *t = tally_find(c->lines->tallies, r->line);

	if (peer != tree_parent(c->self) || !t || !t->told || t->judged)
		return false;
	if (r->committed && !tally_all_ok(t, tree_span(c->self, c->size)))
		return false;
	judge(c, t, r->committed);
	return true;
}

static void ready_up(struct coord *c, struct tally *t)
{
	struct report r = environment_head(c, REPORT_READY, t->line);
	uint8_t *bytes;
	size_t len;

	t->told = true;
	if (c->self == 0) {
		if (!tally_all_ok(t, c->size))
			judge(c, t, false);
		return;
	}
	r.n = (uint32_t)tree_span(c->self, c->size);
	bytes = report_encode_parts(&r, t->parts, &len);
	environment_send(c, tree_parent(c->self), bytes, len);
}

/* Rank 0, one line after the other; one that is older than a committed one is of no use. */
static void commit(struct coord *c, struct tally *t)
{
	if (t->line < c->lines->committed) {
		judge(c, t, false);
		return;
	}
	c->lines->committing = t->line;
	c->env->commit(c->user, t->line, t->parts);
}

void agree_committed(struct coord *c, uint32_t line, bool ok)
{
	struct tally *t = tally_find(c->lines->tallies, line);

	if (c->lines->committing != line || !t)
		return;
	c->lines->committing = 0;
	judge(c, t, ok);
}

bool agree_step(struct coord *c)
{
	struct coord_lines *x = c->lines;

	for (struct tally *t = x->tallies; t; t = t->next) {
		if (!t->told && t->readied == tree_all(c->self, c->size)) {
			ready_up(c, t);
			return true;
		}
		if (c->self == 0 && t->told && !t->judged && !x->committing) {
			commit(c, t);
			return true;
		}
		if (t->judged && t->line <= x->closed) {
			tally_remove(&x->tallies, t);
			return true;
		}
	}
	return false;
}

/* ---- a line is wanted ---- */

void agree_want(struct coord *c, uint32_t line, int from)
{
	struct report r = environment_head(c, REPORT_BEGIN, line);

	c->lines->wanted = line;
	for (int bit = -1; bit < TREE_CHILDREN; bit++) {
		int to = bit < 0 ? tree_parent(c->self) : tree_child(c->self, c->size, bit);
		size_t len;
		uint8_t *bytes;

		if (to < 0 || to == from)
			continue;
		bytes = report_encode_rest(&r, &len);
		environment_send(c, to, bytes, len);
	}
}

static bool got_begin(struct coord *c, int peer, const struct report *r)
{
	if (!tree_joins(c->self, c->size, peer))
		return false;
	if (r->line > c->lines->wanted)
		agree_want(c, r->line, peer);
	return true;
}

bool agree_got(struct coord *c, int peer, const struct report *r)
{
	if (r->line <= c->lines->base ||
		r->line - c->lines->base > c->line - c->lines->base + LINES_AHEAD)
		return false;
	switch (r->kind) {
	case REPORT_COUNTS_UP:
		return got_counts_up(c, peer, r);
	case REPORT_COUNTS_DOWN:
		return got_counts_down(c, peer, r);
	case REPORT_READY:
		return got_ready(c, peer, r);
	case REPORT_VERDICT:
		return got_verdict(c, peer, r);
	case REPORT_BEGIN:
		return got_begin(c, peer, r);
	case REPORT_SENT:
		break;
	}
	return false;
}
