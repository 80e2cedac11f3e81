/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making intercommunicators, and one communicator of both sides (MPI 5.0 section 7.6).
 *
 * One process of each side speaks for it: the leaders over the peer communicator, and rank 0 once
 * there is an intercommunicator. Each proposes two counters (comm_make.c), one for the context that
 * both sides shall use, one for its own side's local stages. Of the two for both, that of the
 * speaker with the lower rank in the world is taken.
 */
#include <stdlib.h>

#include "api.h"
#include "coll.h"
#include "comm_make.h"
#include "p2p.h"

static int swap(struct comm *c, const void *mine, size_t my_bytes, void *theirs, size_t their_bytes)
{
	struct coll_swap w = {mine, my_bytes, theirs, their_bytes};

	return coll_swap(c, &w);
}

/* Rank 0's proposals of both sides, known to all of both. */
static int agree(struct comm *c, int n, struct comm_proposal both[2])
{
	both[0] = both[1] = (struct comm_proposal){0};
	if (c->rank == 0)
		both[0] = comm_propose(n, true);
	return coll_agree(c, both, sizeof(both[0]));
}

/* ---- from two groups ---- */

/* The other side's leader: rank `rank` of comm. */
struct other {
	struct comm *comm;
	int rank, tag;
};

/* Small messages may not wait for their receive, long ones do: the lower rank speaks first. */
static int swap_bytes(const struct other *o, const void *mine, size_t n, void *theirs, size_t m)
{
	bool first = comm_world_info()->rank < comm_world_rank(o->comm, o->rank);
	int rc = MPI_SUCCESS;

	for (int turn = 0; turn < 2 && rc == MPI_SUCCESS; turn++) {
		if ((turn == 0) == first)
			rc = p2p_send(o->comm, PLANE_COLL, mine, n, type_bytes(), o->rank, o->tag,
				SEND_STANDARD);
		else
			rc = p2p_recv(o->comm, PLANE_COLL, theirs, m, type_bytes(), o->rank, o->tag,
				MPI_STATUS_IGNORE);
	}
	return rc;
}

static int no_memory_for(int n)
{
	return api_fail(MPI_ERR_NO_MEM, "no memory for a remote group of %d", n);
}

/* What a leader comes to know, and then tells its side. */
struct met {
	int32_t failed; /* an error class, or MPI_SUCCESS */
	struct comm_proposal mine, theirs;
};

/* The leaders' talk: *ranks is the remote group, which the caller frees. */
static int meet(const struct comm *local, const struct other *o, struct met *m, int32_t **ranks)
{
	int rc;

	m->mine = comm_propose(local->size, true);
	rc = swap_bytes(o, &m->mine, sizeof(m->mine), &m->theirs, sizeof(m->theirs));
	if (rc != MPI_SUCCESS)
		return rc;
	if (m->theirs.n < 0)
		return api_fail(MPI_ERR_OTHER,
			"the remote leader, world rank %d, could not make a communicator of its "
			"side",
			comm_world_rank(o->comm, o->rank));
	if (m->theirs.n < 1 || m->theirs.n > comm_world_info()->size)
		return api_fail(MPI_ERR_INTERN,
			"the leader of the remote group says that it has %d processes",
			m->theirs.n);
	*ranks = malloc((size_t)m->theirs.n * sizeof(**ranks));
	if (!*ranks)
		return no_memory_for(m->theirs.n);
	return swap_bytes(o, local->group->world, (size_t)local->size * sizeof(int), *ranks,
		(size_t)m->theirs.n * sizeof(**ranks));
}

/* Rank `leader` of c knows it all: so do the others then. */
static int tell_met(struct comm *c, int leader, struct met *m, int32_t **ranks)
{
	int rc = coll_bcast(c, m, sizeof(*m), leader);

	if (rc != MPI_SUCCESS || (m->failed && c->rank == leader))
		return rc ? rc : m->failed;
	if (m->failed)
		return api_fail(
			m->failed, "rank %d, the leader, could not meet the remote leader", leader);
	if (c->rank != leader)
		*ranks = malloc((size_t)m->theirs.n * sizeof(**ranks));
	if (!*ranks)
		return no_memory_for(m->theirs.n);
	return coll_bcast(c, *ranks, (size_t)m->theirs.n * sizeof(**ranks), leader);
}

static int check_remote(const struct comm *local, const struct group *remote)
{
	struct group *common = NULL;
	int rc = MPI_SUCCESS;

	for (int i = 0; i < remote->size && rc == MPI_SUCCESS; i++) {
		if (remote->world[i] < 0 || remote->world[i] >= comm_world_info()->size)
			rc = api_fail(MPI_ERR_INTERN, "rank %d of the remote group is nobody", i);
	}
	if (rc == MPI_SUCCESS)
		rc = group_intersection(local->group, remote, &common);
	if (rc != MPI_SUCCESS)
		return rc;
	if (common->size > 0)
		rc = api_fail(MPI_ERR_COMM,
			"the two groups overlap: world rank %d is in both, and %d more",
			common->world[0], common->size - 1);
	group_release(common);
	return rc;
}

static int create_met(
	struct comm *local, const struct met *m, const int32_t *ranks, struct comm **out)
{
	struct comm_sides s = {.group = local->group};
	int rc;

	s.remote = group_make(m->theirs.n, ranks, comm_world_info()->rank);
	if (!s.remote)
		return no_memory_for(m->theirs.n);
	group_inherit(s.remote, local->group);
	rc = check_remote(local, s.remote);
	if (rc == MPI_SUCCESS)
		rc = comm_contexts(&s, &m->mine, &m->theirs);
	if (rc == MPI_SUCCESS)
		rc = comm_new_sides(&s, local, out);
	group_release(s.remote);
	return rc;
}

void comm_inter_decline(const struct comm_meeting *how)
{
	struct other o = {how->peer, how->remote_leader, how->tag};
	struct comm_proposal none = {.speaker = comm_world_info()->rank, .n = -1}, theirs;

	(void)swap_bytes(&o, &none, sizeof(none), &theirs, sizeof(theirs));
}

int comm_inter_create(struct comm *local, const struct comm_meeting *how, struct comm **out)
{
	struct other o = {how->peer, how->remote_leader, how->tag};
	struct met m = {0};
	int32_t *ranks = NULL;
	int rc;

	comm_hold(local);
	if (local->rank == how->leader) {
		comm_hold(o.comm);
		m.failed = meet(local, &o, &m, &ranks);
		comm_release(o.comm);
	}
	rc = tell_met(local, how->leader, &m, &ranks);
	if (rc == MPI_SUCCESS)
		rc = create_met(local, &m, ranks, out);
	free(ranks);
	comm_release(local);
	return rc;
}

/* ---- parts of an intercommunicator ---- */

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
	struct comm_sides s = {.group = comm_elected(c->group, ours, color, &a),
		.remote = comm_elected(c->remote, others, color, &b)};
	int rc = MPI_SUCCESS;

	if (!s.group || !s.remote) {
		rc = comm_make_no_memory(c);
	} else if (s.remote->size > 0) {
		struct comm_proposal mine = {
			s.group->world[0], s.group->size, a.counter, a.local_counter};
		struct comm_proposal theirs = {
			s.remote->world[0], s.remote->size, b.counter, b.local_counter};

		rc = comm_contexts(&s, &mine, &theirs);
	}
	if (rc == MPI_SUCCESS)
		rc = make_part(c, &s, out);
	if (s.group)
		group_release(s.group);
	if (s.remote)
		group_release(s.remote);
	return rc;
}

int comm_inter_split(struct comm *c, int color, int key, struct comm **out)
{
	struct comm_ballot mine = {color, key, 0, 0}, *others;
	void *ours = NULL;
	int rc;

	if (color != MPI_UNDEFINED) {
		mine.counter = comm_counter_next();
		mine.local_counter = comm_counter_next();
	}
	rc = comm_gather_all(c->local, &mine, sizeof(mine), &ours);
	if (rc != MPI_SUCCESS)
		return rc;
	others = malloc((size_t)c->npeers * sizeof(*others));
	rc = others ? swap(c, ours, (size_t)c->size * sizeof(mine), others,
			      (size_t)c->npeers * sizeof(*others))
		    : comm_make_no_memory(c);
	*out = NULL;
	if (rc == MPI_SUCCESS)
		rc = comm_check_ballots(c->group, ours);
	if (rc == MPI_SUCCESS)
		rc = comm_check_ballots(c->remote, others);
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
			return api_fail(
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
	rc = swap(c, ranks, (size_t)both[0].n * sizeof(*ranks), others,
		(size_t)both[1].n * sizeof(*others));
	if (rc == MPI_SUCCESS)
		rc = remote_part(c, others, both[1].n, &s.remote);
	if (rc == MPI_SUCCESS) {
		rc = comm_contexts(&s, &both[0], &both[1]);
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
		return api_fail(MPI_ERR_GROUP, "the %s group is no part of its side",
			both[0].n < 0 ? "local" : "remote");
	if (both[0].n != g->size)
		return api_fail(MPI_ERR_GROUP,
			"the group has %d processes here and %d at rank 0 of the local group",
			g->size, (int)both[0].n);
	return MPI_SUCCESS;
}

int comm_inter_subset(struct comm *c, struct group *g, struct comm **out)
{
	struct comm_proposal both[2];
	int *ranks = NULL;
	int bad = comm_locate(c, g, &ranks);
	int rc = agree(c, bad ? -1 : g->size, both);

	if (rc == MPI_SUCCESS && !bad)
		rc = check_part(c, g, both);
	if (rc == MPI_SUCCESS && !bad)
		rc = subset(c, g, ranks, both, out);
	free(ranks);
	return bad ? bad : rc;
}

/* ---- one of both sides ---- */

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
	rc = comm_gather_all(c->local, &mine, sizeof(mine), &all);
	if (rc != MPI_SUCCESS)
		return rc;
	ours = all;
	for (int i = 1; i < c->size; i++)
		ours->mixed |= ours[i].high != ours->high;
	rc = swap(c, ours, sizeof(*ours), &theirs, sizeof(theirs));
	if (rc == MPI_SUCCESS && (ours->mixed || theirs.mixed))
		rc = api_fail(MPI_ERR_ARG,
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
	int rc;

	comm_hold(c);
	rc = merge(c, high, out);
	comm_release(c);
	return rc;
}
