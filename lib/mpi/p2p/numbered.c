/* SPDX-License-Identifier: BSD-3-Clause */
#include "numbered.h"

#include "request.h"

static struct request *request_at(struct match_place *p)
{
	return container_of(p, struct request, match.place);
}

struct request *numbered_at(struct link *item)
{
	return request_at(container_of(item, struct match_place, link));
}

static bool add_key(struct match_index *x, struct match_place *p)
{
	const struct request *r = request_at(p);

	return match_index_key(x, p, r->index, r->peer);
}

void numbered_add(struct match_list *l, struct request *r)
{
	match_list_append(l, &r->match.place);
}

void numbered_remove(struct match_list *l, struct request *r)
{
	match_list_remove(l, &r->match.place);
}

static struct request *indexed(const struct match_index *x, int peer, uint64_t number)
{
	struct match_place *p = match_index_first(x, number, peer);

	return p ? request_at(p) : NULL;
}

struct request *numbered_find(
	struct match_list *l, struct match_hooks *hooks, int peer, uint64_t number)
{
	int seen = 0;

	if (l->index)
		return indexed(l->index, peer, number);
	list_for_each (item, &l->list) {
		struct request *r = numbered_at(item);

		hooks->looks++;
		if (r->peer == peer && r->index == number)
			return r;
		if (++seen == MATCH_FAR && match_index_make(l, hooks, add_key))
			return indexed(l->index, peer, number);
	}
	return NULL;
}
