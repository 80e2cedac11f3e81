/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * halo: cells in a ring, shared out to the ranks; in each step a rank puts its outermost cells into
 * its neighbours' windows, in turn by fences, by post and start, and by locks, and adds to a number
 * of rank 0's. Rank 0 computes the same alone and compares. Makes recovery lines between epochs; a
 * run that is restored makes the window again over the memory that it protects.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "prog.h"
#include "steps.h"

enum { CELLS = 1000, LEFT = 0, FIRST = 1, LAST = CELLS, RIGHT = CELLS + 1, SUM, ALL };
enum { PRIME = 1000003 };

static long steps_wanted = 60;
static int refused;
static struct steps steps = STEPS_DEFAULT;
static struct prog prog = {.name = "halo", .text = "exchanges the edges of a ring by windows"};
static int64_t *memory, step;
static MPI_Win win;
static int left, right;
static MPI_Group neighbours;

static int64_t begin_with(int64_t i)
{
	return i * i % 1009;
}

static int64_t evolve(int64_t a, int64_t b, int64_t c, int64_t now)
{
	return (a + 3 * b + 5 * c + now) % PRIME;
}

/* ---- epochs ---- */

static void put_edges(void)
{
	MPI_Put(&memory[LAST], 1, MPI_INT64_T, right, LEFT, 1, MPI_INT64_T, win);
	MPI_Put(&memory[FIRST], 1, MPI_INT64_T, left, RIGHT, 1, MPI_INT64_T, win);
}

static void by_fences(void)
{
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	put_edges();
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void by_post(void)
{
	MPI_Win_post(neighbours, 0, win);
	MPI_Win_start(neighbours, 0, win);
	put_edges();
	MPI_Win_complete(win);
	MPI_Win_wait(win);
}

/* A lock tells nothing of the other's program: it may still be computing. */
static void by_locks(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	put_edges();
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void exchange(void)
{
	static void (*const ways[])(void) = {by_fences, by_post, by_locks};
	int64_t edge = memory[FIRST];

	ways[step % 3]();
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Accumulate(&edge, 1, MPI_INT64_T, 0, SUM, 1, MPI_INT64_T, MPI_SUM, win);
	MPI_Win_unlock(0, win);
}

static void compute(void)
{
	int64_t before = memory[LEFT];

	for (int i = FIRST; i <= LAST; i++) {
		int64_t now = memory[i];

		memory[i] = evolve(before, now, memory[i + 1], step);
		before = now;
	}
}

/* ---- the same, alone ---- */

static int64_t alone(int64_t *all, int64_t n)
{
	int64_t *next = prog_alloc(&prog, (size_t)n * sizeof *next), sum = 0;

	for (int64_t i = 0; i < n; i++)
		all[i] = begin_with(i);
	for (int64_t s = 0; s < steps_wanted; s++) {
		for (int r = 0; r < prog.size; r++)
			sum += all[r * CELLS];
		for (int64_t i = 0; i < n; i++)
			next[i] = evolve(all[(i + n - 1) % n], all[i], all[(i + 1) % n], s);
		memcpy(all, next, (size_t)n * sizeof *next);
	}
	free(next);
	return sum;
}

static void judge(const int64_t *got)
{
	int64_t n = (int64_t)prog.size * CELLS, *all = prog_alloc(&prog, (size_t)n * sizeof *all);
	int64_t sum = alone(all, n), check = 0;

	for (int64_t i = 0; i < n; i++) {
		if (got[i] != all[i])
			prog_wrong(&prog, "cell %" PRId64 " is %" PRId64 ", not %" PRId64, i,
				got[i], all[i]);
		check = (check * 31 + all[i]) % PRIME;
	}
	if (memory[SUM] != sum)
		prog_wrong(&prog, "the sum is %" PRId64 ", not %" PRId64, memory[SUM], sum);
	printf("halo: right, checksum %" PRId64 ", sum %" PRId64 ", %ld steps, %d ranks\n", check,
		sum, steps_wanted, prog.size);
	free(all);
}

/* ---- lines that are refused ---- */

static void expect(const char *what, int verdict, int should)
{
	if (verdict != should)
		prog_wrong(&prog, "%s: the verdict is %d, not %d", what, verdict, should);
}

static void open_epoch(int how)
{
	switch (how) {
	case 0:
		MPI_Win_fence(0, win);
		if (prog.rank == prog.size - 1)
			put_edges();
		break;
	case 1:
		if (prog.rank == prog.size - 1)
			MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		break;
	case 2:
		MPI_Win_post(neighbours, 0, win);
		MPI_Win_start(neighbours, 0, win);
		break;
	default:
		MPI_Win_lock_all(0, win);
	}
}

static void close_epoch(int how)
{
	switch (how) {
	case 0:
		MPI_Win_fence(0, win);
		break;
	case 1:
		if (prog.rank == prog.size - 1)
			MPI_Win_unlock(0, win);
		break;
	case 2:
		MPI_Win_complete(win);
		expect("exposed", FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR);
		MPI_Win_wait(win);
		break;
	default:
		MPI_Win_unlock_all(win);
	}
}

/* Under a protocol that waits for all: one open epoch on one rank is enough. */
static void refuse_open_epochs(void)
{
	for (int how = 0; how < 4; how++) {
		open_epoch(how);
		expect("open", FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR);
		close_epoch(how);
		expect("closed", FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	}
}

/* Under one that does not: a window is enough. */
static void refuse_windows(void)
{
	expect("a window", FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR);
	expect("its line is given up", FTMPI_CKPT_Wait(), FTMPI_CKPTERROR);
	MPI_Win_free(&win);
	expect("no window", FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	expect("its line", FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
}

static void refuse(void)
{
	if (refused == 1)
		refuse_open_epochs();
	else
		refuse_windows();
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("halo: right, refused, %d ranks\n", prog.size);
}

/* ---- the whole ---- */

static void prepare(void)
{
	MPI_Group world;
	int ranks[2];

	left = (prog.rank + prog.size - 1) % prog.size;
	right = (prog.rank + 1) % prog.size;
	ranks[0] = left;
	ranks[1] = right;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, left == right ? 1 : 2, ranks, &neighbours);
	MPI_Group_free(&world);
	memory = prog_alloc(&prog, ALL * sizeof *memory);
	memset(memory, 0, ALL * sizeof *memory);
	for (int i = FIRST; i <= LAST; i++)
		memory[i] = begin_with((int64_t)prog.rank * CELLS + i - FIRST);
	if (FTMPI_CKPT_Protect(1, &step, 1, MPI_INT64_T) != MPI_SUCCESS ||
		FTMPI_CKPT_Protect(2, memory, ALL, MPI_INT64_T) != MPI_SUCCESS)
		prog_wrong(&prog, "its state cannot be protected");
	if (FTMPI_Restore() == FTMPI_RESTORED)
		steps_restored(&steps, step);
	MPI_Win_create(
		memory, ALL * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static void run(void)
{
	int64_t *got =
		prog.rank ? NULL : prog_alloc(&prog, (size_t)prog.size * CELLS * sizeof *got);

	while (step < steps_wanted) {
		exchange();
		compute();
		step++;
		if (steps_line_wanted(&steps, step))
			steps_line(&steps, step, FTMPI_Perform_Checkpoint());
		steps_done(&steps, step);
	}
	MPI_Gather(memory + FIRST, CELLS, MPI_INT64_T, got, CELLS, MPI_INT64_T, 0, MPI_COMM_WORLD);
	if (prog.rank == 0)
		judge(got);
	free(got);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	long how = 0;
	const struct prog_option options[] = {
		{"steps", NULL, PROG_LONG, &steps_wanted, 0, "how many (default 60)"},
		{"-refused", "N", PROG_LONG, &how, 0,
			"only see lines refused: 1 with open epochs, 2 with windows"},
		STEPS_OPTIONS(steps),
	};

	prog.options = options;
	prog.count = sizeof options / sizeof *options;
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	steps_begin(&steps, &prog);
	refused = (int)how;
	prepare();
	if (refused)
		refuse();
	else
		run();
	MPI_Group_free(&neighbours);
	free(memory);
	MPI_Finalize();
	return 0;
}
