/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making intercommunicators from two groups (MPI 5.0 section 7.6). The leaders speak for their
 * sides over the peer communicator. Each proposes two counters (comm_make.c), one for the context
 * that both sides shall use, one for its own side's local stages. Of the two for both, that of the
 * speaker with the lower rank in the world is taken.
 */
#include <stdlib.h>

#include "comm_make.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/comm_again.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"

int comm_inter_swap(
	struct comm *c, const void *mine, size_t my_bytes, void *theirs, size_t their_bytes)
{
	struct coll_swap w = {mine, my_bytes, theirs, their_bytes};

	return coll_now_swap(c, &w);
}

/* The other side's leader: rank `rank` of comm. */
struct other {
	struct comm *comm;
	int rank, tag;
};

/* Small messages may not wait for their receive, long ones do: the lower rank speaks first. */
static int swap_bytes(const struct other *o, const void *mine, size_t n, void *theirs, size_t m)
{
	bool first = comm_world_info()->rank < comm_world_rank(o->comm, o->rank);
	struct p2p_message out = {.buf = (void *)(uintptr_t)mine,
		.count = (MPI_Count)n,
		.comm = o->comm,
		.type = type_bytes(),
		.rank = o->rank,
		.tag = o->tag,
		.plane = PLANE_COLL};
	struct p2p_message in = out;
	int rc = MPI_SUCCESS;

	in.buf = theirs;
	in.count = (MPI_Count)m;
	for (int turn = 0; turn < 2 && rc == MPI_SUCCESS; turn++)
		rc = (turn == 0) == first ? p2p_send_wait(&out) : p2p_recv(&in, MPI_STATUS_IGNORE);
	return rc;
}

static int no_memory_for(int n)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for a remote group of %d", n);
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

	m->mine = comm_make_propose(local->size, true);
	rc = swap_bytes(o, &m->mine, sizeof(m->mine), &m->theirs, sizeof(m->theirs));
	if (rc != MPI_SUCCESS)
		return rc;
	if (m->theirs.n < 0)
		return fail_with(MPI_ERR_OTHER,
			"the remote leader, world rank %d, could not make a communicator of its "
			"side",
			comm_world_rank(o->comm, o->rank));
	if (m->theirs.n < 1 || m->theirs.n > comm_world_info()->size)
		return fail_with(MPI_ERR_INTERN,
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
	int rc = coll_now_bcast(c, m, sizeof(*m), leader);

	if (rc != MPI_SUCCESS || (m->failed && c->rank == leader))
		return rc ? rc : m->failed;
	if (m->failed)
		return fail_with(
			m->failed, "rank %d, the leader, could not meet the remote leader", leader);
	if (c->rank != leader)
		*ranks = malloc((size_t)m->theirs.n * sizeof(**ranks));
	if (!*ranks)
		return no_memory_for(m->theirs.n);
	return coll_now_bcast(c, *ranks, (size_t)m->theirs.n * sizeof(**ranks), leader);
}

static int check_remote(const struct comm *local, const struct group *remote)
{
	struct group *common = NULL;
	int rc = MPI_SUCCESS;

	for (int i = 0; i < remote->size && rc == MPI_SUCCESS; i++) {
		if (remote->world[i] < 0 || remote->world[i] >= comm_world_info()->size)
			rc = fail_with(MPI_ERR_INTERN, "rank %d of the remote group is nobody", i);
	}
	if (rc == MPI_SUCCESS)
		rc = group_intersection(local->group, remote, &common);
	if (rc != MPI_SUCCESS)
		return rc;
	if (common->size > 0)
		rc = fail_with(MPI_ERR_COMM,
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
		rc = comm_make_contexts(&s, &m->mine, &m->theirs);
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
	struct comm_again_like like = {COMM_AGAIN_PEER, local->group, NULL};
	struct met m = {0};
	int32_t *ranks = NULL;
	int rc;

	if (comm_again_alone(local, &like, out, &rc))
		return rc;
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
