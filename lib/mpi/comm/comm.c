/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a communicator: its context's counter, its making, references, the end. */
#include "comm.h"

#include <stdlib.h>

#include "comm_inside.h"
#include "errhandler.h"
#include "info.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "topo.h"

/* the counter and the plane share 32 bits */
#define COUNTER_LAST UINT32_C(0x7fffffff)

static struct {
	uint32_t counter; /* the next one */
	uint64_t ever;	  /* communicators of the program so far, in all sessions */
	int alive;	  /* handles of the program */
} made;

/* ---- counters ---- */

void comm_count_from(uint32_t counter)
{
	made.counter = counter;
	made.alive = 0;
}

bool comm_full(void)
{
	return made.alive >= COMM_MOST;
}

uint32_t comm_counter_next(void)
{
	return made.counter <= COUNTER_LAST && !comm_full() ? made.counter++ : 0;
}

uint32_t comm_counter_get(void)
{
	return made.counter;
}

uint64_t comm_made_ever(void)
{
	return made.ever;
}

void comm_counter_least(uint32_t counter)
{
	if (counter > made.counter)
		made.counter = counter;
}

/* ---- making, and the end ---- */

struct comm *comm_alloc(struct group *group, uint64_t context)
{
	struct comm *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->head = (struct object){.kind = OBJECT_COMM, .refs = 1};
	c->context = context;
	c->rank = group->rank;
	c->size = group->size;
	c->crowded = comm_hosts_crowded(group);
	c->near = comm_hosts_near(group);
	comm_numbered_apply(c);
	c->group = group;
	group_hold(group);
	c->peers = group->world;
	c->npeers = group->size;
	return c;
}

/* The other side of what is to become an intercommunicator. false: no memory. */
static bool add_remote(struct comm *c, struct group *remote, uint64_t local_context)
{
	c->local = comm_alloc(c->group, local_context);
	if (!c->local)
		return false;
	c->remote = remote;
	group_hold(remote);
	c->peers = remote->world;
	c->npeers = remote->size;
	return true;
}

void comm_destroy(struct comm *c)
{
	attr_forget_all(&c->attrs);
	topo_free(c->topo);
	info_free(c->hints);
	free(c->buffer);
	if (c->errhandler)
		errhandler_release(c->errhandler);
	if (c->local)
		comm_release(c->local);
	if (c->remote)
		group_release(c->remote);
	group_release(c->group);
	c->head.kind = OBJECT_FREED;
	free(c);
}

/* Make it a live handle of the program, or nothing. */
static int publish(struct comm *c, const struct comm *parent, struct comm **out)
{
	int rc = handle_table_add(&c->head);

	if (rc != MPI_SUCCESS) {
		comm_destroy(c);
		return rc;
	}
	made.alive++;
	c->handle = (MPI_Comm)(void *)c;
	c->serial = ++made.ever;
	c->errhandler = parent->errhandler;
	errhandler_hold(c->errhandler);
	*out = c;
	return MPI_SUCCESS;
}

int comm_new(struct group *group, uint64_t context, const struct comm *parent, struct comm **out)
{
	struct comm_sides sides = {.group = group, .context = context};

	return comm_new_sides(&sides, parent, out);
}

int comm_new_sides(const struct comm_sides *sides, const struct comm *parent, struct comm **out)
{
	struct comm *c = comm_alloc(sides->group, sides->context);

	engine_assert_held();
	if (c && (!sides->remote || add_remote(c, sides->remote, sides->local_context)))
		return publish(c, parent, out);
	if (c)
		comm_destroy(c);
	return fail_with(MPI_ERR_NO_MEM, "no memory for a communicator of %d", sides->group->size);
}

void comm_settle(struct comm *c, uint64_t context, uint64_t local_context)
{
	engine_assert_held();
	c->context = context;
	comm_numbered_apply(c);
	if (c->local)
		comm_settle(c->local, local_context, COMM_NO_CONTEXT);
}

void comm_drop(struct comm *c)
{
	engine_assert_held();
	if (c->freed)
		return;
	c->freed = true;
	made.alive--;
	handle_table_remove(&c->head);
	comm_release(c);
}

int comm_set_topology(struct comm *c, struct topology *topo)
{
	if (!topo) {
		comm_drop(c);
		return fail_with(MPI_ERR_NO_MEM, "no memory for a topology");
	}
	c->topo = topo;
	return MPI_SUCCESS;
}
