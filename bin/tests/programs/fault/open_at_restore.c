/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_at_restore: what a program has begun before FTMPI_Restore and ends after it. In the
 * first run the call returns at once; in the next ones the library goes back to a line while
 * all of that is in progress. In each step each rank then exchanges a number with its
 * neighbours, with the tag of the open messages, makes a line, and adds up what it got; so a
 * message too many or too few makes the sum wrong.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "asleep.h"
#include "prog.h"
#include "steps.h"

enum { TAG = 7, TAG_LONG, TAG_THREAD, OPERATIONS = 3, COUNT = 1 << 16, LONG = 48 << 20 };
enum { VAR_STATE = 1, VAR_LONG };

static struct steps steps = STEPS_DEFAULT;
static const char *what = "reductions";
static long last = 8;
static int late, without;
static const struct prog_option options[] = {
	{"-open", "WHAT", PROG_TEXT, &what, 0,
		"nothing, reductions (default), persistent, copy, receive, send, half, epoch, "
		"thread"},
	{"-steps", "N", PROG_LONG, &last, 0, "so many steps (default 8)"},
	{"-late", NULL, PROG_FLAG, &late, 0, "rank r makes its lines r steps later"},
	{"-without", NULL, PROG_FLAG, &without, 0, "FTMPI_Restore is not called"},
	STEPS_OPTIONS(steps),
};
static struct prog prog = {.name = "open_at_restore",
	.text = "operations that are open across FTMPI_Restore",
	.options = options,
	.count = sizeof options / sizeof *options};

static struct {
	long step;
	long sum;
} state;

static MPI_Request requests[OPERATIONS];
static int left, right;

/* ---- collective operations ---- */

static double *in[OPERATIONS], *out[OPERATIONS];

static void reductions_alloc(void)
{
	for (int i = 0; i < OPERATIONS; i++) {
		in[i] = prog_alloc(&prog, COUNT * sizeof *in[i]);
		out[i] = prog_alloc(&prog, COUNT * sizeof *out[i]);
		for (int k = 0; k < COUNT; k++)
			in[i][k] = prog.rank + i + k % 5;
	}
}

/* An operator that takes its time, so that the operations are still at it while the others restore.
 */
static void add_slowly(void *from, void *to, int *n, MPI_Datatype *t)
{
	const double *a = from;
	double *b = to;
	volatile double x = 0;

	(void)t;
	for (int i = 0; i < 4000000; i++)
		x += i;
	for (int i = 0; i < *n; i++)
		b[i] += a[i];
}

static MPI_Op slowly;

static void reductions_begin(void)
{
	reductions_alloc();
	MPI_Op_create(add_slowly, 1, &slowly);
	for (int i = 0; i < OPERATIONS; i++)
		MPI_Iallreduce(
			in[i], out[i], COUNT, MPI_DOUBLE, slowly, MPI_COMM_WORLD, &requests[i]);
}

static void reductions_end(void)
{
	double ranks = prog.size * (prog.size - 1) / 2;

	MPI_Waitall(OPERATIONS, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < OPERATIONS; i++)
		for (int k = 0; k < COUNT; k++)
			if (out[i][k] != ranks + prog.size * (i + k % 5))
				prog_wrong(
					&prog, "operation %d, element %d is %g", i, k, out[i][k]);
}

static void reductions_free(void)
{
	MPI_Op_free(&slowly);
}

static void persistent_begin(void)
{
	reductions_alloc();
	MPI_Op_create(add_slowly, 1, &slowly);
	for (int i = 0; i < OPERATIONS; i++)
		MPI_Allreduce_init(in[i], out[i], COUNT, MPI_DOUBLE, slowly, MPI_COMM_WORLD,
			MPI_INFO_NULL, &requests[i]);
	MPI_Startall(OPERATIONS, requests);
}

/* Started once more for each step, and ended before its line. */
static void persistent_again(void)
{
	for (int i = 0; i < OPERATIONS; i++)
		memset(out[i], 0, COUNT * sizeof *out[i]);
	MPI_Startall(OPERATIONS, requests);
	reductions_end();
}

static void persistent_free(void)
{
	for (int i = 0; i < OPERATIONS; i++)
		MPI_Request_free(&requests[i]);
	reductions_free();
}

static MPI_Comm copy;

static void copy_begin(void)
{
	MPI_Comm_idup(MPI_COMM_WORLD, &copy, &requests[0]);
}

static void copy_end(void)
{
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void copy_again(void)
{
	int one = 1, sum = 0;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
	if (sum != prog.size)
		prog_wrong(&prog, "the copy has %d ranks", sum);
}

static void copy_free(void)
{
	MPI_Comm_free(&copy);
}

/* Rank 0 begins it before, the others after. */
static void half(bool mine)
{
	static int one = 1, sum;

	if (!mine)
		return;
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
}

static void half_begin(void)
{
	half(prog.rank == 0);
}

static void half_end(void)
{
	half(prog.rank != 0);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* ---- messages ---- */

static int said, heard, heard_again;
static MPI_Request again = MPI_REQUEST_NULL;

/* The first one stays open until the end, so each line holds its message. */
static void receive_begin(void)
{
	said = 1000 * (steps.run + 1);
	MPI_Irecv(&heard, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(&said, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(&said, 1, MPI_INT, right, TAG_LONG, MPI_COMM_WORLD, &requests[2]);
}

/* The second message was not received before, and is void after a restore; the receive that was
 * open in the line is posted again. */
static void receive_end(void)
{
	int second = 0;

	MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE);
	if (state.step > 0) {
		MPI_Irecv(&heard_again, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &again);
		return;
	}
	MPI_Recv(&second, 1, MPI_INT, left, TAG_LONG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (second != said)
		prog_wrong(&prog, "%d came, not %d", second, said);
}

static void receive_free(void)
{
	int more = 0;

	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	if (heard != said)
		prog_wrong(&prog, "what was open has got %d, not %d", heard, said);
	MPI_Wait(&again, MPI_STATUS_IGNORE);
	if (steps.run && heard_again != 1000)
		prog_wrong(&prog, "the line held %d, not 1000", heard_again);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &more, MPI_STATUS_IGNORE);
	if (more)
		prog_wrong(&prog, "a message is left over");
}

static uint8_t *area;

static void protect(int id, void *addr, MPI_Count bytes)
{
	if (FTMPI_CKPT_Protect(id, addr, bytes, MPI_BYTE) != MPI_SUCCESS)
		prog_wrong(&prog, "FTMPI_CKPT_Protect of %d failed", id);
}

/* Rank 1 sends from memory that the line gives back. */
static void send_begin(void)
{
	area = prog_alloc(&prog, LONG);
	memset(area, 1, LONG);
	if (prog.rank == 1) {
		protect(VAR_LONG, area, LONG);
		MPI_Isend(area, LONG, MPI_BYTE, 3, TAG_LONG, MPI_COMM_WORLD, &requests[0]);
	}
	if (prog.rank == 3)
		MPI_Irecv(area, LONG, MPI_BYTE, 1, TAG_LONG, MPI_COMM_WORLD, &requests[0]);
}

static void send_end(void)
{
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	for (size_t i = 0; prog.rank == 3 && i < LONG; i++)
		if (area[i] != 1)
			prog_wrong(&prog, "byte %zu is not what was sent, but of a line", i);
	if (prog.rank == 1)
		memset(area, 2, LONG);
}

/* ---- windows ---- */

static MPI_Win win;

/* Rank 1 puts into memory of rank 3 that the line gives back. */
static void epoch_begin(void)
{
	area = prog_alloc(&prog, LONG);
	memset(area, prog.rank == 1, LONG);
	if (prog.rank == 3)
		protect(VAR_LONG, area, LONG);
	MPI_Win_create(area, LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank != 1)
		return;
	MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win);
	MPI_Put(area, LONG, MPI_BYTE, 3, 0, LONG, MPI_BYTE, win);
}

static void epoch_end(void)
{
	if (prog.rank == 1)
		MPI_Win_unlock(3, win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (size_t i = 0; prog.rank == 3 && i < LONG; i++)
		if (area[i] != (state.step ? 2 : 1))
			prog_wrong(&prog, "byte %zu is %d after step %ld", i, area[i], state.step);
	if (prog.rank == 3)
		memset(area, 2, LONG);
}

static void epoch_free(void)
{
	MPI_Win_free(&win);
}

/* ---- threads ---- */

static pthread_t thread;
static _Atomic long listener;

static void *listen(void *arg)
{
	listener = asleep_self();
	MPI_Recv(NULL, 0, MPI_BYTE, prog.rank, TAG_THREAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return arg;
}

static void thread_begin(void)
{
	if (prog.rank != 1)
		return;
	if (pthread_create(&thread, NULL, listen, NULL) != 0)
		prog_wrong(&prog, "no thread");
	asleep_wait(&prog, &listener, ASLEEP_WATCHING);
}

static void thread_end(void)
{
	if (prog.rank != 1)
		return;
	MPI_Send(NULL, 0, MPI_BYTE, prog.rank, TAG_THREAD, MPI_COMM_WORLD);
	pthread_join(thread, NULL);
}

/* ---- the program ---- */

static void nothing(void)
{
}

static const struct way {
	const char *name;
	void (*begin)(void), (*end)(void), (*again)(void), (*free)(void);
} ways[] = {
	{"nothing", nothing, nothing, nothing, nothing},
	{"reductions", reductions_begin, reductions_end, nothing, reductions_free},
	{"persistent", persistent_begin, reductions_end, persistent_again, persistent_free},
	{"copy", copy_begin, copy_end, copy_again, copy_free},
	{"half", half_begin, half_end, nothing, nothing},
	{"receive", receive_begin, receive_end, nothing, receive_free},
	{"send", send_begin, send_end, nothing, nothing},
	{"epoch", epoch_begin, epoch_end, nothing, epoch_free},
	{"thread", thread_begin, thread_end, nothing, nothing},
};

static const struct way *find_way(void)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, what) == 0)
			return &ways[i];
	prog_wrong(&prog, "-open %s: try -h", what);
}

static void step(void)
{
	long mine = 100 * prog.rank + state.step, got = -1;

	MPI_Sendrecv(&mine, 1, MPI_LONG, right, TAG, &got, 1, MPI_LONG, left, TAG, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	if (got != 100 * left + state.step)
		prog_wrong(&prog, "in step %ld %ld comes", state.step, got);
	state.sum += got;
}

static void make_line(void)
{
	long at = state.step - (late ? prog.rank : 0);
	int verdict;

	if (at <= 0 || !steps_line_wanted(&steps, at))
		return;
	verdict = FTMPI_Perform_Checkpoint();
	if (verdict == FTMPI_RESTORED)
		steps_restored(&steps, state.step);
	else if (late)
		steps_line_here(&steps, state.step, verdict);
	else
		steps_line(&steps, state.step, verdict);
}

static void go(const struct way *way)
{
	long total = 0;

	while (state.step < last) {
		state.step++;
		step();
		way->again();
		make_line();
		steps_done(&steps, state.step);
	}
	way->free();
	MPI_Reduce(&state.sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("open_at_restore: right, %ld, %s\n", total, what);
}

int main(int argc, char **argv)
{
	const struct way *way;
	int given;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
	prog_begin(&prog, argc, argv);
	steps_begin(&steps, &prog);
	steps.hold += 2 * steps.run;
	left = (prog.rank + prog.size - 1) % prog.size;
	right = (prog.rank + 1) % prog.size;
	for (int i = 0; i < OPERATIONS; i++)
		requests[i] = MPI_REQUEST_NULL;
	protect(VAR_STATE, &state, sizeof state);
	way = find_way();
	way->begin();
	if (!without && FTMPI_Restore() == FTMPI_RESTORED)
		steps_restored(&steps, state.step);
	way->end();
	go(way);
	MPI_Finalize();
	return 0;
}
