/* SPDX-License-Identifier: BSD-3-Clause */
/* Chores: work that was found where it could not be done. */
#include "engine_inside.h"

void engine_soon(struct engine_chore *chore)
{
	engine_assert_held();
	if (chore->queued)
		return;
	chore->queued = true;
	list_append(&engine.chores, &chore->link);
}

void engine_never(struct engine_chore *chore)
{
	engine_assert_held();
	if (chore->queued)
		list_remove(&chore->link);
	chore->queued = false;
}

/* One may queue others, and may let the lock go. */
void engine_do_chores(bool of_program)
{
	struct link *item, later;

	engine_assert_held();
	list_init(&later);
	while ((item = list_first(&engine.chores))) {
		struct engine_chore *chore = container_of(item, struct engine_chore, link);

		if (chore->by_program && !of_program) {
			list_remove(item);
			list_append(&later, item);
			continue;
		}
		engine_never(chore);
		chore->run(chore);
	}
	while ((item = list_pop(&later)))
		list_append(&engine.chores, item);
}
