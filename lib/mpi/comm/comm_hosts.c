/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the processes of a communicator run, and whether they have cores enough. */
#include <stdlib.h>
#include <string.h>

#include "comm_inside.h"
#include "mpi/handle/fail.h"

static struct world_info info; /* the arrays are this file's */
static int *loads;	       /* per host, scratch of comm_hosts_crowded; all 0 between calls */

static int check(const struct world_info *w)
{
	if (w->size < 1 || w->rank < 0 || w->rank >= w->size)
		return fail_with(
			MPI_ERR_INTERN, "rank %d of %d is no place in a job", w->rank, w->size);
	if (info.size && (w->size != info.size || w->rank != info.rank))
		return fail_with(MPI_ERR_INTERN, "rank %d of %d cannot become rank %d of %d",
			info.rank, info.size, w->rank, w->size);
	for (int i = 0; i < w->size; i++) {
		if (w->node[i] < 0)
			return fail_with(MPI_ERR_INTERN, "the host of rank %d is not known", i);
	}
	return MPI_SUCCESS;
}

static int *copy(const int *numbers, int n)
{
	int *to = malloc((size_t)n * sizeof(*to));

	return to ? memcpy(to, numbers, (size_t)n * sizeof(*to)) : NULL;
}

static int hosts_of(const struct world_info *w)
{
	int hosts = 0;

	for (int i = 0; i < w->size; i++) {
		if (w->node[i] >= hosts)
			hosts = w->node[i] + 1;
	}
	return hosts;
}

int comm_hosts_renew(const struct world_info *w)
{
	int rc = check(w), *node, *cores, *scratch;

	if (rc != MPI_SUCCESS)
		return rc;
	node = copy(w->node, w->size);
	cores = copy(w->cores, w->size);
	scratch = calloc((size_t)hosts_of(w), sizeof(*scratch));
	if (!node || !cores || !scratch) {
		free(node);
		free(cores);
		free(scratch);
		return fail_with(MPI_ERR_NO_MEM, "no memory for a job of %d ranks", w->size);
	}
	comm_hosts_fini();
	info = *w;
	info.node = node;
	info.cores = cores;
	loads = scratch;
	return MPI_SUCCESS;
}

void comm_hosts_fini(void)
{
	free((int *)info.node);
	free((int *)info.cores);
	free(loads);
	loads = NULL;
	info = (struct world_info){0};
}

const struct world_info *comm_world_info(void)
{
	return info.size ? &info : NULL;
}

int comm_hosts_node_of(const struct comm *c, int rank)
{
	return info.node[c->group->world[rank]];
}

static bool lies_elsewhere(const struct group *g, int node)
{
	for (int i = 0; i < g->size; i++) {
		if (info.node[g->world[i]] != node)
			return true;
	}
	return false;
}

bool comm_hosts_several(const struct comm *c)
{
	int here = comm_hosts_node_of(c, c->rank);

	return lies_elsewhere(c->group, here) || (c->remote && lies_elsewhere(c->remote, here));
}

/* Computed from what all ranks know alike, so all ranks choose the same algorithms. */
bool comm_hosts_crowded(const struct group *g)
{
	bool crowded = false;

	for (int i = 0; i < g->size; i++) {
		int cores = info.cores[g->world[i]];
		int load = ++loads[info.node[g->world[i]]];

		crowded |= load > (cores < 1 ? 1 : cores);
	}
	for (int i = 0; i < g->size; i++)
		loads[info.node[g->world[i]]] = 0;
	return crowded;
}

bool comm_hosts_near(const struct group *g)
{
	return info.memory && !lies_elsewhere(g, info.node[g->world[0]]);
}
