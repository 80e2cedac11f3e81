/* SPDX-License-Identifier: BSD-3-Clause */
#include "match_index.h"

#include <stdlib.h>

enum { BITS_FIRST = 8, BITS_MOST = 48 };

/* The first hook of a key is in a bucket, the others are in a ring with it. */
struct match_hook {
	struct match_hook *down; /* of the first: the first of the bucket's next key */
	struct link same;	 /* of its key */
	struct match_hook *twin; /* of its entry, for another key */
	struct match_place *place;
	uint64_t context;
	int64_t tag;
};

struct match_index {
	struct match_hooks *hooks;
	bool (*add)(struct match_index *x, struct match_place *p);
	struct match_hook **buckets; /* 2^bits */
	unsigned bits;
	size_t keys, places;
};

void match_hooks_init(struct match_hooks *h)
{
	slab_init(&h->slab, sizeof(struct match_hook));
	h->indexes = 0;
	h->looks = 0;
}

void match_hooks_fini(struct match_hooks *h)
{
	slab_fini(&h->slab);
}

/* ---- the table ---- */

/* The highest bits of a product are the ones that depend on all of its factors' bits; both halves
 * of a context count. */
static size_t bucket_of(uint64_t context, int64_t tag, unsigned bits)
{
	uint64_t h = context ^ (uint64_t)tag * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)((h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93) >> (64 - bits));
}

/* Where the first hook of a key is, or would be, pointed to. */
static struct match_hook **find(const struct match_index *x, uint64_t context, int64_t tag)
{
	struct match_hook **at = &x->buckets[bucket_of(context, tag, x->bits)];

	for (; *at; at = &(*at)->down) {
		x->hooks->looks++;
		if ((*at)->context == context && (*at)->tag == tag)
			break;
	}
	return at;
}

static void grow(struct match_index *x)
{
	size_t had = (size_t)1 << x->bits;
	struct match_hook **more =
		x->bits < BITS_MOST ? calloc(2 * had, sizeof(struct match_hook *)) : NULL;

	if (!more)
		return;
	x->bits++;
	for (size_t i = 0; i < had; i++)
		for (struct match_hook *h = x->buckets[i], *down; h; h = down) {
			struct match_hook **at = &more[bucket_of(h->context, h->tag, x->bits)];

			down = h->down;
			h->down = *at;
			*at = h;
		}
	free(x->buckets);
	x->buckets = more;
}

bool match_index_key(struct match_index *x, struct match_place *p, uint64_t context, int64_t tag)
{
	struct match_hook *h = slab_take(&x->hooks->slab);
	struct match_hook **at;

	if (!h)
		return false;
	*h = (struct match_hook){.twin = p->hooks, .place = p, .context = context, .tag = tag};
	p->hooks = h;
	list_init(&h->same);
	at = find(x, context, tag);
	if (*at) {
		list_append(&(*at)->same, &h->same);
		return true;
	}
	*at = h;
	if (++x->keys > (size_t)1 << x->bits)
		grow(x);
	return true;
}

static void unhook(struct match_index *x, struct match_hook *h)
{
	struct match_hook **at = find(x, h->context, h->tag);

	if (*at == h && list_linked(&h->same)) {
		*at = container_of(h->same.next, struct match_hook, same);
		(*at)->down = h->down;
	} else if (*at == h) {
		*at = h->down;
		x->keys--;
	}
	list_remove(&h->same);
	slab_give(&x->hooks->slab, h);
}

struct match_place *match_index_first(const struct match_index *x, uint64_t context, int64_t tag)
{
	const struct match_hook *h = *find(x, context, tag);

	return h ? h->place : NULL;
}

/* ---- of a list ---- */

void match_index_forget(struct match_list *l)
{
	struct match_index *x = l->index;

	if (!x)
		return;
	if (--x->hooks->indexes == 0) {
		slab_fini(&x->hooks->slab);
		slab_init(&x->hooks->slab, sizeof(struct match_hook));
	}
	free(x->buckets);
	free(x);
	l->index = NULL;
}

void match_index_drop(struct match_list *l)
{
	struct slab *slab = &l->index->hooks->slab;

	list_for_each (item, &l->list) {
		struct match_place *p = container_of(item, struct match_place, link);

		for (struct match_hook *h = p->hooks, *twin; h; h = twin) {
			twin = h->twin;
			slab_give(slab, h);
		}
		p->hooks = NULL;
	}
	match_index_forget(l);
}

void match_index_appended(struct match_list *l, struct match_place *p)
{
	struct match_index *x = l->index;

	x->places++;
	if (!x->add(x, p))
		match_index_drop(l);
}

void match_index_removed(struct match_list *l, struct match_place *p)
{
	struct match_index *x = l->index;

	for (struct match_hook *h = p->hooks, *twin; h; h = twin) {
		twin = h->twin;
		unhook(x, h);
	}
	p->hooks = NULL;
	if (--x->places <= MATCH_NEAR)
		match_index_drop(l);
}

bool match_index_make(struct match_list *l, struct match_hooks *hooks,
	bool (*add)(struct match_index *x, struct match_place *p))
{
	struct match_index *x = calloc(1, sizeof *x);

	if (!x)
		return false;
	*x = (struct match_index){.hooks = hooks, .add = add, .bits = BITS_FIRST};
	x->buckets = calloc((size_t)1 << x->bits, sizeof(struct match_hook *));
	if (!x->buckets) {
		free(x);
		return false;
	}
	l->index = x;
	hooks->indexes++;
	list_for_each (item, &l->list) {
		match_index_appended(l, container_of(item, struct match_place, link));
		if (!l->index)
			return false;
	}
	return true;
}

void match_place_give(struct match_place *from, struct match_place *to)
{
	list_append(&from->link, &to->link);
	list_remove(&from->link);
	to->hooks = from->hooks;
	from->hooks = NULL;
	for (struct match_hook *h = to->hooks; h; h = h->twin)
		h->place = to;
}
