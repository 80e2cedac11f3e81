/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the processes of a communicator run, and whether they have cores enough. */
#include <stdlib.h>

#include "comm_inside.h"

static struct world_info info;
static int *loads; /* per host, scratch of comm_hosts_crowded; all 0 between calls */

bool comm_hosts_init(const struct world_info *w)
{
	int hosts = 0;

	info = *w;
	for (int i = 0; i < w->size; i++) {
		if (w->node[i] >= hosts)
			hosts = w->node[i] + 1;
	}
	loads = calloc((size_t)hosts, sizeof(*loads));
	return loads != NULL;
}

void comm_hosts_fini(void)
{
	free(loads);
	loads = NULL;
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
