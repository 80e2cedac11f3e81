/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list in which an entry is found by context and tag, wherever it stands. A list begins without
 * an index. A search that had to look at MATCH_FAR entries makes one, which then has all entries of
 * the list, until no more than MATCH_NEAR are left; so short lists, and those whose first entry is
 * the one that is looked for, cost what a list costs.
 *
 * The index is a hash table of keys; the entries of one key are in the order in which they were
 * added. An entry may have several keys, of 64 bytes each, which are kept for the next entries
 * until no list has an index. The table has 256 buckets of 8 bytes, doubled when the keys are more,
 * whatever becomes of them then, and goes with the index. Without memory for more buckets it goes
 * on with longer chains; without memory for an entry the list loses its index, and is searched from
 * its beginning again. Pure: no socket, no lock.
 */
#ifndef FTMPI_MPI_MATCH_INDEX_H
#define FTMPI_MPI_MATCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/slab.h"

enum { MATCH_FAR = 16, MATCH_NEAR = 4 };

/* In the place of a tag: whatever the tag; and with a number in the place of the context. No tag
 * has these values. */
#define MATCH_EVERY_TAG INT64_MIN
#define MATCH_NUMBER (INT64_MIN + 1)

struct match_index;
struct match_hook;

/* What an entry of a list is, to the list. */
struct match_place {
	struct link link;
	struct match_hook *hooks; /* one for each of its keys; NULL: the list has no index */
};

struct match_list {
	struct link list; /* of places, in the order in which they came */
	struct match_index *index;
};

/* What the indexes of several lists share. */
struct match_hooks {
	struct slab slab; /* empty when there is no index */
	unsigned indexes;
	uint64_t looks; /* how often an entry was compared with what is looked for */
};

static inline void match_place_init(struct match_place *p)
{
	list_init(&p->link);
	p->hooks = NULL;
}

static inline void match_list_init(struct match_list *l)
{
	list_init(&l->list);
	l->index = NULL;
}

void match_hooks_init(struct match_hooks *h);

/* When no list has an index any more, or after match_index_forget of those that have. */
void match_hooks_fini(struct match_hooks *h);

/* An index of all that is in the list. add calls match_index_key for each key of an entry. False:
 * no memory, and there is none. */
bool match_index_make(struct match_list *l, struct match_hooks *hooks,
	bool (*add)(struct match_index *x, struct match_place *p));

/* A key of an entry. False: no memory. */
bool match_index_key(struct match_index *x, struct match_place *p, uint64_t context, int64_t tag);

/* The first of the entries with this key; NULL: there is none. */
struct match_place *match_index_first(const struct match_index *x, uint64_t context, int64_t tag);

/* One was appended to a list that has an index. */
void match_index_appended(struct match_list *l, struct match_place *p);

/* One that has hooks was taken out of the list. */
void match_index_removed(struct match_list *l, struct match_place *p);

static inline void match_list_append(struct match_list *l, struct match_place *p)
{
	list_append(&l->list, &p->link);
	if (l->index)
		match_index_appended(l, p);
}

static inline void match_list_remove(struct match_list *l, struct match_place *p)
{
	list_remove(&p->link);
	if (p->hooks)
		match_index_removed(l, p);
}

/* Another entry with the same keys takes the place of one, in the list and in its index. */
void match_place_give(struct match_place *from, struct match_place *to);

/* The index goes, and the list goes on without. */
void match_index_drop(struct match_list *l);

/* The index goes, and its entries, which may not be there any more, are not looked at. */
void match_index_forget(struct match_list *l);

#endif
