/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators of the randomised test: MPI_COMM_WORLD, or one made for the case by dup, split,
 * create or create_group, from the world or from another one that was made just before. Who should
 * be in it, and in which order, is worked out here from the same random numbers.
 */
#include "rt.h"

#include <stdlib.h>
#include <string.h>

static void take_comm(struct rt_case *c, MPI_Comm comm)
{
	if (c->made)
		MPI_Comm_free(&c->comm);
	c->comm = comm;
	c->made = true;
}

/* members: ranks in the old communicator, in their new order. */
static void take_members(struct rt_case *c, const int *members, int n)
{
	int *world = prog_alloc(c->prog, (size_t)n * sizeof(int));
	int before = c->rank;
	c->rank = -1;
	for (int i = 0; i < n; i++) {
		world[i] = c->world[members[i]];
		if (members[i] == before)
			c->rank = i;
	}
	free(c->world);
	c->world = world;
	c->size = n;
}

static void verify(struct rt_case *c, const char *made_by)
{
	int rank = -1, size = -1;
	MPI_Comm_rank(c->comm, &rank);
	MPI_Comm_size(c->comm, &size);
	if (rank != c->rank || size != c->size)
		rt_wrong(c, "%s made a communicator where this is rank %d of %d, not %d of %d",
			made_by, rank, size, c->rank, c->size);
}

static bool dup(struct rt_case *c)
{
	MPI_Comm comm;
	MPI_Comm_dup(c->comm, &comm);
	take_comm(c, comm);
	return true;
}

/* Colors 0 to 2, or none; ranks of a color by key, then by old rank. */
static bool split(struct rt_case *c)
{
	int *color = prog_alloc(c->prog, 3 * (size_t)c->size * sizeof(int));
	int *key = color + c->size, *members = key + c->size, n = 0;
	for (int r = 0; r < c->size; r++) {
		color[r] = (int)rng_below(&c->common, 3);
		key[r] = (int)rng_below(&c->common, 4) - 2;
		if (rng_chance(&c->common, 8))
			color[r] = MPI_UNDEFINED;
	}
	int mine = color[c->rank];
	for (int k = -2; k < 2; k++)
		for (int r = 0; r < c->size; r++)
			if (color[r] == mine && key[r] == k)
				members[n++] = r;
	MPI_Comm comm;
	MPI_Comm_split(c->comm, mine, key[c->rank], &comm);
	bool in = mine != MPI_UNDEFINED;
	if (!in && comm != MPI_COMM_NULL)
		rt_wrong(c, "MPI_Comm_split gave a communicator for MPI_UNDEFINED");
	take_members(c, members, n);
	take_comm(c, comm);
	c->common.state = rt_mix(c->common.state, in ? (uint64_t)mine : 99);
	free(color);
	return in;
}

/* A random choice of ranks in random order, at least one; returns how many. */
static int draw_members(struct rt_case *c, int *members)
{
	int keep = 1 + (int)rng_below(&c->common, (size_t)c->size);
	for (int i = 0; i < c->size; i++) {
		int j = (int)rng_below(&c->common, (size_t)i + 1);
		members[i] = members[j];
		members[j] = i;
	}
	return keep;
}

static bool create(struct rt_case *c, bool by_group_only)
{
	int *members = prog_alloc(c->prog, (size_t)c->size * sizeof(int));
	int n = draw_members(c, members), tag = (int)rng_below(&c->common, 1000);
	bool in = false;
	MPI_Group all, some;
	MPI_Comm comm = MPI_COMM_NULL;
	for (int i = 0; i < n; i++)
		in = in || members[i] == c->rank;
	MPI_Comm_group(c->comm, &all);
	MPI_Group_incl(all, n, members, &some);
	MPI_Group_free(&all);
	if (!by_group_only)
		MPI_Comm_create(c->comm, some, &comm);
	else if (in)
		MPI_Comm_create_group(c->comm, some, tag, &comm);
	MPI_Group_free(&some);
	if (in != (comm != MPI_COMM_NULL))
		rt_wrong(c, "%s: %s", by_group_only ? "MPI_Comm_create_group" : "MPI_Comm_create",
			in ? "a member got MPI_COMM_NULL"
			   : "one who is no member got a communicator");
	take_members(c, members, n);
	take_comm(c, comm);
	free(members);
	return in;
}

static bool derive(struct rt_case *c)
{
	bool in = false;
	switch (rng_below(&c->common, 5)) {
	case 0:
		in = dup(c);
		break;
	case 1:
	case 2:
		in = split(c);
		break;
	case 3:
		in = create(c, false);
		break;
	default:
		in = create(c, true);
	}
	if (!in)
		return false;
	verify(c, "deriving");
	return true;
}

bool rt_comm_open(struct rt_case *c)
{
	c->rank = c->prog->rank;
	c->size = c->prog->size;
	c->comm = MPI_COMM_WORLD;
	c->made = false;
	c->world = prog_alloc(c->prog, (size_t)c->size * sizeof(int));
	for (int r = 0; r < c->size; r++)
		c->world[r] = r;
	if (!rng_chance(&c->common, 40))
		return true;
	bool in = derive(c);
	if (in && rng_chance(&c->common, 20))
		in = derive(c);
	return in;
}

void rt_comm_close(struct rt_case *c)
{
	if (c->made && c->comm != MPI_COMM_NULL)
		MPI_Comm_free(&c->comm);
	free(c->world);
}
