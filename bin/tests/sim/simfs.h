/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file system that forgets, in memory. What is written, and each change of a folder's names, is
 * there at once for everybody; it survives a crash for sure only after the file, or the folder, was
 * flushed. At a crash every change of names that was not flushed is kept or lost, each for itself
 * (a rename is one change); contents that were not flushed are old, new, or torn. The same seed
 * crashes alike.
 */
#ifndef FTMPI_TESTS_SIMFS_H
#define FTMPI_TESTS_SIMFS_H

#include "ckpt/fs.h"
#include "rng.h"

struct simfs;

/* With one folder, "/w", which is durable. */
struct simfs *simfs_new(void);
void simfs_free(struct simfs *s);

/* Everything that is open is closed. */
void simfs_crash(struct simfs *s, struct rng *r);

/* The operations of struct ckpt_fs. */
int simfs_create(struct simfs *s, const char *path);
int simfs_write(struct simfs *s, int fd, struct iovec *iov, int n, uint64_t offset);
int simfs_flush(struct simfs *s, int fd);
int simfs_close(struct simfs *s, int fd);
int simfs_open(struct simfs *s, const char *path, uint64_t *bytes);
int64_t simfs_read(struct simfs *s, int fd, void *out, uint64_t bytes, uint64_t offset);
int simfs_size(struct simfs *s, const char *path, uint64_t *bytes);
int simfs_rename(struct simfs *s, const char *from, const char *to);
int simfs_link(struct simfs *s, const char *from, const char *to);
int simfs_unlink(struct simfs *s, const char *path);
int simfs_mkdir(struct simfs *s, const char *path);
int simfs_rmdir(struct simfs *s, const char *path);
int simfs_flush_folder(struct simfs *s, const char *path);
int simfs_list(
	struct simfs *s, const char *path, int (*each)(void *ctx, const char *name), void *ctx);

#endif
