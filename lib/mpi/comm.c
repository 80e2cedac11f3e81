/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of communicators: the two that are there from the start, lookup, references, the end.
 */
#include "comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "attr.h"
#include "comm_again.h"
#include "comm_numbers.h"
#include "errhandler.h"
#include "info.h"
#include "live.h"
#include "topo.h"

enum {
	COUNTER_SELF = 1,
	COUNTER_COORD = 2,
	COUNTER_FIRST = 3,
};

/* the counter and the plane share 32 bits */
#define COUNTER_LAST UINT32_C(0x7fffffff)

static struct {
	struct world_info info;
	struct comm *world, *self, *coord;
	struct comm *named_world, *named_self; /* the first two, while the program may name them */
	int *load; /* per host, scratch of is_crowded; all 0 between calls */
	int nodes;
	uint32_t counter;	     /* the next one */
	uint64_t made;		     /* communicators of the program so far */
	int alive;		     /* handles of the program */
	struct comm_numbers numbers; /* of a restored line */
} job;

struct comm *comm_world(void)
{
	return job.world;
}

struct comm *comm_self(void)
{
	return job.self;
}

struct comm *comm_coord(void)
{
	return job.coord;
}

const struct world_info *comm_world_info(void)
{
	return job.world ? &job.info : NULL;
}

void comm_name_world(bool may)
{
	job.named_world = may ? job.world : NULL;
	job.named_self = may ? job.self : NULL;
}

bool comm_world_is_named(void)
{
	return job.named_world != NULL;
}

static int refuse(MPI_Comm handle)
{
	if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
		return api_fail(MPI_ERR_COMM, "%s is there from MPI_Init to MPI_Finalize alone",
			handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	if (handle == MPI_COMM_NULL)
		return api_fail(MPI_ERR_COMM, "MPI_COMM_NULL was given");
	return api_fail(MPI_ERR_COMM,
		"%p is not a communicator, or it was freed, or its session was finalized",
		(void *)handle);
}

int comm_lookup(MPI_Comm handle, struct comm **out)
{
	if (handle == MPI_COMM_WORLD && job.named_world)
		*out = job.named_world;
	else if (handle == MPI_COMM_SELF && job.named_self)
		*out = job.named_self;
	else if (live_has(handle, OBJECT_COMM))
		*out = (struct comm *)(void *)handle;
	else
		return refuse(handle);
	return MPI_SUCCESS;
}

int comm_lookup_intra(MPI_Comm handle, struct comm **out)
{
	int rc = comm_lookup(handle, out);

	if (rc != MPI_SUCCESS || !(*out)->remote)
		return rc;
	return api_fail(MPI_ERR_COMM, "communicator %s of %d and %d is an intercommunicator",
		comm_label(*out), (*out)->size, (*out)->npeers);
}

int comm_lookup_inter(MPI_Comm handle, struct comm **out)
{
	int rc = comm_lookup(handle, out);

	if (rc != MPI_SUCCESS || (*out)->remote)
		return rc;
	return api_fail(MPI_ERR_COMM, "communicator %s of %d is not an intercommunicator",
		comm_label(*out), (*out)->size);
}

const char *comm_label(const struct comm *c)
{
	return c->name[0] ? c->name : "(unnamed)";
}

int comm_check_root(const struct comm *c, int root)
{
	if (root >= 0 && root < c->size)
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_ROOT, "root %d is not in communicator %s of %d", root,
		comm_label(c), c->size);
}

bool comm_full(void)
{
	return job.alive >= COMM_MOST;
}

uint32_t comm_counter_next(void)
{
	return job.counter <= COUNTER_LAST && !comm_full() ? job.counter++ : 0;
}

uint32_t comm_counter_get(void)
{
	return job.counter;
}

void comm_counter_least(uint32_t counter)
{
	if (counter > job.counter)
		job.counter = counter;
}

int comm_node_of(const struct comm *c, int rank)
{
	return job.info.node[c->group->world[rank]];
}

static bool lies_elsewhere(const struct group *g, int node)
{
	for (int i = 0; i < g->size; i++) {
		if (job.info.node[g->world[i]] != node)
			return true;
	}
	return false;
}

bool comm_spans_nodes(const struct comm *c)
{
	int here = comm_node_of(c, c->rank);

	return lies_elsewhere(c->group, here) || (c->remote && lies_elsewhere(c->remote, here));
}

/* Computed from what all ranks know alike, so all ranks choose the same algorithms. */
static bool is_crowded(const struct group *g)
{
	bool crowded = false;

	for (int i = 0; i < g->size; i++) {
		int cores = job.info.cores[g->world[i]];
		int load = ++job.load[job.info.node[g->world[i]]];

		crowded |= load > (cores < 1 ? 1 : cores);
	}
	for (int i = 0; i < g->size; i++)
		job.load[job.info.node[g->world[i]]] = 0;
	return crowded;
}

static void take_number(struct comm *c, const struct comm_numbers *from)
{
	struct comm_number n;

	if (!comm_numbers_find(from, c->context, &n))
		return;
	c->coll_seq = n.next;
	c->crowded = n.crowded;
}

/* Without a handle and an error handler yet. */
static struct comm *comm_alloc(struct group *group, uint64_t context)
{
	struct comm *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->head = (struct object){.kind = OBJECT_COMM, .refs = 1};
	c->context = context;
	c->rank = group->rank;
	c->size = group->size;
	c->crowded = is_crowded(group);
	take_number(c, &job.numbers);
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
	int rc = live_add(&c->head);

	if (rc != MPI_SUCCESS) {
		comm_destroy(c);
		return rc;
	}
	job.alive++;
	c->handle = (MPI_Comm)(void *)c;
	c->serial = ++job.made;
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

	if (c && (!sides->remote || add_remote(c, sides->remote, sides->local_context)))
		return publish(c, parent, out);
	if (c)
		comm_destroy(c);
	return api_fail(MPI_ERR_NO_MEM, "no memory for a communicator of %d", sides->group->size);
}

void comm_settle(struct comm *c, uint64_t context, uint64_t local_context)
{
	c->context = context;
	take_number(c, &job.numbers);
	if (c->local)
		comm_settle(c->local, local_context, COMM_NO_CONTEXT);
}

void comm_drop(struct comm *c)
{
	if (c->freed)
		return;
	c->freed = true;
	job.alive--;
	live_remove(&c->head);
	comm_release(c);
}

/* A communicator that is there from the start, of `size` ranks of the world from `first` on. */
static struct comm *predefined(int first, int size, uint32_t counter, MPI_Comm handle)
{
	int *world = malloc((size_t)size * sizeof(*world));
	struct group *g = NULL;
	struct comm *c = NULL;

	if (!world)
		return NULL;
	for (int i = 0; i < size; i++)
		world[i] = first + i;
	g = group_make(size, world, job.info.rank);
	free(world);
	if (!g)
		return NULL;
	c = comm_alloc(g, comm_context_of(first, counter));
	group_release(g);
	if (!c)
		return NULL;
	c->handle = handle;
	c->errhandler = errhandler_fatal();
	snprintf(c->name, sizeof(c->name), "%s",
		handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	return c;
}

static int check_info(const struct world_info *w)
{
	if (w->size < 1 || w->rank < 0 || w->rank >= w->size)
		return api_fail(
			MPI_ERR_INTERN, "rank %d of %d is no place in a job", w->rank, w->size);
	for (int i = 0; i < w->size; i++) {
		if (w->node[i] < 0)
			return api_fail(MPI_ERR_INTERN, "the host of rank %d is not known", i);
	}
	return MPI_SUCCESS;
}

int comm_init_world(const struct world_info *w)
{
	int rc = check_info(w);

	if (rc != MPI_SUCCESS)
		return rc;
	job.info = *w;
	job.counter = COUNTER_FIRST;
	job.nodes = 0;
	for (int i = 0; i < w->size; i++) {
		if (w->node[i] >= job.nodes)
			job.nodes = w->node[i] + 1;
	}
	job.load = calloc((size_t)job.nodes, sizeof(*job.load));
	if (job.load) {
		job.world = predefined(0, w->size, 0, MPI_COMM_WORLD);
		job.self = predefined(w->rank, 1, COUNTER_SELF, MPI_COMM_SELF);
		job.coord = predefined(0, w->size, COUNTER_COORD, MPI_COMM_NULL);
	}
	if (!job.load || !job.world || !job.self || !job.coord) {
		comm_free_world();
		return api_fail(MPI_ERR_NO_MEM, "no memory for a job of %d ranks", w->size);
	}
	return MPI_SUCCESS;
}

void comm_delete_world_attributes(void)
{
	if (job.self)
		attr_delete_all(comm_attrs(job.self));
	if (job.world)
		attr_delete_all(comm_attrs(job.world));
}

static void write_number(struct comm *c, void *arg)
{
	struct comm_number n = {c->coll_seq, c->crowded};

	if (c->context != COMM_NO_CONTEXT)
		comm_numbers_write(arg, c->context, n);
}

static void take_number_of(struct comm *c, void *arg)
{
	take_number(c, arg);
}

struct each {
	void (*visit)(struct comm *c, void *arg);
	void *arg;
};

static void visit_object(struct object *o, void *arg)
{
	struct each *e = arg;
	struct comm *c = (struct comm *)(void *)o;

	e->visit(c, e->arg);
	if (c->local)
		e->visit(c->local, e->arg);
}

/* Every communicator of the program, and those that stages of its intercommunicators go by. */
static void each_comm(void (*visit)(struct comm *c, void *arg), void *arg)
{
	struct each e = {visit, arg};

	visit(job.world, arg);
	visit(job.self, arg);
	live_each(OBJECT_COMM, visit_object, &e);
}

bool comm_save_numbers(uint8_t **out, size_t *len)
{
	struct comm_numbers n = {0};

	each_comm(write_number, &n);
	*out = n.bytes;
	*len = n.len;
	return !n.bad;
}

bool comm_restore_numbers(const uint8_t *bytes, size_t len)
{
	if (!comm_numbers_take(&job.numbers, bytes, len))
		return false;
	each_comm(take_number_of, &job.numbers);
	return true;
}

/* What the program never freed. Its handles go first: an object may also be held by another. */
static void free_forgotten(void)
{
	struct object *o;

	while ((o = live_any(OBJECT_COMM)))
		comm_drop((struct comm *)(void *)o);
	while ((o = live_any(OBJECT_GROUP)))
		group_unexport((struct group *)(void *)o);
	live_clear();
}

void comm_free_world(void)
{
	free_forgotten();
	comm_again_fini();
	if (job.coord)
		comm_release(job.coord);
	if (job.self)
		comm_release(job.self);
	if (job.world)
		comm_release(job.world);
	attr_fini();
	free(job.load);
	free(job.numbers.bytes);
	memset(&job, 0, sizeof(job));
}
