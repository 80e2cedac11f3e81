/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm_again.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "ckpt/section_communicators.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

/* ---- of the line that was restored ---- */

/* Not made again yet. */
struct saved {
	struct link link;
	struct section_communicator e;
	int ranks[]; /* of both groups */
};

static struct link waiting = {&waiting, &waiting};
static bool alone;

void comm_again_fini(void)
{
	alone = false;
	for (struct link *item; (item = list_pop(&waiting));)
		free(container_of(item, struct saved, link));
}

static size_t ranks_of(const struct saved *s)
{
	return (size_t)s->e.n + s->e.nremote;
}

static size_t count_waiting(void)
{
	size_t n = 0;

	list_for_each (item, &waiting)
		n++;
	return n;
}

static size_t bytes_waiting(void)
{
	size_t bytes = 0;

	list_for_each (item, &waiting)
		bytes += SECTION_COMMUNICATORS_ENTRY +
			 4 * ranks_of(container_of(item, struct saved, link));
	return bytes;
}

static void write_saved(struct writer *w, const struct saved *s)
{
	section_communicators_write(w, &s->e);
	for (size_t i = 0; i < ranks_of(s); i++)
		writer_u32(w, (uint32_t)s->ranks[i]);
}

void comm_again_each_waiting(void (*visit)(uint64_t context, void *arg), void *arg)
{
	engine_assert_held();
	list_for_each (item, &waiting) {
		const struct saved *s = container_of(item, struct saved, link);

		if (s->e.context != COMM_NO_CONTEXT)
			visit(s->e.context, arg);
		if (s->e.local_context != COMM_NO_CONTEXT)
			visit(s->e.local_context, arg);
	}
}

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

/* Those that are to be made again, alone, are behind those that there are. */
static uint8_t *write_all(const struct gathered *g)
{
	uint8_t *bytes = malloc(g->bytes);
	struct writer w = writer_over(bytes, g->bytes);

	if (!bytes)
		return NULL;
	writer_u32(&w, comm_counter_get());
	writer_u32(&w, (uint32_t)(g->n + count_waiting()));
	for (size_t i = 0; i < g->n; i++)
		write_comm(&w, g->list[i]);
	list_for_each (item, &waiting)
		write_saved(&w, container_of(item, struct saved, link));
	return bytes;
}

bool comm_again_capture(uint8_t **out, size_t *len)
{
	struct gathered g = {0};

	engine_assert_held();
	if (!alone)
		comm_again_fini();
	handle_table_each(OBJECT_COMM, gather, &g);
	g.list = malloc((g.n + 1) * sizeof *g.list);
	if (!g.list)
		return false;
	g.n = 0;
	g.bytes = SECTION_COMMUNICATORS_HEAD + bytes_waiting();
	handle_table_each(OBJECT_COMM, gather, &g);
	qsort(g.list, g.n, sizeof *g.list, by_making);
	*out = write_all(&g);
	*len = g.bytes;
	free(g.list);
	return *out != NULL;
}

/* ---- what cannot be made again alone ---- */

struct later {
	uint64_t made;
	bool found;
};

static void look_for_later(struct object *o, void *arg)
{
	const struct comm *c = (const struct comm *)(void *)o;
	struct later *l = arg;

	l->found |= c->shaped > l->made;
}

bool comm_again_needs_others(uint64_t made)
{
	struct later l = {.made = made};

	engine_assert_held();
	handle_table_each(OBJECT_COMM, look_for_later, &l);
	return l.found;
}

/* ---- after a restore ---- */

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
	if (alone)
		return;
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

/* ---- alone ---- */

void comm_again_go_alone(void)
{
	alone = true;
}

bool comm_again_is_alone(void)
{
	return alone && !list_empty(&waiting);
}

static bool has(const struct group *g, int world)
{
	for (int i = 0; i < g->size; i++)
		if (g->world[i] == world)
			return true;
	return false;
}

static bool is_part(const struct group *g, const int *ranks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!g || !has(g, ranks[i]))
			return false;
	return (g != NULL) == (n > 0);
}

static bool is_both(const struct group *a, const struct group *b, const int *ranks)
{
	return is_group(a, ranks, (uint32_t)a->size) &&
	       is_group(b, ranks + a->size, (uint32_t)b->size);
}

static bool is_like(const struct saved *s, const struct comm_again_like *l)
{
	const int *remote = s->ranks + s->e.n;

	switch (l->how) {
	case COMM_AGAIN_SAME:
		return is_group(l->group, s->ranks, s->e.n) &&
		       is_group(l->remote, remote, s->e.nremote);
	case COMM_AGAIN_PART:
		return is_part(l->group, s->ranks, s->e.n) &&
		       is_part(l->remote, remote, s->e.nremote);
	case COMM_AGAIN_PEER:
		return is_group(l->group, s->ranks, s->e.n) && s->e.nremote > 0;
	case COMM_AGAIN_BOTH:
		return s->e.n == (uint32_t)(l->group->size + l->remote->size) && !s->e.nremote &&
		       (is_both(l->group, l->remote, s->ranks) ||
			       is_both(l->remote, l->group, s->ranks));
	}
	return false;
}

static struct group *group_of(const struct group *from, const int *ranks, uint32_t n)
{
	struct group *g = group_make((int)n, ranks, comm_world_info()->rank);

	if (g)
		group_inherit(g, from);
	return g;
}

static int make(
	const struct saved *s, struct comm *parent, const struct group *from, struct comm **out)
{
	struct comm_sides sides = {.group = group_of(from, s->ranks, s->e.n),
		.context = s->e.context,
		.local_context = s->e.local_context};
	int rc = MPI_SUCCESS;

	if (s->e.nremote)
		sides.remote = group_of(from, s->ranks + s->e.n, s->e.nremote);
	if (!sides.group || (s->e.nremote && !sides.remote))
		rc = fail_with(MPI_ERR_NO_MEM, "no memory to make a communicator again");
	if (rc == MPI_SUCCESS)
		rc = comm_new_sides(&sides, parent, out);
	if (sides.group)
		group_release(sides.group);
	if (sides.remote)
		group_release(sides.remote);
	return rc;
}

bool comm_again_alone(
	struct comm *parent, const struct comm_again_like *like, struct comm **out, int *rc)
{
	engine_assert_held();
	if (!alone)
		return false;
	list_for_each_safe (item, &waiting) {
		struct saved *s = container_of(item, struct saved, link);

		if (s->e.context == COMM_NO_CONTEXT || !is_like(s, like))
			continue;
		*rc = make(s, parent, like->group, out);
		list_remove(&s->link);
		free(s);
		return true;
	}
	return false;
}

bool comm_again_resumes(const struct comm *c)
{
	struct comm_again_like same = {COMM_AGAIN_SAME, c->group, c->remote};

	engine_assert_held();
	list_for_each_safe (item, &waiting) {
		struct saved *s = container_of(item, struct saved, link);

		if (!is_like(s, &same))
			continue;
		if (!alone || s->e.context != COMM_NO_CONTEXT)
			return false;
		list_remove(&s->link);
		free(s);
		return true;
	}
	return false;
}
