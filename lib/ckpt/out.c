/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sections are written first, behind the place for header and table; then the head before them.
 * What is appended goes through the checksum right before it is written, while it is in the cache,
 * and is not copied. What is added is copied first: a child that writes its own memory changes some
 * of it by doing so, and checksum and file have to agree.
 */
#include "ckpt/out.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* a state without malloc, and no call that the loader has to look up in a child */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/format.h"
#include "ckpt/name.h"
#include "ckpt/sentence.h"

enum { PIECE = 1 << 20, PIECES_MAX = 64, BEGIN_FLUSH = 8 << 20, BUFFER = 1 << 18 };

struct ckpt_out {
	const struct ckpt_fs *fs;
	struct ckpt_path folder, path, tmp;
	struct ckpt_header h;
	size_t memory, head_len; /* bytes of this object; of the head */
	int fd;
	int error;	   /* -errno of the first step that failed */
	uint32_t sections; /* those that are whole */
	bool open;	   /* there is one more, which is not */
	struct ckpt_entry entry;
	uint64_t at, begun; /* written; handed to the disk */
	struct iovec iov[PIECES_MAX];
	int n;
	size_t queued, buffered;
	XXH3_state_t sum;
	uint8_t buffer[BUFFER];
	uint8_t head[];
};

static int fail(struct ckpt_out *o, int rc)
{
	if (o->error == 0)
		o->error = rc;
	return o->error;
}

static int put(struct ckpt_out *o, struct iovec *iov, int n, size_t bytes)
{
	int rc = o->error ? o->error : -fault_error("ckpt-write");

	if (rc == 0)
		rc = o->fs->write(o->fs, o->fd, iov, n, o->at);
	if (rc)
		return fail(o, rc);
	o->at += bytes;
	if (o->at - o->begun >= BEGIN_FLUSH) {
		o->fs->begin_flush(o->fs, o->fd, o->begun, o->at - o->begun);
		o->begun = o->at;
	}
	return 0;
}

static int put_queue(struct ckpt_out *o)
{
	int rc = o->n ? put(o, o->iov, o->n, o->queued) : o->error;

	o->n = 0;
	o->queued = 0;
	return rc;
}

static int queue(struct ckpt_out *o, const void *data, size_t len)
{
	o->iov[o->n++] = (struct iovec){(void *)(uintptr_t)data, len};
	o->queued += len;
	return o->n == PIECES_MAX || o->queued >= PIECE ? put_queue(o) : 0;
}

static int put_buffer(struct ckpt_out *o)
{
	struct iovec iov = {o->buffer, o->buffered};
	size_t bytes = o->buffered;

	o->buffered = 0;
	if (bytes == 0)
		return o->error;
	XXH3_64bits_update(&o->sum, o->buffer, bytes);
	return put(o, &iov, 1, bytes);
}

/* ---- sections ---- */

static int open_section(struct ckpt_out *o, struct ckpt_entry entry)
{
	if (o->open || o->sections == o->h.sections)
		return fail(o, -EINVAL);
	o->open = true;
	o->entry = entry;
	XXH3_64bits_reset(&o->sum);
	return o->error;
}

static int close_section(struct ckpt_out *o)
{
	o->entry.sum = XXH3_64bits_digest(&o->sum);
	ckpt_entry_encode(
		&o->entry, o->head + CKPT_HEADER_BYTES + (size_t)o->sections * CKPT_ENTRY_BYTES);
	o->sections++;
	o->open = false;
	return o->error;
}

int ckpt_out_section(struct ckpt_out *o, uint32_t kind, uint32_t id)
{
	int rc = put_queue(o);

	return rc ? rc : open_section(o, (struct ckpt_entry){.kind = kind, .id = id});
}

int ckpt_out_add(struct ckpt_out *o, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	if (!o->open)
		return fail(o, -EINVAL);
	while (len > 0 && o->error == 0) {
		size_t room = BUFFER - o->buffered, n = len < room ? len : room;

		memmove(o->buffer + o->buffered, at, n); /* it may be this memory */
		o->buffered += n;
		o->entry.len += n;
		at += n;
		len -= n;
		if (o->buffered == BUFFER)
			put_buffer(o);
	}
	return o->error;
}

int ckpt_out_section_end(struct ckpt_out *o)
{
	int rc = o->open ? put_buffer(o) : fail(o, -EINVAL);

	return rc ? rc : close_section(o);
}

int ckpt_out_append(struct ckpt_out *o, const struct ckpt_section *s)
{
	const uint8_t *at = s->data;
	int rc = open_section(o, (struct ckpt_entry){s->kind, s->id, s->type, s->len, 0, 0});

	for (uint64_t left = s->len; left > 0 && rc == 0;) {
		size_t piece = left < PIECE ? (size_t)left : PIECE;

		XXH3_64bits_update(&o->sum, at, piece);
		rc = queue(o, at, piece);
		at += piece;
		left -= piece;
	}
	return rc ? rc : close_section(o);
}

/* ---- the beginning ---- */

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

static void name(struct ckpt_out *o, const struct ckpt_out_plan *plan)
{
	struct ckpt_name n = {CKPT_NAME_ALONE, plan->line, plan->id.epoch, 0};

	if (plan->alone) {
		ckpt_path_alone(&o->folder, plan->session_dir, plan->id.rank);
	} else {
		ckpt_path_folder(&o->folder, plan->session_dir, plan->line, plan->id.epoch);
		n = (struct ckpt_name){CKPT_NAME_FILE, 0, 0, plan->id.rank};
	}
	ckpt_name_format(&o->path, o->folder.text, n);
	n.kind = plan->alone ? CKPT_NAME_ALONE_TMP : CKPT_NAME_FILE_TMP;
	ckpt_name_format(&o->tmp, o->folder.text, n);
}

/* What the header says of the contents, as far as it is known. NULL: there is no memory. */
static struct ckpt_out *make(const struct ckpt_out_plan *plan)
{
	size_t head = CKPT_HEADER_BYTES + plan->sections * CKPT_ENTRY_BYTES;
	size_t memory = sizeof(struct ckpt_out) + head;
	struct ckpt_out *o = mmap(NULL, memory, PROT_READ | PROT_WRITE,
		MAP_ANONYMOUS | (plan->child ? MAP_SHARED : MAP_PRIVATE), -1, 0);

	if (o == MAP_FAILED)
		return NULL;
	o->fs = plan->fs;
	o->memory = memory;
	o->head_len = head;
	o->at = o->begun = head;
	o->h = (struct ckpt_header){.id = plan->id,
		.line = plan->line,
		.kind = plan->kind,
		.sections = (uint32_t)plan->sections,
		.time_s = time(NULL)};
	name(o, plan);
	return o;
}

static void destroy(struct ckpt_out *o)
{
	munmap(o, o->memory);
}

static int create(struct ckpt_out *o)
{
	int rc = -fault_error("ckpt-open");

	if (rc)
		return rc;
	o->fs->unlink(o->fs, o->tmp.text);
	o->fd = o->fs->create(o->fs, o->tmp.text);
	return o->fd < 0 ? o->fd : 0;
}

int ckpt_out_begin(
	struct ckpt_out **out, const struct ckpt_out_plan *plan, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_out *o;
	int rc;

	if (strlen(plan->session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(e, "write in", plan->session_dir, -ENAMETOOLONG);
	if (plan->sections > CKPT_SECTIONS_MAX)
		return ckpt_says(e, FT_EINVAL, plan->session_dir,
			"a checkpoint holds at most %d sections, not %zu", CKPT_SECTIONS_MAX,
			plan->sections);
	o = make(plan);
	if (!o)
		return ckpt_failed(e, "write in", plan->session_dir, -ENOMEM);
	rc = make_folders(o->fs, plan->session_dir, o->folder.text, e);
	if (rc)
		goto free_it;
	rc = create(o);
	if (rc) {
		o->fs->unlink(o->fs, o->tmp.text);
		rc = ckpt_failed(e, "write", o->path.text, rc);
		goto free_it;
	}
	rc = plan->bytes ? o->fs->reserve(o->fs, o->fd, o->head_len + plan->bytes) : 0;
	if (rc) {
		rc = ckpt_failed(e, "write", o->path.text, rc);
		ckpt_out_abandon(o);
		return rc;
	}
	*out = o;
	return 0;
free_it:
	destroy(o);
	return rc;
}

/* ---- the end ---- */

static int put_head(struct ckpt_out *o)
{
	struct iovec iov = {o->head, o->head_len};

	o->h.bytes = o->at;
	o->h.table_sum = XXH3_64bits(o->head + CKPT_HEADER_BYTES, o->head_len - CKPT_HEADER_BYTES);
	ckpt_header_encode(&o->h, o->head);
	o->at = o->begun = 0;
	return put(o, &iov, 1, o->head_len);
}

/* A durable file, under its temporary name. */
static int complete(struct ckpt_out *o, struct ckpt_err err)
{
	int rc = put_queue(o), closed;

	if (rc == 0 && o->sections != o->h.sections) {
		o->fs->close(o->fs, o->fd);
		return ckpt_says(err, FT_ESYS, o->path.text,
			"%u of its %u sections were written: the process that wrote them was "
			"killed; if it was for lack of memory, run fewer ranks on that host",
			o->sections, o->h.sections);
	}
	if (rc == 0)
		rc = put_head(o);
	if (rc == 0)
		rc = -fault_error("ckpt-flush");
	if (rc == 0)
		rc = o->fs->flush(o->fs, o->fd);
	closed = o->fs->close(o->fs, o->fd);
	rc = rc ? rc : closed;
	return rc ? ckpt_failed(err, "write", o->path.text, rc) : 0;
}

/* Gives the file its name, durably. */
static int publish(const struct ckpt_out *o, struct ckpt_err err)
{
	int rc = -fault_error("ckpt-rename");

	if (rc == 0)
		rc = o->fs->rename(o->fs, o->tmp.text, o->path.text);
	if (rc) {
		o->fs->unlink(o->fs, o->tmp.text);
		return ckpt_failed(err, "rename to", o->path.text, rc);
	}
	rc = -fault_error("ckpt-folder");
	if (rc == 0)
		rc = o->fs->flush_folder(o->fs, o->folder.text);
	if (rc) {
		o->fs->unlink(o->fs, o->path.text);
		return ckpt_failed(err, "flush the folder", o->folder.text, rc);
	}
	return 0;
}

int ckpt_out_finish(struct ckpt_out *o, uint64_t *seal, uint64_t *bytes, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	int rc = complete(o, e);

	if (rc)
		o->fs->unlink(o->fs, o->tmp.text);
	else
		rc = publish(o, e);
	if (rc == 0) {
		*seal = o->h.seal;
		*bytes = o->h.bytes;
	}
	destroy(o);
	return rc;
}

void ckpt_out_abandon(struct ckpt_out *o)
{
	if (!o)
		return;
	o->fs->close(o->fs, o->fd);
	o->fs->unlink(o->fs, o->tmp.text);
	destroy(o);
}

const void *ckpt_out_memory(const struct ckpt_out *o, size_t *bytes)
{
	*bytes = o->memory;
	return o;
}

uint64_t ckpt_out_written(const struct ckpt_out *o)
{
	return __atomic_load_n(&o->at, __ATOMIC_RELAXED);
}

int ckpt_out_descriptor(const struct ckpt_out *o)
{
	return o->fd;
}
