/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * onesided: one-sided communication. Runs all its cases, or one that is named, and prints
 * "onesided: right, N cases, P ranks".
 */
#include "onesided.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *only;
static const struct prog_option options[] = {
	{"-only", "CASE", PROG_TEXT, &only, 0, "this case alone"}};
struct prog os = {"onesided", "one-sided communication", options, 1, 0, 1};
static const char *running = "";

void os_expect(bool so, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (so)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	prog_wrong(&os, "%s: %s", running, text);
}

void os_error(const char *what, int rc, int errclass)
{
	int got = -1;

	MPI_Error_class(rc, &got);
	os_expect(got == errclass, "%s answers class %d, not %d", what, got, errclass);
}

MPI_Win os_window(int **memory, int n, int value)
{
	MPI_Win win;

	MPI_Win_allocate((MPI_Aint)n * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
		MPI_COMM_WORLD, memory, &win);
	for (int i = 0; i < n; i++)
		(*memory)[i] = value;
	MPI_Barrier(MPI_COMM_WORLD);
	return win;
}

void os_free(MPI_Win *win)
{
	MPI_Win_free(win);
	os_expect(*win == MPI_WIN_NULL, "the handle is not MPI_WIN_NULL after MPI_Win_free");
}

int os_right(void)
{
	return (os.rank + 1) % os.size;
}

int os_left(void)
{
	return (os.rank + os.size - 1) % os.size;
}

void os_return(MPI_Win win)
{
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static int run(const struct prog_case *c)
{
	int done = 0;

	for (; c->name; c++) {
		if (only && strcmp(only, c->name) != 0)
			continue;
		running = c->name;
		c->run();
		MPI_Barrier(MPI_COMM_WORLD);
		done++;
	}
	return done;
}

int main(int argc, char **argv)
{
	const struct prog_case *parts[] = {
		os_putgets, os_syncs, os_accumulates, os_windows, os_wrongs, os_threads};
	int level, cases = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&os, argc, argv);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		cases += run(parts[i]);
	if (!cases)
		prog_wrong(&os, "there is no case called %s", only);
	MPI_Finalize();
	if (os.rank == 0)
		printf("onesided: right, %d cases, %d ranks\n", cases, os.size);
	return 0;
}
