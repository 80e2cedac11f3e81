/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_lock_take.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/shown.h"
#include "raw_call.h"

enum { PAUSE_MS = 10 };

static struct flock range_of(const struct files_lock *l)
{
	return (struct flock){.l_type = l->write ? F_WRLCK : F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)l->start,
		.l_len = l->end == FILES_LOCK_END ? 0 : (off_t)(l->end - l->start + 1)};
}

long files_lock_take_raw(const struct files_lock *l, int fd)
{
	struct flock range = range_of(l);

	if (l->kind == FILES_FLOCK)
		return raw_call(SYS_flock, fd, (l->write ? LOCK_EX : LOCK_SH) | LOCK_NB, 0);
	return raw_call(SYS_fcntl, fd, l->kind == FILES_OFD ? F_OFD_SETLK : F_SETLK, (long)&range);
}

/* A waiter would get it as soon as it is let go: so it is asked for, where that can be. */
static long try_one(const struct files_lock *l, int fd)
{
	struct flock range = range_of(l);
	long rc;

	if (l->kind == FILES_FLOCK)
		return files_lock_take_raw(l, fd);
	rc = raw_call(SYS_fcntl, fd, l->kind == FILES_OFD ? F_OFD_GETLK : F_GETLK, (long)&range);
	return rc < 0 || range.l_type == F_UNLCK ? rc : -EAGAIN;
}

typedef long lock_call(const struct files_lock *l, int fd);

/* Of the waiting time of all locks what is left is in *ms. */
static int wait_for(const struct files_lock *l, int fd, lock_call *call, int *ms)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000l};
	long rc = call(l, fd);

	for (; (rc == -EAGAIN || rc == -EACCES || rc == -EINTR) && *ms > 0; *ms -= PAUSE_MS) {
		nanosleep(&pause, NULL);
		rc = call(l, fd);
	}
	return (int)rc;
}

static int each(const struct files_table *t, const struct files_opened *opened, lock_call *call,
	char *why, size_t size)
{
	static const char *const names[] = {
		[FILES_FLOCK] = "flock", [FILES_POSIX] = "fcntl", [FILES_OFD] = "fcntl, OFD"};
	int ms = FILES_LOCK_PATIENCE_MS;

	for (size_t i = 0; i < t->locks; i++) {
		const struct files_lock *l = &t->lock[i];
		const struct files_entry *e = files_find(t->entry, t->n, l->number);
		char path[FILES_PATH_MAX + 1];
		int rc = wait_for(l, opened[e - t->entry].fd, call, &ms);

		if (rc == 0)
			continue;
		memcpy(path, e->text, e->length);
		path[e->length] = '\0';
		snprintf(why, size,
			"%s, descriptor %" PRIu32 " of the image, was locked (%s), and the lock "
			"cannot be had: %s",
			shown(path).text, e->number, names[l->kind],
			rc == -EAGAIN || rc == -EACCES ? "somebody else has it" : strerror(-rc));
		return rc;
	}
	return 0;
}

int files_locks_take(
	const struct files_table *t, const struct files_opened *opened, char *why, size_t size)
{
	return each(t, opened, files_lock_take_raw, why, size);
}

int files_locks_try(
	const struct files_table *t, const struct files_opened *opened, char *why, size_t size)
{
	return each(t, opened, try_one, why, size);
}
