/* SPDX-License-Identifier: BSD-3-Clause */
#include "match.h"

#include <assert.h>
#include <stdlib.h>

#include "mpi.h"

int match_init(struct match *m, int peers)
{
	struct match_list *lists = malloc(2 * (size_t)peers * sizeof *lists);

	if (!lists)
		return -1;
	*m = (struct match){.peers = peers, .posted = lists, .unexpected = lists + peers};
	for (int i = 0; i < 2 * peers; i++)
		match_list_init(&lists[i]);
	match_list_init(&m->any);
	match_list_init(&m->arrivals);
	list_init(&m->matched);
	match_hooks_init(&m->hooks);
	return 0;
}

void match_fini(struct match *m)
{
	match_index_forget(&m->any);
	match_index_forget(&m->arrivals);
	for (int i = 0; i < m->peers; i++) {
		match_index_forget(&m->posted[i]);
		match_index_forget(&m->unexpected[i]);
	}
	match_hooks_fini(&m->hooks);
	free(m->posted);
	m->posted = m->unexpected = NULL;
}

static inline bool tag_fits(int wanted, int tag)
{
	return wanted == tag || wanted == MPI_ANY_TAG;
}

static int64_t key_of(int wanted)
{
	return wanted == MPI_ANY_TAG ? MATCH_EVERY_TAG : wanted;
}

/*
 * With an index or without, what fits the first entry of a list has found its match. So match_post
 * and match_arrival look at first entries only, and call nobody: most messages need no more. What
 * does is left to a function that begins anew, as their last step.
 */
static inline struct match_place *first_of(const struct match_list *l)
{
	return list_empty(&l->list) ? NULL : container_of(l->list.next, struct match_place, link);
}

/* ---- receives ---- */

static inline struct match_recv *recv_at(struct match_place *p)
{
	return container_of(p, struct match_recv, place);
}

static inline bool recv_fits(const struct match_recv *r, uint64_t context, int tag)
{
	return r->context == context && tag_fits(r->tag, tag);
}

static struct match_list *list_of(struct match *m, const struct match_recv *r)
{
	return r->peer == MPI_ANY_SOURCE ? &m->any : &m->posted[r->peer];
}

static bool add_recv(struct match_index *x, struct match_place *p)
{
	const struct match_recv *r = recv_at(p);

	return match_index_key(x, p, r->context, key_of(r->tag));
}

/* The one that was posted first; either may be NULL. */
static inline struct match_recv *earlier(struct match_recv *a, struct match_recv *b)
{
	if (a && b)
		return a->order < b->order ? a : b;
	return a ? a : b;
}

static struct match_recv *indexed_posted(struct match_index *x, uint64_t context, int tag)
{
	struct match_place *exact = match_index_first(x, context, tag);
	struct match_place *every = match_index_first(x, context, MATCH_EVERY_TAG);

	return earlier(exact ? recv_at(exact) : NULL, every ? recv_at(every) : NULL);
}

static struct match_recv *search_posted(
	struct match *m, struct match_list *l, uint64_t context, int tag)
{
	int seen = 0;

	if (l->index)
		return indexed_posted(l->index, context, tag);
	list_for_each (item, &l->list) {
		struct match_recv *r = recv_at(container_of(item, struct match_place, link));

		m->hooks.looks++;
		if (recv_fits(r, context, tag))
			return r;
		if (++seen == MATCH_FAR && match_index_make(l, &m->hooks, add_recv))
			return indexed_posted(l->index, context, tag);
	}
	return NULL;
}

void match_withdraw(struct match *m, struct match_recv *recv)
{
	match_list_remove(list_of(m, recv), &recv->place);
	m->nposted--;
}

void match_repost(struct match *m, struct match_recv *recv)
{
	struct match_list *l = list_of(m, recv);
	struct link *later = l->list.next;

	if (l->index)
		match_index_drop(l);
	while (later != &l->list &&
		recv_at(container_of(later, struct match_place, link))->order < recv->order)
		later = later->next;
	list_append(later, &recv->place.link);
	m->nposted++;
}

static __attribute__((noinline)) struct match_recv *arrival_searched(
	struct match *m, uint64_t context, int peer, int tag)
{
	struct match_recv *named = search_posted(m, &m->posted[peer], context, tag);
	struct match_recv *any = search_posted(m, &m->any, context, tag);
	struct match_recv *r = earlier(named, any);

	if (r)
		match_withdraw(m, r);
	return r;
}

struct match_recv *match_arrival(struct match *m, uint64_t context, int peer, int tag)
{
	struct match_place *named = first_of(&m->posted[peer]), *any = first_of(&m->any);
	struct match_recv *r = NULL;

	if (named && !recv_fits(r = recv_at(named), context, tag))
		return arrival_searched(m, context, peer, tag);
	if (any && !recv_fits(recv_at(any), context, tag))
		return arrival_searched(m, context, peer, tag);
	if (any)
		r = earlier(r, recv_at(any));
	if (!r)
		return NULL;
	if (__builtin_expect(r->place.hooks != NULL, false))
		return arrival_searched(m, context, peer, tag);
	list_remove(&r->place.link);
	m->nposted--;
	return r;
}

/* ---- messages ---- */

static inline struct match_msg *msg_at(struct match_place *p, bool all)
{
	return all ? container_of(p, struct match_msg, all)
		   : container_of(p, struct match_msg, place);
}

static inline bool msg_fits(const struct match_msg *msg, uint64_t context, int tag)
{
	return msg->context == context && tag_fits(tag, msg->tag);
}

static bool add_msg(struct match_index *x, struct match_place *p, const struct match_msg *msg)
{
	return match_index_key(x, p, msg->context, msg->tag) &&
	       match_index_key(x, p, msg->context, MATCH_EVERY_TAG);
}

static bool add_to_peer(struct match_index *x, struct match_place *p)
{
	return add_msg(x, p, msg_at(p, false));
}

static bool add_to_peer_numbered(struct match_index *x, struct match_place *p)
{
	return add_to_peer(x, p) && match_index_key(x, p, msg_at(p, false)->index, MATCH_NUMBER);
}

static bool add_to_all(struct match_index *x, struct match_place *p)
{
	return add_msg(x, p, msg_at(p, true));
}

static bool make_index(struct match *m, struct match_list *l, bool all)
{
	if (all)
		return match_index_make(l, &m->hooks, add_to_all);
	return match_index_make(l, &m->hooks, m->numbered ? add_to_peer_numbered : add_to_peer);
}

void match_add_unexpected(struct match *m, struct match_msg *msg)
{
	match_list_append(&m->unexpected[msg->peer], &msg->place);
	match_list_append(&m->arrivals, &msg->all);
}

void match_remove(struct match *m, struct match_msg *msg)
{
	match_list_remove(&m->unexpected[msg->peer], &msg->place);
	match_list_remove(&m->arrivals, &msg->all);
}

void match_replace(struct match_msg *msg, struct match_msg *by)
{
	match_place_give(&msg->place, &by->place);
	match_place_give(&msg->all, &by->all);
}

uint64_t match_set_matched(struct match *m, struct match_msg *msg)
{
	match_remove(m, msg);
	list_append(&m->matched, &msg->all.link);
	return m->order++;
}

static struct match_msg *indexed_msg(struct match_index *x, uint64_t context, int tag, bool all)
{
	struct match_place *p = match_index_first(x, context, key_of(tag));

	return p ? msg_at(p, all) : NULL;
}

static struct match_msg *search_unexpected(
	struct match *m, struct match_list *l, uint64_t context, int tag, bool all)
{
	int seen = 0;

	if (l->index)
		return indexed_msg(l->index, context, tag, all);
	list_for_each (item, &l->list) {
		struct match_msg *msg = msg_at(container_of(item, struct match_place, link), all);

		m->hooks.looks++;
		if (msg_fits(msg, context, tag))
			return msg;
		if (++seen == MATCH_FAR && make_index(m, l, all))
			return indexed_msg(l->index, context, tag, all);
	}
	return NULL;
}

static struct match_msg *indexed_number(const struct match_index *x, uint64_t number)
{
	struct match_place *p = match_index_first(x, number, MATCH_NUMBER);

	return p ? msg_at(p, false) : NULL;
}

struct match_msg *match_numbered(struct match *m, int peer, uint64_t number)
{
	struct match_list *l = &m->unexpected[peer];
	int seen = 0;

	assert(m->numbered);
	if (l->index)
		return indexed_number(l->index, number);
	list_for_each (item, &l->list) {
		struct match_msg *msg = msg_at(container_of(item, struct match_place, link), false);

		m->hooks.looks++;
		if (msg->index == number)
			return msg;
		if (++seen == MATCH_FAR && make_index(m, l, false))
			return indexed_number(l->index, number);
	}
	return NULL;
}

/* The list in which a receive from this peer, or from any, finds its message. */
static inline struct match_list *unexpected_of(struct match *m, int peer)
{
	return peer == MPI_ANY_SOURCE ? &m->arrivals : &m->unexpected[peer];
}

struct match_msg *match_probe(struct match *m, uint64_t context, int peer, int tag)
{
	return search_unexpected(m, unexpected_of(m, peer), context, tag, peer == MPI_ANY_SOURCE);
}

static __attribute__((noinline)) struct match_msg *post_searched(
	struct match *m, struct match_recv *recv)
{
	struct match_msg *msg = match_probe(m, recv->context, recv->peer, recv->tag);

	if (msg) {
		match_remove(m, msg);
		return msg;
	}
	match_list_append(list_of(m, recv), &recv->place);
	m->nposted++;
	return NULL;
}

struct match_msg *match_post(struct match *m, struct match_recv *recv)
{
	bool all = recv->peer == MPI_ANY_SOURCE;
	struct match_place *first = first_of(unexpected_of(m, recv->peer));
	struct match_list *l = list_of(m, recv);
	struct match_msg *msg = first ? msg_at(first, all) : NULL;

	recv->order = m->order++; /* also of one that waits for nothing: for match_repost */
	if (msg && (!msg_fits(msg, recv->context, recv->tag) || msg->place.hooks || msg->all.hooks))
		return post_searched(m, recv);
	if (msg) {
		list_remove(&msg->place.link);
		list_remove(&msg->all.link);
		return msg;
	}
	if (__builtin_expect(l->index != NULL, false))
		return post_searched(m, recv);
	list_append(&l->list, &recv->place.link);
	m->nposted++;
	return NULL;
}
