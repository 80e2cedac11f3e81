/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"

enum { FILE_MODE = 0600 };

static int posix_open(const struct disk *disk, const char *path, uint64_t *bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW), rc = 0;
	struct stat st;

	(void)disk;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	if (rc) {
		close(fd);
		return rc;
	}
	*bytes = (uint64_t)st.st_size;
	return fd;
}

static int posix_create(const struct disk *disk, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

	(void)disk;
	return fd < 0 ? -errno : fd;
}

static int64_t posix_read(const struct disk *disk, int fd, void *out, size_t bytes, uint64_t offset)
{
	(void)disk;
	return whole_io_read(fd, out, bytes, offset);
}

static int posix_write(const struct disk *disk, int fd, struct iovec *iov, int n, uint64_t offset)
{
	(void)disk;
	return whole_io_write(fd, iov, n, offset);
}

static int posix_cut(const struct disk *disk, int fd, uint64_t bytes)
{
	(void)disk;
	return ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
}

static int flush(int fd, int (*call)(int fd))
{
	int rc;

	do
		rc = call(fd);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

static int posix_flush(const struct disk *disk, int fd)
{
	(void)disk;
	return flush(fd, fdatasync);
}

static void posix_close(const struct disk *disk, int fd)
{
	(void)disk;
	close(fd);
}

static int posix_rename(const struct disk *disk, const char *from, const char *to)
{
	(void)disk;
	return rename(from, to) < 0 ? -errno : 0;
}

static int posix_unlink(const struct disk *disk, const char *path)
{
	(void)disk;
	return unlink(path) < 0 ? -errno : 0;
}

static int posix_flush_folder(const struct disk *disk, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	(void)disk;
	if (fd < 0)
		return -errno;
	rc = flush(fd, fsync);
	close(fd);
	/* some file systems have nothing to flush there */
	return rc == -EINVAL || rc == -EOPNOTSUPP ? 0 : rc;
}

const struct disk disk_posix = {
	.open = posix_open,
	.create = posix_create,
	.read = posix_read,
	.write = posix_write,
	.cut = posix_cut,
	.flush = posix_flush,
	.close = posix_close,
	.rename = posix_rename,
	.unlink = posix_unlink,
	.flush_folder = posix_flush_folder,
};
