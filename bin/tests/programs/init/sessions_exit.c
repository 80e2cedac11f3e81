/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions: how programs end that have sessions; and one that is begun again from a line. */
#include "sessions.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ftmpi.h>

/* ---- ends ---- */

static MPI_Session open_at_exit;

/* Rank 1 returns from main with a session. */
void end_open(void)
{
	find_place();
	if (prog.rank == 1)
		open_at_exit = begin_session();
}

/* MPI_Finalize is not the end of a session. */
void end_open_beside_world(void)
{
	IS(MPI_Init(NULL, NULL), MPI_SUCCESS);
	open_at_exit = begin_session();
	IS(MPI_Finalize(), MPI_SUCCESS);
	find_place();
	if (prog.rank != 1)
		IS(MPI_Session_finalize(&open_at_exit), MPI_SUCCESS);
}

void end_late_call(void)
{
	MPI_Group empty = MPI_GROUP_EMPTY;
	int size;

	find_place();
	MPI_Group_size(empty, &size);
	prog_wrong(&prog, "a call without any session came back");
}

void end_world_named(void)
{
	MPI_Session session = begin_session();
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Session_finalize(&session);
	prog_wrong(&prog, "MPI_COMM_WORLD is there without MPI_Init");
}

/* A session goes on behind MPI_Finalize, the world does not; nor is its handler asked any more. */
void end_world_gone(void)
{
	MPI_Session session = begin_session();
	int size;

	IS(MPI_Init(NULL, NULL), MPI_SUCCESS);
	IS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
	IS(MPI_Finalize(), MPI_SUCCESS);
	MPI_Comm_size(MPI_COMM_SELF, &size);
	MPI_Session_finalize(&session);
	prog_wrong(&prog, "MPI_COMM_SELF is there after MPI_Finalize");
}

void end_with_status(void)
{
	find_place();
	right("status");
	exit(prog.rank == 1 ? 3 : 0);
}

static void finalize_at_exit(void)
{
	MPI_Comm c = pset_comm(open_at_exit, "mpi://WORLD", "at exit");

	talks(c);
	IS(MPI_Comm_free(&c), MPI_SUCCESS);
	IS(MPI_Session_finalize(&open_at_exit), MPI_SUCCESS);
	right("at exit");
}

/* What the program has registered for its exit, be it before all of MPI, may use MPI. */
void end_at_exit(void)
{
	IS(atexit(finalize_at_exit), 0);
	find_place();
	open_at_exit = begin_session();
}

/* status of a child that does this */
static int child(void (*what)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		what();
		exit(0);
	}
	IS(pid > 0 && waitpid(pid, &status, 0) == pid, 1);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void nothing(void)
{
}

static void new_session(void)
{
	(void)begin_session();
}

static void new_world(void)
{
	MPI_Init(NULL, NULL);
}

/* A child that exits takes nothing away from the rank, whether there is a session or not. */
void end_child(void)
{
	find_place();
	IS(child(nothing), 0);
	open_at_exit = begin_session();
	IS(child(nothing), 0);
	IS(child(new_session), 1);
	IS(MPI_Session_finalize(&open_at_exit), MPI_SUCCESS);
	IS(child(new_session), 1);
	IS(child(new_world), 1);
	find_place();
	right("child");
}

/* ---- begun again ---- */

enum { ROUNDS = 40, TAG = 4 };

/* All that a rank needs to go on. */
static struct {
	int64_t round, value;
} state;

static long number_after(const char *word, long otherwise)
{
	for (char **w = words; *w; w++)
		if (strcmp(*w, word) == 0 && w[1])
			return strtol(w[1], NULL, 10);
	return otherwise;
}

static void say(const char *what, int64_t round)
{
	if (prog.rank == 0)
		printf("%s %d\n", what, (int)round);
	fflush(stdout);
}

static void pass_on(MPI_Comm ring)
{
	IS(MPI_Bsend(&state.value, 1, MPI_INT64_T, (prog.rank + 1) % prog.size, TAG, ring),
		MPI_SUCCESS);
}

static void take_over(MPI_Comm ring)
{
	int64_t from = -1;

	IS(MPI_Recv(&from, 1, MPI_INT64_T, (prog.rank + prog.size - 1) % prog.size, TAG, ring,
		   MPI_STATUS_IGNORE),
		MPI_SUCCESS);
	state.value = (state.value * 31 + from + prog.rank) % 1000003;
}

static void make_line(long every)
{
	int verdict;

	if (every == 0 || state.round % every != 0)
		return;
	verdict = FTMPI_Perform_Checkpoint();
	if (verdict == FTMPI_CHECKPOINTED)
		verdict = FTMPI_CKPT_Wait();
	IS(verdict, FTMPI_CHECKPOINTED);
	say("line after round", state.round);
}

static void hold(long round)
{
	int run = -1;

	IS(FTMPI_Get_restart_count(&run), MPI_SUCCESS);
	if (run > 0 || state.round != round)
		return;
	printf("rank %d waits after round %ld\n", prog.rank, round);
	fflush(stdout);
	for (;;)
		pause();
}

/* Each line has a message in transit, in a buffer of the session, on a communicator of it. */
static void play(MPI_Comm ring, MPI_Comm all)
{
	int64_t sum = -1;

	IS(FTMPI_CKPT_Protect(0, &state, sizeof state, MPI_BYTE), MPI_SUCCESS);
	if (FTMPI_Restore() == FTMPI_RESTORED)
		say("restored after round", state.round);
	else
		pass_on(ring);
	while (state.round < ROUNDS) {
		take_over(ring);
		pass_on(ring);
		state.round++;
		if (state.round % 7 == 0)
			find_place();
		make_line(number_after("-ckpt", 0));
		hold(number_after("-hold", -1));
	}
	take_over(ring);
	IS(MPI_Allreduce(&state.value, &sum, 1, MPI_INT64_T, MPI_SUM, all), MPI_SUCCESS);
	if (prog.rank == 0)
		printf("sessions: right, %lld after %d rounds, %d ranks\n", (long long)sum, ROUNDS,
			prog.size);
}

void steps(void)
{
	MPI_Session one = begin_session(), two = begin_session();
	MPI_Comm ring = pset_comm(one, "mpi://WORLD", "ring");
	MPI_Comm all = pset_comm(two, "mpi://WORLD", "all");

	IS(MPI_Comm_rank(all, &prog.rank), MPI_SUCCESS);
	IS(MPI_Comm_size(all, &prog.size), MPI_SUCCESS);
	state.value = prog.rank + 1;
	IS(MPI_Session_attach_buffer(one, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
	play(ring, all);
	IS(MPI_Comm_free(&ring), MPI_SUCCESS);
	IS(MPI_Comm_free(&all), MPI_SUCCESS);
	IS(MPI_Session_finalize(&one), MPI_SUCCESS);
	IS(MPI_Session_finalize(&two), MPI_SUCCESS);
}
