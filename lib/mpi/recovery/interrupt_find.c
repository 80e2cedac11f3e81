/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt_find.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_threads.h"

enum { TEXT_BYTES = 512, STATUS_BYTES = 4096 };

/* ---- calls ---- */

static bool is_one_of(long call, const long *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (calls[i] == call)
			return true;
	return false;
}

#define IS_ONE_OF(call, calls) is_one_of(call, calls, sizeof(calls) / sizeof *(calls))

bool interrupt_is_begun_by_kernel(long call)
{
	static const long calls[] = {SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_recvfrom,
		SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_accept, SYS_accept4, SYS_connect,
		SYS_futex, SYS_wait4, SYS_waitid};

	return IS_ONE_OF(call, calls);
}

/* The kernel writes down what is left of the time of these. */
static bool has_time_left(const struct thread_call *w)
{
	static const long calls[] = {SYS_pselect6, SYS_ppoll};

	if (w->number == SYS_clock_nanosleep)
		return w->argument[1] != 0 || w->argument[3] != 0;
	if (w->number == SYS_nanosleep)
		return w->argument[1] != 0;
	return IS_ONE_OF(w->number, calls);
}

static bool has_no_limit(const struct thread_call *w)
{
#ifdef SYS_poll
	if (w->number == SYS_poll)
		return (int)w->argument[2] < 0;
#endif
#ifdef SYS_epoll_wait
	if (w->number == SYS_epoll_wait)
		return (int)w->argument[3] < 0;
#endif
	return w->number == SYS_epoll_pwait && (int)w->argument[3] < 0;
}

/* The kernel begins it again; or it ends with EINTR, and the handler begins it again, for as long
 * as it has left. */
static bool is_begun_again(const struct thread_call *w)
{
	return interrupt_is_begun_by_kernel(w->number) || has_time_left(w) || has_no_limit(w);
}

/* ---- what a thread does ---- */

/* "TID (NAME) STATE ...". A name may have brackets. */
static bool is_in_state(const char *stat, char state)
{
	const char *end = strrchr(stat, ')');

	return end && end[1] == ' ' && end[2] == state;
}

/* A file of the thread's in /proc, ended by a NUL; false: it cannot be read. */
static bool read_of(pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool waits(pid_t tid, struct thread_call *w)
{
	char text[TEXT_BYTES];

	return read_of(tid, "syscall", text, sizeof text) &&
	       thread_call_parse(text, strlen(text), w);
}

/* It would come when the thread has unblocked it: maybe behind a handler of the program's, by which
 * a call has ended. */
static bool blocks(pid_t tid, int signal)
{
	char text[STATUS_BYTES];
	struct thread_status s;

	return read_of(tid, "status", text, sizeof text) &&
	       thread_status_parse(text, strlen(text), &s) && (s.blocked >> (signal - 1) & 1);
}

/* Is it the program's, and does it compute; asleep: or wait in what is begun again? *w: in that. */
static bool can_be_interrupted(pid_t tid, int signal, bool asleep, struct thread_call *w)
{
	char stat[TEXT_BYTES];

	*w = (struct thread_call){0};
	if (own_threads_have(tid) || !read_of(tid, "stat", stat, sizeof stat))
		return false;
	if (!is_in_state(stat, 'R') &&
		!(asleep && is_in_state(stat, 'S') && waits(tid, w) && is_begun_again(w)))
		return false;
	return !blocks(tid, signal);
}

/* ---- which one ---- */

/* The next one behind `last`; 0: there is none. */
static pid_t next_thread(pid_t last, int signal, bool asleep, struct thread_call *w)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	struct thread_call of;
	pid_t next = 0;

	while (d && (e = readdir(d))) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > last && (!next || tid < next) &&
			can_be_interrupted(tid, signal, asleep, &of)) {
			next = tid;
			*w = of;
		}
	}
	if (d)
		closedir(d);
	return next;
}

pid_t interrupt_find(int signal, bool asleep, struct thread_call *of)
{
	static pid_t last;
	static bool first;

	first = !first;
	if (first && can_be_interrupted(getpid(), signal, asleep, of))
		return getpid();
	last = next_thread(last, signal, asleep, of);
	return last;
}
