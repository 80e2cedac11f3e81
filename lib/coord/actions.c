/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/actions.h"

#include <stdlib.h>

#include "coord/lines.h"

enum { FIRST_ROOM = 16 };

void actions_free(struct coord *c)
{
	struct coord_action a;

	while (actions_take(c, &a))
		free(a.bytes);
	free(c->actions.v);
	c->actions = (struct coord_action_list){0};
}

void actions_add(struct coord *c, const struct coord_action *a)
{
	struct coord_action_list *all = &c->actions;

	if (all->n == all->room) {
		size_t room = all->room ? 2 * all->room : FIRST_ROOM;
		struct coord_action *v = realloc(all->v, room * sizeof *v);

		if (!v)
			environment_no_memory(c);
		all->v = v;
		all->room = room;
	}
	all->v[all->n++] = *a;
	c->due = true;
}

void actions_send(struct coord *c, int peer, uint8_t *bytes, size_t len)
{
	if (!bytes)
		environment_no_memory(c);
	if (coord_is_silent(c))
		free(bytes);
	else
		actions_add(
			c, &(struct coord_action){
				   .kind = COORD_SEND, .peer = peer, .bytes = bytes, .len = len});
}

void actions_keep(struct coord *c, enum coord_action_kind kind)
{
	struct coord_action_list *all = &c->actions;
	size_t kept = 0;

	for (size_t i = all->at; i < all->n; i++)
		if (all->v[i].kind == kind)
			all->v[kept++] = all->v[i];
		else
			free(all->v[i].bytes);
	all->at = 0;
	all->n = kept;
}

bool actions_take(struct coord *c, struct coord_action *a)
{
	struct coord_action_list *all = &c->actions;

	if (all->at == all->n)
		return false;
	*a = all->v[all->at++];
	if (all->at == all->n)
		all->at = all->n = 0;
	return true;
}
