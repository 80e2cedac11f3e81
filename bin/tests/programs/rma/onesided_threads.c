/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads at once: on one window, and each on its own. */
#include <pthread.h>
#include <stdlib.h>

#include "onesided.h"

enum { THREADS = 4, TURNS = 50 };

struct work {
	pthread_t thread;
	int id;
	MPI_Win win;
	int *memory;
};

static void each_thread(void *(*run)(void *), MPI_Win win)
{
	struct work w[THREADS];

	for (int i = 0; i < THREADS; i++) {
		w[i] = (struct work){.id = i, .win = win};
		os_expect(pthread_create(&w[i].thread, NULL, run, &w[i]) == 0, "no thread %d", i);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
}

/* Within one epoch of the process. */
static void *add(void *arg)
{
	struct work *w = arg;
	int one = 1, old, mine = -1;

	for (int i = 0; i < TURNS; i++)
		for (int r = 0; r < os.size; r++) {
			MPI_Accumulate(&one, 1, MPI_INT, r, w->id, 1, MPI_INT, MPI_SUM, w->win);
			MPI_Fetch_and_op(&one, &old, MPI_INT, r, THREADS, MPI_SUM, w->win);
			MPI_Win_flush(r, w->win);
			os_expect(old > mine || r > 0, "it went back from %d to %d", mine, old);
			mine = r == 0 ? old : mine;
		}
	return NULL;
}

static void one_epoch(void)
{
	int *memory;
	MPI_Win win = os_window(&memory, THREADS + 1, 0);

	MPI_Win_lock_all(0, win);
	each_thread(add, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < THREADS; i++)
		os_expect(memory[i] == TURNS * os.size, "thread %d's is %d", i, memory[i]);
	os_expect(memory[THREADS] == THREADS * TURNS * os.size, "all: %d", memory[THREADS]);
	os_free(&win);
}

/* Each thread locks a target of its own, where there are as many. */
static void *lock(void *arg)
{
	struct work *w = arg;
	int x;

	for (int r = w->id; r < os.size; r += THREADS)
		for (int i = 0; i < TURNS; i++) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, w->win);
			MPI_Get(&x, 1, MPI_INT, r, 0, 1, MPI_INT, w->win);
			MPI_Win_flush(r, w->win);
			x++;
			MPI_Put(&x, 1, MPI_INT, r, 0, 1, MPI_INT, w->win);
			MPI_Win_unlock(r, w->win);
		}
	return NULL;
}

static void own_targets(void)
{
	int *memory;
	MPI_Win win = os_window(&memory, 1, 0);

	each_thread(lock, win);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(*memory == TURNS * os.size, "%d turns", *memory);
	os_free(&win);
}

/* Windows of their own, on communicators of their own, with fences. */
static MPI_Comm comms[THREADS];

static void *fences(void *arg)
{
	struct work *w = arg;
	int *memory, x;
	MPI_Win win;

	MPI_Win_allocate(4, 4, MPI_INFO_NULL, comms[w->id], &memory, &win);
	for (int i = 0; i < TURNS; i++) {
		MPI_Win_fence(0, win);
		x = i * THREADS + w->id;
		MPI_Put(&x, 1, MPI_INT, os_right(), 0, 1, MPI_INT, win);
		MPI_Win_fence(0, win);
		os_expect(*memory == x, "turn %d: %d", i, *memory);
	}
	MPI_Win_free(&win);
	return NULL;
}

static void own_windows(void)
{
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	each_thread(fences, MPI_WIN_NULL);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comms[i]);
}

const struct prog_case os_threads[] = {
	{"threads in one epoch", one_epoch},
	{"threads with own targets", own_targets},
	{"threads with own windows", own_windows},
	{NULL, NULL},
};
