/* SPDX-License-Identifier: BSD-3-Clause */
/* The reductions of this rank, one for each line: what is summed up on the tree, above it and
 * below.
 */
#include "coord/lines.h"
#include "coord/tree.h"

struct reduction *sums_at(struct coord *c, uint32_t line)
{
	struct reduction *t = reduction_at(&c->lines->reductions, line, c->self, c->size);

	if (!t)
		environment_no_memory(c);
	return t;
}

bool sums_passed(const struct coord *c, uint32_t line)
{
	return line <= c->lines->closed && !reduction_find(c->lines->reductions, line);
}

void sums_ready(struct coord *c, uint32_t line, const struct coord_part *part)
{
	struct reduction *t = sums_at(c, line);

	t->parts[0] = *part;
	t->readied |= 1u << TREE_SELF;
	c->due = true;
}
