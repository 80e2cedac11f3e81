/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * beating:SECONDS. What showing and watching life takes of the processors while ranks compute: the
 * threads that beat, and the processes that started the ranks, which ask each other the same. Wall
 * clocks of so small a cost say little on a machine that does other things, too.
 */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpibench.h"

enum { ANCESTORS = 4 };

/* The first line of this file of /proc, without its end; empty if there is none. */
static void first_line(const char *path, char *line, int room)
{
	FILE *f = fopen(path, "r");

	line[0] = '\0';
	if (f == NULL)
		return;
	if (fgets(line, room, f) != NULL)
		line[strcspn(line, "\n")] = '\0';
	fclose(f);
}

/* Seconds that what has this folder in /proc has run. */
static double ran(const char *folder)
{
	char path[300], line[128];
	unsigned long long ns = 0;

	snprintf(path, sizeof path, "%s/schedstat", folder);
	first_line(path, line, sizeof line);
	sscanf(line, "%llu", &ns);
	return (double)ns * 1e-9;
}

/* Of this process: its threads that beat. */
static double threads_ran(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	double sum = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		char folder[280], path[300], name[64];

		snprintf(folder, sizeof folder, "/proc/self/task/%.255s", e->d_name);
		snprintf(path, sizeof path, "%s/comm", folder);
		first_line(path, name, sizeof name);
		if (strcmp(name, "ftmpi-beat") == 0)
			sum += ran(folder);
	}
	if (d != NULL)
		closedir(d);
	return sum;
}

static int parent_of(int pid)
{
	char path[64], line[512];
	const char *end;
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	first_line(path, line, sizeof line);
	end = strrchr(line, ')');
	if (end != NULL)
		sscanf(end + 1, " %*c %d", &parent);
	return parent;
}

/* The agent, and ftmpirun if it is on this host. */
static double ancestors_ran(void)
{
	int pid = getppid();
	double sum = 0;

	for (int i = 0; i < ANCESTORS && pid > 1; i++) {
		char folder[32], path[64], name[64];

		snprintf(folder, sizeof folder, "/proc/%d", pid);
		snprintf(path, sizeof path, "%s/comm", folder);
		first_line(path, name, sizeof name);
		if (strncmp(name, "ftmpi", 5) != 0)
			break;
		sum += ran(folder);
		pid = parent_of(pid);
	}
	return sum;
}

static double all_ran(void)
{
	return threads_ran() + (rank == 0 ? ancestors_ran() : 0);
}

/* Per cent of a core for each rank, over `bytes` seconds of computing. */
double own_beating(void)
{
	double used, sum = 0, begin;
	volatile unsigned long turns = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	used = all_ran();
	while (MPI_Wtime() < begin + bytes)
		turns++;
	used = (all_ran() - used) / (MPI_Wtime() - begin);
	MPI_Reduce(&used, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	return sum / size * 100;
}
