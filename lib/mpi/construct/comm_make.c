/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making intracommunicators. Each way has one exchange, in which rank 0 of every new communicator
 * makes its context known to the others; a counter that is proposed and not used is lost, which
 * costs nothing. The parent and a given group are held while the lock may be let go.
 */
#include "mpi/comm/comm.h"

#include <stdlib.h>

#include "comm_make.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/comm_again.h"
#include "mpi/comm/topo.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"
#include "mpi/type/type.h"

int comm_make_no_memory(const struct comm *c)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory to make a communicator from %s of %d",
		comm_label(c), c->size);
}

int comm_make_used_up(int world_rank)
{
	return fail_with(MPI_ERR_OTHER,
		"world rank %d can make no more communicators: %d can be alive there at once, and "
		"2^31 be made in all; free those that are not needed any more",
		world_rank, COMM_MOST);
}

struct comm_proposal comm_make_propose(int n, bool both_sides)
{
	struct comm_proposal p = {comm_world_info()->rank, n, comm_counter_next(), 0};

	if (both_sides)
		p.local_counter = comm_counter_next();
	return p;
}

int comm_make_contexts(
	struct comm_sides *s, const struct comm_proposal *mine, const struct comm_proposal *theirs)
{
	const struct comm_proposal *lower =
		!theirs || mine->speaker < theirs->speaker ? mine : theirs;

	if (mine->counter == 0 || (theirs && mine->local_counter == 0))
		return comm_make_used_up(mine->speaker);
	if (theirs && (theirs->counter == 0 || theirs->local_counter == 0))
		return comm_make_used_up(theirs->speaker);
	s->context = comm_context_of(lower->speaker, lower->counter);
	s->local_context = comm_context_of(mine->speaker, mine->local_counter);
	comm_again(s);
	return MPI_SUCCESS;
}

int comm_make(struct comm *parent, struct group *g, uint32_t counter, struct comm **out)
{
	struct comm_sides s = {.group = g, .context = comm_context_of(g->world[0], counter)};

	if (counter == 0)
		return comm_make_used_up(g->world[0]);
	comm_again(&s);
	return comm_new_sides(&s, parent, out);
}

void comm_make_undo(struct comm *c)
{
	(void)attr_delete_all(comm_attrs(c));
	comm_drop(c);
}

/* Everybody in c gets the counter that its rank 0 takes. */
static int agree_counter(struct comm *c, uint32_t *counter)
{
	*counter = c->rank == 0 ? comm_counter_next() : 0;
	return coll_now_bcast(c, counter, sizeof(*counter), 0);
}

int comm_make_inherit(struct comm *from, struct comm *to)
{
	if (from->topo) {
		to->topo = topo_copy(from->topo);
		to->shaped = from->shaped;
		if (!to->topo)
			return comm_make_no_memory(from);
	}
	return attr_copy_all(comm_attrs(from), comm_attrs(to));
}

int comm_make_dup_open(struct comm *c, struct comm_proposal both[2], struct comm **out)
{
	struct comm_sides sides = {c->group, c->remote, COMM_NO_CONTEXT, COMM_NO_CONTEXT};

	both[0] = both[1] = (struct comm_proposal){0};
	if (c->rank == 0)
		both[0] = comm_make_propose(c->size, c->remote != NULL);
	comm_again(&sides);
	return comm_new_sides(&sides, c, out);
}

bool comm_make_dup_again(struct comm *c, struct comm **out, int *rc)
{
	return comm_again_alone(
		c, &(struct comm_again_like){COMM_AGAIN_SAME, c->group, c->remote}, out, rc);
}

/* One that was made again has its contexts. */
int comm_make_dup_settle(struct comm *copy, const struct comm_proposal both[2])
{
	struct comm_sides s = {0};
	int rc = comm_make_contexts(&s, &both[0], copy->remote ? &both[1] : NULL);

	if (rc == MPI_SUCCESS && copy->context == COMM_NO_CONTEXT)
		comm_settle(copy, s.context, s.local_context);
	return rc;
}

/* The counter goes round before copy functions are asked, so that a rank whose function refuses
 * leaves nobody waiting. */
static int dup_bare(struct comm *c, struct comm **copy)
{
	struct comm_proposal both[2];
	int rc;

	if (comm_make_dup_again(c, copy, &rc))
		return rc;
	rc = comm_make_dup_open(c, both, copy);
	if (rc == MPI_SUCCESS)
		rc = coll_now_agree(c, both, sizeof(both[0]));
	return rc ? rc : comm_make_dup_settle(*copy, both);
}

int comm_make_dup(struct comm *c, struct comm **out)
{
	struct comm *copy = NULL;
	int rc;

	comm_hold(c);
	rc = dup_bare(c, &copy);
	if (rc == MPI_SUCCESS)
		rc = comm_make_inherit(c, copy);
	if (rc == MPI_SUCCESS)
		*out = copy;
	else if (copy)
		comm_make_undo(copy);
	comm_release(c);
	return rc;
}

int comm_make_gather(struct comm *c, const void *mine, size_t bytes, void **all)
{
	int rc;

	*all = malloc((size_t)c->size * bytes);
	if (!*all)
		return comm_make_no_memory(c);
	rc = coll_now_allgather(c, mine, bytes, *all);
	if (rc != MPI_SUCCESS) {
		free(*all);
		*all = NULL;
	}
	return rc;
}

int comm_make_locate(const struct comm *c, const struct group *g, int **ranks)
{
	int *all = malloc(2 * ((size_t)g->size + 1) * sizeof(*all));
	int rc;

	if (!all)
		return comm_make_no_memory(c);
	for (int i = 0; i < g->size; i++)
		all[g->size + i] = i;
	rc = group_translate(g, g->size, all + g->size, c->group, all);
	for (int i = 0; i < g->size && rc == MPI_SUCCESS; i++) {
		if (all[i] == MPI_UNDEFINED)
			rc = fail_with(MPI_ERR_GROUP,
				"rank %d of the group (world rank %d) is not in communicator %s", i,
				g->world[i], comm_label(c));
	}
	if (rc == MPI_SUCCESS)
		*ranks = all;
	else
		free(all);
	return rc;
}

/*
 * Send the counter of g's rank 0 down a binomial tree over g: rank r hears from r less its lowest
 * set bit, and tells r + b for each smaller bit b, the farthest first. ranks[] are those in c.
 */
static int tell_down(
	struct comm *c, const struct group *g, const int *ranks, int tag, uint32_t *counter)
{
	struct p2p_message m = {.buf = counter,
		.count = sizeof *counter,
		.comm = c,
		.type = type_bytes(),
		.tag = tag,
		.plane = PLANE_COLL};
	int me = g->rank, bit = 1, rc = MPI_SUCCESS;

	while (bit < g->size && !(me & bit))
		bit *= 2;
	if (me != 0) {
		m.rank = ranks[me - bit];
		rc = p2p_recv(&m, MPI_STATUS_IGNORE);
	}
	for (bit /= 2; bit > 0 && rc == MPI_SUCCESS; bit /= 2) {
		if (me + bit >= g->size)
			continue;
		m.rank = ranks[me + bit];
		rc = p2p_send_wait(&m);
	}
	return rc;
}

bool comm_make_group_again(struct comm *c, struct group *g, struct comm **out, int *rc)
{
	*out = NULL;
	*rc = MPI_SUCCESS;
	if (g->rank == MPI_UNDEFINED)
		return comm_again_is_alone();
	return comm_again_alone(c, &(struct comm_again_like){COMM_AGAIN_SAME, g, NULL}, out, rc);
}

static int make_in_group(struct comm *c, struct group *g, int tag, struct comm **out)
{
	uint32_t counter = 0;
	int *ranks;
	int rc = comm_make_locate(c, g, &ranks);

	if (rc != MPI_SUCCESS)
		return rc;
	if (g->rank == 0)
		counter = comm_counter_next();
	rc = tell_down(c, g, ranks, tag, &counter);
	if (rc == MPI_SUCCESS)
		rc = comm_make(c, g, counter, out);
	free(ranks);
	return rc;
}

int comm_make_in_group(struct comm *c, struct group *g, int tag, struct comm **out)
{
	int rc;

	comm_hold(c);
	group_hold(g);
	if (!comm_make_group_again(c, g, out, &rc))
		rc = make_in_group(c, g, tag, out);
	group_release(g);
	comm_release(c);
	return rc;
}

int comm_make_group(struct comm *c, struct group *g, int tag, struct comm **out)
{
	*out = NULL;
	if (g->rank == MPI_UNDEFINED)
		return MPI_SUCCESS;
	return comm_make_in_group(c, g, comm_make_tag(COMM_TAG_GROUP, tag), out);
}

static int make_leading(struct comm *c, struct group *g, struct comm **out)
{
	uint32_t counter;
	int rc;

	if (comm_make_group_again(c, g, out, &rc))
		return rc;
	rc = agree_counter(c, &counter);
	if (rc == MPI_SUCCESS && counter == 0)
		rc = comm_make_used_up(comm_world_rank(c, 0));
	if (rc == MPI_SUCCESS && g->rank != MPI_UNDEFINED)
		rc = comm_make(c, g, counter, out);
	return rc;
}

int comm_make_leading(struct comm *c, int n, struct comm **out)
{
	struct group *g = group_make(n, c->group->world, c->group->world[c->rank]);
	int rc;

	if (!g)
		return comm_make_no_memory(c);
	group_inherit(g, c->group);
	comm_hold(c);
	rc = make_leading(c, g, out);
	group_release(g);
	comm_release(c);
	return rc;
}
