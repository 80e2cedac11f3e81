/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few system operations that durable state is made of, as a table, so that the same store runs
 * over a file system that forgets what was not flushed. All return 0 or more, or a negative errno.
 * An implementation with a state of its own embeds the table and finds itself by `fs`.
 */
#ifndef FTMPI_CKPT_FS_H
#define FTMPI_CKPT_FS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct ckpt_fs {
	/* A new regular file, open for writing: its descriptor. -EEXIST when the name is taken.
	 * Files and folders are their owner's alone. */
	int (*create)(const struct ckpt_fs *fs, const char *path);
	/* Room for so many bytes, so that a full disk is known before they are written; 0 also
	 * where the file system cannot tell. */
	int (*reserve)(const struct ckpt_fs *fs, int fd, uint64_t bytes);
	/* All of it, at this offset; iov is used up. */
	int (*write)(const struct ckpt_fs *fs, int fd, struct iovec *iov, int n, uint64_t offset);
	/* A hint: these bytes may go to the disk from now on. */
	void (*begin_flush)(const struct ckpt_fs *fs, int fd, uint64_t offset, uint64_t bytes);
	/* When it returns 0, what was written survives a crash. */
	int (*flush)(const struct ckpt_fs *fs, int fd);
	/* The descriptor is gone also when it fails. */
	int (*close)(const struct ckpt_fs *fs, int fd);

	/* An existing regular file, for reading. Never waits for what else has that name: -EINVAL,
	 * or -ELOOP for a symbolic link. */
	int (*open)(const struct ckpt_fs *fs, const char *path, uint64_t *bytes);
	/* How many bytes were read: fewer than asked for only at the end. */
	int64_t (*read)(
		const struct ckpt_fs *fs, int fd, void *out, uint64_t bytes, uint64_t offset);
	/* -ENOENT, or -EINVAL when it is no regular file. */
	int (*size)(const struct ckpt_fs *fs, const char *path, uint64_t *bytes);

	int (*rename)(const struct ckpt_fs *fs, const char *from, const char *to);
	/* A second name; -EEXIST when it is taken, however many try at once. */
	int (*link)(const struct ckpt_fs *fs, const char *from, const char *to);
	int (*unlink)(const struct ckpt_fs *fs, const char *path);
	int (*mkdir)(const struct ckpt_fs *fs, const char *path);
	int (*rmdir)(const struct ckpt_fs *fs, const char *path);
	/* When it returns 0, the names in this folder, those gone included, survive a crash. */
	int (*flush_folder)(const struct ckpt_fs *fs, const char *path);
	/* Each name in the folder but . and .., in no order. Names must not be made or taken away
	 * by `each`. A result of `each` that is not 0 ends the listing and is returned. */
	int (*list)(const struct ckpt_fs *fs, const char *path,
		int (*each)(void *ctx, const char *name), void *ctx);
};

extern const struct ckpt_fs ckpt_fs_posix;

#endif
