/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slow_lines: lines that nobody waits for, when something is slower than the calls that ask for them.
 * Each rank saves -state MiB. Rank 0 says what happened, and how much memory it took at most, in
 * states.
 *
 *	disk   lines are due by time (ftmpirun -ckpt-interval), and a test makes the disk slow
 *	calls  all ranks ask for -lines lines as fast as they can
 *	late   rank 0 asks for all its lines before rank 1 asks for its first
 *	flood  rank 1 sends rank 0 -flood MiB before it asks for the line that rank 0 has asked for
 *
 * At the end all ranks make one more line, which must be committed.
 */
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

#include "prog.h"

enum { MIB = 1 << 20, TAG_STEP = 1, TAG_GO, TAG_FLOOD };

static const char *what = "calls", *workdir = ".";
static long lines = 20, state = 16, flood = 64;
static const struct prog_option options[] = {
	{"case", "CASE", PROG_TEXT, &what, 0, "disk, calls, late or flood"},
	{"-lines", "N", PROG_LONG, &lines, 1, "lines that each rank asks for (default 20)"},
	{"-state", "MIB", PROG_LONG, &state, 1, "what a rank saves (default 16)"},
	{"-flood", "MIB", PROG_LONG, &flood, 1, "what rank 1 sends (default 64)"},
	{"-workdir", "DIR", PROG_TEXT, &workdir, 0, "that of ftmpirun, of which disk reads"},
};
static struct prog prog = {.name = "slow_lines",
	.text = "lines when something is slower than the calls that ask for them",
	.options = options,
	.count = sizeof options / sizeof *options};

static uint8_t *data;
static long peak_before; /* KiB */
static int made, refused;

/* The most that this process ever had in memory, KiB. */
static long peak(void)
{
	char line[256];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && kib < 0 && fgets(line, sizeof line, f))
		sscanf(line, "VmHWM: %ld kB", &kib);
	if (kib < 0)
		prog_wrong(&prog, "/proc/self/status does not say VmHWM");
	fclose(f);
	return kib;
}

static void ask(void)
{
	int verdict = FTMPI_Perform_Checkpoint();

	if (verdict != FTMPI_CHECKPOINTED && verdict != FTMPI_CKPTERROR)
		prog_wrong(&prog, "FTMPI_Perform_Checkpoint gave %d", verdict);
	made += verdict == FTMPI_CHECKPOINTED;
	refused += verdict == FTMPI_CKPTERROR;
}

static void say_memory(void)
{
	if (prog.rank == 0)
		printf("rank 0: %d made, %d refused, %.1f states\n", made, refused,
			(double)(peak() - peak_before) / 1024 / (double)state);
	fflush(stdout);
}

/* Of the manifests in the work directory; 0: there is none. */
static unsigned newest_committed(void)
{
	char pattern[512];
	unsigned newest = 0, line;
	glob_t found = {0};

	snprintf(pattern, sizeof pattern, "%s/*/line-*.manifest", workdir);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (sscanf(strrchr(found.gl_pathv[i], '/'), "/line-%u", &line) == 1 &&
				line > newest)
				newest = line;
	globfree(&found);
	return newest;
}

/* Rank 0 says when it is enough. */
static void by_time(void)
{
	bool more = true;

	while (more) {
		int due = 0, next = (prog.rank + 1) % prog.size;

		if (FTMPI_Checkpoint_due(&due) != MPI_SUCCESS)
			prog_wrong(&prog, "FTMPI_Checkpoint_due failed");
		if (due)
			ask();
		if (prog.rank == 0)
			more = made < lines;
		MPI_Sendrecv(&made, 1, MPI_INT, next, TAG_STEP, &due, 1, MPI_INT, MPI_ANY_SOURCE,
			TAG_STEP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Bcast(&more, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
	}
	if (prog.rank == 0)
		printf("rank 0: line %d is begun, line %u is committed\n", made,
			newest_committed());
}

static void by_calls(void)
{
	for (long i = 0; i < lines; i++) {
		data[i] ^= 1;
		ask();
	}
}

static void with_late_rank(void)
{
	if (prog.rank == 1)
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	by_calls();
	say_memory();
	if (prog.rank == 0)
		MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD);
}

/* Rank 0 receives in its interval what rank 1 has sent before its line, and the copies of that are
 * held. */
static void flooded(void)
{
	uint8_t *mib = prog_alloc(&prog, MIB);

	memset(mib, 1, MIB);
	if (prog.rank == 0)
		ask();
	for (long i = 0; i < flood && prog.rank < 2; i++) {
		if (prog.rank == 1)
			MPI_Send(mib, MIB, MPI_BYTE, 0, TAG_FLOOD, MPI_COMM_WORLD);
		else
			MPI_Recv(mib, MIB, MPI_BYTE, 1, TAG_FLOOD, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
	}
	if (prog.rank > 0)
		ask();
	free(mib);
}

static const struct prog_case cases[] = {
	{"disk", by_time}, {"calls", by_calls}, {"late", with_late_rank}, {"flood", flooded}};

/* By time a rank may have asked once less than another, which would wait for that line. */
static void catch_up(void)
{
	int most = made + refused;

	MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	while (made + refused < most)
		ask();
}

static void last_line(void)
{
	catch_up();
	FTMPI_CKPT_Wait();
	MPI_Barrier(MPI_COMM_WORLD);
	ask();
	if (FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "the last line is not committed");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	data = prog_alloc(&prog, (size_t)state * MIB);
	memset(data, prog.rank, (size_t)state * MIB);
	if (FTMPI_CKPT_Protect(0, data, (MPI_Count)state * MIB, MPI_BYTE) != MPI_SUCCESS)
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
	peak_before = peak();
	FTMPI_Restore();
	prog_case_named(&prog, cases, sizeof cases / sizeof *cases, what)->run();
	say_memory();
	last_line();
	if (prog.rank == 0)
		printf("slow_lines: right\n");
	MPI_Finalize();
	free(data);
	return 0;
}
