/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

void descriptors_lock(void)
{
	pthread_mutex_lock(&opening);
}

void descriptors_unlock(void)
{
	pthread_mutex_unlock(&opening);
}

void descriptors_raise(unsigned wanted)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= wanted)
		return;
	r.rlim_cur = r.rlim_max < wanted ? r.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* This thread's. */
static _Thread_local bool filled[STDERR_FILENO + 1];

void descriptors_fill_streams(void)
{
	for (int i = 0; i <= STDERR_FILENO; i++) {
		int fd = fcntl(i, F_GETFD) < 0 ? open("/dev/null", O_PATH | O_CLOEXEC) : -1;

		if (fd > STDERR_FILENO)
			close(fd); /* another thread was here meanwhile */
		else if (fd >= 0)
			filled[fd] = true;
	}
}

/* Another thread may have freed a number before. */
static int past_streams(int fd)
{
	int past;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	past = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return past;
}

/* The program may have put something of its own there meanwhile. */
static bool is_filling(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_PATH);
}

int descriptors_free_streams(int fd)
{
	int error = errno, past = past_streams(fd);

	if (past < 0 && fd >= 0)
		error = errno;
	for (int i = 0; i <= STDERR_FILENO; i++) {
		if (filled[i] && is_filling(i))
			close(i);
		filled[i] = false;
	}
	errno = error;
	return past;
}

/* Some may be in use in between, so only opening them tells. */
int descriptors_free(unsigned count)
{
	int fd = count ? eventfd(0, EFD_CLOEXEC) : -1;
	int enough = count == 0 || (fd >= 0 && descriptors_free(count - 1));

	if (fd >= 0)
		close(fd);
	return enough;
}

/* Linux 5.11; the same number on every architecture, and the C library may be older */
enum { SYS_CLOSE_RANGE = 436, RANGE_CLOEXEC = 1 << 2, MOST = 1 << 20 };

void descriptors_end_at_exec(unsigned from, unsigned to)
{
	struct rlimit r;
	unsigned most = MOST;

	if (syscall(SYS_CLOSE_RANGE, from, to, RANGE_CLOEXEC) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < most)
		most = (unsigned)r.rlim_cur;
	for (unsigned fd = from; fd <= to && fd < most; fd++)
		fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

static char text[100];
static pthread_once_t text_made = PTHREAD_ONCE_INIT;

static void make_text(void)
{
	struct rlimit r = {0};

	getrlimit(RLIMIT_NOFILE, &r);
	snprintf(text, sizeof text,
		"too many open files: this process may have %llu; raise the limit (ulimit -n)",
		(unsigned long long)r.rlim_cur);
}

const char *descriptors_text(void)
{
	pthread_once(&text_made, make_text);
	return text;
}

void descriptors_forget(void)
{
	pthread_mutex_init(&opening, NULL);
	text_made = (pthread_once_t)PTHREAD_ONCE_INIT;
}

void descriptor_list_add(struct descriptor_list *l, int fd)
{
	if (fd < 0)
		return;
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 32;
		int *v = realloc(l->v, room * sizeof *v);

		if (!v) {
			l->incomplete = true;
			return;
		}
		l->v = v;
		l->room = room;
	}
	l->v[l->n++] = fd;
}

void descriptor_list_free(struct descriptor_list *l)
{
	free(l->v);
	*l = (struct descriptor_list){0};
}
