/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators that are there from the start (comm_predefined.c) are made: MPI_COMM_WORLD,
 * MPI_COMM_SELF and the library's own; and the end of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm_again.h"
#include "comm_inside.h"
#include "errhandler.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

enum {
	COUNTER_SELF = 1,
	COUNTER_COORD = 2,
	COUNTER_FIRST = 3,
};

/* A communicator that is there from the start, of `size` ranks of the world from `first` on. */
static struct comm *predefined(int first, int size, uint32_t counter, MPI_Comm handle)
{
	int *world = malloc((size_t)size * sizeof(*world));
	struct group *g = NULL;
	struct comm *c = NULL;

	if (!world)
		return NULL;
	for (int i = 0; i < size; i++)
		world[i] = first + i;
	g = group_make(size, world, comm_world_info()->rank);
	free(world);
	if (!g)
		return NULL;
	c = comm_alloc(g, comm_context_of(first, counter));
	group_release(g);
	if (!c)
		return NULL;
	c->handle = handle;
	c->errhandler = errhandler_fatal();
	snprintf(c->name, sizeof(c->name), "%s",
		handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	return c;
}

int comm_world_init(const struct world_info *w)
{
	int rc = comm_hosts_renew(w);

	if (rc != MPI_SUCCESS)
		return rc;
	comm_count_from(COUNTER_FIRST);
	comm_job.world = predefined(0, w->size, 0, MPI_COMM_WORLD);
	comm_job.self = predefined(w->rank, 1, COUNTER_SELF, MPI_COMM_SELF);
	comm_job.coord = predefined(0, w->size, COUNTER_COORD, MPI_COMM_NULL);
	if (!comm_job.world || !comm_job.self || !comm_job.coord) {
		comm_world_free();
		return fail_with(MPI_ERR_NO_MEM, "no memory for a job of %d ranks", w->size);
	}
	return MPI_SUCCESS;
}

void comm_world_delete_attributes(void)
{
	if (comm_job.self)
		attr_delete_all(comm_attrs(comm_job.self));
	if (comm_job.world)
		attr_delete_all(comm_attrs(comm_job.world));
}

/* What the program never freed. Its handles go first: an object may also be held by another. */
static void free_forgotten(void)
{
	struct object *o;

	while ((o = handle_table_any(OBJECT_COMM)))
		comm_drop((struct comm *)(void *)o);
	while ((o = handle_table_any(OBJECT_GROUP)))
		group_unexport((struct group *)(void *)o);
	handle_table_clear();
}

void comm_world_free(void)
{
	free_forgotten();
	comm_again_fini();
	if (comm_job.coord)
		comm_release(comm_job.coord);
	if (comm_job.self)
		comm_release(comm_job.self);
	if (comm_job.world)
		comm_release(comm_job.world);
	attr_key_fini();
	comm_hosts_fini();
	comm_numbered_forget();
	comm_name_world(false);
	memset(&comm_job, 0, sizeof(comm_job));
}
