/* SPDX-License-Identifier: BSD-3-Clause */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

/* MPI_GROUP_EMPTY. Every operation that leaves nobody gives this one. */
static struct group empty = {
	.head = {.kind = OBJECT_GROUP, .refs = 1},
	.rank = MPI_UNDEFINED,
};

static struct group *group_alloc(int size)
{
	struct group *g = malloc(sizeof(*g) + (size_t)size * sizeof(int));

	if (!g)
		return NULL;
	g->head = (struct object){.kind = OBJECT_GROUP, .refs = 1};
	g->handles = 0;
	g->size = size;
	g->session = 0;
	g->rank = MPI_UNDEFINED;
	return g;
}

static void find_rank(struct group *g, int me)
{
	for (int i = 0; i < g->size; i++) {
		if (g->world[i] == me) {
			g->rank = i;
			return;
		}
	}
}

struct group *group_make(int size, const int *world, int me)
{
	struct group *g;

	if (size == 0)
		return &empty;
	g = group_alloc(size);
	if (!g)
		return NULL;
	memcpy(g->world, world, (size_t)size * sizeof(int));
	find_rank(g, me);
	return g;
}

void group_inherit(struct group *g, const struct group *from)
{
	if (g != &empty)
		g->session = from->session;
}

void group_hold(struct group *g)
{
	if (g != &empty)
		g->head.refs++;
}

void group_release(struct group *g)
{
	if (g == &empty || --g->head.refs > 0)
		return;
	g->head.kind = OBJECT_FREED;
	free(g);
}

int group_lookup(MPI_Group handle, struct group **out)
{
	if (handle_table_has(handle, OBJECT_GROUP)) {
		*out = (struct group *)(void *)handle;
		return MPI_SUCCESS;
	}
	if (handle == MPI_GROUP_EMPTY) {
		*out = &empty;
		return MPI_SUCCESS;
	}
	if (handle == MPI_GROUP_NULL)
		return fail_with(MPI_ERR_GROUP, "MPI_GROUP_NULL was given");
	return fail_with(MPI_ERR_GROUP, "%p is not a group, or it was freed", (void *)handle);
}

int group_export(struct group *g, MPI_Group *handle)
{
	if (g == &empty) {
		*handle = MPI_GROUP_EMPTY;
		return MPI_SUCCESS;
	}
	if (g->handles == 0) {
		int rc = handle_table_add(&g->head);

		if (rc != MPI_SUCCESS)
			return rc;
	}
	g->handles++;
	group_hold(g);
	*handle = (MPI_Group)(void *)g;
	return MPI_SUCCESS;
}

void group_unexport(struct group *g)
{
	if (g == &empty)
		return;
	if (--g->handles == 0)
		handle_table_remove(&g->head);
	group_release(g);
}
