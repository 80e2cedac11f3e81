/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of one rank. The sections are written first, behind the place for header and table, each
 * piece right after it went through the checksum, while it is in the cache. A death at any step
 * leaves a temporary file, or a whole one that no manifest names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/ckpt.h"
#include "ckpt/format.h"
#include "ckpt/name.h"
#include "ckpt/sentence.h"

enum { PIECE = 1 << 20, PIECES_MAX = 64, BEGIN_FLUSH = 8 << 20 };

struct out {
	const struct ckpt_fs *fs;
	int fd;
	uint64_t at, begun; /* written; handed to the disk */
	struct iovec iov[PIECES_MAX];
	int n;
	size_t queued;
};

static int out_write(struct out *o)
{
	int rc = o->n ? -fault_error("ckpt-write") : 0;

	if (o->n == 0 || rc)
		return rc;
	rc = o->fs->write(o->fs, o->fd, o->iov, o->n, o->at);
	o->at += o->queued;
	o->n = 0;
	o->queued = 0;
	if (rc == 0 && o->at - o->begun >= BEGIN_FLUSH) {
		o->fs->begin_flush(o->fs, o->fd, o->begun, o->at - o->begun);
		o->begun = o->at;
	}
	return rc;
}

static int out_add(struct out *o, const void *data, size_t len)
{
	o->iov[o->n++] = (struct iovec){(void *)(uintptr_t)data, len};
	o->queued += len;
	return o->n == PIECES_MAX || o->queued >= PIECE ? out_write(o) : 0;
}

/* One section, and its checksum. */
static int out_section(
	struct out *o, XXH3_state_t *state, const struct ckpt_section *s, uint64_t *sum)
{
	const uint8_t *at = s->data;
	int rc = 0;

	XXH3_64bits_reset(state);
	for (uint64_t left = s->len; left > 0 && rc == 0;) {
		size_t piece = left < PIECE ? (size_t)left : PIECE;

		XXH3_64bits_update(state, at, piece);
		rc = out_add(o, at, piece);
		at += piece;
		left -= piece;
	}
	*sum = XXH3_64bits_digest(state);
	return rc;
}

/* The head: header and table. The sections, then the head before them. */
static int write_contents(struct out *o, struct ckpt_header *h, const struct ckpt_section *s,
	uint8_t *head, size_t head_len)
{
	XXH3_state_t *state = XXH3_createState();
	uint8_t *entry = head + CKPT_HEADER_BYTES;
	int rc = state ? 0 : -ENOMEM;

	o->at = o->begun = head_len;
	for (uint32_t i = 0; i < h->sections && rc == 0; i++, entry += CKPT_ENTRY_BYTES) {
		struct ckpt_entry e = {s[i].kind, s[i].id, s[i].type, s[i].len, 0, 0};

		rc = out_section(o, state, &s[i], &e.sum);
		ckpt_entry_encode(&e, entry);
	}
	XXH3_freeState(state);
	if (rc == 0)
		rc = out_write(o);
	if (rc)
		return rc;
	h->table_sum = XXH3_64bits(head + CKPT_HEADER_BYTES, head_len - CKPT_HEADER_BYTES);
	ckpt_header_encode(h, head);
	o->at = o->begun = 0;
	rc = out_add(o, head, head_len);
	return rc ? rc : out_write(o);
}

/* A durable file of this name, made under the name tmp. */
static int write_file(const struct ckpt_fs *fs, struct ckpt_header *h, const struct ckpt_section *s,
	uint8_t *head, size_t head_len, const char *tmp)
{
	struct out o = {.fs = fs};
	int rc, closed;

	if ((rc = -fault_error("ckpt-open")) != 0)
		return rc;
	fs->unlink(fs, tmp);
	o.fd = fs->create(fs, tmp);
	if (o.fd < 0)
		return o.fd;
	rc = fs->reserve(fs, o.fd, h->bytes);
	if (rc == 0)
		rc = write_contents(&o, h, s, head, head_len);
	if (rc == 0)
		rc = -fault_error("ckpt-flush");
	if (rc == 0)
		rc = fs->flush(fs, o.fd);
	closed = fs->close(fs, o.fd);
	return rc ? rc : closed;
}

static int make_folders(
	const struct ckpt_fs *fs, const char *session_dir, const char *folder, struct ckpt_err err)
{
	int rc = fs->mkdir(fs, folder);

	if (rc == -ENOENT) {
		rc = fs->mkdir(fs, session_dir);
		if (rc && rc != -EEXIST)
			return ckpt_failed(err, "make the folder", session_dir, rc);
		rc = fs->mkdir(fs, folder);
	}
	return rc && rc != -EEXIST ? ckpt_failed(err, "make the folder", folder, rc) : 0;
}

/* Gives the file its name, durably. */
static int publish(const struct ckpt_fs *fs, const char *tmp, const char *path, const char *folder,
	struct ckpt_err err)
{
	int rc = -fault_error("ckpt-rename");

	if (rc == 0)
		rc = fs->rename(fs, tmp, path);
	if (rc) {
		fs->unlink(fs, tmp);
		return ckpt_failed(err, "rename to", path, rc);
	}
	rc = -fault_error("ckpt-folder");
	if (rc == 0)
		rc = fs->flush_folder(fs, folder);
	if (rc) {
		fs->unlink(fs, path);
		return ckpt_failed(err, "flush the folder", folder, rc);
	}
	return 0;
}

/* What the header says of the contents; the head, zeroed, for them. */
static int prepare(struct ckpt_header *h, const struct ckpt_section *s, size_t n, uint8_t **head,
	size_t *head_len, const char *session_dir, struct ckpt_err err)
{
	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(err, "write in", session_dir, -ENAMETOOLONG);
	if (n > CKPT_SECTIONS_MAX)
		return ckpt_says(err, FT_EINVAL, session_dir,
			"a checkpoint holds at most %d sections, not %zu", CKPT_SECTIONS_MAX, n);
	*head_len = CKPT_HEADER_BYTES + n * CKPT_ENTRY_BYTES;
	h->sections = (uint32_t)n;
	h->bytes = *head_len;
	for (size_t i = 0; i < n; i++)
		h->bytes += s[i].len;
	h->time_s = time(NULL);
	*head = calloc(1, *head_len);
	return *head ? 0 : ckpt_failed(err, "write in", session_dir, -ENOMEM);
}

int ckpt_write(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_identity *id,
	uint32_t line, const struct ckpt_section *s, size_t n, uint64_t *seal, uint64_t *bytes,
	char *err, size_t errsize)
{
	struct ckpt_header h = {.id = *id, .line = line};
	struct ckpt_path folder, path, tmp;
	struct ckpt_err e = {err, errsize};
	uint8_t *head = NULL;
	size_t head_len = 0;
	int rc = prepare(&h, s, n, &head, &head_len, session_dir, e);

	if (rc)
		return rc;
	ckpt_path_folder(&folder, session_dir, line, id->epoch);
	ckpt_path_file(&path, session_dir, line, id->epoch, id->rank, false);
	ckpt_path_file(&tmp, session_dir, line, id->epoch, id->rank, true);
	rc = make_folders(fs, session_dir, folder.text, e);
	if (rc)
		goto free_head;
	rc = write_file(fs, &h, s, head, head_len, tmp.text);
	if (rc) {
		fs->unlink(fs, tmp.text);
		rc = ckpt_failed(e, "write", path.text, rc);
		goto free_head;
	}
	rc = publish(fs, tmp.text, path.text, folder.text, e);
	if (rc == 0) {
		*seal = h.seal;
		*bytes = h.bytes;
	}
free_head:
	free(head);
	return rc;
}
