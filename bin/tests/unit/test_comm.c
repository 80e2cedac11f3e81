/* SPDX-License-Identifier: BSD-3-Clause */
/* Making communicators: ranks are processes that talk through pipes (fake_ranks). */
#include <check.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_ranks.h"
#include "mpi.h"
#include "mpi/comm.h"
#include "mpi/info.h"
#include "unit.h"

enum { RECORDS = 20000 };

/* One rank's view of a communicator it got. */
struct record {
	uint64_t context;
	int me; /* world rank of who writes */
	int rank, size;
	int world[RANKS_MAX];
};

struct shared {
	atomic_int n;
	unsigned seed;
	struct record records[RECORDS];
};

static struct shared *board(void *shared)
{
	return shared;
}

static struct comm *comm_of(MPI_Comm handle)
{
	struct comm *c = NULL;

	ranks_must(comm_lookup(handle, &c) == MPI_SUCCESS, "a handle that is good", 0);
	return c;
}

static void record(struct shared *s, MPI_Comm handle)
{
	const struct comm *c = comm_of(handle);
	int at = atomic_fetch_add(&s->n, 1);
	struct record *r = &s->records[at];

	ranks_must(at < RECORDS, "room for records", at);
	*r = (struct record){c->context, comm_world_info()->rank, c->rank, c->size, {0}};
	memcpy(r->world, c->group->world, (size_t)c->size * sizeof(int));
	ranks_must(r->world[r->rank] == r->me, "this process at its rank", r->rank);
}

/* A context belongs to one creation: each of its members, and nobody else, recorded it once, and
 * all saw the same members. */
static void check_board(const struct shared *s)
{
	int n = atomic_load(&s->n);

	for (int i = 0; i < n; i++) {
		const struct record *a = &s->records[i];
		int same = 0;

		ck_assert_uint_eq(a->context & 1, 0);
		for (int j = 0; j < n; j++) {
			const struct record *b = &s->records[j];

			if (b->context != a->context)
				continue;
			same++;
			ck_assert_int_eq(a->size, b->size);
			ck_assert_mem_eq(a->world, b->world, (size_t)a->size * sizeof(int));
			ck_assert_msg(i == j || a->rank != b->rank,
				"context %#llx was given out twice",
				(unsigned long long)a->context);
		}
		ck_assert_int_eq(same, a->size);
	}
}

static void run(struct ranks_job *job, void (*body)(void *), struct shared *s)
{
	job->body = body;
	job->shared = s;
	ck_assert_int_eq(ranks_run(job), 0);
	check_board(s);
}

static void run_sizes(void (*body)(void *), int loop)
{
	for (int size = 1; size <= 9; size++) {
		struct shared *s = ranks_share(sizeof(*s));
		struct ranks_job job;

		s->seed = (unsigned)(loop * 100 + size);
		ranks_one_host(&job, size, 4);
		run(&job, body, s);
	}
}

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
	record(board(shared), MPI_COMM_WORLD);
	record(board(shared), MPI_COMM_SELF);
}

START_TEST(world_and_self)
{
	run_sizes(predefined_body, 0);
}
END_TEST

static void dup_body(void *shared)
{
	MPI_Comm chain[20];
	int n = 0;

	chain[0] = MPI_COMM_WORLD;
	for (int i = 1; i < 20; i++) {
		ranks_must(PMPI_Comm_dup(chain[i / 2], &chain[i]) == 0, "a dup", i);
		record(board(shared), chain[i]);
	}
	ranks_must(PMPI_Comm_compare(chain[3], chain[5], &n) == 0 && n == MPI_CONGRUENT,
		"congruent", n);
	ranks_must(PMPI_Comm_compare(chain[3], chain[3], &n) == 0 && n == MPI_IDENT, "the same", n);
	for (int i = 1; i < 20; i += 2)
		ranks_must(PMPI_Comm_free(&chain[i]) == 0 && chain[i] == MPI_COMM_NULL, "freed", i);
}

START_TEST(dups_of_dups)
{
	run_sizes(dup_body, 0);
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
	struct shared *s = board(shared);
	int me = comm_world_info()->rank;

	for (int i = 0; i < 30; i++) {
		MPI_Comm made = (MPI_Comm)8, inner = (MPI_Comm)8;
		int rc = PMPI_Comm_split(
			MPI_COMM_WORLD, color_of(s->seed, i, me), key_of(s->seed, i, me), &made);

		ranks_must(rc == 0, "a split", rc);
		check_split(s->seed, i, made);
		if (made == MPI_COMM_NULL)
			continue;
		record(s, made);
		rc = PMPI_Comm_split(made, comm_of(made)->rank / 2, 0, &inner);
		ranks_must(rc == 0, "a split of a part", rc);
		record(s, inner);
		if (i % 2)
			ranks_must(PMPI_Comm_free(&made) == 0, "freed", i);
	}
}

START_TEST(random_splits)
{
	run_sizes(split_body, _i);
}
END_TEST

/* All colors at once name their own group, in reverse order of rank. */
static void create_body(void *shared)
{
	struct shared *s = board(shared);
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
			record(s, made);
			ranks_must(comm_of(made)->size == n, "the size of the group", n);
			rc = PMPI_Comm_create_group(MPI_COMM_WORLD, part, 1000 + mine, &in_group);
			ranks_must(rc == 0, "a create_group", rc);
			record(s, in_group);
			ranks_must(comm_of(in_group)->rank == comm_of(made)->rank, "the rank", n);
		}
		PMPI_Group_free(&part);
	}
	PMPI_Group_free(&world);
}

START_TEST(creates)
{
	run_sizes(create_body, _i);
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
		record(board(shared), a);
		record(board(shared), b);
	}
}

START_TEST(create_group_beside_collectives)
{
	run_sizes(mixed_body, 0);
}
END_TEST

static MPI_Info info_of(const char *key, const char *value)
{
	struct info *i = info_new();
	MPI_Info handle = MPI_INFO_NULL;

	ranks_must(i && info_put(i, key, value) == 0 && info_export(i, &handle) == 0, "an info", 0);
	return handle;
}

/* How many ranks are with this one in what the split gives; 0: no communicator. */
static int guided(int type, const char *key, const char *value)
{
	MPI_Info info = info_of(key, value);
	MPI_Comm c;
	int n = 0;

	ranks_must(PMPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c) == 0, value, type);
	if (c != MPI_COMM_NULL)
		ranks_must(PMPI_Comm_size(c, &n) == 0 && PMPI_Comm_free(&c) == 0, value, n);
	info_unexport((struct info *)(void *)info);
	return n;
}

/* On three hosts, of which this rank's has so many. */
static void guided_body(int here)
{
	const char *kind = "mpi_hw_resource_type", *pset = "mpi_pset_name";
	const int hw = MPI_COMM_TYPE_HW_GUIDED, resource = MPI_COMM_TYPE_RESOURCE_GUIDED;

	ranks_must(guided(hw, kind, "mpi_shared_memory") == here, "guided by host", here);
	ranks_must(guided(resource, kind, "mpi_shared_memory") == here, "the same", here);
	ranks_must(guided(hw, kind, "hwloc://Core") == 0, "a kind that is not known", 0);
	ranks_must(guided(hw, "other_key", "mpi_shared_memory") == 0, "nothing said", 0);
	ranks_must(guided(hw, pset, "mpi://WORLD") == 0, "not by set", 0);
	ranks_must(guided(resource, pset, "mpi://WORLD") == comm_world_info()->size, "all", 0);
	ranks_must(guided(resource, pset, "mpi://SELF") == 1, "each alone", 0);
	ranks_must(guided(resource, pset, "mpi://MOON") == 0, "no such set", 0);
}

/* What it went by is told, where there is a communicator. */
static void told_body(MPI_Comm host)
{
	MPI_Info info = info_of("hint", "true");
	struct info *i = (struct info *)(void *)info;
	const char *value;
	MPI_Comm c;

	ranks_must(PMPI_Comm_split_type(host, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &c) == 0 &&
			   c == MPI_COMM_NULL && !info_find(i, "mpi_hw_resource_type"),
		"nothing told", 0);
	ranks_must(
		PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &c) == 0,
		"unguided", 0);
	value = info_find(i, "mpi_hw_resource_type");
	ranks_must(value && strcmp(value, "mpi_shared_memory") == 0, "told", 0);
	ranks_must(PMPI_Comm_free(&c) == 0, "freed", 0);
	info_unexport(i);
}

/* Rank 0 on one side, 1 and 3 on the other: 0 and 3 are on one host, and find each other, although
 * rank 0 sees no second host on its own side. */
static void between_hosts(int me)
{
	const int unguided = MPI_COMM_TYPE_HW_UNGUIDED;
	MPI_Comm side, inter, host = MPI_COMM_NULL;
	int color = me == 0 ? 0 : me % 2 ? 1 : MPI_UNDEFINED, n = 0;

	ranks_must(PMPI_Comm_split(MPI_COMM_WORLD, color, 0, &side) == 0, "two sides", me);
	if (side == MPI_COMM_NULL)
		return;
	ranks_must(PMPI_Intercomm_create(side, 0, MPI_COMM_WORLD, me == 0, 7, &inter) == 0,
		"an intercommunicator", me);
	ranks_must(PMPI_Comm_split_type(inter, unguided, 0, MPI_INFO_NULL, &host) == 0,
		"an unguided split of it", me);
	ranks_must((host == MPI_COMM_NULL) == (me == 1), "one on each side", me);
	if (host != MPI_COMM_NULL)
		ranks_must(comm_of(host)->size == 1 && PMPI_Comm_remote_size(host, &n) == 0 &&
				   n == 1 && PMPI_Comm_free(&host) == 0,
			"of one host", n);
	ranks_must(PMPI_Comm_free(&inter) == 0 && PMPI_Comm_free(&side) == 0, "freed", me);
}

static void hosts_body(void *shared)
{
	int me = comm_world_info()->rank, spans = -1;
	MPI_Comm host, none, hw;

	ranks_must(PMPI_Comm_split_type(
			   MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &host) == 0,
		"a split by host", 0);
	record(board(shared), host);
	ranks_must(comm_of(host)->size == (me % 3 == 2 ? 1 : 2), "ranks of this host", me);
	ranks_must(comm_of(host)->rank == (me < 3 && me != 2), "reversed by key", me);
	/* five ranks on three hosts: two of them on host 0, which has one core */
	ranks_must(comm_of(MPI_COMM_WORLD)->crowded, "the world crowded", 0);
	ranks_must(comm_of(host)->crowded == (me % 3 == 0), "this host crowded", me);
	ranks_must(!comm_of(MPI_COMM_SELF)->crowded, "one rank never", me);
	ranks_must(PMPI_Comm_split_type(
			   MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &none) == 0 &&
			   none == MPI_COMM_NULL,
		"no guided split", 0);
	ranks_must(PMPI_Comm_split_type(
			   MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &hw) == 0,
		"an unguided split", 0);
	ranks_must(
		PMPI_Comm_compare(hw, host, &spans) == 0 && spans != MPI_UNEQUAL, "by host", spans);
	ranks_must(PMPI_Comm_split_type(host, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &none) ==
				   0 &&
			   none == MPI_COMM_NULL,
		"no smaller one", 0);
	guided_body(me % 3 == 2 ? 1 : 2);
	told_body(host);
	between_hosts(me);
	ranks_must(
		PMPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &none) == MPI_ERR_ARG,
		"a kind there is not", 0);
}

START_TEST(hosts)
{
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job = {.size = 5, .node = {0, 1, 2, 0, 1}, .cores = {1, 2, 1, 1, 2}};

	run(&job, hosts_body, s);
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
	record(board(shared), grid);
	PMPI_Comm_dup(grid, &copy);
	record(board(shared), copy);
	ranks_must(PMPI_Topo_test(copy, &n) == 0 && n == MPI_CART, "the dup has the grid too", n);
	ranks_must(PMPI_Cart_get(copy, 2, d, p, at) == 0, "what the grid is", 0);
	ranks_must(d[0] == 3 && d[1] == 2 && p[0] == 1 && p[1] == 0, "its dimensions", d[0]);
	ranks_must(at[0] == me / 2 && at[1] == me % 2, "this place", at[0]);
	ranks_must(PMPI_Cart_shift(grid, 0, 1, &src, &dst) == 0, "a shift", 0);
	ranks_must(src == (me + 4) % 6 && dst == (me + 2) % 6, "neighbours", src);
	ranks_must(PMPI_Cart_sub(grid, (int[]){0, 1}, &row) == 0, "rows", 0);
	record(board(shared), row);
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
	for (int size = 6; size <= 8; size++) {
		struct shared *s = ranks_share(sizeof(*s));
		struct ranks_job job;

		ranks_one_host(&job, size, 4);
		run(&job, grid_body, s);
	}
}
END_TEST

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
	record(board(shared), a);
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
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, 3, 4);
	run(&job, attr_body, s);
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
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, 3, 4);
	run(&job, wrong_body, s);
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
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, 1, 4);
	run(&job, names_body, s);
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
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, 2, 4);
	run(&job, pending_body, s);
}
END_TEST

/* After a restore, operations have the numbers and the algorithms that they had at the line. */
static void line_body(void *shared)
{
	struct comm *world = comm_of(MPI_COMM_WORLD);
	bool crowded = world->crowded;
	uint8_t *bytes;
	size_t len;
	MPI_Comm handle;
	struct comm *dup;

	(void)shared;
	PMPI_Comm_dup(MPI_COMM_WORLD, &handle);
	dup = comm_of(handle);
	world->coll_seq = 7;
	dup->coll_seq = 9;
	ranks_must(comm_save_numbers(&bytes, &len), "saved", 0);
	world->coll_seq = dup->coll_seq = 0;
	world->crowded = dup->crowded = !crowded;
	ranks_must(comm_restore_numbers(bytes, len), "restored", 0);
	ranks_must(world->coll_seq == 7 && dup->coll_seq == 9, "their numbers", 0);
	ranks_must(world->crowded == crowded && dup->crowded == crowded, "their way", crowded);
	bytes[0] ^= 1;
	ranks_must(!comm_restore_numbers(bytes, len), "another length is refused", 0);
	free(bytes);
	PMPI_Comm_free(&handle);
}

START_TEST(across_lines)
{
	struct shared *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, 2, _i); /* cores: too few, and enough */
	run(&job, line_body, s);
}
END_TEST

UNIT_MAIN("comm", tcase_add_test(tc, world_and_self); tcase_add_test(tc, dups_of_dups);
	  tcase_add_loop_test(tc, random_splits, 0, 4); tcase_add_loop_test(tc, creates, 0, 4);
	  tcase_add_test(tc, create_group_beside_collectives); tcase_add_test(tc, hosts);
	  tcase_add_test(tc, grids); tcase_add_test(tc, attributes_of_dups);
	  tcase_add_test(tc, wrong_calls); tcase_add_test(tc, names);
	  tcase_add_test(tc, pending_operations); tcase_add_loop_test(tc, across_lines, 1, 3);)
