/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The system operations that the keeper's files are made of, as a table, so that tests can make
 * each of them fail. All return 0 or more, or a negative errno. An implementation with a state of
 * its own embeds the table and finds itself by `disk`.
 */
#ifndef FTMPI_KEEPER_DISK_H
#define FTMPI_KEEPER_DISK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct disk {
	/* A regular file that is there, for reading and writing: its descriptor, and how long it
	 * is. Never waits for what else has that name: -EINVAL, or -ELOOP for a symbolic link. */
	int (*open)(const struct disk *disk, const char *path, uint64_t *bytes);
	/* A new one, its owner's alone; -EEXIST when the name is taken. */
	int (*create)(const struct disk *disk, const char *path);
	/* How many bytes were read: fewer than asked for only at the end. */
	int64_t (*read)(const struct disk *disk, int fd, void *out, size_t bytes, uint64_t offset);
	/* All of it; iov is used up. */
	int (*write)(const struct disk *disk, int fd, struct iovec *iov, int n, uint64_t offset);
	int (*cut)(const struct disk *disk, int fd, uint64_t bytes);
	/* When it returns 0, what was written survives a crash. Never tried again after an error:
	 * the kernel may have forgotten by then what it could not write. */
	int (*flush)(const struct disk *disk, int fd);
	void (*close)(const struct disk *disk, int fd);
	int (*rename)(const struct disk *disk, const char *from, const char *to);
	int (*unlink)(const struct disk *disk, const char *path);
	/* When it returns 0, the names in this folder survive a crash. */
	int (*flush_folder)(const struct disk *disk, const char *path);
};

extern const struct disk disk_posix;

#endif
