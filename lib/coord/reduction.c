/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/reduction.h"

#include <assert.h>
#include <stdlib.h>

#include "coord/tree.h"

struct reduction *reduction_find(struct reduction *list, uint32_t line)
{
	while (list && list->line < line)
		list = list->next;
	return list && list->line == line ? list : NULL;
}

static void destroy(struct reduction *t)
{
	free(t->counts);
	free(t->parts);
	free(t);
}

static struct reduction *make(uint32_t line, int self, int size)
{
	struct reduction *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->line = line;
	t->counts = calloc((size_t)size, sizeof *t->counts);
	t->parts = calloc((size_t)tree_span(self, size), sizeof *t->parts);
	if (t->counts && t->parts)
		return t;
	destroy(t);
	return NULL;
}

struct reduction *reduction_at(struct reduction **list, uint32_t line, int self, int size)
{
	struct reduction *t;

	while (*list && (*list)->line < line)
		list = &(*list)->next;
	if (*list && (*list)->line == line)
		return *list;
	t = make(line, self, size);
	if (!t)
		return NULL;
	t->next = *list;
	*list = t;
	return t;
}

void reduction_remove(struct reduction **list, struct reduction *t)
{
	while (*list != t)
		list = &(*list)->next;
	*list = t->next;
	destroy(t);
}

/* From each state, the states that it leads to. The root has nobody to pass its sum on to. */
static const bool counts_lead[COUNTS_STATES][COUNTS_STATES] = {
	[COUNTS_COMING] = {[COUNTS_PASSED_ON] = true, [COUNTS_BACK] = true},
	[COUNTS_PASSED_ON] = {[COUNTS_BACK] = true},
};

/* A line that was given up when all met is judged before anything was said of parts. */
static const bool parts_lead[PARTS_STATES][PARTS_STATES] = {
	[PARTS_COMING] = {[PARTS_PASSED_ON] = true, [PARTS_JUDGED] = true},
	[PARTS_PASSED_ON] = {[PARTS_JUDGED] = true},
};

void reduction_counts_become(struct reduction *t, enum counts_state state)
{
	assert(counts_lead[t->counts_state][state]);
	t->counts_state = state;
}

void reduction_parts_become(struct reduction *t, enum parts_state state)
{
	assert(parts_lead[t->parts_state][state]);
	t->parts_state = state;
}

/* Each rank of the child's subtree counts once at most, and not for itself. */
bool reduction_count_right(
	const struct reduction *t, int self, int size, int child, const uint32_t *counts)
{
	int bit = tree_child_bit(self, size, child), span;

	if (bit < 0 || (t && t->counted & 1u << bit))
		return false;
	span = tree_span(child, size);
	for (int q = 0; q < size; q++)
		if (counts[q] > (uint32_t)(span - (q >= child && q < child + span)))
			return false;
	return true;
}

void reduction_count(struct reduction *t, int bit, int size, const uint32_t *counts)
{
	for (int q = 0; q < size; q++)
		t->counts[q] += counts[q];
	t->counted |= 1u << bit;
}

bool reduction_all_ok(const struct reduction *t, int span)
{
	for (int i = 0; i < span; i++)
		if (!t->parts[i].ok)
			return false;
	return true;
}
