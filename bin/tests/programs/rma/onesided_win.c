/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: their kinds, what hangs on them, shared and attached memory. */
#include <stdlib.h>
#include <string.h>

#include "onesided.h"

static void attributes_of(MPI_Win win, void *base, MPI_Aint size, int unit, int flavor)
{
	void *got_base;
	MPI_Aint *got_size;
	int *got_unit, *got_flavor, *model, flag, f2, f3, f4, f5;

	MPI_Win_get_attr(win, MPI_WIN_BASE, &got_base, &flag);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &got_size, &f2);
	MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &got_unit, &f3);
	MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &got_flavor, &f4);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &f5);
	os_expect(flag && f2 && f3 && f4 && f5, "an attribute is not there");
	os_expect(got_base == base, "MPI_WIN_BASE is %p, not %p", got_base, base);
	os_expect(*got_size == size && *got_unit == unit && *got_flavor == flavor,
		"MPI_WIN_SIZE %ld, _DISP_UNIT %d, _CREATE_FLAVOR %d", (long)*got_size, *got_unit,
		*got_flavor);
	os_expect(*model == MPI_WIN_UNIFIED, "MPI_WIN_MODEL is %d", *model);
}

static void kinds(void)
{
	int own[4], *allocated, *parts;
	MPI_Win win;

	MPI_Win_create(own, sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	attributes_of(win, own, sizeof own, 4, MPI_WIN_FLAVOR_CREATE);
	os_free(&win);
	MPI_Win_create_c(own, sizeof own, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	attributes_of(win, own, sizeof own, 2, MPI_WIN_FLAVOR_CREATE);
	os_free(&win);
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	attributes_of(win, NULL, 0, 1, MPI_WIN_FLAVOR_CREATE);
	os_free(&win);
	MPI_Win_allocate_c(40, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
	attributes_of(win, allocated, 40, 8, MPI_WIN_FLAVOR_ALLOCATE);
	os_free(&win);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	attributes_of(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
	os_free(&win);
	MPI_Win_allocate_shared_c(12, 4, MPI_INFO_NULL, MPI_COMM_SELF, &parts, &win);
	attributes_of(win, parts, 12, 4, MPI_WIN_FLAVOR_SHARED);
	parts[2] = 5;
	os_free(&win);
}

static void names_and_groups(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group group, world;
	int *memory, n, result;
	MPI_Win win = os_window(&memory, 1, 0);

	MPI_Win_get_name(win, name, &n);
	os_expect(n == 0 && name[0] == '\0', "a new window is called '%s'", name);
	MPI_Win_set_name(win, "halo");
	MPI_Win_get_name(win, name, &n);
	os_expect(n == 4 && strcmp(name, "halo") == 0, "'%s', %d", name, n);
	MPI_Win_get_name(MPI_WIN_NULL, name, &n);
	os_expect(strcmp(name, "MPI_WIN_NULL") == 0, "the null handle is called '%s'", name);
	MPI_Win_get_group(win, &group);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_compare(group, world, &result);
	os_expect(result == MPI_IDENT, "the group compares as %d", result);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	os_expect(MPI_Win_fromint(MPI_Win_toint(win)) == win, "there and back again");
	os_free(&win);
}

static int deleted;

static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
	(void)win;
	(void)keyval;
	deleted += *(int *)value + *(int *)extra;
	return MPI_SUCCESS;
}

static void attributes(void)
{
	int *memory, key, value = 5, extra = 100, flag, *got;
	MPI_Win win = os_window(&memory, 1, 0);

	deleted = 0;
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &extra);
	MPI_Win_get_attr(win, key, &got, &flag);
	os_expect(!flag, "an attribute that was never set is there");
	MPI_Win_set_attr(win, key, &value);
	MPI_Win_get_attr(win, key, &got, &flag);
	os_expect(flag && got == &value, "it is not there");
	MPI_Win_delete_attr(win, key);
	os_expect(deleted == 105, "deleted: %d", deleted);
	MPI_Win_set_attr(win, key, &value);
	MPI_Win_free_keyval(&key);
	os_expect(key == MPI_KEYVAL_INVALID, "the freed key is %d", key);
	os_free(&win);
	os_expect(deleted == 210, "deleted with its window: %d", deleted);
}

static void hints(void)
{
	char value[MPI_MAX_INFO_VAL + 1];
	MPI_Info info, used;
	int *memory, flag;
	MPI_Win win;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	MPI_Info_set(info, "nonsense", "true");
	MPI_Win_allocate(4, 4, info, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_get_info(win, &used);
	MPI_Info_get(used, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
	os_expect(flag && strcmp(value, "true") == 0, "no_locks: %d '%s'", flag, value);
	MPI_Info_get(used, "accumulate_ordering", MPI_MAX_INFO_VAL, value, &flag);
	os_expect(
		flag && strcmp(value, "rar,raw,war,waw") == 0, "accumulate_ordering: '%s'", value);
	MPI_Info_get(used, "nonsense", MPI_MAX_INFO_VAL, value, &flag);
	os_expect(!flag, "nonsense is '%s'", value);
	MPI_Info_free(&used);
	MPI_Info_set(info, "accumulate_ordering", "waw,rar");
	MPI_Win_set_info(win, info);
	MPI_Win_get_info(win, &used);
	MPI_Info_get(used, "accumulate_ordering", MPI_MAX_INFO_VAL, value, &flag);
	os_expect(flag && strcmp(value, "waw,rar") == 0, "accumulate_ordering: '%s'", value);
	MPI_Info_set(info, "accumulate_ordering", "waw,rir");
	os_return(win);
	os_error("a hint that makes no sense", MPI_Win_set_info(win, info), MPI_ERR_INFO_VALUE);
	MPI_Info_free(&used);
	MPI_Info_free(&info);
	os_free(&win);
}

/* Loads and stores see what puts, gets and others' stores do. */
static void shared(bool noncontiguous)
{
	int *mine, *theirs, *first, unit, x = 77, one = 1, n = os.rank % 3 + 1;
	MPI_Info info = MPI_INFO_NULL;
	MPI_Comm here;
	MPI_Aint size;
	MPI_Win win;
	int rank, count;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_rank(here, &rank);
	MPI_Comm_size(here, &count);
	if (noncontiguous) {
		MPI_Info_create(&info);
		MPI_Info_set(info, "alloc_shared_noncontig", "true");
	}
	MPI_Win_allocate_shared(n * (MPI_Aint)sizeof(int), sizeof(int), info, here, &mine, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < n; i++)
		mine[i] = rank * 10 + i;
	MPI_Win_sync(win);
	MPI_Barrier(here);
	MPI_Win_sync(win);
	MPI_Win_shared_query(win, 0, &size, &unit, &first);
	for (int r = 0; r < count; r++) {
		MPI_Win_shared_query(win, r, &size, &unit, &theirs);
		os_expect(unit == sizeof(int) && size > 0, "unit %d, size %ld", unit, (long)size);
		for (int i = 0; i < (int)size / unit; i++)
			os_expect(theirs[i] == r * 10 + i, "rank %d's element %d is %d", r, i,
				theirs[i]);
		os_expect(r != rank || theirs == mine, "this rank's part is elsewhere");
		os_expect(
			noncontiguous || theirs == first, "rank %d's part is not the next one", r);
		first = theirs + size / unit;
	}
	MPI_Barrier(here);
	MPI_Win_shared_query(win, (rank + 1) % count, &size, &unit, &theirs);
	theirs[0] = 1000 + rank;
	MPI_Win_sync(win);
	MPI_Barrier(here);
	os_expect(mine[0] == 1000 + (rank + count - 1) % count, "a store is not seen: %d", mine[0]);
	MPI_Barrier(here);
	MPI_Put(&x, 1, MPI_INT, (rank + 1) % count, 0, 1, MPI_INT, win);
	MPI_Win_flush((rank + 1) % count, win);
	os_expect(theirs[0] == 77, "a put is not seen behind a flush: %d", theirs[0]);
	MPI_Barrier(here);
	for (int r = 0; r < count; r++)
		MPI_Accumulate(&one, 1, MPI_INT, r, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush_all(win);
	MPI_Barrier(here);
	os_expect(mine[0] == 77 + count, "accumulates are not seen: %d", mine[0]);
	MPI_Win_unlock_all(win);
	MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &theirs);
	os_expect(theirs != NULL, "no rank has any memory");
	os_free(&win);
	if (noncontiguous)
		MPI_Info_free(&info);
	MPI_Comm_free(&here);
}

static void shared_together(void)
{
	shared(false);
}

static void shared_apart(void)
{
	shared(true);
}

/* One piece that is rank 0's, the others have none. */
static void shared_by_one(void)
{
	MPI_Aint size = 0, size_c = -1, unit_c = -1;
	MPI_Comm here;
	int *mine, *all, unit, rank;
	MPI_Win win;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_rank(here, &rank);
	MPI_Win_allocate_shared(rank == 0 ? 4000 : 0, 4, MPI_INFO_NULL, here, &mine, &win);
	MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &all);
	os_expect(size == 4000 && unit == 4, "size %ld, unit %d", (long)size, unit);
	MPI_Win_shared_query_c(win, 0, &size_c, &unit_c, &all);
	os_expect(size_c == 4000 && unit_c == 4, "size %ld, unit %ld", (long)size_c, (long)unit_c);
	MPI_Win_fence(0, win);
	all[rank] = rank + 5;
	MPI_Win_fence(0, win);
	os_expect(all[0] == 5, "%d", all[0]);
	os_free(&win);
	MPI_Comm_free(&here);
}

/* Addresses are told to the others. */
static void attached(void)
{
	int memory[2][10], x = os.rank + 1, got = 0, seen;
	MPI_Aint here[3], there[3];
	MPI_Win win;

	memset(memory, 0, sizeof memory);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, memory[0], sizeof memory[0]);
	MPI_Win_attach(win, memory[1], sizeof memory[1]);
	MPI_Get_address(&memory[0][3], &here[0]);
	MPI_Get_address(&memory[1][9], &here[1]);
	MPI_Get_address(&memory[0][9], &here[2]);
	MPI_Sendrecv(here, 3, MPI_AINT, os_left(), 0, there, 3, MPI_AINT, os_right(), 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock_all(0, win);
	MPI_Put(&x, 1, MPI_INT, os_right(), there[0], 1, MPI_INT, win);
	MPI_Accumulate(&x, 1, MPI_INT, os_right(), there[1], 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush(os_right(), win);
	MPI_Get(&got, 1, MPI_INT, os_right(), there[1], 1, MPI_INT, win);
	MPI_Win_flush(os_right(), win);
	os_expect(got == x, "a get brings %d", got);
	/* from one region to the next, where they meet */
	MPI_Put((int[2]){7, 8}, 2, MPI_INT, os_right(), there[2], 2, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	seen = memory[0][3] + memory[1][9];
	os_expect(seen == 2 * (os_left() + 1), "%d and %d", memory[0][3], memory[1][9]);
	os_expect(memory[0][9] == 7 && memory[1][0] == 8, "%d and %d where regions meet",
		memory[0][9], memory[1][0]);
	MPI_Win_detach(win, memory[0]);
	MPI_Win_attach(win, memory[0], sizeof memory[0]);
	os_free(&win);
}

/* Two windows that overlap are one memory. */
static void overlapping(void)
{
	int memory[2] = {0, 0}, one = 1;
	MPI_Win a, b;

	MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
	MPI_Win_create(memory + 1, sizeof(int), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
	MPI_Win_lock_all(0, a);
	MPI_Win_lock_all(0, b);
	for (int i = 0; i < 100; i++)
		MPI_Accumulate(
			&one, 1, MPI_INT, 0, i % 2 ? 1 : 0, 1, MPI_INT, MPI_SUM, i % 2 ? a : b);
	MPI_Win_unlock_all(b);
	MPI_Win_unlock_all(a);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(os.rank != 0 || (memory[0] == 0 && memory[1] == 100 * os.size), "%d and %d",
		memory[0], memory[1]);
	os_free(&a);
	os_free(&b);
}

/* On a part of the ranks, in another order. */
static void on_a_part(void)
{
	int *memory, rank, size, x;
	MPI_Comm part;
	MPI_Win win;

	MPI_Comm_split(MPI_COMM_WORLD, os.rank % 2, -os.rank, &part);
	MPI_Comm_rank(part, &rank);
	MPI_Comm_size(part, &size);
	MPI_Win_allocate(4, 4, MPI_INFO_NULL, part, &memory, &win);
	MPI_Comm_free(&part);
	x = os.rank;
	MPI_Win_fence(0, win);
	MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	os_expect(*memory % 2 == os.rank % 2 &&
			  *memory == (rank ? os.rank + 2 : os.rank - 2 * (size - 1)),
		"rank %d of %d was given %d", rank, size, *memory);
	os_free(&win);
}

/* Many, made and freed again. */
static void many(void)
{
	enum { MANY = 40 };
	MPI_Win win[MANY];
	int *memory[MANY], x;

	for (int i = 0; i < MANY; i++)
		win[i] = os_window(&memory[i], 1, -1);
	for (int i = 0; i < MANY; i++)
		MPI_Win_fence(0, win[i]);
	for (int i = 0; i < MANY; i++) {
		x = i;
		MPI_Put(&x, 1, MPI_INT, os_right(), 0, 1, MPI_INT, win[i]);
	}
	for (int i = MANY; i-- > 0;) {
		MPI_Win_fence(0, win[i]);
		os_expect(*memory[i] == i, "window %d has %d", i, *memory[i]);
		os_free(&win[i]);
	}
}

const struct prog_case os_windows[] = {
	{"kinds", kinds},
	{"names and groups", names_and_groups},
	{"attributes", attributes},
	{"hints", hints},
	{"shared together", shared_together},
	{"shared apart", shared_apart},
	{"shared by one", shared_by_one},
	{"attached", attached},
	{"overlapping", overlapping},
	{"on a part", on_a_part},
	{"many", many},
	{NULL, NULL},
};
