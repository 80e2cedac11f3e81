/* SPDX-License-Identifier: BSD-3-Clause */
/* Making communicators: ranks are processes that talk through pipes (fake_ranks). */
#include <string.h>

#include "comm_board.h"
#include "mpi.h"
#include "unit.h"

static void predefined_body(void *shared)
{
	int rank = comm_world_info()->rank, size = comm_world_info()->size, n = -1;
	char name[MPI_MAX_OBJECT_NAME];

	ranks_must(
		PMPI_Comm_rank(MPI_COMM_WORLD, &n) == 0 && n == rank, "the rank in the world", n);
	ranks_must(
		PMPI_Comm_size(MPI_COMM_WORLD, &n) == 0 && n == size, "the size of the world", n);
	ranks_must(PMPI_Comm_rank(MPI_COMM_SELF, &n) == 0 && n == 0, "the rank in self", n);
	ranks_must(PMPI_Comm_size(MPI_COMM_SELF, &n) == 0 && n == 1, "the size of self", n);
	ranks_must(comm_of(MPI_COMM_WORLD)->context == 0, "context 0", 0);
	ranks_must(PMPI_Comm_get_name(MPI_COMM_SELF, name, &n) == 0 &&
			   strcmp(name, "MPI_COMM_SELF") == 0,
		"the name of self", n);
	board_record(shared, MPI_COMM_WORLD);
	board_record(shared, MPI_COMM_SELF);
}

START_TEST(world_and_self)
{
	board_run_sizes(predefined_body, 0);
}
END_TEST

static void dup_body(void *shared)
{
	MPI_Comm chain[20];
	int n = 0;

	chain[0] = MPI_COMM_WORLD;
	for (int i = 1; i < 20; i++) {
		ranks_must(PMPI_Comm_dup(chain[i / 2], &chain[i]) == 0, "a dup", i);
		board_record(shared, chain[i]);
	}
	ranks_must(PMPI_Comm_compare(chain[3], chain[5], &n) == 0 && n == MPI_CONGRUENT,
		"congruent", n);
	ranks_must(PMPI_Comm_compare(chain[3], chain[3], &n) == 0 && n == MPI_IDENT, "the same", n);
	for (int i = 1; i < 20; i += 2)
		ranks_must(PMPI_Comm_free(&chain[i]) == 0 && chain[i] == MPI_COMM_NULL, "freed", i);
}

START_TEST(dups_of_dups)
{
	board_run_sizes(dup_body, 0);
}
END_TEST

/* The same on all ranks: color and key of world rank w in round i. */
static int color_of(unsigned seed, int i, int w)
{
	unsigned x = (seed * 31 + (unsigned)i) * 2654435761u + (unsigned)w * 40503u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return (int)(x % 4) == 3 ? MPI_UNDEFINED : (int)(x % 4);
}

static int key_of(unsigned seed, int i, int w)
{
	return color_of(seed + 17, i, w) == MPI_UNDEFINED ? -5 : color_of(seed + 17, i, w) - 1;
}

/* Where this process must be: behind those of its color with a smaller key, or the same key and a
 * smaller rank. */
static void check_split(unsigned seed, int i, MPI_Comm made)
{
	int me = comm_world_info()->rank, mine = color_of(seed, i, me), size = 0, before = 0;
	const struct comm *c;

	if (mine == MPI_UNDEFINED) {
		ranks_must(made == MPI_COMM_NULL, "no communicator", i);
		return;
	}
	for (int w = 0; w < comm_world_info()->size; w++) {
		int a = key_of(seed, i, w), b = key_of(seed, i, me);

		if (color_of(seed, i, w) != mine)
			continue;
		size++;
		before += a < b || (a == b && w < me);
	}
	c = comm_of(made);
	ranks_must(c->size == size, "as many as have the color", c->size);
	ranks_must(c->rank == before, "the place by key", c->rank);
}

static void split_body(void *shared)
{
	struct board *s = shared;
	int me = comm_world_info()->rank;

	for (int i = 0; i < 30; i++) {
		MPI_Comm made = (MPI_Comm)8, inner = (MPI_Comm)8;
		int rc = PMPI_Comm_split(
			MPI_COMM_WORLD, color_of(s->seed, i, me), key_of(s->seed, i, me), &made);

		ranks_must(rc == 0, "a split", rc);
		check_split(s->seed, i, made);
		if (made == MPI_COMM_NULL)
			continue;
		board_record(s, made);
		rc = PMPI_Comm_split(made, comm_of(made)->rank / 2, 0, &inner);
		ranks_must(rc == 0, "a split of a part", rc);
		board_record(s, inner);
		if (i % 2)
			ranks_must(PMPI_Comm_free(&made) == 0, "freed", i);
	}
}

START_TEST(random_splits)
{
	board_run_sizes(split_body, _i);
}
END_TEST

/* All colors at once name their own group, in reverse order of rank. */
static void create_body(void *shared)
{
	struct board *s = shared;
	int me = comm_world_info()->rank, size = comm_world_info()->size;
	MPI_Group world, part;

	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	for (int i = 0; i < 20; i++) {
		int list[RANKS_MAX], n = 0, mine = color_of(s->seed, i, me), rc;
		MPI_Comm made = (MPI_Comm)8, in_group = (MPI_Comm)8;

		for (int w = size; w-- > 0;) {
			if (mine != MPI_UNDEFINED && color_of(s->seed, i, w) == mine)
				list[n++] = w;
		}
		PMPI_Group_incl(world, n, list, &part);
		rc = PMPI_Comm_create(MPI_COMM_WORLD, part, &made);
		ranks_must(rc == 0, "a create", rc);
		ranks_must((made == MPI_COMM_NULL) == (n == 0), "a communicator or none", n);
		if (n > 0) {
			board_record(s, made);
			ranks_must(comm_of(made)->size == n, "the size of the group", n);
			rc = PMPI_Comm_create_group(MPI_COMM_WORLD, part, 1000 + mine, &in_group);
			ranks_must(rc == 0, "a create_group", rc);
			board_record(s, in_group);
			ranks_must(comm_of(in_group)->rank == comm_of(made)->rank, "the rank", n);
		}
		PMPI_Group_free(&part);
	}
	PMPI_Group_free(&world);
}

START_TEST(creates)
{
	board_run_sizes(create_body, _i);
}
END_TEST

/* Tags of collectives stay below those of MPI_Comm_create_group: fake_ranks checks every tag. */
static void mixed_body(void *shared)
{
	MPI_Group all;
	MPI_Comm a, b;

	comm_of(MPI_COMM_WORLD)->coll_seq = UINT32_MAX - 3;
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int i = 0; i < 10; i++) {
		ranks_must(PMPI_Comm_create_group(MPI_COMM_WORLD, all, 0x7fffffff, &a) == 0, "made",
			i);
		ranks_must(PMPI_Comm_dup(MPI_COMM_WORLD, &b) == 0, "a dup", i);
		board_record(shared, a);
		board_record(shared, b);
	}
}

START_TEST(create_group_beside_collectives)
{
	board_run_sizes(mixed_body, 0);
}
END_TEST

static void grid_body(void *shared)
{
	int dims[2] = {3, 2}, periods[2] = {1, 0}, me = comm_world_info()->rank, n = -1, src, dst;
	int d[2], p[2], at[2];
	MPI_Comm grid, copy, row, plain;

	ranks_must(PMPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid) == 0, "a grid", 0);
	ranks_must((grid == MPI_COMM_NULL) == (me >= 6), "six in the grid", me);
	if (me >= 6)
		return;
	board_record(shared, grid);
	PMPI_Comm_dup(grid, &copy);
	board_record(shared, copy);
	ranks_must(PMPI_Topo_test(copy, &n) == 0 && n == MPI_CART, "the dup has the grid too", n);
	ranks_must(PMPI_Cart_get(copy, 2, d, p, at) == 0, "what the grid is", 0);
	ranks_must(d[0] == 3 && d[1] == 2 && p[0] == 1 && p[1] == 0, "its dimensions", d[0]);
	ranks_must(at[0] == me / 2 && at[1] == me % 2, "this place", at[0]);
	ranks_must(PMPI_Cart_shift(grid, 0, 1, &src, &dst) == 0, "a shift", 0);
	ranks_must(src == (me + 4) % 6 && dst == (me + 2) % 6, "neighbours", src);
	ranks_must(PMPI_Cart_sub(grid, (int[]){0, 1}, &row) == 0, "rows", 0);
	board_record(shared, row);
	ranks_must(comm_of(row)->size == 2 && comm_of(row)->rank == me % 2, "two in a row", 0);
	ranks_must(PMPI_Cartdim_get(row, &n) == 0 && n == 1, "of one dimension", n);
	PMPI_Comm_split(grid, 0, 0, &plain);
	ranks_must(PMPI_Cart_rank(plain, at, &n) == MPI_ERR_TOPOLOGY, "no grid after a split", n);
	ranks_must(PMPI_Cart_rank(grid, (int[]){0, 2}, &n) == MPI_ERR_ARG, "outside", n);
	ranks_must(PMPI_Cart_coords(grid, 6, 2, at) == MPI_ERR_RANK, "rank 6", 0);
	ranks_must(PMPI_Cart_coords(grid, 0, 1, at) == MPI_ERR_ARG, "too little room", 0);
	ranks_must(PMPI_Cart_shift(grid, 2, 1, &src, &dst) == MPI_ERR_ARG, "direction 2", 0);
}

START_TEST(grids)
{
	for (int size = 6; size <= 8; size++)
		board_run_one(grid_body, size, 4);
}
END_TEST

UNIT_MAIN("comm", tcase_add_test(tc, world_and_self); tcase_add_test(tc, dups_of_dups);
	  tcase_add_loop_test(tc, random_splits, 0, 4); tcase_add_loop_test(tc, creates, 0, 4);
	  tcase_add_test(tc, create_group_beside_collectives); tcase_add_test(tc, grids);)
