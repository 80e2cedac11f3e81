/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 sends to rank 1, which answers nothing before the end. Rank 0 prints by how much its
 * memory has grown since it sent the first message.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "prog.h"

enum { BYTES = 1 << 16, TAG = 3 };

static long messages = 1000;

static const struct prog_option options[] = {
	{"messages", "N", PROG_LONG, &messages, 1, "how many, of 64 KiB each"}};
static struct prog prog = {.name = "one_way",
	.text = "rank 0 sends to rank 1, which does not answer",
	.options = options,
	.count = 1};

static long most_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void send_all(unsigned char *message)
{
	long before;
	int all_right;

	MPI_Send(message, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
	before = most_kib();
	for (long i = 1; i < messages; i++) {
		message[i % BYTES] = (unsigned char)i;
		MPI_Send(message, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
	}
	MPI_Recv(&all_right, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("one_way: %s, grown by %ld KiB\n", all_right ? "right" : "wrong",
		most_kib() - before);
}

static void receive_all(unsigned char *message)
{
	int all_right = 1;

	for (long i = 0; i < messages; i++) {
		MPI_Recv(message, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		all_right &= message[i % BYTES] == (unsigned char)i;
	}
	MPI_Send(&all_right, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	unsigned char *message;
	int rank, size;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2)
		prog_wrong(&prog, "it needs 2 ranks");
	message = calloc(1, BYTES);
	if (!message)
		prog_wrong(&prog, "there is no memory");
	if (rank == 0)
		send_all(message);
	else
		receive_all(message);
	free(message);
	MPI_Finalize();
	return 0;
}
