/* SPDX-License-Identifier: BSD-3-Clause */
/* Deferred work: found where it could not be done. */
#include "engine_inside.h"

/* How much of it this thread is in the midst of: more than one when a function of the user's calls
 * MPI. */
static _Thread_local unsigned running __attribute__((tls_model("initial-exec")));

static _Thread_local bool not_for_program __attribute__((tls_model("initial-exec")));

void engine_defer_for_program(bool does)
{
	not_for_program = !does;
}

bool engine_is_deferring(void)
{
	return running > 0;
}

void engine_defer(struct engine_deferred *deferred)
{
	engine_assert_held();
	if (deferred->queued)
		return;
	deferred->queued = true;
	list_append(&engine.deferred, &deferred->link);
}

void engine_defer_cancel(struct engine_deferred *deferred)
{
	engine_assert_held();
	if (deferred->queued)
		list_remove(&deferred->link);
	deferred->queued = false;
}

/* One may queue others, and may let the lock go. */
bool engine_defer_run(bool of_program)
{
	struct link *item, later;
	bool ran = false;

	engine_assert_held();
	list_init(&later);
	running++;
	while ((item = list_first(&engine.deferred))) {
		struct engine_deferred *deferred = container_of(item, struct engine_deferred, link);

		if (deferred->by_program && (!of_program || not_for_program)) {
			list_remove(item);
			list_append(&later, item);
			continue;
		}
		engine_defer_cancel(deferred);
		deferred->run(deferred);
		ran = true;
	}
	while ((item = list_pop(&later)))
		list_append(&engine.deferred, item);
	running--;
	return ran;
}
