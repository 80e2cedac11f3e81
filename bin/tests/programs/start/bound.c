/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound: each rank prints the processors that it may use, after MPI_Init. With -kill FILE rank 1 is
 * killed then, once: FILE is made before.
 */
#include "prog.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const char *once;
static const struct prog_option options[] = {
	{"-kill", "FILE", PROG_TEXT, &once, 0, "rank 1 is killed if it can make this file"},
};
static struct prog prog = {"bound", "the processors of each rank", options, 1, 0, 1};

int main(int argc, char **argv)
{
	char text[4096];
	int n, used = 0;
	cpu_set_t set;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		prog_wrong(&prog, "its processors cannot be told");
	n = snprintf(text, sizeof text, "rank %d process %d on", prog.rank, (int)getpid());
	for (int i = 0; i < CPU_SETSIZE && n < (int)sizeof text - 8; i++)
		if (CPU_ISSET(i, &set))
			n += snprintf(
				text + n, sizeof text - (size_t)n, "%c%d", used++ ? ',' : ' ', i);
	puts(text);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	if (once && prog.rank == 1 && open(once, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		raise(SIGKILL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
