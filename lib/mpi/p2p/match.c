/* SPDX-License-Identifier: BSD-3-Clause */
#include "match.h"

#include <stdlib.h>

#include "mpi.h"

int match_init(struct match *m, int peers)
{
	struct link *lists = malloc(2 * (size_t)peers * sizeof *lists);

	if (!lists)
		return -1;
	*m = (struct match){.peers = peers, .posted = lists, .unexpected = lists + peers};
	for (int i = 0; i < 2 * peers; i++)
		list_init(&lists[i]);
	list_init(&m->any);
	list_init(&m->arrivals);
	list_init(&m->matched);
	return 0;
}

void match_fini(struct match *m)
{
	free(m->posted);
	m->posted = m->unexpected = NULL;
}

static bool tag_fits(int wanted, int tag)
{
	return wanted == tag || wanted == MPI_ANY_TAG;
}

static struct match_recv *first_posted(const struct link *list, uint64_t context, int tag)
{
	list_for_each (item, list) {
		struct match_recv *r = container_of(item, struct match_recv, link);

		if (r->context == context && tag_fits(r->tag, tag))
			return r;
	}
	return NULL;
}

struct match_recv *match_arrival(struct match *m, uint64_t context, int peer, int tag)
{
	struct match_recv *named = first_posted(&m->posted[peer], context, tag);
	struct match_recv *any = first_posted(&m->any, context, tag);
	struct match_recv *r = named;

	if (any && (!named || any->order < named->order))
		r = any;
	if (r)
		match_withdraw(m, r);
	return r;
}

void match_add_unexpected(struct match *m, struct match_msg *msg)
{
	list_append(&m->unexpected[msg->peer], &msg->link);
	list_append(&m->arrivals, &msg->all);
}

void match_remove(struct match_msg *msg)
{
	list_remove(&msg->link);
	list_remove(&msg->all);
}

void match_set_matched(struct match *m, struct match_msg *msg)
{
	match_remove(msg);
	list_append(&m->matched, &msg->all);
}

struct match_msg *match_probe(const struct match *m, uint64_t context, int peer, int tag)
{
	if (peer == MPI_ANY_SOURCE) {
		list_for_each (item, &m->arrivals) {
			struct match_msg *msg = container_of(item, struct match_msg, all);

			if (msg->context == context && tag_fits(tag, msg->tag))
				return msg;
		}
		return NULL;
	}
	list_for_each (item, &m->unexpected[peer]) {
		struct match_msg *msg = container_of(item, struct match_msg, link);

		if (msg->context == context && tag_fits(tag, msg->tag))
			return msg;
	}
	return NULL;
}

struct match_msg *match_post(struct match *m, struct match_recv *recv)
{
	struct match_msg *msg = match_probe(m, recv->context, recv->peer, recv->tag);

	if (msg) {
		match_remove(msg);
		return msg;
	}
	recv->order = m->order++;
	list_append(recv->peer == MPI_ANY_SOURCE ? &m->any : &m->posted[recv->peer], &recv->link);
	m->nposted++;
	return NULL;
}

void match_withdraw(struct match *m, struct match_recv *recv)
{
	list_remove(&recv->link);
	m->nposted--;
}
