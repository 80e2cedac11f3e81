/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/rank_folder.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/name.h"
#include "ckpt/sentence.h"

/* A process before may make one durable between two looks; no more than that at a time. */
enum { LOOKS = 16, GONE_MOST = 64 };

static void folder_of(struct ckpt_path *out, const struct ckpt_rank_folder *a)
{
	ckpt_path_alone(out, a->session_dir, a->rank);
}

static void path_of(struct ckpt_path *out, const struct ckpt_path *folder, struct ckpt_name n)
{
	ckpt_name_format(out, folder->text, n);
}

static struct ckpt_name name_of(uint32_t incarnation, uint32_t number)
{
	return (struct ckpt_name){CKPT_NAME_ALONE, number, incarnation, 0};
}

/* ---- what is there ---- */

struct look {
	uint32_t incarnation;
	bool any_newer, found;
	uint32_t before; /* the highest incarnation below `incarnation` that is there, */
	uint32_t number; /* and its highest number */
	bool own;	 /* `incarnation` has a file, */
	uint32_t has;	 /* and its highest number */
};

static int note(void *ctx, const char *text)
{
	struct ckpt_name n = ckpt_name_parse(text);
	struct look *l = ctx;

	if (n.kind != CKPT_NAME_ALONE)
		return 0;
	if (n.epoch > l->incarnation) {
		l->any_newer = true;
	} else if (n.epoch == l->incarnation) {
		if (!l->own || n.line > l->has)
			l->has = n.line;
		l->own = true;
	} else if (!l->found || n.epoch > l->before ||
		   (n.epoch == l->before && n.line > l->number)) {
		l->found = true;
		l->before = n.epoch;
		l->number = n.line;
	}
	return 0;
}

static int look(const struct ckpt_rank_folder *a, const struct ckpt_path *folder, struct look *l,
	struct ckpt_err err)
{
	int rc;

	*l = (struct look){.incarnation = a->incarnation};
	rc = a->fs->list(a->fs, folder->text, note, l);
	if (rc && rc != -ENOENT)
		return ckpt_failed(err, "read the folder", folder->text, rc);
	if (l->any_newer)
		return ckpt_says(err, FT_ESTALE, folder->text,
			"another process of rank %u has begun since, and this one is not needed",
			a->rank);
	return 0;
}

static int note_newest(void *ctx, const char *text)
{
	struct ckpt_name n = ckpt_name_parse(text), *newest = ctx;

	if (n.kind == CKPT_NAME_ALONE &&
		(newest->kind == CKPT_NAME_FOREIGN || n.epoch > newest->epoch ||
			(n.epoch == newest->epoch && n.line > newest->line)))
		*newest = n;
	return 0;
}

int ckpt_rank_folder_newest(const struct ckpt_fs *fs, const char *session_dir, uint32_t rank,
	struct ckpt_name *out, struct ckpt_err err)
{
	struct ckpt_path folder;
	int rc;

	*out = (struct ckpt_name){CKPT_NAME_FOREIGN, 0, 0, 0};
	ckpt_path_alone(&folder, session_dir, rank);
	rc = fs->list(fs, folder.text, note_newest, out);
	return rc && rc != -ENOENT ? ckpt_failed(err, "read the folder", folder.text, rc) : 0;
}

/* ---- what is old goes ---- */

/* Names are not taken away while they are listed. */
struct old {
	uint32_t incarnation, number;
	bool unfinished; /* only that */
	size_t n;
	struct ckpt_name v[GONE_MOST];
};

static int note_old(void *ctx, const char *text)
{
	struct ckpt_name n = ckpt_name_parse(text);
	struct old *o = ctx;

	if (n.kind != CKPT_NAME_ALONE_TMP && (n.kind != CKPT_NAME_ALONE || o->unfinished))
		return 0;
	if (n.epoch > o->incarnation || (n.epoch == o->incarnation && n.line >= o->number))
		return 0;
	if (o->n < GONE_MOST)
		o->v[o->n++] = n;
	return 0;
}

/* What cannot be removed does not count. */
static void remove_old(
	const struct ckpt_rank_folder *a, const struct ckpt_path *folder, struct old *o)
{
	do {
		o->n = 0;
		if (a->fs->list(a->fs, folder->text, note_old, o) != 0)
			return;
		for (size_t i = 0; i < o->n; i++) {
			struct ckpt_path path;

			path_of(&path, folder, o->v[i]);
			if (a->fs->unlink(a->fs, path.text) != 0)
				return;
		}
	} while (o->n == GONE_MOST);
}

/* ---- a process takes what it goes on from ---- */

static int make_folder(const struct ckpt_fs *fs, const char *path)
{
	int rc = fs->mkdir(fs, path);

	return rc == -EEXIST ? 0 : rc;
}

/* It begins at its beginning. */
static int mark(
	const struct ckpt_rank_folder *a, const struct ckpt_path *folder, struct ckpt_err err)
{
	struct ckpt_path path;
	int fd, rc, closed;

	path_of(&path, folder, name_of(a->incarnation, 0));
	rc = make_folder(a->fs, a->session_dir);
	if (rc == 0)
		rc = make_folder(a->fs, folder->text);
	if (rc)
		return ckpt_failed(err, "make the folder", folder->text, rc);
	fd = a->fs->create(a->fs, path.text);
	if (fd == -EEXIST)
		return 0;
	if (fd < 0)
		return ckpt_failed(err, "write", path.text, fd);
	rc = a->fs->flush(a->fs, fd);
	closed = a->fs->close(a->fs, fd);
	rc = rc ? rc : closed;
	if (rc)
		return ckpt_failed(err, "write", path.text, rc);
	rc = a->fs->flush_folder(a->fs, a->session_dir);
	return rc ? ckpt_failed(err, "flush the folder", a->session_dir, rc) : 0;
}

/* It may be gone by now: the process before has made a newer one. */
static int take(const struct ckpt_rank_folder *a, const struct ckpt_path *folder,
	const struct look *l, struct ckpt_err err)
{
	struct ckpt_path from, to;
	int rc;

	path_of(&from, folder, name_of(l->before, l->number));
	path_of(&to, folder, name_of(a->incarnation, l->number));
	rc = a->fs->rename(a->fs, from.text, to.text);
	return rc && rc != -ENOENT ? ckpt_failed(err, "rename to", to.text, rc) : 0;
}

/* What a process before that one has left does not count any more. */
static bool is_taken(const struct look *l, bool looked, uint32_t before)
{
	if (!l->own)
		return false;
	return !l->found || (looked && l->before != before) || l->number <= l->has;
}

/* It is durable; what processes before were writing is of no use. */
static int settle(
	const struct ckpt_rank_folder *a, const struct ckpt_path *folder, struct ckpt_err err)
{
	struct old old = {.incarnation = a->incarnation, .unfinished = true};
	int rc = a->fs->flush_folder(a->fs, folder->text);

	if (rc)
		return ckpt_failed(err, "flush the folder", folder->text, rc);
	remove_old(a, folder, &old);
	return 0;
}

int ckpt_rank_folder_take(
	const struct ckpt_rank_folder *a, uint32_t *number, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_path folder;
	uint32_t before = 0;
	struct look l;
	int rc;

	if (strlen(a->session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(e, "read in", a->session_dir, -ENAMETOOLONG);
	folder_of(&folder, a);
	for (int i = 0; i < LOOKS; i++) {
		rc = look(a, &folder, &l, e);
		if (rc)
			return rc;
		if (is_taken(&l, i > 0, before)) {
			*number = l.has;
			return settle(a, &folder, e);
		}
		if (i == 0)
			before = l.before;
		rc = l.found ? take(a, &folder, &l, e) : mark(a, &folder, e);
		if (rc)
			return rc;
		fault_point("alone-claimed");
	}
	return ckpt_says(e, FT_ESYS, folder.text,
		"a process before of rank %u goes on to make checkpoints", a->rank);
}

/* ---- a checkpoint is made ---- */

int ckpt_rank_folder_made(
	const struct ckpt_rank_folder *a, uint32_t number, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct old old = {.incarnation = a->incarnation, .number = number};
	struct ckpt_path folder, path;
	struct look l;
	int rc;

	folder_of(&folder, a);
	rc = look(a, &folder, &l, e);
	if (rc == FT_ESTALE) {
		path_of(&path, &folder, name_of(a->incarnation, number));
		a->fs->unlink(a->fs, path.text);
	}
	if (rc)
		return rc;
	fault_point("alone-made");
	remove_old(a, &folder, &old);
	return 0;
}
