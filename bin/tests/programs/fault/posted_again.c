/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives that are open in a checkpoint of data under message logging. Rank 0 kills itself behind
 * its checkpoints, the first time that it comes there (a file tells), and goes on from them. Three
 * ranks.
 *
 *     prefix     what a receive of before FTMPI_Restore had got then is its own again, and nobody
 *		  else's
 *     slow       the same; rank 1 fails, too, and what it had sent by then comes late
 *     later      a second checkpoint is made before the receives of the first are posted again:
 *		  they get what they had got
 *     truncated  a message that was too long is too long again
 */
#include <fcntl.h>
#include <ftmpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "prog.h"

enum { DATA = 1, SAY, ANSWER, OVER };

static struct prog prog = {.name = "posted_again", .text = "has receives open in checkpoints"};
static int rank, state, restored, values[2] = {-1, -1};
static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static const char *marks; /* a path, to which names are added */

static void die_once(const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s.%s", marks, name);
	if (open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		kill(getpid(), SIGKILL);
}

static void save(int next)
{
	state = next;
	if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED ||
		FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "there is no checkpoint for state %d", next);
}

static void must(int is, int wanted, const char *what)
{
	if (is != wanted)
		prog_wrong(&prog, "%s: %d, and not %d", what, is, wanted);
}

static void send(int value, int to, int tag)
{
	MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static int receive(int from, int tag)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}

static void restore(void)
{
	if (FTMPI_CKPT_Protect(1, &state, 1, MPI_INT) != MPI_SUCCESS)
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
	restored = FTMPI_Restore() == FTMPI_RESTORED;
}

static void prefix(void)
{
	if (rank == 1)
		send(1, 0, DATA);
	if (rank == 0)
		MPI_Irecv(&values[0], 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, &requests[0]);
	MPI_Barrier(MPI_COMM_WORLD);
	restore();
	if (rank == 1)
		send(2, 0, DATA);
	if (rank != 0)
		return;
	if (!restored) {
		save(1);
		die_once("prefix");
	}
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	must(values[0], 1, "the receive of before");
	must(receive(1, DATA), 2, "the next message");
}

/* Rank 2 tells rank 0 that the message is there. */
static void slow(void)
{
	int one = 1;

	if (rank == 0) {
		MPI_Irecv(&values[0], 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, &requests[0]);
		receive(2, SAY);
	} else if (rank == 1) {
		MPI_Ssend(&one, 1, MPI_INT, 0, DATA, MPI_COMM_WORLD);
		send(0, 2, SAY);
	} else {
		receive(1, SAY);
		send(0, 0, SAY);
	}
	restore();
	if (rank == 1) {
		receive(0, SAY);
		die_once("sender");
		send(2, 0, DATA);
	}
	if (rank != 0)
		return;
	if (!restored)
		save(1);
	send(0, 1, SAY);
	die_once("slow");
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	must(values[0], 1, "the receive of before");
	must(receive(1, DATA), 2, "the next message");
}

static void post_two(void)
{
	for (int i = 0; i < 2; i++)
		MPI_Irecv(
			&values[i], 1, MPI_INT, MPI_ANY_SOURCE, DATA, MPI_COMM_WORLD, &requests[i]);
}

/* Rank 1 sends, says so, and then rank 2 does. */
static void later(void)
{
	restore();
	if (rank != 0) {
		receive(0, SAY);
		send(rank, 0, DATA);
		send(0, 0, ANSWER);
		receive(0, OVER);
		return;
	}
	if (!restored) {
		post_two();
		save(1);
		die_once("first");
	}
	if (state == 1)
		save(2);
	post_two();
	for (int i = 1; i < 3; i++) {
		send(0, i, SAY);
		receive(i, ANSWER);
	}
	die_once("later");
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	must(values[0], 1, "the first receive");
	must(values[1], 2, "the second receive");
	save(3);
	for (int i = 1; i < 3; i++)
		send(0, i, OVER);
}

static void truncated(void)
{
	int two[2] = {1, 2}, class;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	restore();
	if (rank == 1) {
		MPI_Send(two, 2, MPI_INT, 0, DATA, MPI_COMM_WORLD);
		send(0, 0, SAY);
	}
	if (rank != 0)
		return;
	MPI_Irecv(&values[0], 1, MPI_INT, 1, DATA, MPI_COMM_WORLD, &requests[0]);
	if (!restored) {
		receive(1, SAY);
		save(1);
		die_once("truncated");
	}
	MPI_Error_class(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), &class);
	must(class, MPI_ERR_TRUNCATE, "the class of the error");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	prog.rank = rank;
	if (argc != 3)
		prog_wrong(&prog, "posted_again CASE MARKS");
	marks = argv[2];
	if (strcmp(argv[1], "prefix") == 0)
		prefix();
	else if (strcmp(argv[1], "slow") == 0)
		slow();
	else if (strcmp(argv[1], "later") == 0)
		later();
	else
		truncated();
	if (rank == 0)
		printf("posted_again: right\n");
	MPI_Finalize();
	return 0;
}
