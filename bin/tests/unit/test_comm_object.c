/* SPDX-License-Identifier: BSD-3-Clause */
/* What a communicator is beside its processes: attributes, names, how long it lives, what a line
 * saves of it; and calls that are wrong. */
#include <stdlib.h>
#include <string.h>

#include "comm_board.h"
#include "mpi.h"
#include "unit.h"

static int dup_value(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)keyval;
	*(void **)out = in;
	*flag = 1;
	/* refused on one rank only */
	return extra && comm_world_info()->rank == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int deleted;

static int count_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm;
	(void)keyval;
	(void)value;
	(void)extra;
	deleted++;
	return MPI_SUCCESS;
}

static void attr_body(void *shared)
{
	int good, bad, value = 5, flag = 0, rc;
	int *found = NULL;
	MPI_Comm a, b;

	PMPI_Comm_create_keyval(dup_value, count_deleted, &good, NULL);
	PMPI_Comm_create_keyval(dup_value, MPI_COMM_NULL_DELETE_FN, &bad, &value);
	PMPI_Comm_set_attr(MPI_COMM_WORLD, good, &value);
	ranks_must(PMPI_Comm_dup(MPI_COMM_WORLD, &a) == 0, "a dup", 0);
	board_record(shared, a);
	ranks_must(PMPI_Comm_get_attr(a, good, &found, &flag) == 0 && flag && *found == 5,
		"the attribute on the dup", flag);
	PMPI_Comm_split(a, 0, 0, &b);
	ranks_must(
		PMPI_Comm_get_attr(b, good, &found, &flag) == 0 && !flag, "none on a split", flag);
	PMPI_Comm_set_attr(MPI_COMM_WORLD, bad, &value);
	b = (MPI_Comm)8;
	rc = PMPI_Comm_dup(MPI_COMM_WORLD, &b);
	/* what was copied before the refusal is deleted again */
	ranks_must(deleted == (comm_world_info()->rank == 1), "deletions", deleted);
	if (comm_world_info()->rank == 1)
		ranks_must(rc == MPI_ERR_OTHER && b == MPI_COMM_NULL, "no dup", rc);
	else
		ranks_must(rc == 0, "a dup where the function agrees", rc);
}

START_TEST(attributes_of_dups)
{
	board_run_one(attr_body, 3, 4);
}
END_TEST

/* Each wrong call, and the standard's class for it. */
static void wrong_body(void *shared)
{
	int n, dims[2] = {2, 0}, periods[2] = {0, 0};
	MPI_Comm c = MPI_COMM_NULL, gone, world = MPI_COMM_WORLD;
	MPI_Group empty = MPI_GROUP_EMPTY, g;

	(void)shared;
	PMPI_Comm_dup(MPI_COMM_WORLD, &c);
	gone = c;
	PMPI_Comm_free(&c);
	ranks_must(PMPI_Comm_rank(MPI_COMM_NULL, &n) == MPI_ERR_COMM, "null", 0);
	ranks_must(PMPI_Comm_rank(gone, &n) == MPI_ERR_COMM, "freed", 0);
	ranks_must(PMPI_Comm_rank((MPI_Comm)0x12345678, &n) == MPI_ERR_COMM, "invented", 0);
	ranks_must(PMPI_Comm_rank((MPI_Comm)MPI_INT, &n) == MPI_ERR_COMM, "a type", 0);
	ranks_must(PMPI_Comm_rank(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG, "no place", 0);
	ranks_must(PMPI_Comm_free(&world) == MPI_ERR_COMM, "the world", 0);
	ranks_must(PMPI_Comm_free(NULL) == MPI_ERR_ARG, "nothing to free", 0);
	ranks_must(PMPI_Comm_split(MPI_COMM_WORLD, -2, 0, &c) == MPI_ERR_ARG, "a color", 0);
	ranks_must(PMPI_Comm_dup(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG, "no place", 0);
	ranks_must(
		PMPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &c) == MPI_ERR_GROUP, "null", 0);
	PMPI_Comm_group(MPI_COMM_WORLD, &g);
	ranks_must(PMPI_Comm_create(MPI_COMM_SELF, g, &c) == MPI_ERR_GROUP, "not part of self", 0);
	ranks_must(PMPI_Comm_create_group(MPI_COMM_WORLD, g, -1, &c) == MPI_ERR_TAG, "a tag", 0);
	ranks_must(PMPI_Group_free(&empty) == 0 && empty == MPI_GROUP_NULL, "the empty group", 0);
	ranks_must(PMPI_Comm_remote_size(MPI_COMM_WORLD, &n) == MPI_ERR_COMM, "remote", 0);
	ranks_must(PMPI_Comm_set_name(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG, "no name", 0);
	ranks_must(comm_check_root(comm_world(), 3) == MPI_ERR_ROOT, "root 3", 0);
	ranks_must(comm_check_root(comm_world(), -1) == MPI_ERR_ROOT, "root -1", 0);
	ranks_must(
		PMPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c) == MPI_ERR_DIMS, "0", 0);
	dims[1] = 2;
	ranks_must(
		PMPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c) == MPI_ERR_DIMS, "4", 0);
	ranks_must(PMPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &c) == MPI_ERR_DIMS, "-1",
		0);
	ranks_must(PMPI_Cartdim_get(MPI_COMM_WORLD, &n) == MPI_ERR_TOPOLOGY, "no grid", 0);
	ranks_must(PMPI_Dims_create(0, 2, dims) == MPI_ERR_ARG, "0 nodes", 0);
	ranks_must(PMPI_Dims_create(6, 2, dims) == MPI_ERR_DIMS, "2 * 2 is not 6", 0);
	dims[1] = -1;
	ranks_must(PMPI_Dims_create(6, 2, dims) == MPI_ERR_DIMS, "-1", 0);
}

START_TEST(wrong_calls)
{
	board_run_one(wrong_body, 3, 4);
}
END_TEST

static void names_body(void *shared)
{
	char name[MPI_MAX_OBJECT_NAME], longer[3 * MPI_MAX_OBJECT_NAME];
	int n = -1;
	MPI_Comm c;

	(void)shared;
	PMPI_Comm_dup(MPI_COMM_WORLD, &c);
	ranks_must(PMPI_Comm_get_name(c, name, &n) == 0 && n == 0 && !name[0], "no name yet", n);
	PMPI_Comm_set_name(c, "rows");
	ranks_must(
		PMPI_Comm_get_name(c, name, &n) == 0 && n == 4 && !strcmp(name, "rows"), "rows", n);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	PMPI_Comm_set_name(c, longer);
	ranks_must(PMPI_Comm_get_name(c, name, &n) == 0 && n == MPI_MAX_OBJECT_NAME - 1, "cut", n);
	ranks_must(
		PMPI_Comm_get_name(MPI_COMM_NULL, name, &n) == 0 && !strcmp(name, "MPI_COMM_NULL"),
		"the name of null", n);
}

START_TEST(names)
{
	board_run_one(names_body, 1, 4);
}
END_TEST

/* A pending operation keeps a communicator that the program has freed. */
static void pending_body(void *shared)
{
	struct comm *c;
	MPI_Comm handle;

	(void)shared;
	PMPI_Comm_dup(MPI_COMM_WORLD, &handle);
	c = comm_of(handle);
	comm_hold(c);
	PMPI_Comm_free(&handle);
	ranks_must(c->freed && c->size == 2 && c->group->size == 2, "still whole", c->size);
	comm_release(c);
}

START_TEST(pending_operations)
{
	board_run_one(pending_body, 2, 4);
}
END_TEST

/* After a restore, operations have the numbers and the algorithms that they had at the line. */
static void line_body(void *shared)
{
	struct comm *world = comm_of(MPI_COMM_WORLD);
	bool crowded = world->crowded, near = world->near;
	uint8_t *bytes;
	size_t len;
	MPI_Comm handle;
	struct comm *dup;

	(void)shared;
	PMPI_Comm_dup(MPI_COMM_WORLD, &handle);
	dup = comm_of(handle);
	world->coll_seq = 7;
	dup->coll_seq = 9;
	ranks_must(comm_numbered_capture(NULL, &bytes, &len), "saved", 0);
	world->coll_seq = dup->coll_seq = 0;
	world->crowded = dup->crowded = !crowded;
	world->near = dup->near = !near;
	ranks_must(comm_numbered_take(bytes, len), "restored", 0);
	ranks_must(world->coll_seq == 7 && dup->coll_seq == 9, "their numbers", 0);
	ranks_must(world->crowded == crowded && dup->crowded == crowded, "their way", crowded);
	ranks_must(world->near == near && dup->near == near, "their way", near);
	bytes[0] ^= 1;
	ranks_must(!comm_numbered_take(bytes, len), "another length is refused", 0);
	free(bytes);
	PMPI_Comm_free(&handle);
}

START_TEST(across_lines)
{
	board_run_one(line_body, 2, _i); /* cores: too few, and enough */
}
END_TEST

UNIT_MAIN("comm_object", tcase_add_test(tc, attributes_of_dups); tcase_add_test(tc, wrong_calls);
	  tcase_add_test(tc, names); tcase_add_test(tc, pending_operations);
	  tcase_add_loop_test(tc, across_lines, 1, 3);)
