/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs: fences, post and start, locks, flushes; and progress while the target computes. */
#include <stdlib.h>

#include "onesided.h"

static void fences(void)
{
	int *memory, x;
	MPI_Win win = os_window(&memory, os.size, 0);

	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	for (int round = 1; round <= 20; round++) {
		bool last = round == 20;

		x = round * 100 + os.rank;
		for (int r = 0; r < os.size; r++)
			MPI_Put(&x, 1, MPI_INT, r, os.rank, 1, MPI_INT, win);
		MPI_Win_fence(MPI_MODE_NOSTORE | (last ? MPI_MODE_NOSUCCEED : 0), win);
		for (int r = 0; r < os.size; r++)
			os_expect(memory[r] == round * 100 + r, "round %d: rank %d's is %d", round,
				r, memory[r]);
		if (!last)
			MPI_Win_fence(MPI_MODE_NOPUT, win);
	}
	os_free(&win);
}

static MPI_Group group_of(int n, const int *ranks)
{
	MPI_Group all, some;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, n, ranks, &some);
	MPI_Group_free(&all);
	return some;
}

/* Each exposes to its left and accesses its right neighbour. */
static void post_and_start(void)
{
	int *memory, left = os_left(), right = os_right();
	MPI_Group from = group_of(1, &left), to = group_of(1, &right);
	MPI_Win win = os_window(&memory, 2, 0);

	for (int round = 1; round <= 20; round++) {
		int x = round * 100 + os.rank, flag = 0, odd = round % 2;

		MPI_Win_post(from, odd ? MPI_MODE_NOSTORE : 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Put(&x, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Accumulate(&x, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_complete(win);
		if (odd)
			MPI_Win_wait(win);
		while (!odd && !flag)
			MPI_Win_test(win, &flag);
		os_expect(memory[0] == round * 100 + left && memory[1] == memory[0],
			"round %d: %d and %d", round, memory[0], memory[1]);
	}
	MPI_Group_free(&from);
	MPI_Group_free(&to);
	os_free(&win);
}

/* Rank 0 exposes to all others, round after round; those who are done early begin the next. */
static void one_exposes(void)
{
	int *memory, zero = 0, n = os.size - 1;
	int *others = prog_alloc(&os, (size_t)os.size * sizeof(int));
	MPI_Win win = os_window(&memory, os.size, 0);
	MPI_Group to = group_of(1, &zero), from;

	for (int i = 0; i < n; i++)
		others[i] = i + 1;
	from = group_of(n, others);
	for (int round = 1; round <= 30; round++) {
		int x = round + os.rank;

		if (os.rank == 0) {
			MPI_Win_post(from, 0, win);
			MPI_Win_wait(win);
			for (int r = 1; r < os.size; r++)
				os_expect(memory[r] == round + r, "round %d: rank %d's is %d",
					round, r, memory[r]);
		} else {
			MPI_Win_start(to, 0, win);
			MPI_Put(&x, 1, MPI_INT, 0, os.rank, 1, MPI_INT, win);
			MPI_Win_complete(win);
		}
	}
	MPI_Group_free(&from);
	MPI_Group_free(&to);
	free(others);
	os_free(&win);
}

/* Posts that were told in advance, and epochs among nobody. */
static void unchecked(void)
{
	int *memory, left = os_left(), right = os_right(), x = os.rank;
	MPI_Group from = group_of(1, &left), to = group_of(1, &right);
	MPI_Win win = os_window(&memory, 1, -1);

	MPI_Win_post(from, MPI_MODE_NOCHECK, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_start(to, MPI_MODE_NOCHECK, win);
	MPI_Put(&x, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	os_expect(*memory == left, "%d", *memory);
	MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, right, MPI_MODE_NOCHECK, win);
	x += 100;
	MPI_Put(&x, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	MPI_Win_unlock(right, win);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(*memory == left + 100, "%d behind a lock without check", *memory);
	MPI_Group_free(&from);
	MPI_Group_free(&to);
	os_free(&win);
}

/* An exclusive lock keeps others out of what is read and written back. */
static void exclusive(void)
{
	enum { TURNS = 100 };
	int *memory, x;
	MPI_Win win = os_window(&memory, 1, 0);

	for (int i = 0; i < TURNS; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		x++;
		MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (os.rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		os_expect(*memory == TURNS * os.size, "%d of %d turns", *memory, TURNS * os.size);
		MPI_Win_unlock(0, win);
	}
	os_free(&win);
}

/* Shared locks are held together: each waits, inside, for all to be there. */
static void shared(void)
{
	int *memory, one = 1, x = 0, late = 0;
	MPI_Win win = os_window(&memory, 2, 0);

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush(0, win);
	while (x < os.size) {
		MPI_Fetch_and_op(NULL, &x, MPI_INT, 0, 0, MPI_NO_OP, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock(0, win);
	/* and an exclusive one waits for all of them */
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Get(&late, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	late++;
	MPI_Put(&late, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(os.rank != 0 || memory[1] == os.size, "%d of %d", memory[1], os.size);
	os_free(&win);
}

static void all_locked(void)
{
	int *memory, x = os.rank;
	MPI_Win win = os_window(&memory, os.size, -1);

	MPI_Win_lock_all(0, win);
	for (int r = 0; r < os.size; r++)
		MPI_Put(&x, 1, MPI_INT, r, os.rank, 1, MPI_INT, win);
	MPI_Win_flush_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	for (int r = 0; r < os.size; r++)
		os_expect(memory[r] == r, "rank %d's is %d after a flush and a barrier", r,
			memory[r]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Win_unlock_all(win);
	os_free(&win);
}

/* Locks of several targets at once, and of one window after the other. */
static void several_locks(void)
{
	int *a, *b, x = os.rank + 1, y = 0;
	MPI_Win first = os_window(&a, os.size, 0), second = os_window(&b, os.size, 0);

	for (int r = 0; r < os.size; r++)
		MPI_Win_lock(MPI_LOCK_SHARED, r, 0, first);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, os_right(), 0, second);
	for (int r = 0; r < os.size; r++)
		MPI_Put(&x, 1, MPI_INT, r, os.rank, 1, MPI_INT, first);
	MPI_Put(&x, 1, MPI_INT, os_right(), os.rank, 1, MPI_INT, second);
	MPI_Win_flush(os_right(), second);
	MPI_Get(&y, 1, MPI_INT, os_right(), os.rank, 1, MPI_INT, first);
	for (int r = os.size; r-- > 0;)
		MPI_Win_unlock(r, first);
	MPI_Win_unlock(os_right(), second);
	os_expect(y == x || y == 0, "a get beside a put brings %d", y);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int r = 0; r < os.size; r++)
		os_expect(a[r] == r + 1, "rank %d's is %d", r, a[r]);
	os_expect(b[os_left()] == os_left() + 1, "the other window has %d", b[os_left()]);
	os_free(&first);
	os_free(&second);
}

/* More than may be unanswered at once, large ones among them. */
static void floods(void)
{
	enum { MANY = 3000, LARGE = 100000 };
	int *memory, *large = prog_alloc(&os, LARGE * sizeof(int));
	MPI_Win win = os_window(&memory, MANY + LARGE, 0);

	for (int i = 0; i < LARGE; i++)
		large[i] = os.rank + i;
	MPI_Win_fence(0, win);
	for (int i = 0; i < MANY; i++) {
		int x = os.rank * MANY + i;

		MPI_Put(&x, 1, MPI_INT, os_right(), i, 1, MPI_INT, win);
		if (i % 100 == 0)
			MPI_Put(large, LARGE, MPI_INT, os_right(), MANY, LARGE, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	for (int i = 0; i < MANY; i++)
		os_expect(memory[i] == os_left() * MANY + i, "element %d is %d", i, memory[i]);
	for (int i = 0; i < LARGE; i++)
		os_expect(memory[MANY + i] == os_left() + i, "large element %d", i);
	os_free(&win);
	free(large);
}

/* The target computes, and sees in its memory what others do there, without a call of MPI: what the
 * unified model promises (section 12.4), and a race in the eyes of the thread sanitizer. */
__attribute__((no_sanitize("thread"))) static void while_computing(void)
{
	int *memory, x = 1;
	volatile int *seen;
	MPI_Win win = os_window(&memory, 1, 0);

	seen = memory;
	if (os.rank == 0)
		while (*seen < os.size - 1)
			;
	for (int i = 0; os.rank != 0 && i < 1; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_unlock(0, win);
	}
	os_expect(os.rank != 0 || *seen == os.size - 1, "%d", *seen);
	os_free(&win);
}

/* The target waits in a call that has nothing to do with the window. */
static void while_receiving(void)
{
	int *memory, x = 5, token = 0;
	MPI_Win win = os_window(&memory, 1, 0);

	if (os.rank == 0 && os.size > 1)
		MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (os.rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	os_expect(os.rank != 0 || os.size == 1 || *memory == 5, "%d", *memory);
	os_free(&win);
}

/* All kinds of epochs on one window, one after the other. */
static void mixed(void)
{
	int *memory, x = os.rank + 1, left = os_left(), right = os_right();
	MPI_Group from = group_of(1, &left), to = group_of(1, &right);
	MPI_Win win = os_window(&memory, 1, 0);

	for (int round = 0; round < 5; round++) {
		MPI_Win_fence(0, win);
		MPI_Accumulate(&x, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_fence(0, win);
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Accumulate(&x, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_complete(win);
		MPI_Win_wait(win);
		MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
		MPI_Accumulate(&x, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_unlock(right, win);
		MPI_Barrier(MPI_COMM_WORLD);
		os_expect(*memory == 3 * (round + 1) * (left + 1), "round %d: %d", round, *memory);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Group_free(&from);
	MPI_Group_free(&to);
	os_free(&win);
}

const struct prog_case os_syncs[] = {
	{"fences", fences},
	{"post and start", post_and_start},
	{"one exposes", one_exposes},
	{"unchecked", unchecked},
	{"exclusive", exclusive},
	{"shared", shared},
	{"all locked", all_locked},
	{"several locks", several_locks},
	{"floods", floods},
	{"while computing", while_computing},
	{"while receiving", while_receiving},
	{"mixed", mixed},
	{NULL, NULL},
};
