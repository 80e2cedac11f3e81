/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closes standard input, output and error, as daemons do, and goes on to print: before MPI_Init, or
 * behind it. What it prints must go nowhere. An answer of each rank goes to a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi.h"
#include "prog.h"

enum { PIECES = 1 << 16 };

static void close_all(void)
{
	for (int fd = 0; fd < 3; fd++)
		close(fd);
}

/* How often something has taken it. */
static int print(void)
{
	static const char text[] = "a line that goes nowhere\n";
	int taken = 0;

	for (int fd = 0; fd < 3; fd++)
		taken += write(fd, text, sizeof text - 1) >= 0 || errno != EBADF;
	return taken;
}

/* The next rank's numbers, through long and short messages. */
static long pass_on(const struct prog *prog, long step)
{
	static long mine[PIECES], other[PIECES];
	int n = step % 8 ? 1 : PIECES, next = (prog->rank + 1) % prog->size,
	    last = (prog->rank + prog->size - 1) % prog->size;

	for (int i = 0; i < n; i++)
		mine[i] = step * prog->size + prog->rank + i;
	MPI_Sendrecv(mine, n, MPI_LONG, next, 1, other, n, MPI_LONG, last, 1, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++)
		if (other[i] != step * prog->size + last + i)
			return 1;
	return 0;
}

static void answer(const struct prog *prog, const char *folder, int taken, long wrong)
{
	char path[4096], text[128];
	int fd, n;

	snprintf(path, sizeof path, "%s/answer.%d", folder, prog->rank);
	n = snprintf(text, sizeof text, "%d taken, %ld wrong\n", taken, wrong);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (write(fd, text, (size_t)n) != n)
		MPI_Abort(MPI_COMM_WORLD, 3);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *folder = ".", *when = "behind";
	long steps = 200, wrong = 0;
	int taken = 0;
	const struct prog_option options[] = {
		{"folder", NULL, PROG_TEXT, &folder, 0, "where the answers go"},
		{"-close", "WHEN", PROG_TEXT, &when, 0, "before MPI_Init, or behind it"},
		{"-steps", "N", PROG_LONG, &steps, 1, "how many messages (default 200)"},
	};
	struct prog prog = {"closed_streams", "prints where nothing is open", options, 3, 0, 1};

	if (argc > 3 && strcmp(argv[3], "before") == 0)
		close_all();
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (strcmp(when, "before") != 0)
		close_all();
	for (long step = 0; step < steps; step++) {
		taken += print();
		wrong += pass_on(&prog, step);
	}
	answer(&prog, folder, taken, wrong);
	MPI_Finalize();
	return 0;
}
