/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An epoch says durably that it has begun, before it looks which lines there are: by a file without
 * contents, epoch-EEEE in the session's folder. A rank of an epoch before, which may live on unseen
 * on a host that was cut off, commits nothing and removes nothing when it sees that. What it was
 * already doing may still happen: the new epoch lists again when a line is not as it was listed.
 */
#include "ckpt/epoch.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/name.h"

struct later {
	uint32_t than, found; /* found: the latest one beyond `than`, 0 for none */
};

static int note(void *ctx, const char *name)
{
	struct ckpt_name n = ckpt_name_parse(name);
	struct later *l = ctx;

	if (n.epoch > l->than && n.epoch > l->found)
		l->found = n.epoch;
	return 0;
}

int ckpt_epoch_check(
	const struct ckpt_fs *fs, const char *session_dir, uint32_t epoch, struct ckpt_err err)
{
	struct later l = {.than = epoch};
	int rc = fs->list(fs, session_dir, note, &l);

	if (rc && rc != -ENOENT)
		return ckpt_failed(err, "read the folder", session_dir, rc);
	if (!l.found)
		return 0;
	return ckpt_says(err, FT_ESTALE, session_dir,
		"the job has gone on in epoch %u, and this rank is still in epoch %u", l.found,
		epoch);
}

static int make_folder(const struct ckpt_fs *fs, const char *session_dir)
{
	int rc = fs->mkdir(fs, session_dir);

	return rc == -EEXIST ? 0 : rc;
}

static int make_file(const struct ckpt_fs *fs, const char *path)
{
	int rc = -fault_error("restore-epoch"), fd, closed;

	if (rc)
		return rc;
	fd = fs->create(fs, path);
	if (fd < 0)
		return fd == -EEXIST ? 0 : fd;
	rc = fs->flush(fs, fd);
	closed = fs->close(fs, fd);
	return rc ? rc : closed;
}

int ckpt_epoch_begin(const struct ckpt_fs *fs, const char *session_dir, uint32_t epoch, char *err,
	size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_path path, above;
	int rc;

	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(e, "write in", session_dir, -ENAMETOOLONG);
	ckpt_name_format(&path, session_dir, (struct ckpt_name){CKPT_NAME_EPOCH, 0, epoch, 0});
	ckpt_path_above(&above, session_dir);
	rc = make_folder(fs, session_dir);
	if (rc)
		return ckpt_failed(e, "make the folder", session_dir, rc);
	rc = make_file(fs, path.text);
	if (rc)
		return ckpt_failed(e, "write", path.text, rc);
	rc = fs->flush_folder(fs, above.text);
	if (rc == 0)
		rc = fs->flush_folder(fs, session_dir);
	return rc ? ckpt_failed(e, "flush the folder", session_dir, rc) : 0;
}
