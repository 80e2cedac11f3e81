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

long files_lock_take_raw(const struct files_lock *l, int fd)
{
	struct flock range = {.l_type = l->write ? F_WRLCK : F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)l->start,
		.l_len = l->end == FILES_LOCK_END ? 0 : (off_t)(l->end - l->start + 1)};

	if (l->kind == FILES_FLOCK)
		return raw_call(SYS_flock, fd, (l->write ? LOCK_EX : LOCK_SH) | LOCK_NB, 0);
	return raw_call(SYS_fcntl, fd, l->kind == FILES_OFD ? F_OFD_SETLK : F_SETLK, (long)&range);
}

/* Of the waiting time of all locks what is left is in *ms. */
static int take_one(const struct files_lock *l, int fd, int *ms)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000l};
	long rc = files_lock_take_raw(l, fd);

	for (; (rc == -EAGAIN || rc == -EACCES || rc == -EINTR) && *ms > 0; *ms -= PAUSE_MS) {
		nanosleep(&pause, NULL);
		rc = files_lock_take_raw(l, fd);
	}
	return (int)rc;
}

int files_locks_take(
	const struct files_table *t, const struct files_opened *opened, char *why, size_t size)
{
	static const char *const names[] = {
		[FILES_FLOCK] = "flock", [FILES_POSIX] = "fcntl", [FILES_OFD] = "fcntl, OFD"};
	int ms = FILES_LOCK_PATIENCE_MS;

	for (size_t i = 0; i < t->locks; i++) {
		const struct files_lock *l = &t->lock[i];
		const struct files_entry *e = files_find(t->entry, t->n, l->number);
		char path[FILES_PATH_MAX + 1];
		int rc = take_one(l, opened[e - t->entry].fd, &ms);

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
