/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that woke up from an image finds the numbers of descriptors and the addresses of shared
 * memory that the process of the image had. None of them means anything here, or it means something
 * else by now. They are forgotten first, so that what drops the physical half finds nothing to
 * close, to unmap or to tell.
 */
#include "transport/conn.h"
#include "transport/memory.h"

static void forget_conns(const struct link *list)
{
	list_for_each (item, list)
		container_of(item, struct conn, link)->fd = -1;
}

static void forget_peer(struct tp_peer *p)
{
	p->fd = -1;
	if (!p->memory)
		return;
	p->memory->rings = NULL;
	p->memory->theirs = NULL;
	p->memory->fd = -1;
}

void tp_forget_numbers(struct tp *tp)
{
	struct tp_conns *cs = tp->conns;

	cs->listen_fd = cs->reserve = -1;
	refusals_rest(&cs->unauthenticated.refusals);
	forget_conns(&cs->ours);
	for (int i = 0; i < UNAUTHENTICATED_STAGES; i++)
		forget_conns(&cs->unauthenticated.of[i].held);
	for (int i = 0; i < tp->c.size; i++)
		forget_peer(&tp->peers[i]);
	tp->epoll_fd = tp->wake_fd = tp->mail.fd = -1;
	tp->mail.box = NULL;
	tp->mail.sleeping = false;
}
