/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/file_limit.h"

/* A file whose length can change could be cut off below somebody's feet. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

static bool set_length(int fd, size_t bytes)
{
	struct file_limit limit;
	bool ok;

	file_limit_enter(&limit);
	ok = ftruncate(fd, (off_t)bytes) == 0;
	file_limit_leave(&limit);
	return ok;
}

/* A kernel may have been told to make none that could be executed, an older one does not know of
 * it. */
static int create(const char *name)
{
	enum { NOEXEC_SEAL = 8 };
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = descriptor_past_streams(memfd_create(name, flags | NOEXEC_SEAL));

	if (fd < 0 && errno == EINVAL)
		fd = descriptor_past_streams(memfd_create(name, flags));
	return fd;
}

int memory_file_make(const char *name, size_t bytes)
{
	int fd = create(name), error;

	if (fd < 0)
		return -1;
	if (set_length(fd, bytes) && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* /proc shows "/memfd:NAME (deleted)"; for a process whose first thread has ended, in the others
 * alone. */
static bool is_named(int fd, const char *name)
{
	char path[64], link[128], want[128];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
	snprintf(want, sizeof want, "/memfd:%.*s (deleted)", MEMORY_FILE_NAME, name);
	n = readlink(path, link, sizeof link - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	return strcmp(link, want) == 0;
}

static bool is_sealed(int fd, size_t bytes)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &st) == 0 &&
	       (size_t)st.st_size == bytes;
}

int memory_file_open(pid_t pid, int fd, const char *name, size_t bytes)
{
	char path[64];
	int ours;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	ours = descriptor_past_streams(open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	if (ours < 0)
		return -1;
	if (is_named(ours, name) && is_sealed(ours, bytes))
		return ours;
	close(ours);
	errno = ENXIO;
	return -1;
}
