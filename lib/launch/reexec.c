/* SPDX-License-Identifier: BSD-3-Clause */
#include "reexec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/fault.h"
#include "base/log.h"
#include "started.h"

static struct started first;

/* ---- at the start ---- */

static bool keep_fd(int fd)
{
	struct started_fd *k = &first.fds[first.nfds];
	struct stat s;

	if (first.nfds == STARTED_FDS_MAX || fstat(fd, &s) != 0)
		return false;
	*k = (struct started_fd){fd, fcntl(fd, F_GETFL), s.st_dev, s.st_ino};
	first.nfds++;
	return k->flags >= 0;
}

static int by_number(const void *a, const void *b)
{
	return ((const struct started_fd *)a)->fd - ((const struct started_fd *)b)->fd;
}

static bool keep_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	bool good = dir != NULL;

	while (good && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != dirfd(dir))
			good = keep_fd(fd);
	}
	if (dir)
		closedir(dir);
	qsort(first.fds, first.nfds, sizeof *first.fds, by_number);
	return good;
}

static void keep_signals(void)
{
	struct sigaction a;

	pthread_sigmask(SIG_SETMASK, NULL, &first.mask);
	sigemptyset(&first.ignored);
	for (int s = 1; s <= SIGRTMAX; s++)
		if (sigaction(s, NULL, &a) == 0 && a.sa_handler == SIG_IGN)
			sigaddset(&first.ignored, s);
}

static void keep_umask(void)
{
	first.umask = umask(0);
	umask((mode_t)first.umask);
}

static void keep_limits(void)
{
	struct rlimit r;

	for (int i = 0; i < RLIM_NLIMITS; i++)
		first.limits[i] = getrlimit(i, &r) == 0 ? r.rlim_cur : RLIM_INFINITY;
}

void reexec_keep(char *const *argv, char *const *envp)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	if (!argv || !envp)
		return;
	first.argv = started_words(argv);
	first.envp = started_words(envp);
	snprintf(first.program, sizeof first.program, "%s", name ? name : "");
	keep_signals();
	keep_umask();
	keep_limits();
	first.know_processors =
		sched_getaffinity(0, sizeof first.processors, &first.processors) == 0;
	first.whole = keep_descriptors() && first.argv && first.envp &&
		      getcwd(first.cwd, sizeof first.cwd);
}

/* ---- over the loading of an image ---- */

size_t reexec_carry(void *arena, size_t room)
{
	size_t bytes = first.whole ? started_bytes(&first) : 0;

	if (bytes && bytes <= room)
		started_encode(&first, arena);
	return bytes;
}

int reexec_carried(const void *arena, size_t bytes)
{
	started_free(&first);
	return bytes ? started_decode(&first, arena, bytes) : 0;
}

/* ---- at the restart ---- */

static bool same_file(const struct stat *a, uint64_t dev, uint64_t ino)
{
	return a->st_dev == dev && a->st_ino == ino;
}

/* A stream that the program has closed, or replaced, cannot be restored. */
static const char *check_descriptors(void)
{
	struct stat s;

	for (size_t i = 0; i < first.nfds; i++) {
		const struct started_fd *k = &first.fds[i];

		if (fstat(k->fd, &s) != 0 || !same_file(&s, k->dev, k->ino))
			return "a descriptor that it was started with is closed, or another";
	}
	return NULL;
}

/* Of the program's; one that was cloned without a signal is the library's, and is not seen. A child
 * would be one in the next life, too, and has what it was given in this one: locks of files, ends
 * of pipes. */
static const char *check_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? "it has children" : NULL;
}

static void restore_descriptors(void)
{
	unsigned next = 0;

	for (size_t i = 0; i < first.nfds; i++) {
		const struct started_fd *k = &first.fds[i];

		if ((unsigned)k->fd > next)
			descriptors_end_at_exec(next, (unsigned)k->fd - 1);
		next = (unsigned)k->fd + 1;
		fcntl(k->fd, F_SETFL, k->flags);
		fcntl(k->fd, F_SETFD, 0);
	}
	descriptors_end_at_exec(next, UINT_MAX);
}

static const char *restore_directory(void)
{
	char now[PATH_MAX];

	/* one that never changed need not be found by its name */
	if (getcwd(now, sizeof now) && strcmp(now, first.cwd) == 0)
		return NULL;
	return chdir(first.cwd) == 0 ? NULL : "its working directory is gone";
}

/* No higher than the program lets them be now. Not that of processor time: what was used counts on,
 * and may be more than the first limit already. */
static void restore_limits(void)
{
	struct rlimit r;

	for (int i = 0; i < RLIM_NLIMITS; i++) {
		if (i == RLIMIT_CPU || getrlimit(i, &r) != 0)
			continue;
		r.rlim_cur = first.limits[i] < r.rlim_max ? first.limits[i] : r.rlim_max;
		setrlimit(i, &r);
	}
}

static void stop_timers(void)
{
	static const struct itimerval none;

	setitimer(ITIMER_REAL, &none, NULL);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
}

static void on_signal(int s)
{
	(void)s;
}

/* To ignore a signal drops those that wait. What is caught becomes the default at exec; until then
 * it must not end the process, whose other threads still run. */
static void restore_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, caught = {.sa_handler = on_signal};

	for (int s = 1; s <= SIGRTMAX; s++) {
		sigaction(s, &ignore, NULL);
		if (!sigismember(&first.ignored, s))
			sigaction(s, &caught, NULL);
	}
}

/* The name that was used, as it is also what ps shows; or, when another file has that name now, the
 * one that runs. */
static const char *program_file(void)
{
	static const char running[] = "/proc/thread-self/exe"; /* the first thread may have ended */
	struct stat a, b;

	if (stat(first.program, &a) == 0 && stat(running, &b) == 0 &&
		same_file(&a, b.st_dev, b.st_ino))
		return first.program;
	return running;
}

static void restore_place(void)
{
	const char *why =
		first.whole ? check_descriptors() : "what it was started with is not known";

	if (!why)
		why = check_children();
	if (!why)
		why = restore_directory();
	if (why) {
		log_event("cannot begin again in this process: %s", why);
		_exit(1);
	}
	restore_descriptors();
}

void reexec_now(void)
{
	const char *file;

	restore_place();
	umask((mode_t)first.umask);
	stop_timers();
	restore_signals();
	if (first.know_processors)
		sched_setaffinity(0, sizeof first.processors, &first.processors);
	file = program_file();
	fault_point("restart-exec");
	pthread_sigmask(SIG_SETMASK, &first.mask, NULL);
	restore_limits(); /* this thread has grown its stack already */
	execve(file, first.argv, first.envp);
	log_error("cannot execute %s again: %s; this process ends", file, strerror(errno));
	_exit(1);
}
