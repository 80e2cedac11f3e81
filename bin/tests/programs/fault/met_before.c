/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 takes two messages, and makes no call of MPI until rank 1 has done something that it does
 * behind the second. Rank 1 stops between the two, and does not when it runs again.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { TAG = 3 };

static const char *folder = ".";
static const struct prog_option options[] = {{"folder", "PATH", PROG_TEXT, &folder, 0,
	"where rank 1 makes the files `sent` and `beyond`"}};
static struct prog prog = {.name = "met_before",
	.text = "a synchronous send that is repeated while its receiver computes",
	.options = options,
	.count = 1};

static bool there_is(const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

static void make(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fclose(file) != 0)
		prog_wrong(&prog, "%s is not made", path);
}

static void sleep_ms(long ms)
{
	const struct timespec moment = {0, ms * 1000000};

	nanosleep(&moment, NULL);
}

static void wait_for(const char *name)
{
	while (!there_is(name))
		sleep_ms(10);
}

/* The second comes to the log when both have long said what they have of each other. */
static void send_both(void)
{
	int value = 42;

	MPI_Ssend(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
	sleep_ms(500);
	MPI_Ssend(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, value;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		send_both();
		if (!there_is("sent")) {
			make("sent");
			wait_for("beyond"); /* which never comes */
		}
		make("beyond");
	} else if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		wait_for("beyond");
		puts("met_before: right");
	}
	MPI_Finalize();
	return 0;
}
