/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/actions.h"

#include <stdlib.h>

#include "coord/lines.h"

enum { FIRST_ROOM = 16 };

void actions_free(struct coord *c)
{
	free(c->actions.v);
	c->actions = (struct coord_actions){0};
}

void actions_add(struct coord *c, const struct coord_action *a)
{
	struct coord_actions *all = &c->actions;

	if (all->n == all->room) {
		size_t room = all->room ? 2 * all->room : FIRST_ROOM;
		struct coord_action *v = realloc(all->v, room * sizeof *v);

		if (!v)
			environment_no_memory(c);
		all->v = v;
		all->room = room;
	}
	all->v[all->n++] = *a;
}

bool actions_take(struct coord *c, struct coord_action *a)
{
	struct coord_actions *all = &c->actions;

	if (all->at == all->n)
		return false;
	*a = all->v[all->at++];
	if (all->at == all->n)
		all->at = all->n = 0;
	return true;
}
