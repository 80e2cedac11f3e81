/* SPDX-License-Identifier: BSD-3-Clause */
#include "simfs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "simfs_names.h"

struct simfs *simfs_new(void)
{
	struct simfs *s = calloc(1, sizeof *s);

	assert(s);
	s->root = node_new(s, true);
	names_set(&s->root->folder->now, "w", node_new(s, true));
	s->root->folder->safe = s->root->folder->now;
	return s;
}

void simfs_free(struct simfs *s)
{
	for (struct node *n = s->all, *next; n; n = next) {
		next = n->next;
		free(n->now.v);
		free(n->safe.v);
		free(n->folder);
		free(n);
	}
	free(s);
}

/* ---- the crash ---- */

static void bytes_copy(struct bytes *to, const struct bytes *from)
{
	to->v = realloc(to->v, from->n + 1);
	assert(to->v);
	if (from->n)
		memcpy(to->v, from->v, from->n);
	to->n = from->n;
}

static uint8_t byte_at(const struct bytes *b, uint64_t at)
{
	return at < b->n ? b->v[at] : 0;
}

/* Blocks of 16 bytes, each old or new, and a length that is old or new. */
static void tear(struct node *f, struct rng *r)
{
	struct bytes torn = {0};
	bool fresh = false;

	torn.n = rng_chance(r, 500) ? f->now.n : f->safe.n;
	torn.v = malloc(torn.n + 1);
	assert(torn.v);
	for (uint64_t i = 0; i < torn.n; i++) {
		if (i % 16 == 0)
			fresh = rng_chance(r, 500);
		torn.v[i] = byte_at(fresh ? &f->now : &f->safe, i);
	}
	free(f->now.v);
	f->now = torn;
}

static void crash_file(struct node *f, struct rng *r)
{
	if (!f->dirty)
		return;
	switch (rng_below(r, 3)) {
	case 0:
		bytes_copy(&f->now, &f->safe);
		break;
	case 1:
		tear(f, r);
		break;
	default:
		break; /* all of it had got there */
	}
	bytes_copy(&f->safe, &f->now);
	f->dirty = false;
}

static void crash_folder(struct folder *f, struct rng *r)
{
	static const unsigned kept[] = {0, 500, 500, 900, 1000};
	unsigned of_1000 = kept[rng_below(r, 5)];

	for (unsigned i = 0; i < f->npending; i++)
		if (rng_chance(r, of_1000))
			change_apply(&f->pending[i], &f->safe);
	f->now = f->safe;
	f->npending = 0;
}

void simfs_crash(struct simfs *s, struct rng *r)
{
	for (struct node *n = s->all; n; n = n->next)
		if (n->folder)
			crash_folder(n->folder, r);
		else
			crash_file(n, r);
	memset(s->open, 0, sizeof s->open);
}

/* ---- operations ---- */

static int open_node(struct simfs *s, struct node *n)
{
	for (int fd = 0; fd < OPEN; fd++)
		if (!s->open[fd]) {
			s->open[fd] = n;
			return fd;
		}
	assert(!"too many files are open");
	return -EMFILE;
}

int simfs_create(struct simfs *s, const char *path)
{
	struct change c = {0};
	const char *name;
	struct folder *folder = simfs_folder(s, path, &name);
	struct node *n;

	if (!folder)
		return -ENOENT;
	if (names_get(&folder->now, name))
		return -EEXIST;
	n = node_new(s, false);
	change_add(&c, name, n);
	folder_change(folder, &c);
	return open_node(s, n);
}

static void write_bytes(struct node *n, const void *from, uint64_t len, uint64_t at)
{
	if (at + len > n->now.n) {
		n->now.v = realloc(n->now.v, at + len);
		assert(n->now.v);
		memset(n->now.v + n->now.n, 0, at + len - n->now.n);
		n->now.n = at + len;
	}
	if (len)
		memcpy(n->now.v + at, from, len);
	n->dirty = true;
}

int simfs_write(struct simfs *s, int fd, struct iovec *iov, int n, uint64_t offset)
{
	if (!s->open[fd])
		return -EBADF;
	for (int i = 0; i < n; i++) {
		write_bytes(s->open[fd], iov[i].iov_base, iov[i].iov_len, offset);
		offset += iov[i].iov_len;
	}
	return 0;
}

int simfs_flush(struct simfs *s, int fd)
{
	struct node *n = s->open[fd];

	if (!n)
		return -EBADF;
	if (n->dirty)
		bytes_copy(&n->safe, &n->now);
	n->dirty = false;
	return 0;
}

int simfs_close(struct simfs *s, int fd)
{
	s->open[fd] = NULL;
	return 0;
}

int simfs_open(struct simfs *s, const char *path, uint64_t *bytes)
{
	int rc = simfs_size(s, path, bytes);

	return rc ? rc : open_node(s, simfs_find(s, path));
}

int64_t simfs_read(struct simfs *s, int fd, void *out, uint64_t bytes, uint64_t offset)
{
	struct node *n = s->open[fd];

	if (!n)
		return -EBADF;
	if (offset >= n->now.n)
		return 0;
	if (bytes > n->now.n - offset)
		bytes = n->now.n - offset;
	memcpy(out, n->now.v + offset, bytes);
	return (int64_t)bytes;
}

int simfs_size(struct simfs *s, const char *path, uint64_t *bytes)
{
	struct node *n = simfs_find(s, path);

	if (!n)
		return -ENOENT;
	*bytes = n->now.n;
	return n->folder ? -EINVAL : 0;
}

int simfs_rename(struct simfs *s, const char *from, const char *to)
{
	struct change c = {0};
	const char *old, *new;
	struct folder *folder = simfs_folder(s, from, &old);
	struct node *n = folder ? names_get(&folder->now, old) : NULL;

	if (!n || simfs_folder(s, to, &new) != folder)
		return -ENOENT;
	change_add(&c, old, NULL);
	change_add(&c, new, n);
	folder_change(folder, &c);
	return 0;
}

int simfs_link(struct simfs *s, const char *from, const char *to)
{
	struct node *n = simfs_find(s, from);
	struct folder *folder;
	struct change c = {0};
	const char *name;

	folder = simfs_folder(s, to, &name);
	if (!n || !folder)
		return -ENOENT;
	if (names_get(&folder->now, name))
		return -EEXIST;
	change_add(&c, name, n);
	folder_change(folder, &c);
	return 0;
}

static int remove_name(struct simfs *s, const char *path, bool is_folder)
{
	struct change c = {0};
	const char *name;
	struct folder *folder = simfs_folder(s, path, &name);
	struct node *n = folder ? names_get(&folder->now, name) : NULL;

	if (!n)
		return -ENOENT;
	if ((n->folder != NULL) != is_folder)
		return is_folder ? -ENOTDIR : -EISDIR;
	if (is_folder && n->folder->now.n)
		return -ENOTEMPTY;
	change_add(&c, name, NULL);
	folder_change(folder, &c);
	return 0;
}

int simfs_unlink(struct simfs *s, const char *path)
{
	return remove_name(s, path, false);
}

int simfs_rmdir(struct simfs *s, const char *path)
{
	return remove_name(s, path, true);
}

int simfs_mkdir(struct simfs *s, const char *path)
{
	struct change c = {0};
	const char *name;
	struct folder *folder = simfs_folder(s, path, &name);

	if (!folder)
		return -ENOENT;
	if (names_get(&folder->now, name))
		return -EEXIST;
	change_add(&c, name, node_new(s, true));
	folder_change(folder, &c);
	return 0;
}

int simfs_flush_folder(struct simfs *s, const char *path)
{
	struct node *n = simfs_find(s, path);

	if (!n || !n->folder)
		return -ENOENT;
	n->folder->safe = n->folder->now;
	n->folder->npending = 0;
	return 0;
}

int simfs_list(
	struct simfs *s, const char *path, int (*each)(void *ctx, const char *name), void *ctx)
{
	struct node *n = simfs_find(s, path);
	int rc = 0;

	if (!n || !n->folder)
		return -ENOENT;
	for (unsigned i = 0; i < n->folder->now.n && rc == 0; i++)
		rc = each(ctx, n->folder->now.v[i].name);
	return rc;
}
