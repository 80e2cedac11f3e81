/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators made of an intercommunicator. */
#include "intercomm.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies ---- */

static int copied(MPI_Comm c, int key, void *extra, void *value, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	*(void **)out = (char *)value + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

/* A copy keeps its messages apart, and has the attribute as the copy function says. */
static void copies(const struct intercomm *in)
{
	int key, flag = 0, result = -1, first = 1, second = 2, got[2] = {0, 0}, peer;
	char memory[2], *value = NULL;
	MPI_Comm dup;
	MPI_Request r[2];

	MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(in->comm, key, memory);
	MPI_Comm_dup(in->comm, &dup);
	intercomm_check(in, dup, &in->us, &in->them);
	MPI_Comm_compare(in->comm, dup, &result);
	if (result != MPI_CONGRUENT)
		intercomm_wrong(in, "a copy compares as %d", result);
	MPI_Comm_compare(in->comm, in->comm, &result);
	if (result != MPI_IDENT)
		intercomm_wrong(in, "it compares with itself as %d", result);
	MPI_Comm_compare(in->comm, in->local, &result);
	if (result != MPI_UNEQUAL)
		intercomm_wrong(in, "it compares with its own side as %d", result);
	MPI_Comm_get_attr(dup, key, &value, &flag);
	if (!flag || value != memory + 1)
		intercomm_wrong(in, "the copy's attribute is not what the function said");
	MPI_Comm_delete_attr(in->comm, key);
	MPI_Comm_free_keyval(&key);
	if (in->rank < in->them.size) {
		peer = in->rank;
		MPI_Isend(&first, 1, MPI_INT, peer, 3, in->comm, &r[0]);
		MPI_Isend(&second, 1, MPI_INT, peer, 3, dup, &r[1]);
		MPI_Recv(&got[1], 1, MPI_INT, peer, 3, dup, MPI_STATUS_IGNORE);
		MPI_Recv(&got[0], 1, MPI_INT, peer, 3, in->comm, MPI_STATUS_IGNORE);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		if (got[0] != 1 || got[1] != 2)
			intercomm_wrong(in, "%d and %d came, not 1 and 2", got[0], got[1]);
	}
	MPI_Comm_free(&dup);
}

/* ---- parts ---- */

static int by_three(int rank)
{
	return rank % 3;
}

/* The ranks of a side with this color, the highest first. */
static struct intercomm_side part(const struct intercomm_side *of, int color)
{
	struct intercomm_side p = {0};

	for (int i = of->size - 1; i >= 0; i--) {
		if (by_three(i) == color)
			p.world[p.size++] = of->world[i];
	}
	return p;
}

/* Colors are ranks modulo 3, of which the third stays out; keys turn the order round. */
static void splits(const struct intercomm *in)
{
	int color = by_three(in->rank);
	struct intercomm_side us = part(&in->us, color), them = part(&in->them, color);
	MPI_Comm c;

	MPI_Comm_split(in->comm, color == 2 ? MPI_UNDEFINED : color, -in->rank, &c);
	if (color == 2 || them.size == 0) {
		if (c != MPI_COMM_NULL)
			intercomm_wrong(
				in, "color %d has a communicator without another side", color);
		return;
	}
	intercomm_check(in, c, &us, &them);
	MPI_Barrier(c);
	MPI_Comm_free(&c);
}

/* The ranks of a side in the order of their keys. */
static struct intercomm_side turned(const struct intercomm_side *of)
{
	struct intercomm_side t = {.size = of->size};

	for (int i = 0; i < of->size; i++)
		t.world[i] = of->world[of->size - 1 - i];
	return t;
}

/* No two processes are in the set of one alone; on one host nothing is smaller than all. */
static void splits_to_nobody(const struct intercomm *in)
{
	MPI_Comm c = in->comm;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
	MPI_Comm_split_type(in->comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &c);
	if (c != MPI_COMM_NULL)
		intercomm_wrong(in, "there is somebody else in mpi://SELF");
	c = in->comm;
	MPI_Comm_split_type(in->comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &c);
	if (c != MPI_COMM_NULL)
		intercomm_wrong(in, "the unguided split is no smaller than all");
	c = in->comm;
	MPI_Comm_split_type(in->comm, MPI_UNDEFINED, 0, info, &c);
	if (c != MPI_COMM_NULL)
		intercomm_wrong(in, "MPI_UNDEFINED gives a communicator");
	MPI_Info_free(&info);
}

/* By resource (MPI 5.0 section 7.4.2): all ranks are on one host, keys turn the order round. One
 * side stays out then. */
static void splits_by_host(const struct intercomm *in)
{
	struct intercomm_side us = turned(&in->us), them = turned(&in->them);
	MPI_Comm c = MPI_COMM_NULL;

	MPI_Comm_split_type(in->comm, MPI_COMM_TYPE_SHARED, -in->rank, MPI_INFO_NULL, &c);
	intercomm_check(in, c, &us, &them);
	MPI_Barrier(c);
	MPI_Comm_free(&c);
	c = in->comm;
	MPI_Comm_split_type(in->comm, in->side == 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0,
		MPI_INFO_NULL, &c);
	if (c != MPI_COMM_NULL)
		intercomm_wrong(in, "a split without another side gives a communicator");
	splits_to_nobody(in);
}

/* The first half of each side, or nobody on one side. */
static void creates(const struct intercomm *in, int empty_side)
{
	struct intercomm_side us = in->us, them = in->them;
	int n = (us.size + 1) / 2, ranks[INTERCOMM_MOST];
	MPI_Group all, half;
	MPI_Comm c;

	them.size = (them.size + 1) / 2;
	us.size = n = empty_side == in->side ? 0 : n;
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	MPI_Comm_group(in->comm, &all);
	MPI_Group_incl(all, n, ranks, &half);
	MPI_Comm_create(in->comm, half, &c);
	if (in->rank >= n || empty_side >= 0) {
		if (c != MPI_COMM_NULL)
			intercomm_wrong(in, "somebody who is not in it has a communicator");
	} else {
		intercomm_check(in, c, &us, &them);
		MPI_Barrier(c);
		MPI_Comm_free(&c);
	}
	MPI_Group_free(&half);
	MPI_Group_free(&all);
}

/* ---- one of both ---- */

/* Does this side come first? */
static void check_merged(const struct intercomm *in, MPI_Comm c, int first)
{
	const struct intercomm_side *a = first ? &in->us : &in->them,
				    *b = first ? &in->them : &in->us;
	int flag = 1, rank, size, *all, want;

	MPI_Comm_test_inter(c, &flag);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	if (flag || size != in->prog->size)
		intercomm_wrong(in, "merged, inter %d of %d", flag, size);
	all = prog_alloc(in->prog, (size_t)size * sizeof *all);
	MPI_Allgather(&in->prog->rank, 1, MPI_INT, all, 1, MPI_INT, c);
	for (int i = 0; i < size; i++) {
		want = i < a->size ? a->world[i] : b->world[i - a->size];
		if (all[i] != want)
			intercomm_wrong(in, "rank %d of the merged is %d, not %d", i, all[i], want);
	}
	free(all);
}

static void merges(const struct intercomm *in)
{
	int where;
	MPI_Comm c;

	for (int high = 0; high < 2; high++) {
		MPI_Intercomm_merge(in->comm, in->side == high, &c);
		check_merged(in, c, in->side != high);
		MPI_Comm_free(&c);
		/* both say the same: which side is first is not said, but it is one order */
		MPI_Intercomm_merge(in->comm, high, &c);
		where = -1;
		if (in->rank == 0)
			MPI_Comm_rank(c, &where);
		MPI_Bcast(&where, 1, MPI_INT, 0, in->local);
		check_merged(in, c, where == 0);
		MPI_Comm_free(&c);
	}
}

/* ---- error handlers and names ---- */

static int heard;

static void hear(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
	heard++;
}

/* A new communicator has the handler of the one it was made from, also when that is freed. */
static void handlers(const struct intercomm *in)
{
	MPI_Errhandler h, got;
	MPI_Comm dup, merged;
	char name[MPI_MAX_OBJECT_NAME];
	int n, x = 0;

	MPI_Comm_create_errhandler(hear, &h);
	MPI_Comm_dup(in->comm, &dup);
	MPI_Comm_set_errhandler(dup, h);
	MPI_Intercomm_merge(dup, in->side, &merged);
	MPI_Comm_get_errhandler(merged, &got);
	if (got != h)
		intercomm_wrong(in, "the merged one has another error handler");
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&h);
	heard = 0;
	MPI_Send(&x, 1, MPI_INT, in->them.size, 0, dup);
	MPI_Send(&x, 1, MPI_INT, in->prog->size, 0, merged);
	if (heard != 2)
		intercomm_wrong(in, "the error handler was called %d times, not 2", heard);
	MPI_Comm_get_name(dup, name, &n);
	if (n != 0)
		intercomm_wrong(in, "a new one has the name %s", name);
	MPI_Comm_set_name(dup, "between");
	MPI_Comm_get_name(dup, name, &n);
	if (n != 7 || strcmp(name, "between") != 0)
		intercomm_wrong(in, "the name is %s", name);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&dup);
}

void intercomm_construct(const struct intercomm *in)
{
	copies(in);
	splits(in);
	splits_by_host(in);
	for (int empty = -1; empty < 2; empty++)
		creates(in, empty);
	merges(in);
	handlers(in);
}
