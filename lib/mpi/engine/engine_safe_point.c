/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Safe points: where a call could let the lock go. No message is being read or written there, and
 * no list is in the midst of a change. Whoever wants one asks without the lock, which may be taken
 * for long. It is enough to wake the one thread that sleeps in epoll: it
 * tells those on the condition, and all others come by.
 */
#include "engine_inside.h"

void engine_on_safe_point(void (*hook)(bool begins))
{
	engine_assert_held();
	engine.on_safe_point = hook;
}

void engine_want_safe_point(bool wanted)
{
	if (!wanted) {
		engine_clear_due(DUE_SAFE_POINT);
		return;
	}
	engine_set_due(DUE_SAFE_POINT);
	if (engine.phys.tp)
		tp_kick(engine.phys.tp);
}

bool engine_somebody_sleeps(void)
{
	engine_assert_held();
	return engine_is_due(DUE_SLEEPER | DUE_WAITERS);
}

/* The hook may let the lock go: what this thread has said leaves before. */
bool engine_pass_safe_point(void)
{
	engine_assert_held();
	if (!engine.on_safe_point)
		return false;
	tp_flush(engine.phys.tp);
	engine.on_safe_point(!engine_is_deferring());
	engine_assert_held();
	return true;
}
