/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/file_limit.h"
#include "base/whole_io.h"

static int result(int rc)
{
	return rc < 0 ? -errno : rc;
}

/* What a program saves is its user's alone; the umask may take away more. */
enum { FILE_MODE = 0600, FOLDER_MODE = 0700 };

static int posix_create(const struct ckpt_fs *fs, const char *path)
{
	(void)fs;
	return result(descriptor_past_streams(
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE)));
}

static int posix_reserve(const struct ckpt_fs *fs, int fd, uint64_t bytes)
{
	struct file_limit limit;
	int rc;

	(void)fs;
	file_limit_enter(&limit);
	do
		rc = fallocate(fd, 0, 0, (off_t)bytes);
	while (rc < 0 && errno == EINTR);
	file_limit_leave(&limit);
	if (rc < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return -errno;
	return 0;
}

static int posix_write(const struct ckpt_fs *fs, int fd, struct iovec *iov, int n, uint64_t offset)
{
	struct file_limit limit;
	int rc;

	(void)fs;
	file_limit_enter(&limit);
	rc = whole_io_write(fd, iov, n, offset);
	file_limit_leave(&limit);
	return rc;
}

static void posix_begin_flush(const struct ckpt_fs *fs, int fd, uint64_t offset, uint64_t bytes)
{
	(void)fs;
	(void)!sync_file_range(fd, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
}

/* Never tried again after an error: the kernel may have forgotten by then what it could not write.
 */
static int posix_flush(const struct ckpt_fs *fs, int fd)
{
	int rc;

	(void)fs;
	do
		rc = fsync(fd);
	while (rc < 0 && errno == EINTR);
	return result(rc);
}

static int posix_close(const struct ckpt_fs *fs, int fd)
{
	(void)fs;
	return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

static int regular(const struct stat *st, uint64_t *bytes)
{
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	*bytes = (uint64_t)st->st_size;
	return 0;
}

static int posix_open(const struct ckpt_fs *fs, const char *path, uint64_t *bytes)
{
	/* a pipe of that name must not keep us waiting, nor a link lead elsewhere */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW), rc;
	struct stat st;

	(void)fs;
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) < 0 ? -errno : regular(&st, bytes);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static int64_t posix_read(
	const struct ckpt_fs *fs, int fd, void *out, uint64_t bytes, uint64_t offset)
{
	(void)fs;
	return whole_io_read(fd, out, bytes, offset);
}

static int posix_size(const struct ckpt_fs *fs, const char *path, uint64_t *bytes)
{
	struct stat st;

	(void)fs;
	return lstat(path, &st) < 0 ? -errno : regular(&st, bytes);
}

static int posix_rename(const struct ckpt_fs *fs, const char *from, const char *to)
{
	(void)fs;
	return result(rename(from, to));
}

static bool same_file(const char *a, const char *b)
{
	struct stat one, two;

	return lstat(a, &one) == 0 && lstat(b, &two) == 0 && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

static int posix_link(const struct ckpt_fs *fs, const char *from, const char *to)
{
	int e;

	(void)fs;
	if (link(from, to) == 0)
		return 0;
	e = errno;
	/* the answer of a file server was lost, and the request made twice: the link is ours */
	if (e == EEXIST && same_file(from, to))
		return 0;
	if (e != EPERM && e != EOPNOTSUPP && e != ENOSYS)
		return -e;
	/* a file system without hard links may still be able not to replace */
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EEXIST ? -EEXIST : -e;
}

static int posix_unlink(const struct ckpt_fs *fs, const char *path)
{
	(void)fs;
	return result(unlink(path));
}

static int posix_mkdir(const struct ckpt_fs *fs, const char *path)
{
	(void)fs;
	return result(mkdir(path, FOLDER_MODE));
}

static int posix_rmdir(const struct ckpt_fs *fs, const char *path)
{
	(void)fs;
	return result(rmdir(path));
}

static int posix_flush_folder(const struct ckpt_fs *fs, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = posix_flush(fs, fd);
	close(fd);
	/* some file systems have nothing to flush there */
	return rc == -EINVAL || rc == -EOPNOTSUPP ? 0 : rc;
}

static int posix_list(const struct ckpt_fs *fs, const char *path,
	int (*each)(void *ctx, const char *name), void *ctx)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	(void)fs;
	if (!dir)
		return -errno;
	for (errno = 0; rc == 0 && (entry = readdir(dir)); errno = 0)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = each(ctx, entry->d_name);
	if (rc == 0)
		rc = -errno;
	closedir(dir);
	return rc;
}

const struct ckpt_fs ckpt_fs_posix = {
	.create = posix_create,
	.reserve = posix_reserve,
	.write = posix_write,
	.begin_flush = posix_begin_flush,
	.flush = posix_flush,
	.close = posix_close,
	.open = posix_open,
	.read = posix_read,
	.size = posix_size,
	.rename = posix_rename,
	.link = posix_link,
	.unlink = posix_unlink,
	.mkdir = posix_mkdir,
	.rmdir = posix_rmdir,
	.flush_folder = posix_flush_folder,
	.list = posix_list,
};
