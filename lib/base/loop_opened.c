/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/loop_opened.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool add(struct loop_opened *o, const struct loop_opened_file *file)
{
	if (o->n == o->room) {
		size_t room = o->room ? 2 * o->room : 64;
		struct loop_opened_file *v = realloc(o->v, room * sizeof *v);

		if (!v)
			return false;
		o->v = v;
		o->room = room;
	}
	o->v[o->n++] = *file;
	return true;
}

/* By the number alone: it may be another thread's, which closes it at this moment. The thread
 * sanitizer takes fstat(2) of such a one for a use of what that thread has made. */
static bool file_of(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH) == 0;
}

/* What is open all the while is listed; what another thread opens or closes meanwhile may be. A
 * process whose first thread has ended finds them in the others alone. */
bool loop_opened_before(struct loop_opened *o)
{
	DIR *dir = opendir("/proc/thread-self/fd");
	struct dirent *entry;
	bool all = dir;

	while (all && (entry = readdir(dir))) {
		struct loop_opened_file file = {.fd = atoi(entry->d_name)};
		struct stat st;

		if (entry->d_name[0] == '.' || file.fd == dirfd(dir) || !file_of(file.fd, &st))
			continue;
		file.device = st.st_dev;
		file.inode = st.st_ino;
		all = add(o, &file);
	}
	if (dir)
		closedir(dir);
	return all;
}

void loop_opened_free(struct loop_opened *o)
{
	free(o->v);
	*o = (struct loop_opened){0};
}

/* A number that was closed and opened again meanwhile leads to another pipe or socket. */
static bool was_open(const struct loop_opened *o, const struct loop_opened_file *file)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].fd == file->fd && o->v[i].device == file->device &&
			o->v[i].inode == file->inode)
			return true;
	return false;
}

static bool is_epoll(int fd)
{
	static const char want[] = "anon_inode:[eventpoll]";
	char path[64], link[sizeof want];

	snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
	return readlink(path, link, sizeof link) == sizeof want - 1 &&
	       memcmp(link, want, sizeof want - 1) == 0;
}

/* All files of that kind have one inode, so the kernel is asked what it waits for. A new one cannot
 * have been made to wait for a descriptor of ours by anybody else. */
static bool waits_for(int epoll, int watched)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof path, "/proc/thread-self/fdinfo/%d", epoll);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		int fd;

		found = sscanf(line, "tfd: %d", &fd) == 1 && fd == watched;
	}
	if (f)
		fclose(f);
	return found;
}

/* What may be one half of the pair. Nothing of the base's is inherited by a program. */
static bool may_be_half(int fd)
{
	int domain, flags = fcntl(fd, F_GETFD);
	socklen_t len = sizeof domain;
	struct stat st;

	if (flags < 0 || !(flags & FD_CLOEXEC) || !file_of(fd, &st))
		return false;
	if (S_ISSOCK(st.st_mode))
		return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
		       domain == AF_UNIX;
	return S_ISFIFO(st.st_mode);
}

static bool are_pair(const struct loop_opened_file *a, const struct loop_opened_file *b)
{
	struct stat st;

	if (!file_of(a->fd, &st))
		return false;
	return S_ISSOCK(st.st_mode) || (a->device == b->device && a->inode == b->inode);
}

/* The base's own are among those that are new. So they are known when there are no others. */
bool loop_opened_find(const struct loop_opened *before, int watched, int fds[LOOP_OPENED])
{
	struct loop_opened now = {0};
	struct loop_opened_file half[2];
	int epolls = 0, halves = 0;
	bool known = loop_opened_before(&now);

	for (size_t i = 0; known && i < now.n; i++) {
		const struct loop_opened_file *file = &now.v[i];

		if (was_open(before, file))
			continue;
		if (is_epoll(file->fd) && waits_for(file->fd, watched)) {
			fds[0] = file->fd;
			epolls++;
		} else if (may_be_half(file->fd)) {
			if (halves < 2)
				half[halves] = *file;
			halves++;
		}
	}
	known = known && epolls == 1 && halves == 2 && are_pair(&half[0], &half[1]);
	if (known) {
		fds[1] = half[0].fd;
		fds[2] = half[1].fd;
	}
	loop_opened_free(&now);
	return known;
}
