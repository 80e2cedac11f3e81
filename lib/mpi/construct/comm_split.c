/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting a communicator by what its ranks vote for (MPI 5.0 section 7.4.2). */
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

struct group *comm_elected(const struct group *from, const struct comm_ballot *ballots, int color,
	struct comm_ballot *first)
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

int comm_check_ballots(const struct group *g, const struct comm_ballot *ballots)
{
	for (int i = 0; i < g->size; i++) {
		if (ballots[i].color != MPI_UNDEFINED && ballots[i].counter == 0)
			return comm_make_used_up(g->world[i]);
	}
	return MPI_SUCCESS;
}

static int make_elected(struct comm *c, const struct comm_ballot *ballots, struct comm **out)
{
	struct comm_ballot first;
	struct group *g = comm_elected(c->group, ballots, ballots[c->rank].color, &first);
	int rc;

	if (!g)
		return comm_make_no_memory(c);
	rc = comm_make(c, g, first.counter, out);
	group_release(g);
	return rc;
}

static int split_intra(struct comm *c, int color, int key, struct comm **out)
{
	struct comm_ballot mine = {color, key, 0, 0};
	void *ballots;
	int rc;

	if (color != MPI_UNDEFINED)
		mine.counter = comm_counter_next();
	rc = comm_gather_all(c, &mine, sizeof(mine), &ballots);
	if (rc != MPI_SUCCESS)
		return rc;
	*out = NULL;
	rc = comm_check_ballots(c->group, ballots);
	if (rc == MPI_SUCCESS && color != MPI_UNDEFINED)
		rc = make_elected(c, ballots, out);
	free(ballots);
	return rc;
}

int comm_split(struct comm *c, int color, int key, struct comm **out)
{
	int rc;

	comm_hold(c);
	rc = c->remote ? comm_inter_split(c, color, key, out) : split_intra(c, color, key, out);
	comm_release(c);
	return rc;
}
