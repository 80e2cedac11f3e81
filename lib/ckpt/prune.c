/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First the manifests of old lines go, then the folder is flushed, and only then go files that no
 * manifest names: whatever survives a crash, a manifest that is there has its files. The folder is
 * flushed before the first manifest goes, too: a newer line that is counted on may have been
 * committed by a process that has not flushed it yet.
 */
#include "ckpt/prune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/epoch.h"
#include "ckpt/name.h"

enum fate { UNKNOWN, STAYS, STAYS_UNREAD, GOES };

struct entry {
	struct ckpt_name name;
	enum fate fate;	     /* of a manifest */
	uint32_t made_epoch; /* of a manifest that was read */
};

struct pruning {
	const struct ckpt_fs *fs;
	const char *dir;
	const struct ckpt_prune_order *order;
	struct entry *entries; /* manifests come first, newest first */
	size_t n, room;
	struct ckpt_err err;
	int rc; /* of the first error */
};

/* The first error is the one that is told. */
static void fails(struct pruning *p, const char *verb, const char *path, int rc)
{
	if (p->rc == 0)
		p->rc = ckpt_failed(p->err, verb, path, rc);
}

/* ---- what is there ---- */

static int note(void *ctx, const char *name)
{
	struct entry e = {.name = ckpt_name_parse(name)};
	struct pruning *p = ctx;

	if (e.name.kind == CKPT_NAME_FOREIGN)
		return 0;
	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 32;
		struct entry *grown = realloc(p->entries, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		p->entries = grown;
		p->room = room;
	}
	p->entries[p->n++] = e;
	return 0;
}

static int by_kind_then_newest(const void *a, const void *b)
{
	const struct ckpt_name *x = &((const struct entry *)a)->name,
			       *y = &((const struct entry *)b)->name;

	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->line < y->line) - (x->line > y->line);
}

static bool files_there(const struct pruning *p, const struct ckpt_manifest *m)
{
	for (uint32_t r = 0; r < m->size; r++) {
		struct ckpt_path path;
		uint64_t bytes;

		ckpt_path_file(&path, p->dir, m->line, m->epoch, r, false);
		if (p->fs->size(p->fs, path.text, &bytes) < 0 || bytes != m->ranks[r].bytes)
			return false;
	}
	return true;
}

/* Reads a manifest that stays; is its line whole? */
static bool stays(struct pruning *p, struct entry *e)
{
	struct ckpt_manifest m;
	char ignored[256];
	bool whole;

	e->fate = STAYS_UNREAD;
	if (ckpt_manifest_read(p->fs, p->dir, e->name.line, &m, ignored, sizeof ignored) != 0)
		return false;
	e->fate = STAYS;
	e->made_epoch = m.epoch;
	whole = p->order->keep && files_there(p, &m) &&
		(!p->order->whole || p->order->whole(p->order->ctx, &m));
	ckpt_manifest_free(&m);
	return whole;
}

/* A line of an epoch before this one may have been committed late, while an epoch between the two
 * was already removing its files: while the job goes on it is no reason to let go of another. */
static bool is_safe(const struct pruning *p, const struct entry *e)
{
	return p->order->idle || p->order->over || e->made_epoch == p->order->making_epoch;
}

static void decide_manifests(struct pruning *p)
{
	unsigned whole = 0;

	for (size_t i = 0; i < p->n && p->entries[i].name.kind == CKPT_NAME_MANIFEST; i++) {
		if (p->order->keep && whole == p->order->keep)
			p->entries[i].fate = GOES;
		else
			whole += stays(p, &p->entries[i]) && is_safe(p, &p->entries[i]);
	}
}

/* Could a manifest that is there name this folder? */
static bool is_committed(const struct pruning *p, struct ckpt_name folder)
{
	for (size_t i = 0; i < p->n && p->entries[i].name.kind == CKPT_NAME_MANIFEST; i++) {
		const struct entry *e = &p->entries[i];

		if (e->name.line == folder.line && e->fate != GOES &&
			(e->fate != STAYS || e->made_epoch == folder.epoch))
			return true;
	}
	return false;
}

static bool any_manifest(const struct pruning *p)
{
	return p->n > 0 && p->entries[0].name.kind == CKPT_NAME_MANIFEST;
}

/* The epoch that prunes is over, and it does not know it yet: all is the business of a later one.
 */
static bool is_late(const struct pruning *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct entry *e = &p->entries[i];
		uint32_t epoch = e->name.kind == CKPT_NAME_MANIFEST ? e->made_epoch : e->name.epoch;

		if (!p->order->idle && epoch > p->order->making_epoch)
			return true;
	}
	return false;
}

/* Has the epoch that prunes committed a line? */
static bool has_own_line(const struct pruning *p)
{
	for (size_t i = 0; i < p->n && p->entries[i].name.kind == CKPT_NAME_MANIFEST; i++)
		if (p->entries[i].fate == STAYS &&
			p->entries[i].made_epoch == p->order->making_epoch)
			return true;
	return false;
}

/* May somebody be making this line? A rank of an epoch before may still commit one, and prune,
 * until it sees a folder of this epoch. */
static bool in_the_making(const struct pruning *p, struct ckpt_name n)
{
	const struct ckpt_prune_order *o = p->order;

	if (o->over)
		return false;
	if (o->idle)
		return !any_manifest(p) || n.line >= p->entries[0].name.line;
	if (n.epoch == o->making_epoch)
		return o->making && n.line >= o->making;
	return !has_own_line(p);
}

/* The word that an epoch has begun which is over. The last one stays: somebody may be late. */
static bool is_past(const struct pruning *p, struct ckpt_name n)
{
	return n.kind == CKPT_NAME_EPOCH && !p->order->idle && n.epoch < p->order->making_epoch;
}

/* ---- removing ---- */

static void tell(const struct pruning *p, struct ckpt_name n, bool committed)
{
	if (p->order->removing)
		p->order->removing(p->order->ctx, n.line, n.epoch, committed);
}

static int remove_manifest(struct pruning *p, struct entry *e)
{
	int rc = -fault_error("prune-manifest");
	struct ckpt_path path;

	ckpt_name_format(&path, p->dir, e->name);
	if (rc == 0)
		rc = p->fs->unlink(p->fs, path.text);
	if (rc && rc != -ENOENT) {
		fails(p, "remove", path.text, rc);
		e->fate = STAYS_UNREAD;
		return rc;
	}
	tell(p, e->name, true);
	return 0;
}

static void flush(struct pruning *p)
{
	int rc = p->fs->flush_folder(p->fs, p->dir);

	if (rc)
		fails(p, "flush the folder", p->dir, rc);
}

/* Flushing may have taken long: may the first manifest go still? */
static bool still_ours(struct pruning *p)
{
	struct ckpt_err ignored = {(char[256]){""}, 256};

	flush(p);
	if (p->rc || p->order->idle)
		return p->rc == 0;
	return ckpt_epoch_check(p->fs, p->dir, p->order->making_epoch, ignored) == 0;
}

/* false: all that is there is the business of a later epoch. */
static bool remove_manifests(struct pruning *p)
{
	bool asked = false;

	for (size_t i = 0; i < p->n; i++) {
		if (p->entries[i].fate != GOES)
			continue;
		if (!asked && !still_ours(p))
			return false;
		asked = true;
		if (p->rc || remove_manifest(p, &p->entries[i]))
			p->entries[i].fate = STAYS_UNREAD;
	}
	return true;
}

static void remove_file(struct pruning *p, const char *path)
{
	int rc = -fault_error("prune-files");

	if (rc == 0)
		rc = p->fs->unlink(p->fs, path);
	if (rc && rc != -ENOENT)
		fails(p, "remove", path, rc);
}

/* The files of ours in it, and the folder when nothing else is there. */
static void remove_folder(struct pruning *p, struct ckpt_name name)
{
	struct pruning inner = {.fs = p->fs};
	struct ckpt_path folder, path;
	int rc;

	ckpt_name_format(&folder, p->dir, name);
	rc = p->fs->list(p->fs, folder.text, note, &inner);
	if (rc == -ENOENT || rc == -ENOTDIR)
		goto free_inner;
	if (rc)
		fails(p, "read the folder", folder.text, rc);
	for (size_t i = 0; i < inner.n; i++) {
		struct ckpt_name n = inner.entries[i].name;

		if (n.kind != CKPT_NAME_FILE && n.kind != CKPT_NAME_FILE_TMP)
			continue;
		ckpt_name_format(&path, folder.text, n);
		remove_file(p, path.text);
	}
	rc = p->fs->rmdir(p->fs, folder.text);
	if (rc && rc != -ENOENT && rc != -ENOTEMPTY && rc != -EEXIST)
		fails(p, "remove the folder", folder.text, rc);
free_inner:
	free(inner.entries);
}

static void remove_rest(struct pruning *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct ckpt_name n = p->entries[i].name;
		struct ckpt_path path;

		if (in_the_making(p, n))
			continue;
		if (n.kind == CKPT_NAME_MANIFEST_TMP || is_past(p, n)) {
			ckpt_name_format(&path, p->dir, n);
			remove_file(p, path.text);
		} else if (n.kind == CKPT_NAME_FOLDER && !is_committed(p, n)) {
			tell(p, n, false);
			remove_folder(p, n);
		}
	}
}

int ckpt_prune_with(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_prune_order *order, struct ckpt_err err)
{
	struct pruning p = {.fs = fs, .dir = session_dir, .order = order, .err = err};
	int rc;

	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(err, "read the folder", session_dir, -ENAMETOOLONG);
	rc = fs->list(fs, session_dir, note, &p);
	if (rc && rc != -ENOENT) {
		fails(&p, "read the folder", session_dir, rc);
		goto free_entries;
	}
	if (p.n)
		qsort(p.entries, p.n, sizeof *p.entries, by_kind_then_newest);
	decide_manifests(&p);
	if (is_late(&p))
		goto free_entries;
	if (!remove_manifests(&p))
		goto free_entries;
	if (p.rc == 0 && p.n)
		flush(&p);
	if (p.rc == 0)
		remove_rest(&p);
free_entries:
	free(p.entries);
	return p.rc;
}

int ckpt_clear_up(const struct ckpt_fs *fs, const char *session_dir, unsigned keep, uint32_t epoch,
	char *err, size_t errsize)
{
	struct ckpt_prune_order order = {.keep = keep, .making_epoch = epoch, .over = true};

	return ckpt_prune_with(fs, session_dir, &order, (struct ckpt_err){err, errsize});
}

int ckpt_prune(const struct ckpt_fs *fs, const char *session_dir, unsigned keep, uint32_t making,
	uint32_t making_epoch, char *err, size_t errsize)
{
	struct ckpt_prune_order order = {
		.keep = keep, .making = making, .making_epoch = making_epoch};

	return ckpt_prune_with(fs, session_dir, &order, (struct ckpt_err){err, errsize});
}
