/* SPDX-License-Identifier: BSD-3-Clause */
/* What the transport has open between two looks. */
#include "base/descriptors.h"
#include "transport/conn.h"
#include "transport/memory.h"

static void add_conns(const struct link *conns, struct descriptor_list *list)
{
	list_for_each (item, conns)
		descriptor_list_add(list, container_of(item, struct conn, link)->fd);
}

static void add_unattached(const struct tp_conns *cs, struct descriptor_list *list)
{
	descriptor_list_add(list, cs->listen_fd);
	descriptor_list_add(list, cs->reserve);
	add_conns(&cs->ours, list);
	for (int i = 0; i < UNAUTHENTICATED_STAGES; i++)
		add_conns(&cs->unauthenticated.of[i].held, list);
}

void tp_own_descriptors(const struct tp *tp, struct descriptor_list *list)
{
	tp_assert_held(tp);
	descriptor_list_add(list, tp->epoll_fd);
	descriptor_list_add(list, tp->wake_fd);
	descriptor_list_add(list, tp->mail.fd);
	if (tp->conns)
		add_unattached(tp->conns, list);
	for (int i = 0; i < tp->c.size; i++) {
		const struct tp_peer *p = &tp->peers[i];

		descriptor_list_add(list, p->fd);
		if (p->memory)
			descriptor_list_add(list, p->memory->fd);
	}
}
