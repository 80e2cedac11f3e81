/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making communicators. Each way has one exchange, in which rank 0 of every new communicator makes
 * its context known to the others; a counter that is proposed and not used is lost, which costs
 * nothing. The parent and a given group are held while the lock may be let go.
 */
#include "comm.h"

#include <stdlib.h>

#include "api.h"
#include "attr.h"
#include "coll.h"
#include "p2p.h"
#include "topo.h"
#include "type.h"

/* Operations of a communicator count up to 30 bits in the same plane; these tags lie above. */
#define CREATE_GROUP_TAG (1 << 30)
#define CREATE_GROUP_MASK (CREATE_GROUP_TAG - 1)

static int no_memory(const struct comm *c)
{
	return api_fail(MPI_ERR_NO_MEM, "no memory to make a communicator from %s of %d",
		comm_label(c), c->size);
}

/* A communicator of g whose rank 0 proposed this counter. All its ranks fail alike without one. */
static int make(struct comm *parent, struct group *g, uint32_t counter, struct comm **out)
{
	if (counter == 0)
		return api_fail(
			MPI_ERR_INTERN, "world rank %d has used up its communicators", g->world[0]);
	return comm_new(g, comm_context_of(g->world[0], counter), parent, out);
}

/* Give a communicator that was not handed out yet back. */
static void unmake(struct comm *c)
{
	(void)attr_delete_all(comm_attrs(c));
	comm_drop(c);
}

/* Everybody in c gets the counter that its rank 0 takes. */
static int agree_counter(struct comm *c, uint32_t *counter)
{
	*counter = c->rank == 0 ? comm_counter_next() : 0;
	return coll_bcast(c, counter, sizeof(*counter), 0);
}

/* What MPI_Comm_dup alone takes over (MPI 5.0 section 7.4.2). */
static int inherit(struct comm *from, struct comm *to)
{
	if (from->topo) {
		to->topo = topo_copy(from->topo);
		if (!to->topo)
			return no_memory(from);
	}
	return attr_copy_all(comm_attrs(from), comm_attrs(to));
}

int comm_dup(struct comm *c, struct comm **out)
{
	struct comm *copy = NULL;
	uint32_t counter;
	int rc;

	comm_hold(c);
	/* the counter goes round before copy functions are asked, so that a rank whose function
	 * refuses leaves nobody waiting */
	rc = agree_counter(c, &counter);
	if (rc == MPI_SUCCESS)
		rc = make(c, c->group, counter, &copy);
	if (rc == MPI_SUCCESS)
		rc = inherit(c, copy);
	if (rc == MPI_SUCCESS)
		*out = copy;
	else if (copy)
		unmake(copy);
	comm_release(c);
	return rc;
}

/* All ranks' `mine`, bytes long each, in an array that the caller frees; NULL in *all on an error.
 */
static int gather_all(struct comm *c, const void *mine, size_t bytes, void **all)
{
	int rc;

	*all = malloc((size_t)c->size * bytes);
	if (!*all)
		return no_memory(c);
	rc = coll_allgather(c, mine, bytes, *all);
	if (rc != MPI_SUCCESS) {
		free(*all);
		*all = NULL;
	}
	return rc;
}

/* What a rank says when a communicator is split. */
struct ballot {
	int32_t color, key;
	uint32_t counter;
};

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

/* The ranks of c that voted for color, in the order of the new communicator; *n of them. */
static struct candidate *elect(
	const struct comm *c, const struct ballot *ballots, int color, int *n)
{
	struct candidate *chosen = malloc((size_t)c->size * sizeof(*chosen));

	*n = 0;
	if (!chosen)
		return NULL;
	for (int i = 0; i < c->size; i++) {
		if (ballots[i].color == color)
			chosen[(*n)++] = (struct candidate){ballots[i].key, i};
	}
	qsort(chosen, (size_t)*n, sizeof(*chosen), by_key_then_rank);
	return chosen;
}

/* The group of these ranks of `from`. */
static struct group *group_of(const struct group *from, const struct candidate *chosen, int n)
{
	int *world = malloc((size_t)n * sizeof(*world));
	struct group *g;

	if (!world)
		return NULL;
	for (int i = 0; i < n; i++)
		world[i] = from->world[chosen[i].rank];
	g = group_make(n, world, comm_world_info()->rank);
	free(world);
	return g;
}

static int make_elected(struct comm *c, const struct ballot *ballots, struct comm **out)
{
	struct candidate *chosen;
	struct group *g;
	int n, rc;

	chosen = elect(c, ballots, ballots[c->rank].color, &n);
	if (!chosen)
		return no_memory(c);
	g = group_of(c->group, chosen, n);
	if (g) {
		rc = make(c, g, ballots[chosen[0].rank].counter, out);
		group_release(g);
	} else {
		rc = no_memory(c);
	}
	free(chosen);
	return rc;
}

int comm_split(struct comm *c, int color, int key, struct comm **out)
{
	struct ballot mine = {color, key, 0};
	void *ballots;
	int rc;

	comm_hold(c);
	if (color != MPI_UNDEFINED)
		mine.counter = comm_counter_next();
	rc = gather_all(c, &mine, sizeof(mine), &ballots);
	if (rc == MPI_SUCCESS) {
		if (color == MPI_UNDEFINED)
			*out = NULL;
		else
			rc = make_elected(c, ballots, out);
		free(ballots);
	}
	comm_release(c);
	return rc;
}

/* The rank in c of each process of g, in an array that the caller frees. g must be part of c. */
static int locate(const struct comm *c, const struct group *g, int **ranks)
{
	int *all = malloc(2 * ((size_t)g->size + 1) * sizeof(*all));
	int rc;

	if (!all)
		return no_memory(c);
	for (int i = 0; i < g->size; i++)
		all[g->size + i] = i;
	rc = group_translate(g, g->size, all + g->size, c->group, all);
	for (int i = 0; i < g->size && rc == MPI_SUCCESS; i++) {
		if (all[i] == MPI_UNDEFINED)
			rc = api_fail(MPI_ERR_GROUP,
				"rank %d of the group (world rank %d) is not in communicator %s", i,
				g->world[i], comm_label(c));
	}
	if (rc == MPI_SUCCESS)
		*ranks = all;
	else
		free(all);
	return rc;
}

/* MPI 5.0 section 7.4.2: ranks may name different groups as long as these do not overlap. */
static int create(struct comm *c, struct group *g, struct comm **out)
{
	uint32_t mine = g->rank == 0 ? comm_counter_next() : 0;
	void *counters;
	int *ranks;
	int rc = locate(c, g, &ranks);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = gather_all(c, &mine, sizeof(mine), &counters);
	if (rc == MPI_SUCCESS) {
		if (g->rank == MPI_UNDEFINED)
			*out = NULL;
		else
			rc = make(c, g, ((uint32_t *)counters)[ranks[0]], out);
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
	rc = create(c, g, out);
	group_release(g);
	comm_release(c);
	return rc;
}

/*
 * Send the counter of g's rank 0 down a binomial tree over g: rank r hears from r less its lowest
 * set bit, and tells r + b for each smaller bit b, the farthest first. ranks[] are those in c.
 */
static int tell_down(
	struct comm *c, const struct group *g, const int *ranks, int tag, uint32_t *counter)
{
	int me = g->rank, bit = 1, rc = MPI_SUCCESS;

	while (bit < g->size && !(me & bit))
		bit *= 2;
	if (me != 0)
		rc = p2p_recv(c, PLANE_COLL, counter, sizeof(*counter), type_bytes(),
			ranks[me - bit], tag, MPI_STATUS_IGNORE);
	for (bit /= 2; bit > 0 && rc == MPI_SUCCESS; bit /= 2) {
		if (me + bit < g->size)
			rc = p2p_send(c, PLANE_COLL, counter, sizeof(*counter), type_bytes(),
				ranks[me + bit], tag, SEND_STANDARD);
	}
	return rc;
}

static int create_in_group(struct comm *c, struct group *g, int tag, struct comm **out)
{
	uint32_t counter = 0;
	int *ranks;
	int rc = locate(c, g, &ranks);

	if (rc != MPI_SUCCESS)
		return rc;
	if (g->rank == 0)
		counter = comm_counter_next();
	rc = tell_down(c, g, ranks, CREATE_GROUP_TAG | (tag & CREATE_GROUP_MASK), &counter);
	if (rc == MPI_SUCCESS)
		rc = make(c, g, counter, out);
	free(ranks);
	return rc;
}

int comm_create_group(struct comm *c, struct group *g, int tag, struct comm **out)
{
	int rc;

	if (g->rank == MPI_UNDEFINED) {
		*out = NULL;
		return MPI_SUCCESS;
	}
	comm_hold(c);
	group_hold(g);
	rc = create_in_group(c, g, tag, out);
	group_release(g);
	comm_release(c);
	return rc;
}

int comm_create_leading(struct comm *c, int n, struct comm **out)
{
	struct group *g = group_make(n, c->group->world, c->group->world[c->rank]);
	uint32_t counter;
	int rc;

	if (!g)
		return no_memory(c);
	comm_hold(c);
	rc = agree_counter(c, &counter);
	if (rc == MPI_SUCCESS) {
		if (g->rank == MPI_UNDEFINED)
			*out = NULL;
		else
			rc = make(c, g, counter, out);
	}
	group_release(g);
	comm_release(c);
	return rc;
}
