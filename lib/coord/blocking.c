/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stop, save, go on. All ranks arrive (B1); each learns how many messages were sent to it and waits
 * until they are here, so nothing is on its way any more; each writes its part with what lies
 * unreceived (B2); all agree, one commits (B3). Heartbeats go on meanwhile (B4).
 */
#include "coord/blocking.h"

#include "base/fault.h"

struct goal {
	const struct coord *c;
	uint64_t expected;
};

static bool all_here(void *arg)
{
	const struct goal *g = arg;

	return g->c->arrived >= g->expected && !g->c->comparing;
}

bool blocking_drain(struct coord *c)
{
	struct goal g = {.c = c};

	c->env->exchange(c->user, c->sent, &g.expected);
	c->env->wait(c->user, all_here, &g);
	return c->env->secure(c->user);
}

bool blocking_checkpoint(struct coord *c)
{
	bool ready;

	c->line++;
	fault_point("ckpt-begin");
	ready = blocking_drain(c);
	fault_point("ckpt-drained");
	ready = ready && c->env->save(c->user);
	fault_point("ckpt-saved");
	c->concluded = c->env->conclude(c->user, ready);
	fault_point("ckpt-end");
	return c->concluded;
}
