/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_sync.h"

#include <stdlib.h>

#include "base/log.h"
#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "stored.h"

struct pending {
	struct link link;
	struct tp_withdrawal w;
};

static bool used;
static struct link pending = {&pending, &pending}; /* oldest first */

void p2p_sync_use(bool use)
{
	engine_assert_held();
	used = use;
}

bool p2p_sync_is_used(void)
{
	return used;
}

/* ---- matches ---- */

uint64_t p2p_sync_name(const struct match_msg *msg)
{
	if (msg->stored)
		return msg->stored->sync;
	return used ? container_of(msg, const struct tp_unexpected, user)->sync : 0;
}

uint64_t p2p_sync_matching(void)
{
	return used ? tp_matching_sync(engine_tp()) : 0;
}

void p2p_sync_matched(struct stored *m)
{
	engine_assert_held();
	m->owed = false;
	tp_matched(engine_tp(), m->msg.peer, m->sync);
}

/* ---- senders that want theirs back ---- */

void p2p_sync_withdraw_later(const struct tp_withdrawal *w)
{
	struct pending *p = malloc(sizeof *p);

	engine_assert_held();
	if (!p) {
		process_last_words();
		log_error("no memory to note that rank %d wants a message back", w->peer);
		process_die(MPI_ERR_NO_MEM);
	}
	*p = (struct pending){.w = *w};
	list_append(&pending, &p->link);
}

void p2p_sync_withdraw_again(void)
{
	struct link wanted = {&wanted, &wanted};
	struct link *item;

	engine_assert_held();
	while ((item = list_pop(&pending)))
		list_append(&wanted, item);
	while ((item = list_pop(&wanted))) {
		struct pending *p = container_of(item, struct pending, link);
		struct tp_withdrawal w = p->w;

		free(p);
		tp_withdraw_again(engine_tp(), &w);
	}
}

void p2p_sync_withdraw_never(void)
{
	engine_assert_held();
	for (struct link *item; (item = list_pop(&pending));)
		free(container_of(item, struct pending, link));
}
