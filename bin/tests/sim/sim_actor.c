/* SPDX-License-Identifier: BSD-3-Clause */
/* File operations of a process to which things happen. */
#include <errno.h>

#include "sim.h"

bool actor_alive(const struct actor *a)
{
	return !a->dead && a->generation == a->w->generation;
}

static void crash(struct world *w)
{
	w->seen->crashes++;
	world_traces(w, "crash");
	w->generation++;
	w->nlate = 0;
	simfs_crash(w->fs, &w->rng);
	world_check(w, "after a crash");
}

/* Other processes get on while this one is about to do something. */
static void others(struct world *w)
{
	if (w->depth < 2 && rng_chance(&w->rng, w->rates.split)) {
		w->seen->splits++;
		w->depth++;
		world_run_epoch(w);
		w->depth--;
	}
	if (w->nlate && w->late_depth == 0 && rng_chance(&w->rng, w->rates.late)) {
		w->seen->lates++;
		w->late_depth++;
		world_run_late(w);
		w->late_depth--;
	}
	if (w->ahead && w->beside_depth == 0 && rng_chance(&w->rng, w->rates.beside)) {
		w->seen->besides++;
		w->beside_depth++;
		world_write_beside(w);
		w->beside_depth--;
	}
}

/* What happens before an operation: 0, or the error that is its result. A dead process does
 * nothing. */
static int before(const struct ckpt_fs *fs, const char *op, const char *path)
{
	struct actor *a = (struct actor *)(uintptr_t)fs;
	struct world *w = a->w;
	static const int errors[] = {-ENOSPC, -EIO, -EROFS, -EACCES};

	if (a->quiet)
		return 0;
	if (!actor_alive(a))
		return -EIO;
	w->seen->ops++;
	w->ops_left--;
	others(w);
	if (actor_alive(a) && rng_chance(&w->rng, w->rates.crash))
		crash(w);
	if (actor_alive(a) && rng_chance(&w->rng, w->rates.death)) {
		w->seen->deaths++;
		a->dead = true;
	}
	if (!actor_alive(a))
		return -EIO;
	if (rng_chance(&w->rng, w->rates.error)) {
		w->seen->errors++;
		world_traces(w, "epoch %u: %s %s fails", a->epoch, op, path);
		return errors[rng_below(&w->rng, 4)];
	}
	world_traces(w, "epoch %u: %s %s", a->epoch, op, path);
	return 0;
}

static struct simfs *disk(const struct ckpt_fs *fs)
{
	return ((const struct actor *)fs)->w->fs;
}

static int a_create(const struct ckpt_fs *fs, const char *path)
{
	int rc = before(fs, "create", path);

	return rc ? rc : simfs_create(disk(fs), path);
}

static int a_reserve(const struct ckpt_fs *fs, int fd, uint64_t bytes)
{
	(void)fd, (void)bytes;
	return before(fs, "reserve", "");
}

static int a_write(const struct ckpt_fs *fs, int fd, struct iovec *iov, int n, uint64_t offset)
{
	int rc = before(fs, "write", "");

	return rc ? rc : simfs_write(disk(fs), fd, iov, n, offset);
}

static void a_begin_flush(const struct ckpt_fs *fs, int fd, uint64_t offset, uint64_t bytes)
{
	(void)fs, (void)fd, (void)offset, (void)bytes;
}

static int a_flush(const struct ckpt_fs *fs, int fd)
{
	int rc = before(fs, "flush", "");

	return rc ? rc : simfs_flush(disk(fs), fd);
}

static int a_close(const struct ckpt_fs *fs, int fd)
{
	const struct actor *a = (const struct actor *)fs;

	/* a process that dies closes what it has open; a crash has done so for all */
	if (a->generation != a->w->generation)
		return -EIO;
	return simfs_close(disk(fs), fd);
}

static int a_open(const struct ckpt_fs *fs, const char *path, uint64_t *bytes)
{
	int rc = before(fs, "open", path);

	return rc ? rc : simfs_open(disk(fs), path, bytes);
}

static int64_t a_read(const struct ckpt_fs *fs, int fd, void *out, uint64_t bytes, uint64_t offset)
{
	int rc = before(fs, "read", "");

	return rc ? rc : simfs_read(disk(fs), fd, out, bytes, offset);
}

static int a_size(const struct ckpt_fs *fs, const char *path, uint64_t *bytes)
{
	int rc = before(fs, "size", path);

	return rc ? rc : simfs_size(disk(fs), path, bytes);
}

static int a_rename(const struct ckpt_fs *fs, const char *from, const char *to)
{
	int rc = before(fs, "rename", to);

	return rc ? rc : simfs_rename(disk(fs), from, to);
}

static int a_link(const struct ckpt_fs *fs, const char *from, const char *to)
{
	int rc = before(fs, "link", to);

	return rc ? rc : simfs_link(disk(fs), from, to);
}

static int a_unlink(const struct ckpt_fs *fs, const char *path)
{
	const struct actor *a = (const struct actor *)fs;
	int rc = before(fs, "unlink", path);

	if (rc == 0 && !a->may_remove)
		world_fails(a->w, "epoch %u removes %s, though epoch %u had begun before", a->epoch,
			path, a->w->said);
	return rc ? rc : simfs_unlink(disk(fs), path);
}

static int a_mkdir(const struct ckpt_fs *fs, const char *path)
{
	int rc = before(fs, "mkdir", path);

	return rc ? rc : simfs_mkdir(disk(fs), path);
}

static int a_rmdir(const struct ckpt_fs *fs, const char *path)
{
	int rc = before(fs, "rmdir", path);

	return rc ? rc : simfs_rmdir(disk(fs), path);
}

static int a_flush_folder(const struct ckpt_fs *fs, const char *path)
{
	int rc = before(fs, "flush", path);

	return rc ? rc : simfs_flush_folder(disk(fs), path);
}

static int a_list(const struct ckpt_fs *fs, const char *path,
	int (*each)(void *ctx, const char *name), void *ctx)
{
	int rc = before(fs, "list", path);

	return rc ? rc : simfs_list(disk(fs), path, each, ctx);
}

void actor_init(struct actor *a, struct world *w, uint32_t epoch, bool quiet)
{
	*a = (struct actor){.w = w,
		.epoch = epoch,
		.generation = w->generation,
		.quiet = quiet,
		.may_remove = true,
		.ops = {
			.create = a_create,
			.reserve = a_reserve,
			.write = a_write,
			.begin_flush = a_begin_flush,
			.flush = a_flush,
			.close = a_close,
			.open = a_open,
			.read = a_read,
			.size = a_size,
			.rename = a_rename,
			.link = a_link,
			.unlink = a_unlink,
			.mkdir = a_mkdir,
			.rmdir = a_rmdir,
			.flush_folder = a_flush_folder,
			.list = a_list,
		}};
}
