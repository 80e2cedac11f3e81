/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm_again.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "ckpt/section_communicators.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/handle_table.h"

/* ---- capture ---- */

struct gathered {
	const struct comm **list; /* NULL: only count */
	size_t n, bytes;
};

static void gather(struct object *o, void *arg)
{
	struct gathered *g = arg;
	const struct comm *c = (const struct comm *)(void *)o;

	if (g->list)
		g->list[g->n] = c;
	g->n++;
	g->bytes += SECTION_COMMUNICATORS_ENTRY +
		    4 * (size_t)(c->size + (c->remote ? c->remote->size : 0));
}

static int by_making(const void *a, const void *b)
{
	const struct comm *const *x = a, *const *y = b;

	return (*x)->serial < (*y)->serial ? -1 : (*x)->serial > (*y)->serial;
}

static void write_ranks(struct writer *w, const struct group *g)
{
	for (int i = 0; i < g->size; i++)
		writer_u32(w, (uint32_t)g->world[i]);
}

static void write_comm(struct writer *w, const struct comm *c)
{
	struct section_communicator e = {.context = c->context,
		.local_context = c->local ? c->local->context : COMM_NO_CONTEXT,
		.n = (uint32_t)c->size,
		.nremote = c->remote ? (uint32_t)c->remote->size : 0};

	section_communicators_write(w, &e);
	write_ranks(w, c->group);
	if (c->remote)
		write_ranks(w, c->remote);
}

static uint8_t *write_all(const struct gathered *g)
{
	uint8_t *bytes = malloc(g->bytes);
	struct writer w = writer_over(bytes, g->bytes);

	if (!bytes)
		return NULL;
	writer_u32(&w, comm_counter_get());
	writer_u32(&w, (uint32_t)g->n);
	for (size_t i = 0; i < g->n; i++)
		write_comm(&w, g->list[i]);
	return bytes;
}

bool comm_again_capture(uint8_t **out, size_t *len)
{
	struct gathered g = {0};

	engine_assert_held();
	comm_again_fini();
	handle_table_each(OBJECT_COMM, gather, &g);
	g.list = malloc((g.n + 1) * sizeof *g.list);
	if (!g.list)
		return false;
	g.n = 0;
	g.bytes = SECTION_COMMUNICATORS_HEAD;
	handle_table_each(OBJECT_COMM, gather, &g);
	qsort(g.list, g.n, sizeof *g.list, by_making);
	*out = write_all(&g);
	*len = g.bytes;
	free(g.list);
	return *out != NULL;
}

/* ---- how many there are ---- */

struct later {
	uint64_t made;
	bool found;
};

static void look_for_later(struct object *o, void *arg)
{
	struct later *l = arg;

	l->found |= ((const struct comm *)(void *)o)->serial > l->made;
}

bool comm_again_is_there_after(uint64_t made)
{
	struct later l = {.made = made};

	engine_assert_held();
	handle_table_each(OBJECT_COMM, look_for_later, &l);
	return l.found;
}

/* ---- after a restore ---- */

/* Not made again yet. */
struct saved {
	struct link link;
	struct section_communicator e;
	int ranks[]; /* of both groups */
};

static struct link waiting = {&waiting, &waiting};

void comm_again_fini(void)
{
	for (struct link *item; (item = list_pop(&waiting));)
		free(container_of(item, struct saved, link));
}

struct sought {
	uint64_t context;
	bool found;
};

static void look_at(struct object *o, void *arg)
{
	struct sought *s = arg;

	s->found |= ((const struct comm *)(void *)o)->context == s->context;
}

static bool is_there(uint64_t context)
{
	struct sought s = {.context = context};

	handle_table_each(OBJECT_COMM, look_at, &s);
	return s.found && context != COMM_NO_CONTEXT;
}

static bool await(const struct section_communicator *e, const uint8_t *ranks)
{
	size_t n = (size_t)e->n + e->nremote;
	struct cursor c = cursor_over(ranks, 4 * n);
	struct saved *s = malloc(sizeof *s + n * sizeof *s->ranks);

	if (!s)
		return false;
	s->e = *e;
	for (size_t i = 0; i < n; i++)
		s->ranks[i] = (int)cursor_u32(&c);
	list_append(&waiting, &s->link);
	return true;
}

bool comm_again_take(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_communicator e;
	const uint8_t *ranks;

	engine_assert_held();
	comm_counter_least(cursor_u32(&c));
	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		if (!section_communicators_read(&c, comm_world_info()->size, &e, &ranks) ||
			(!is_there(e.context) && !await(&e, ranks)))
			return false;
	return true;
}

static bool is_group(const struct group *g, const int *ranks, uint32_t n)
{
	return (g ? (uint32_t)g->size : 0) == n &&
	       (n == 0 || memcmp(g->world, ranks, n * sizeof *ranks) == 0);
}

void comm_again(struct comm_sides *s)
{
	list_for_each_safe (item, &waiting) {
		struct saved *was = container_of(item, struct saved, link);

		if (!is_group(s->group, was->ranks, was->e.n) ||
			!is_group(s->remote, was->ranks + was->e.n, was->e.nremote))
			continue;
		s->context = was->e.context;
		s->local_context = was->e.local_context;
		list_remove(&was->link);
		free(was);
		return;
	}
}
