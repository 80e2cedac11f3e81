/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of an intercommunicator (MPI 5.0 section 7.4.2). Rank 0 of each side speaks for it, and
 * proposes counters as leaders do (comm_inter.c).
 */
#include <stdlib.h>

#include "comm_make.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/comm_again.h"
#include "mpi/handle/fail.h"

/* Rank 0's proposals of both sides, known to all of both. */
static int agree(struct comm *c, int n, struct comm_proposal both[2])
{
	both[0] = both[1] = (struct comm_proposal){0};
	if (c->rank == 0)
		both[0] = comm_make_propose(n, true);
	return coll_now_agree(c, both, sizeof(both[0]));
}

/* Where each side has somebody, and this process is there, an intercommunicator of them. */
static int make_part(struct comm *c, const struct comm_sides *s, struct comm **out)
{
	*out = NULL;
	if (s->remote->size == 0 || s->group->rank == MPI_UNDEFINED)
		return MPI_SUCCESS;
	return comm_new_sides(s, c, out);
}

/* The ballots of both sides are known. */
static int make_elected(struct comm *c, int color, const struct comm_ballot *ours,
	const struct comm_ballot *others, struct comm **out)
{
	struct comm_ballot a = {0}, b = {0};
	struct comm_sides s = {.group = comm_ballot_elected(c->group, ours, color, &a),
		.remote = comm_ballot_elected(c->remote, others, color, &b)};
	int rc = MPI_SUCCESS;

	if (!s.group || !s.remote) {
		rc = comm_make_no_memory(c);
	} else if (s.remote->size > 0) {
		struct comm_proposal mine = {
			s.group->world[0], s.group->size, a.counter, a.local_counter};
		struct comm_proposal theirs = {
			s.remote->world[0], s.remote->size, b.counter, b.local_counter};

		rc = comm_make_contexts(&s, &mine, &theirs);
	}
	if (rc == MPI_SUCCESS)
		rc = make_part(c, &s, out);
	if (s.group)
		group_release(s.group);
	if (s.remote)
		group_release(s.remote);
	return rc;
}

int comm_inter_part_split(struct comm *c, int color, int key, struct comm **out)
{
	struct comm_ballot mine = {color, key, 0, 0}, *others;
	void *ours = NULL;
	int rc;

	if (color != MPI_UNDEFINED) {
		mine.counter = comm_counter_next();
		mine.local_counter = comm_counter_next();
	}
	rc = comm_make_gather(c->local, &mine, sizeof(mine), &ours);
	if (rc != MPI_SUCCESS)
		return rc;
	others = malloc((size_t)c->npeers * sizeof(*others));
	rc = others ? comm_inter_swap(c, ours, (size_t)c->size * sizeof(mine), others,
			      (size_t)c->npeers * sizeof(*others))
		    : comm_make_no_memory(c);
	*out = NULL;
	if (rc == MPI_SUCCESS)
		rc = comm_ballot_check(c->group, ours);
	if (rc == MPI_SUCCESS)
		rc = comm_ballot_check(c->remote, others);
	if (rc == MPI_SUCCESS && color != MPI_UNDEFINED)
		rc = make_elected(c, color, ours, others, out);
	free(others);
	free(ours);
	return rc;
}

/* The remote side's part, by what it says: n of its ranks. */
static int remote_part(const struct comm *c, const int32_t *ranks, int n, struct group **out)
{
	for (int i = 0; i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= c->npeers)
			return fail_with(
				MPI_ERR_INTERN, "the remote group has no rank %d", (int)ranks[i]);
	}
	return group_incl(c->remote, n, ranks, out);
}

/* Both sides have said how many they are. */
static int subset(struct comm *c, struct group *g, const int *ranks,
	const struct comm_proposal both[2], struct comm **out)
{
	struct comm_sides s = {.group = g};
	int32_t *others = malloc(((size_t)both[1].n + 1) * sizeof(*others));
	int rc;

	if (!others)
		return comm_make_no_memory(c);
	rc = comm_inter_swap(c, ranks, (size_t)both[0].n * sizeof(*ranks), others,
		(size_t)both[1].n * sizeof(*others));
	if (rc == MPI_SUCCESS)
		rc = remote_part(c, others, both[1].n, &s.remote);
	if (rc == MPI_SUCCESS) {
		rc = comm_make_contexts(&s, &both[0], &both[1]);
		if (rc == MPI_SUCCESS)
			rc = make_part(c, &s, out);
		group_release(s.remote);
	}
	free(others);
	return rc;
}

static int check_part(
	const struct comm *c, const struct group *g, const struct comm_proposal both[2])
{
	if (both[0].n < 0 || both[1].n < 0 || both[1].n > c->npeers)
		return fail_with(MPI_ERR_GROUP, "the %s group is no part of its side",
			both[0].n < 0 ? "local" : "remote");
	if (both[0].n != g->size)
		return fail_with(MPI_ERR_GROUP,
			"the group has %d processes here and %d at rank 0 of the local group",
			g->size, (int)both[0].n);
	return MPI_SUCCESS;
}

int comm_inter_part_subset(struct comm *c, struct group *g, struct comm **out)
{
	struct comm_again_like like = {COMM_AGAIN_PART, g, c->remote};
	struct comm_proposal both[2];
	int *ranks = NULL, bad, rc;

	*out = NULL;
	if (g->rank == MPI_UNDEFINED && comm_again_is_alone())
		return MPI_SUCCESS;
	if (g->rank != MPI_UNDEFINED && comm_again_alone(c, &like, out, &rc))
		return rc;
	bad = comm_make_locate(c, g, &ranks);
	rc = agree(c, bad ? -1 : g->size, both);
	if (rc == MPI_SUCCESS && !bad)
		rc = check_part(c, g, both);
	if (rc == MPI_SUCCESS && !bad)
		rc = subset(c, g, ranks, both, out);
	free(ranks);
	return bad ? bad : rc;
}
