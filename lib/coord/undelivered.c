/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of what the program has not received. */
#include <stdlib.h>

#include "coord/coord.h"

void coord_undelivered_add(void *list, const struct coord_message *m)
{
	struct coord_undelivered *u = list;

	if (u->n == u->room) {
		size_t room = u->room ? 2 * u->room : 16;
		struct coord_message *v = realloc(u->v, room * sizeof *v);

		if (!v) {
			u->incomplete = true;
			return;
		}
		u->v = v;
		u->room = room;
	}
	u->v[u->n++] = *m;
}

void coord_undelivered_free(struct coord_undelivered *u)
{
	free(u->v);
	*u = (struct coord_undelivered){0};
}
