/* SPDX-License-Identifier: BSD-3-Clause */
/* How many last reports come to each rank for a line: summed up on the tree, and when the sums are
 * back, which peers have closed it in silence. */
#include <stdlib.h>

#include "coord/actions.h"
#include "coord/lines.h"
#include "coord/tree.h"

void counts_sweep(struct coord *c)
{
	struct coord_lines *x = c->lines;

	for (;;) {
		const struct reduction *t = reduction_find(x->reductions, x->closed + 1);

		if (!t || t->counts_state != COUNTS_BACK || t->lasts < t->expected)
			return;
		x->closed++;
		for (int p = 0; p < c->size; p++)
			lines_close(c, p, x->closed);
	}
}

static bool is_child(const struct coord *c, int peer)
{
	return tree_child_bit(c->self, c->size, peer) >= 0;
}

/* list: of this rank's subtree. */
static void send_down(struct coord *c, struct reduction *t, const uint32_t *list)
{
	struct control_message r = environment_head(c, CONTROL_COUNTS_DOWN, t->line);
	int child;

	reduction_counts_become(t, COUNTS_BACK);
	t->expected = list[0];
	for (int bit = 0; (child = tree_child(c->self, c->size, bit)) >= 0; bit++) {
		size_t len;
		uint8_t *bytes;

		r.n = (uint32_t)tree_span(child, c->size);
		bytes = control_message_encode_counts(&r, list + (child - c->self), &len);
		actions_send(c, child, bytes, len);
	}
	counts_sweep(c);
}

static void send_up(struct coord *c, struct reduction *t)
{
	struct control_message r = environment_head(c, CONTROL_COUNTS_UP, t->line);
	uint8_t *bytes;
	size_t len;

	if (t->counted != tree_all(c->self, c->size))
		return;
	if (c->self == 0) {
		send_down(c, t, t->counts);
		return;
	}
	reduction_counts_become(t, COUNTS_PASSED_ON);
	r.n = (uint32_t)c->size;
	bytes = control_message_encode_counts(&r, t->counts, &len);
	actions_send(c, tree_parent(c->self), bytes, len);
}

void counts_add(struct coord *c, uint32_t line, const uint32_t *counts)
{
	struct reduction *t = sums_at(c, line);

	reduction_count(t, TREE_SELF, c->size, counts);
	send_up(c, t);
}

static uint32_t *take_counts(struct coord *c, const struct control_message *r)
{
	uint32_t *counts = malloc((size_t)r->n * sizeof *counts);

	if (!counts)
		environment_no_memory(c);
	for (uint32_t i = 0; i < r->n; i++)
		counts[i] = control_message_count(r, i);
	return counts;
}

bool counts_got_up(struct coord *c, int peer, const struct control_message *r)
{
	uint32_t *counts;
	bool right;

	if (!is_child(c, peer) || r->n != (uint32_t)c->size || sums_passed(c, r->line))
		return false;
	counts = take_counts(c, r);
	right = reduction_count_right(
		reduction_find(c->lines->reductions, r->line), c->self, c->size, peer, counts);
	if (right) {
		struct reduction *t = sums_at(c, r->line);

		reduction_count(t, tree_child_bit(c->self, c->size, peer), c->size, counts);
		send_up(c, t);
	}
	free(counts);
	return right;
}

bool counts_got_down(struct coord *c, int peer, const struct control_message *r)
{
	struct reduction *t = reduction_find(c->lines->reductions, r->line);
	uint32_t *counts;
	bool right;

	if (peer != tree_parent(c->self) || r->n != (uint32_t)tree_span(c->self, c->size))
		return false;
	if (!t || t->counts_state != COUNTS_PASSED_ON)
		return false;
	counts = take_counts(c, r);
	right = counts[0] >= t->lasts && counts[0] < (uint32_t)c->size;
	if (right)
		send_down(c, t, counts);
	free(counts);
	return right;
}
