/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of what shares a host: MPI_Comm_split_type, on three hosts. And ranks that run
 * elsewhere from now on. */
#include <stdlib.h>
#include <string.h>

#include "comm_board.h"
#include "mpi.h"
#include "mpi/comm/comm_inside.h"
#include "mpi/comm/info.h"
#include "unit.h"

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
	board_record(shared, host);
	ranks_must(comm_of(host)->size == (me % 3 == 2 ? 1 : 2), "ranks of this host", me);
	ranks_must(comm_of(host)->rank == (me < 3 && me != 2), "reversed by key", me);
	/* five ranks on three hosts: two of them on host 0, which has one core */
	ranks_must(comm_of(MPI_COMM_WORLD)->crowded, "the world crowded", 0);
	ranks_must(comm_of(host)->crowded == (me % 3 == 0), "this host crowded", me);
	ranks_must(!comm_of(MPI_COMM_SELF)->crowded, "one rank never", me);
	ranks_must(!comm_of(MPI_COMM_WORLD)->near && comm_of(host)->near, "memory of a host", me);
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
	struct board *s = ranks_share(sizeof(*s));
	struct ranks_job job = {.size = 5, .node = {0, 1, 2, 0, 1}, .cores = {1, 2, 1, 1, 2}};

	board_run(&job, hosts_body, s);
}
END_TEST

/* ---- hosts that change ---- */

enum { RANKS = 4 };

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

static bool memory_is_short;

void *__wrap_calloc(size_t n, size_t size)
{
	return memory_is_short ? NULL : __real_calloc(n, size);
}

/* Rank 1 of four. What is given is gone afterwards. */
static int say_hosts(int (*say)(const struct world_info *), const int node[RANKS], int cores)
{
	int *nodes = malloc(RANKS * sizeof *nodes), *each = malloc(RANKS * sizeof *each), rc;
	struct world_info w = {1, RANKS, nodes, each, true};

	ck_assert(nodes && each);
	for (int i = 0; i < RANKS; i++) {
		nodes[i] = node[i];
		each[i] = cores;
	}
	rc = say(&w);
	memset(nodes, 0x7f, RANKS * sizeof *nodes);
	memset(each, 0x7f, RANKS * sizeof *each);
	free(nodes);
	free(each);
	return rc;
}

static void are_on(const int node[RANKS])
{
	for (int i = 0; i < RANKS; i++) {
		ck_assert_int_eq(comm_hosts_node_of(comm_world(), i), node[i]);
		ck_assert_int_eq(comm_world_info()->node[i], node[i]);
	}
}

START_TEST(hosts_are_copied)
{
	const int node[RANKS] = {0, 1, 1, 0};

	ck_assert_int_eq(say_hosts(comm_world_init, node, 2), MPI_SUCCESS);
	are_on(node);
	ck_assert_int_eq(comm_world_info()->cores[3], 2);
	ck_assert(comm_hosts_several(comm_world()));
	ck_assert(!comm_hosts_crowded(comm_world()->group));
	ck_assert(!comm_hosts_near(comm_world()->group));
	comm_world_free();
	ck_assert_ptr_null(comm_world_info());
}
END_TEST

/* More hosts than there were, then one; the world's algorithms stay, as all ranks have chosen them
 * alike. */
START_TEST(hosts_may_be_others)
{
	const int together[RANKS] = {0, 0, 0, 0}, apart[RANKS] = {3000, 1, 2, 2000};

	ck_assert_int_eq(say_hosts(comm_world_init, together, 1), MPI_SUCCESS);
	ck_assert(comm_world()->crowded && comm_world()->near);
	for (int round = 0; round < 3; round++) {
		ck_assert_int_eq(say_hosts(comm_hosts_renew, apart, 1), MPI_SUCCESS);
		are_on(apart);
		ck_assert(comm_hosts_several(comm_world()));
		ck_assert(!comm_hosts_crowded(comm_world()->group));
		ck_assert(!comm_hosts_near(comm_world()->group));
		ck_assert(comm_world()->crowded && comm_world()->near);
		ck_assert_int_eq(say_hosts(comm_hosts_renew, together, 3), MPI_SUCCESS);
		are_on(together);
		ck_assert_int_eq(comm_world_info()->cores[0], 3);
		ck_assert(!comm_hosts_several(comm_world()));
		ck_assert(comm_hosts_crowded(comm_world()->group));
		ck_assert(comm_hosts_near(comm_world()->group));
	}
	comm_world_free();
}
END_TEST

/* A rank is who it was, and its host is known; else nothing changes. */
START_TEST(hosts_are_refused)
{
	const int node[RANKS] = {0, 1, 1, 0}, other[RANKS] = {1, 0, 1, 0},
		  unknown[RANKS] = {0, 0, -1, 0};
	struct world_info smaller = {1, RANKS - 1, other, node, true},
			  another = {2, RANKS, other, node, true};

	ck_assert_int_eq(say_hosts(comm_world_init, node, 2), MPI_SUCCESS);
	ck_assert_int_eq(say_hosts(comm_hosts_renew, unknown, 2), MPI_ERR_INTERN);
	ck_assert_int_eq(comm_hosts_renew(&smaller), MPI_ERR_INTERN);
	ck_assert_int_eq(comm_hosts_renew(&another), MPI_ERR_INTERN);
	memory_is_short = true;
	ck_assert_int_eq(say_hosts(comm_hosts_renew, other, 3), MPI_ERR_NO_MEM);
	memory_is_short = false;
	are_on(node);
	ck_assert_int_eq(comm_world_info()->cores[0], 2);
	comm_world_free();
}
END_TEST

UNIT_MAIN("comm_hosts", tcase_add_test(tc, hosts); tcase_add_test(tc, hosts_are_copied);
	  tcase_add_test(tc, hosts_may_be_others); tcase_add_test(tc, hosts_are_refused);)
