/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_disk *self(const struct disk *disk)
{
	return (struct fake_disk *)(uintptr_t)disk;
}

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

/* -errno when this operation shall fail. */
static int fails(struct fake_disk *d)
{
	d->ops++;
	if (d->crash_at && d->ops >= d->crash_at)
		return -EIO;
	return d->ops == d->fail_at ? -ENOSPC : 0;
}

static struct fake_name *name_of(struct fake_disk *d, const char *path)
{
	for (int i = 0; i < d->n_names; i++)
		if (strcmp(d->names[i].path, path) == 0)
			return &d->names[i];
	if (d->n_names == FAKE_FILES)
		abort();
	d->names[d->n_names] = (struct fake_name){.now = -1, .safe = -1};
	snprintf(d->names[d->n_names].path, sizeof d->names->path, "%s", path);
	return &d->names[d->n_names++];
}

static bool used(const struct fake_disk *d, int inode)
{
	for (int i = 0; i < d->n_names; i++)
		if (d->names[i].now == inode || d->names[i].safe == inode)
			return true;
	return false;
}

static int new_inode(struct fake_disk *d)
{
	for (int i = 0; i < d->n_inodes; i++) {
		if (used(d, i))
			continue;
		free(d->inodes[i].now);
		free(d->inodes[i].safe);
		d->inodes[i] = (struct fake_inode){0};
		return i;
	}
	if (d->n_inodes == FAKE_INODES)
		abort();
	d->inodes[d->n_inodes] = (struct fake_inode){0};
	return d->n_inodes++;
}

static int fake_open(const struct disk *disk, const char *path, uint64_t *bytes)
{
	struct fake_name *name = name_of(self(disk), path);

	if (name->now < 0)
		return -ENOENT;
	*bytes = self(disk)->inodes[name->now].now_len;
	return name->now;
}

static int fake_create(const struct disk *disk, const char *path)
{
	struct fake_name *name = name_of(self(disk), path);
	int rc = fails(self(disk));

	if (rc)
		return rc;
	if (name->now >= 0)
		return -EEXIST;
	name->now = new_inode(self(disk));
	return name->now;
}

static int64_t fake_read(const struct disk *disk, int fd, void *out, size_t bytes, uint64_t offset)
{
	const struct fake_inode *f = &self(disk)->inodes[fd];
	size_t left = offset < f->now_len ? f->now_len - (size_t)offset : 0;

	if (bytes > left)
		bytes = left;
	if (bytes)
		memcpy(out, f->now + offset, bytes);
	return (int64_t)bytes;
}

static void set_length(struct fake_inode *f, size_t len)
{
	f->now = need(realloc(f->now, len + 1));
	if (len > f->now_len)
		memset(f->now + f->now_len, 0, len - f->now_len);
	f->now_len = len;
}

static void put(struct fake_inode *f, const void *bytes, size_t len, uint64_t offset)
{
	if (offset + len > f->now_len)
		set_length(f, (size_t)offset + len);
	if (len == 0)
		return;
	memcpy(f->now + offset, bytes, len);
	if (offset <= f->gone_from && offset + len >= f->gone_to)
		f->gone_from = f->gone_to = 0;
}

static int fake_write(const struct disk *disk, int fd, struct iovec *iov, int n, uint64_t offset)
{
	struct fake_disk *d = self(disk);
	int rc = fails(d);

	for (int i = 0; i < n; i++) {
		size_t len = iov[i].iov_len;

		if (d->room && d->written + len > d->room) {
			len = (size_t)(d->room - d->written);
			rc = -ENOSPC;
		} else if (rc) {
			len /= 2;
		}
		put(&d->inodes[fd], iov[i].iov_base, len, offset);
		d->written += len;
		offset += len;
		if (rc)
			return rc;
	}
	return 0;
}

static int fake_cut(const struct disk *disk, int fd, uint64_t bytes)
{
	int rc = fails(self(disk));

	if (rc == 0)
		set_length(&self(disk)->inodes[fd], (size_t)bytes);
	return rc;
}

static int fake_flush(const struct disk *disk, int fd)
{
	struct fake_inode *f = &self(disk)->inodes[fd];
	int rc = fails(self(disk));

	if (rc) {
		f->gone_from = f->safe_len < f->now_len ? f->safe_len : f->now_len;
		f->gone_to = f->now_len;
		return rc;
	}
	f->safe = need(realloc(f->safe, f->now_len + 1));
	if (f->now_len)
		memcpy(f->safe, f->now, f->now_len);
	f->safe_len = f->now_len;
	if (f->gone_to > f->safe_len)
		f->gone_to = f->safe_len;
	if (f->gone_from < f->gone_to)
		memset(f->safe + f->gone_from, 0, f->gone_to - f->gone_from);
	return 0;
}

static void fake_close(const struct disk *disk, int fd)
{
	(void)disk;
	(void)fd;
}

static int fake_rename(const struct disk *disk, const char *from, const char *to)
{
	struct fake_name *a = name_of(self(disk), from), *b = name_of(self(disk), to);
	int rc = fails(self(disk));

	if (rc == 0) {
		b->now = a->now;
		a->now = -1;
	}
	return rc;
}

static int fake_unlink(const struct disk *disk, const char *path)
{
	int rc = fails(self(disk));

	if (rc == 0)
		name_of(self(disk), path)->now = -1;
	return rc;
}

static int fake_flush_folder(const struct disk *disk, const char *path)
{
	struct fake_disk *d = self(disk);
	int rc = fails(d);

	(void)path;
	for (int i = 0; i < d->n_names && rc == 0; i++)
		d->names[i].safe = d->names[i].now;
	return rc;
}

void fake_disk_init(struct fake_disk *d)
{
	*d = (struct fake_disk){.disk = {.open = fake_open,
					.create = fake_create,
					.read = fake_read,
					.write = fake_write,
					.cut = fake_cut,
					.flush = fake_flush,
					.close = fake_close,
					.rename = fake_rename,
					.unlink = fake_unlink,
					.flush_folder = fake_flush_folder}};
}

void fake_disk_free(struct fake_disk *d)
{
	for (int i = 0; i < d->n_inodes; i++) {
		free(d->inodes[i].now);
		free(d->inodes[i].safe);
	}
	d->n_inodes = 0;
}

static void crash_inode(struct fake_inode *f, enum fake_tail tail)
{
	size_t from = f->safe_len < f->now_len ? f->safe_len : f->now_len, len = f->now_len;

	f->gone_from = f->gone_to = 0;
	if (tail == FAKE_NONE || (tail != FAKE_ALL && f->now_len <= f->safe_len)) {
		set_length(f, f->safe_len);
		if (f->safe_len)
			memcpy(f->now, f->safe, f->safe_len);
		return;
	}
	if (from)
		memcpy(f->now, f->safe, from);
	if (tail == FAKE_PART)
		set_length(f, from + (len - from) / 2);
	if (tail == FAKE_ZEROS)
		memset(f->now + from, 0, len - from);
	f->safe = need(realloc(f->safe, f->now_len + 1));
	if (f->now_len)
		memcpy(f->safe, f->now, f->now_len);
	f->safe_len = f->now_len;
}

void fake_disk_crash(struct fake_disk *d, enum fake_tail tail, bool names)
{
	for (int i = 0; i < d->n_names; i++) {
		struct fake_name *name = &d->names[i];

		if (names)
			name->safe = name->now;
		else
			name->now = name->safe;
	}
	for (int i = 0; i < d->n_inodes; i++)
		crash_inode(&d->inodes[i], tail);
	d->fail_at = d->crash_at = 0;
	d->room = 0;
}

struct fake_inode *fake_disk_file(struct fake_disk *d, const char *path)
{
	const struct fake_name *name = name_of(d, path);

	return name->now < 0 ? NULL : &d->inodes[name->now];
}

void fake_disk_put(struct fake_disk *d, const char *path, const void *bytes, size_t len)
{
	struct fake_name *name = name_of(d, path);

	name->now = name->safe = new_inode(d);
	if (len)
		put(&d->inodes[name->now], bytes, len, 0);
	fake_flush(&d->disk, name->now);
}
