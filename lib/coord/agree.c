/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks agree on, on the tree: whose part of a line is durable, what becomes of it; and that a
 * line is wanted. */
#include "coord/actions.h"
#include "coord/lines.h"
#include "coord/tree.h"

/* ---- whose part is durable ---- */

static bool got_ready(struct coord *c, int peer, const struct control_message *r)
{
	int bit = tree_child_bit(c->self, c->size, peer);
	struct reduction *t;

	if (bit < 0 || r->n != (uint32_t)tree_span(peer, c->size) || sums_passed(c, r->line))
		return false;
	t = sums_at(c, r->line);
	if (t->readied & 1u << bit)
		return false;
	for (uint32_t i = 0; i < r->n; i++)
		t->parts[(uint32_t)(peer - c->self) + i] = control_message_part(r, i);
	t->readied |= 1u << bit;
	return true;
}

/* ---- the verdict ---- */

static void conclude(struct coord *c, struct reduction *t, bool committed)
{
	struct line *l = lines_find(c, t->line);

	reduction_parts_become(t, PARTS_JUDGED);
	if (committed && t->line > c->lines->committed)
		c->lines->committed = t->line;
	if (l && !lines_is_over(l))
		lines_become(l, committed ? LINE_COMMITTED : LINE_GIVEN_UP);
	c->due = true;
}

static void judge(struct coord *c, struct reduction *t, bool committed)
{
	struct control_message r = environment_head(c, CONTROL_VERDICT, t->line);
	int child;

	r.committed = committed;
	for (int bit = 0; (child = tree_child(c->self, c->size, bit)) >= 0; bit++) {
		size_t len;
		uint8_t *bytes = control_message_encode_rest(&r, &len);

		actions_send(c, child, bytes, len);
	}
	conclude(c, t, committed);
}

void agree_forgo(struct coord *c, uint32_t line)
{
	conclude(c, sums_at(c, line), false);
}

static bool got_verdict(struct coord *c, int peer, const struct control_message *r)
{
	struct reduction *t = reduction_find(c->lines->reductions, r->line);

	if (peer != tree_parent(c->self) || !t || t->parts_state != PARTS_PASSED_ON)
		return false;
	if (r->committed && !reduction_all_ok(t, tree_span(c->self, c->size)))
		return false;
	judge(c, t, r->committed);
	return true;
}

static void ready_up(struct coord *c, struct reduction *t)
{
	struct control_message r = environment_head(c, CONTROL_READY, t->line);
	uint8_t *bytes;
	size_t len;

	reduction_parts_become(t, PARTS_PASSED_ON);
	if (c->self == 0) {
		if (!reduction_all_ok(t, c->size))
			judge(c, t, false);
		return;
	}
	r.n = (uint32_t)tree_span(c->self, c->size);
	bytes = control_message_encode_parts(&r, t->parts, &len);
	actions_send(c, tree_parent(c->self), bytes, len);
}

/* Rank 0, one line after the other; one that is older than a committed one is of no use. */
static void commit(struct coord *c, struct reduction *t)
{
	if (t->line < c->lines->committed) {
		judge(c, t, false);
		return;
	}
	c->lines->committing = t->line;
	actions_add(c,
		&(struct coord_action){.kind = COORD_COMMIT, .line = t->line, .parts = t->parts});
}

void agree_committed(struct coord *c, uint32_t line, bool ok)
{
	struct reduction *t = reduction_find(c->lines->reductions, line);

	if (c->lines->committing != line || !t)
		return;
	c->lines->committing = 0;
	judge(c, t, ok);
}

bool agree_step(struct coord *c)
{
	struct coord_lines *x = c->lines;

	for (struct reduction *t = x->reductions; t; t = t->next) {
		if (t->parts_state == PARTS_COMING && t->readied == tree_all(c->self, c->size)) {
			ready_up(c, t);
			return true;
		}
		if (c->self == 0 && t->parts_state == PARTS_PASSED_ON && !x->committing) {
			commit(c, t);
			return true;
		}
		if (t->parts_state == PARTS_JUDGED && t->line <= x->closed) {
			reduction_remove(&x->reductions, t);
			return true;
		}
	}
	return false;
}

/* ---- a line is wanted ---- */

void agree_want(struct coord *c, uint32_t line, int from)
{
	struct control_message r = environment_head(c, CONTROL_BEGIN, line);

	c->lines->wanted = line;
	for (int bit = -1; bit < TREE_CHILDREN; bit++) {
		int to = bit < 0 ? tree_parent(c->self) : tree_child(c->self, c->size, bit);
		size_t len;
		uint8_t *bytes;

		if (to < 0 || to == from)
			continue;
		bytes = control_message_encode_rest(&r, &len);
		actions_send(c, to, bytes, len);
	}
}

static bool got_begin(struct coord *c, int peer, const struct control_message *r)
{
	if (!tree_joins(c->self, c->size, peer))
		return false;
	if (r->line > c->lines->wanted)
		agree_want(c, r->line, peer);
	return true;
}

bool agree_got(struct coord *c, int peer, const struct control_message *r)
{
	if (r->line <= c->lines->base ||
		r->line - c->lines->base > c->line - c->lines->base + LINES_AHEAD)
		return false;
	switch (r->kind) {
	case CONTROL_COUNTS_UP:
		return counts_got_up(c, peer, r);
	case CONTROL_COUNTS_DOWN:
		return counts_got_down(c, peer, r);
	case CONTROL_READY:
		return got_ready(c, peer, r);
	case CONTROL_VERDICT:
		return got_verdict(c, peer, r);
	case CONTROL_BEGIN:
		return got_begin(c, peer, r);
	case CONTROL_REPORT:
		break;
	}
	return false;
}
