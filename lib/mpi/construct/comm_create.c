/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_create: collective over the parent, also for those who are not in the new one. */
#include <stdlib.h>

#include "comm_make.h"

/* What a member of a group that can take part in no more communicators says. */
#define FULL UINT32_MAX

static uint32_t say_counter(const struct group *g)
{
	if (g->rank == MPI_UNDEFINED)
		return 0;
	if (comm_full())
		return FULL;
	return g->rank == 0 ? comm_counter_next() : 0;
}

/* Also those whose group is another one, or who are in none: the call fails on all. */
static int check_counters(const struct comm *c, const uint32_t *counters)
{
	for (int i = 0; i < c->size; i++) {
		if (counters[i] == FULL)
			return comm_make_used_up(comm_world_rank(c, i));
	}
	return MPI_SUCCESS;
}

/* MPI 5.0 section 7.4.2: ranks may name different groups as long as these do not overlap. */
static int create(struct comm *c, struct group *g, struct comm **out)
{
	uint32_t mine = say_counter(g);
	void *counters;
	int *ranks;
	int rc = comm_make_locate(c, g, &ranks);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = comm_make_gather(c, &mine, sizeof(mine), &counters);
	if (rc == MPI_SUCCESS) {
		*out = NULL;
		rc = check_counters(c, counters);
		if (rc == MPI_SUCCESS && g->rank != MPI_UNDEFINED)
			rc = comm_make(c, g, ((uint32_t *)counters)[ranks[0]], out);
		free(counters);
	}
	free(ranks);
	return rc;
}

int comm_create(struct comm *c, struct group *g, struct comm **out)
{
	int rc;

	comm_hold(c);
	group_hold(g);
	if (c->remote)
		rc = comm_inter_part_subset(c, g, out);
	else if (!comm_make_group_again(c, g, out, &rc))
		rc = create(c, g, out);
	group_release(g);
	comm_release(c);
	return rc;
}
