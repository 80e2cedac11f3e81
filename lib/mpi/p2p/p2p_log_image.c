/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's checkpoint alone, as an image of its process. The log, and what has come, are in its
 * memory: here is what has to be said when it is taken, and what a process that woke up from it has
 * to forget of its peers. What was not whole comes again, as after a connection that broke.
 */
#include "base/error.h"
#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"

bool p2p_log_may_cover(void)
{
	engine_assert_held();
	return outcomes_may_cover(&p2p_msglog->outcomes);
}

bool p2p_log_take(void)
{
	struct msglog *m = p2p_msglog;

	engine_assert_held();
	if (m->taking || !p2p_log_may_cover())
		return false;
	for (int i = 0; i < m->size; i++)
		if (i != m->self)
			p2p_log_settle(i);
	msglog_take(m);
	p2p_log_drive(); /* a run of noes is an outcome now, which is told before it is covered */
	return true;
}

bool p2p_log_is_taken(void)
{
	return p2p_msglog->taking;
}

void p2p_log_saved(bool durable)
{
	engine_assert_held();
	msglog_saved(p2p_msglog, durable);
	p2p_log_are_safe();
}

uint64_t p2p_log_taken(void)
{
	return p2p_msglog->taken;
}

int p2p_log_woke(const struct outcome *v, size_t n)
{
	struct msglog *m = p2p_msglog;

	engine_assert_held();
	for (int i = 0; i < m->size; i++)
		p2p_log_owe_no_more(i);
	p2p_log_say_forget(m->size);
	if (!msglog_woke(m, v, n))
		return FT_ENOMEM;
	p2p_log_bind_again();
	return 0;
}
