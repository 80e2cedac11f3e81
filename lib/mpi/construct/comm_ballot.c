/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks vote for when a communicator is split, on one side or on both: who is elected. */
#include <stdlib.h>

#include "comm_make.h"

struct candidate {
	int key, rank;
};

static int by_key_then_rank(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Those of n ballots that are for color, in the order of the new communicator; *chosen of them. */
static struct candidate *elect(const struct comm_ballot *ballots, int n, int color, int *chosen)
{
	struct candidate *list = malloc((size_t)n * sizeof(*list));

	*chosen = 0;
	if (!list)
		return NULL;
	for (int i = 0; i < n; i++) {
		if (ballots[i].color == color)
			list[(*chosen)++] = (struct candidate){ballots[i].key, i};
	}
	qsort(list, (size_t)*chosen, sizeof(*list), by_key_then_rank);
	return list;
}

struct group *comm_ballot_elected(const struct group *from, const struct comm_ballot *ballots,
	int color, struct comm_ballot *first)
{
	int n;
	struct candidate *chosen = elect(ballots, from->size, color, &n);
	int *world = malloc(((size_t)n + 1) * sizeof(*world));
	struct group *g = NULL;

	for (int i = 0; i < n && world; i++)
		world[i] = from->world[chosen[i].rank];
	if (chosen && world)
		g = group_make(n, world, comm_world_info()->rank);
	if (g)
		group_inherit(g, from);
	if (chosen && n > 0)
		*first = ballots[chosen[0].rank];
	free(world);
	free(chosen);
	return g;
}

int comm_ballot_check(const struct group *g, const struct comm_ballot *ballots)
{
	for (int i = 0; i < g->size; i++) {
		if (ballots[i].color != MPI_UNDEFINED && ballots[i].counter == 0)
			return comm_make_used_up(g->world[i]);
	}
	return MPI_SUCCESS;
}
