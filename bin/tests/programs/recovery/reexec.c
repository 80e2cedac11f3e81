/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reexec: prints what it was started with, then carries out its arguments, one after the other,
 * and stays in the state that the last one puts it in. For tests of ranks that execute their
 * program again in place.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <ftmpi.h>

#include "reexec.h"

/* It refers to the checkpoint calls, whether the library has them or not. */
#pragma weak FTMPI_Get_restart_count

extern char **environ;

static void say_file(const char *path, const char *prefix)
{
	char line[4096];
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof line, in))
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			printf("fact %s", line);
	if (in)
		fclose(in);
}

static void say_link(const char *name, const char *path)
{
	char to[PATH_MAX] = "";

	if (readlink(path, to, sizeof to - 1) > 0)
		printf("fact %s %s\n", name, to);
}

static void say_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char path[300], name[64];
		int fd = atoi(e->d_name);

		if (e->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		snprintf(name, sizeof name, "fd %d flags %x %x", fd, (unsigned)fcntl(fd, F_GETFL),
			(unsigned)fcntl(fd, F_GETFD));
		say_link(name, path);
	}
	if (dir)
		closedir(dir);
}

static void say_timers(void)
{
	static const int which[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	struct itimerval t;

	for (int i = 0; i < 3; i++)
		if (getitimer(which[i], &t) == 0)
			printf("fact timer %d %s\n", i,
				t.it_value.tv_sec || t.it_value.tv_usec ? "runs" : "rests");
}

static void say_all(int argc, char **argv)
{
	static const char *const status[] = {
		"SigPnd", "SigBlk", "SigIgn", "SigCgt", "ShdPnd", "Cpus_allowed:", "Umask"};

	printf("fact pid %d\n", (int)getpid());
	for (int i = 0; i < argc; i++)
		printf("fact argument %s\n", argv[i]);
	for (char **e = environ; *e; e++)
		printf("fact variable %s\n", *e);
	say_link("directory", "/proc/self/cwd");
	say_link("program", "/proc/self/exe");
	say_file("/proc/self/comm", "");
	for (size_t i = 0; i < sizeof status / sizeof *status; i++)
		say_file("/proc/self/status", status[i]);
	say_file("/proc/self/limits", "Max");
	say_descriptors();
	say_timers();
	printf("facts end\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	enum { MOST = 64 };
	char *words[MOST];
	int n = argc < MOST ? argc : MOST;

	/* a word may write on the arguments */
	for (int i = 0; i < n; i++)
		words[i] = strdup(argv[i]);
	say_all(argc, argv);
	if (FTMPI_Get_restart_count == NULL)
		printf("no checkpoints in this library\n");
	for (int i = 1; i < n; i++)
		reexec_obey(argv, words[i]);
	return 0;
}
