/* SPDX-License-Identifier: BSD-3-Clause */
/* The tallies of this rank, one for each line: what is summed up on the tree, above it and below.
 */
#include "coord/lines.h"
#include "coord/tree.h"

struct tally *tallies_at(struct coord *c, uint32_t line)
{
	struct tally *t = tally_at(&c->lines->tallies, line, c->self, c->size);

	if (!t)
		environment_no_memory(c);
	return t;
}

bool tallies_passed(const struct coord *c, uint32_t line)
{
	return line <= c->lines->closed && !tally_find(c->lines->tallies, line);
}

void tallies_ready(struct coord *c, uint32_t line, const struct coord_part *part)
{
	struct tally *t = tallies_at(c, line);

	t->parts[0] = *part;
	t->readied |= 1u << TREE_SELF;
	c->due = true;
}
