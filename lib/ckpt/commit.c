/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Committing a line, and reading what was committed. The manifest is made under a temporary name
 * and then given its own by link, which never replaces: of two that commit the same number one
 * fails. Before that the names of the session's folder and of the line's are made durable, so that
 * a manifest that survived a crash names a folder that did. At last the folder is searched for a
 * later epoch: if one has begun the line is not wanted any more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/ckpt.h"
#include "ckpt/epoch.h"
#include "ckpt/manifest.h"
#include "ckpt/name.h"

static int write_text(const struct ckpt_fs *fs, const char *path, char *text, size_t len)
{
	struct iovec iov = {text, len};
	int rc = -fault_error("manifest-open"), fd, closed;

	if (rc)
		return rc;
	/* a new file: the one that is there may be linked to a manifest */
	fs->unlink(fs, path);
	fd = fs->create(fs, path);
	if (fd < 0)
		return fd;
	rc = -fault_error("manifest-write");
	if (rc == 0)
		rc = fs->write(fs, fd, &iov, 1, 0);
	if (rc == 0)
		rc = -fault_error("manifest-flush");
	if (rc == 0)
		rc = fs->flush(fs, fd);
	closed = fs->close(fs, fd);
	return rc ? rc : closed;
}

static int flush_folders(const struct ckpt_fs *fs, const char *session_dir, struct ckpt_err err)
{
	struct ckpt_path above;
	int rc;

	ckpt_path_above(&above, session_dir);
	rc = fs->flush_folder(fs, above.text);
	if (rc)
		return ckpt_failed(err, "flush the folder", above.text, rc);
	rc = fs->flush_folder(fs, session_dir);
	return rc ? ckpt_failed(err, "flush the folder", session_dir, rc) : 0;
}

static int publish(const struct ckpt_fs *fs, const char *session_dir, const char *tmp,
	const char *path, uint32_t line, struct ckpt_err err)
{
	int rc = -fault_error("manifest-link");

	if (rc == 0)
		rc = fs->link(fs, tmp, path);
	if (rc == -EEXIST)
		return ckpt_says(err, FT_EEXIST, path, "line %u is committed already", line);
	if (rc)
		return ckpt_failed(err, "link to", path, rc);
	rc = -fault_error("manifest-folder");
	if (rc == 0)
		rc = fs->flush_folder(fs, session_dir);
	/* it is not taken back: somebody may already have counted on it */
	return rc ? ckpt_failed(err, "make durable (so it may count or not)", path, rc) : 0;
}

int ckpt_commit(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_manifest *m,
	char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_path path, tmp;
	size_t len;
	char *text;
	int rc;

	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(e, "write in", session_dir, -ENAMETOOLONG);
	if (m->size == 0)
		return ckpt_says(e, FT_EINVAL, session_dir, "a line has at least one rank");
	text = ckpt_manifest_encode(m, &len);
	if (!text)
		return ckpt_failed(e, "write in", session_dir, -ENOMEM);
	ckpt_name_format(&path, session_dir, (struct ckpt_name){CKPT_NAME_MANIFEST, m->line, 0, 0});
	ckpt_name_format(&tmp, session_dir,
		(struct ckpt_name){CKPT_NAME_MANIFEST_TMP, m->line, m->epoch, 0});
	rc = write_text(fs, tmp.text, text, len);
	free(text);
	if (rc)
		rc = ckpt_failed(e, "write", path.text, rc);
	if (rc == 0)
		rc = flush_folders(fs, session_dir, e);
	if (rc == 0)
		rc = ckpt_epoch_check(fs, session_dir, m->epoch, e);
	if (rc == 0)
		rc = publish(fs, session_dir, tmp.text, path.text, m->line, e);
	fs->unlink(fs, tmp.text);
	return rc;
}

/* ---- what is committed ---- */

struct numbers {
	uint32_t *v;
	size_t n, room;
};

static int note_line(void *ctx, const char *name)
{
	struct ckpt_name n = ckpt_name_parse(name);
	struct numbers *found = ctx;

	if (n.kind != CKPT_NAME_MANIFEST)
		return 0;
	if (found->n == found->room) {
		size_t room = found->room ? 2 * found->room : 16;
		uint32_t *v = realloc(found->v, room * sizeof *v);

		if (!v)
			return -ENOMEM;
		found->v = v;
		found->room = room;
	}
	found->v[found->n++] = n.line;
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

int ckpt_line_numbers(const struct ckpt_fs *fs, const char *session_dir, uint32_t **out, size_t *n,
	char *err, size_t errsize)
{
	struct numbers found = {0};
	int rc = -fault_error("restore-list");

	if (rc == 0)
		rc = fs->list(fs, session_dir, note_line, &found);
	if (rc && rc != -ENOENT) {
		free(found.v);
		return ckpt_failed(
			(struct ckpt_err){err, errsize}, "read the folder", session_dir, rc);
	}
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, newest_first);
	*out = found.v;
	*n = found.n;
	return 0;
}

/* All of it with a NUL behind. */
static int read_text(const struct ckpt_fs *fs, const char *path, char **out, size_t *len)
{
	uint64_t bytes;
	int fd = fs->open(fs, path, &bytes), rc = 0;
	int64_t got;

	if (fd < 0)
		return fd;
	*out = bytes <= CKPT_MANIFEST_MAX ? malloc((size_t)bytes + 1) : NULL;
	if (!*out) {
		rc = bytes <= CKPT_MANIFEST_MAX ? -ENOMEM : -EFBIG;
		goto close;
	}
	got = fs->read(fs, fd, *out, bytes, 0);
	if (got < 0) {
		rc = (int)got;
		free(*out);
		goto close;
	}
	(*out)[got] = '\0';
	*len = (size_t)got;
close:
	fs->close(fs, fd);
	return rc;
}

int ckpt_manifest_read(const struct ckpt_fs *fs, const char *session_dir, uint32_t line,
	struct ckpt_manifest *m, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_manifest found;
	struct ckpt_path path;
	size_t len = 0;
	char *text = NULL; /* gcc does not see that read_text sets it */
	int rc;

	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(e, "read in", session_dir, -ENAMETOOLONG);
	ckpt_name_format(&path, session_dir, (struct ckpt_name){CKPT_NAME_MANIFEST, line, 0, 0});
	rc = -fault_error("restore-manifest");
	if (rc == 0)
		rc = read_text(fs, path.text, &text, &len);
	if (rc == -EFBIG)
		return ckpt_says(e, FT_EDAMAGED, path.text, "it is too long for a manifest");
	if (rc)
		return ckpt_unreadable(e, path.text, rc);
	rc = ckpt_manifest_decode(&found, text, len, path.text, e);
	free(text);
	if (rc)
		return rc;
	if (found.line != line) {
		rc = ckpt_says(
			e, FT_EDAMAGED, path.text, "it is the manifest of line %u", found.line);
		ckpt_manifest_free(&found);
		return rc;
	}
	*m = found;
	return 0;
}
