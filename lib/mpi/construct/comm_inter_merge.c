/* SPDX-License-Identifier: BSD-3-Clause */
/* One communicator of both sides of an intercommunicator (MPI 5.0 section 7.6). */
#include <stdlib.h>

#include "comm_make.h"
#include "mpi/comm/comm_again.h"
#include "mpi/handle/fail.h"

/* What a process says when the sides are merged. */
struct ticket {
	int32_t high, first; /* rank in the world */
	uint32_t counter;
	int32_t mixed; /* the processes of the side do not say the same */
};

static struct group *both_groups(const struct group *low, const struct group *high)
{
	int n = low->size + high->size;
	int *world = malloc((size_t)n * sizeof(*world));
	struct group *g = NULL;

	for (int i = 0; i < n && world; i++)
		world[i] = i < low->size ? low->world[i] : high->world[i - low->size];
	if (world)
		g = group_make(n, world, comm_world_info()->rank);
	free(world);
	return g;
}

static int make_merged(
	struct comm *c, const struct ticket *ours, const struct ticket *theirs, struct comm **out)
{
	bool low = ours->high != theirs->high ? !ours->high : ours->first < theirs->first;
	struct group *g = low ? both_groups(c->group, c->remote) : both_groups(c->remote, c->group);
	int rc;

	if (!g)
		return comm_make_no_memory(c);
	group_inherit(g, c->group);
	rc = comm_make(c, g, low ? ours->counter : theirs->counter, out);
	group_release(g);
	return rc;
}

static int merge(struct comm *c, bool high, struct comm **out)
{
	struct ticket mine = {high, comm_world_info()->rank, 0, 0}, theirs, *ours;
	void *all;
	int rc;

	if (c->rank == 0)
		mine.counter = comm_counter_next();
	rc = comm_make_gather(c->local, &mine, sizeof(mine), &all);
	if (rc != MPI_SUCCESS)
		return rc;
	ours = all;
	for (int i = 1; i < c->size; i++)
		ours->mixed |= ours[i].high != ours->high;
	rc = comm_inter_swap(c, ours, sizeof(*ours), &theirs, sizeof(theirs));
	if (rc == MPI_SUCCESS && (ours->mixed || theirs.mixed))
		rc = fail_with(MPI_ERR_ARG,
			"high must be the same on all processes of a side, and is not on the %s "
			"one",
			ours->mixed ? "local" : "remote");
	if (rc == MPI_SUCCESS)
		rc = make_merged(c, ours, &theirs, out);
	free(all);
	return rc;
}

int comm_inter_merge(struct comm *c, bool high, struct comm **out)
{
	struct comm_again_like both = {COMM_AGAIN_BOTH, c->group, c->remote};
	int rc;

	if (comm_again_alone(c, &both, out, &rc))
		return rc;
	comm_hold(c);
	rc = merge(c, high, out);
	comm_release(c);
	return rc;
}
