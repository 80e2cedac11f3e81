/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/shown.h"

enum { FOLDER_MODE = 0700, FILE_MODE = 0600 };
enum { LOOK_MS = 10, TRIES = 4 };

static int fails(char *said, size_t size, const char *path, const char *what)
{
	snprintf(said, size, "cannot use the folder %s: %s", shown(path).text, what);
	return -1;
}

/* What a folder of somebody else's holds may change behind the keeper's back. */
static int open_folder(const char *path, char *said, size_t size)
{
	struct stat st;
	int dir;

	if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
		return fails(said, size, path, strerror(errno));
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return fails(said, size, path, strerror(errno));
	if (fstat(dir, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return dir;
	close(dir);
	return fails(said, size, path,
		"it belongs to another user, or others may write it; give one of your own (chmod "
		"700)");
}

/* Another keeper ends in this time, or stays. */
static bool lock_before(int fd, int ms)
{
	const struct timespec moment = {0, LOOK_MS * 1000000};

	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK || ms <= 0)
			return false;
		nanosleep(&moment, NULL);
		ms -= LOOK_MS;
	}
	return true;
}

/* A keeper that removes its files takes the lock's name away. */
static bool has_no_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) != 0 || st.st_nlink == 0;
}

/* gone: the keeper that was there has removed its files meanwhile. */
static int lock_once(const char *path, int wait_ms, char *said, size_t size, bool *gone)
{
	int dir = open_folder(path, said, size), fd, error;

	*gone = false;
	if (dir < 0)
		return -1;
	fd = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
	error = errno;
	close(dir);
	if (fd < 0) {
		*gone = error == ENOENT;
		return fails(said, size, path, strerror(error));
	}
	error = lock_before(fd, wait_ms) ? 0 : errno;
	*gone = has_no_name(fd);
	if (error == 0 && !*gone)
		return fd;
	close(fd);
	return fails(said, size, path,
		error == 0 || error == EWOULDBLOCK
			? "another keeper writes there; end that one, or give "
			  "another folder"
			: strerror(error));
}

int keeper_folder_lock(const char *path, int wait_ms, bool fresh, char *said, size_t size)
{
	bool gone;
	int fd;

	for (int i = 0; i < TRIES; i++) {
		fd = lock_once(path, wait_ms, said, size, &gone);
		if (fd >= 0 || !gone || !fresh)
			return fd;
	}
	return -1;
}
