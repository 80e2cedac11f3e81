/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks, which have lowered their limit of descriptors, append to one file. Rank 0 computes
 * until its process is another one, which woke up from an image, and appends again at once; then
 * all wait for each other, and append once more. Rank 1 has a lock on a file beside it.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "prog.h"

enum { ITERATIONS = 1 << 20, LOW = 60 };

static struct prog prog;
static volatile double number = 1;
static int fd;

static void append(const char *what)
{
	char line[64];
	int n = snprintf(line, sizeof line, "rank %d %s\n", prog.rank, what);

	if (write(fd, line, (size_t)n) != n)
		prog_wrong(&prog, "the file takes nothing");
}

static void compute(void)
{
	double x = number;

	for (int i = 0; i < ITERATIONS; i++)
		x = x * 0.999999 + 0.000001;
	number = x;
}

/* What the program has lowered is as low in a process that woke up. */
static void limit_is(rlim_t soft)
{
	struct rlimit is = {0};

	getrlimit(RLIMIT_NOFILE, &is);
	if (is.rlim_cur != soft)
		prog_wrong(
			&prog, "the limit of descriptors is %llu", (unsigned long long)is.rlim_cur);
}

static void lower_limit(void)
{
	struct rlimit is;

	getrlimit(RLIMIT_NOFILE, &is);
	is.rlim_cur = LOW;
	setrlimit(RLIMIT_NOFILE, &is);
	limit_is(LOW);
}

static void lock_beside(const char *path)
{
	char name[4096];
	int beside;

	snprintf(name, sizeof name, "%s.lock", path);
	beside = open(name, O_RDWR | O_CREAT, 0600);
	if (flock(beside, LOCK_EX | LOCK_NB) != 0)
		prog_wrong(&prog, "the lock cannot be had");
}

int main(int argc, char **argv)
{
	const char *path;
	const struct prog_option options[] = {
		{"FILE", NULL, PROG_TEXT, &path, 0, "what all append to"}};
	pid_t first = getpid();

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "shared_log",
		.text = "All ranks append to one file.",
		.options = options,
		.count = 1};
	prog_begin(&prog, argc, argv);
	lower_limit();
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (prog.rank == 1)
		lock_beside(path);
	append("begins");
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0) {
		printf("shared_log: all have begun\n");
		fflush(stdout);
		while (getpid() == first)
			compute();
		append("goes on");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	limit_is(LOW);
	append("ends");
	MPI_Finalize();
	return 0;
}
