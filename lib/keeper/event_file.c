/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/event_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* a state without malloc */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/fault.h"
#include "keeper/event_format.h"

enum { PIECES_MAX = 2 + KEEPER_WINDOW / EVENTS_BLOCK };

struct event_path event_file_path(const struct event_folder *folder, uint32_t rank)
{
	struct event_path path;

	snprintf(path.text, sizeof path.text, "%.*s/rank-%05u.events", EVENT_FOLDER_MAX,
		folder->path, (unsigned)rank);
	return path;
}

void event_file_close(struct event_file *f)
{
	if (f->fd >= 0)
		f->folder->disk->close(f->folder->disk, f->fd);
	f->fd = -1;
}

/* ---- frames ---- */

static int put_frame(const struct event_file *f, int fd, uint64_t at, const struct events *e,
	const struct events_commit *c, uint64_t commit)
{
	const struct disk *disk = f->folder->disk;
	struct event_frame frame = {.magic = EVENT_FRAME_MAGIC,
		.incarnation = c->incarnation,
		.commit = commit,
		.forgotten = c->forgotten,
		.needed = c->needed,
		.first = c->first,
		.count = c->count};
	struct iovec iov[PIECES_MAX] = {{&frame, sizeof frame}};
	XXH3_state_t sum;
	int n = 1;

	XXH3_64bits_reset(&sum);
	for (uint32_t done = 0, run; done < c->count; done += run) {
		const uint8_t *piece = events_piece(e, f->rank, c->first + done, &run);

		if (run > c->count - done)
			run = c->count - done;
		iov[n++] =
			(struct iovec){(void *)(uintptr_t)piece, (size_t)run * KEEPER_RECORD_BYTES};
		XXH3_64bits_update(&sum, piece, (size_t)run * KEEPER_RECORD_BYTES);
	}
	frame.records_sum = XXH3_64bits_digest(&sum);
	frame.sum = XXH3_64bits(&frame, offsetof(struct event_frame, sum));
	return disk->write(disk, fd, iov, n, at);
}

static uint64_t frame_bytes(uint32_t count)
{
	return sizeof(struct event_frame) + (uint64_t)count * KEEPER_RECORD_BYTES;
}

/* ---- a file that is written anew ---- */

/* What it is to hold, in frames of as many records as one may have; there is one at least. */
struct whole {
	uint64_t first, records, frames, bytes;
};

static struct whole whole_of(const struct events_commit *c)
{
	struct whole w = {.first = c->forgotten + 1};

	w.records = c->first + c->count - w.first;
	w.frames = w.records ? (w.records + KEEPER_WINDOW - 1) / KEEPER_WINDOW : 1;
	w.bytes = sizeof(struct event_header) + w.frames * sizeof(struct event_frame) +
		  w.records * KEEPER_RECORD_BYTES;
	return w;
}

static int put_header(const struct event_file *f, int fd, uint64_t commits)
{
	struct event_header h = {
		.version = EVENT_FILE_VERSION, .rank = f->rank, .commits = commits};
	struct iovec iov = {&h, sizeof h};

	memcpy(h.magic, EVENT_FILE_MAGIC, sizeof h.magic);
	memcpy(h.session, f->folder->session, sizeof h.session);
	h.sum = XXH3_64bits(&h, offsetof(struct event_header, sum));
	return f->folder->disk->write(f->folder->disk, fd, &iov, 1, 0);
}

static int put_whole(const struct event_file *f, int fd, const struct events *e,
	const struct events_commit *c, const struct whole *w)
{
	struct events_commit part = *c;
	uint64_t left = w->records, at = sizeof(struct event_header);
	int rc = put_header(f, fd, w->frames);

	part.first = w->first;
	for (uint64_t i = 1; i <= w->frames && rc == 0; i++) {
		part.count = left < KEEPER_WINDOW ? (uint32_t)left : KEEPER_WINDOW;
		rc = -fault_error("keeper-rewrite");
		if (rc == 0)
			rc = put_frame(f, fd, at, e, &part, i);
		at += frame_bytes(part.count);
		part.first += part.count;
		left -= part.count;
	}
	return rc;
}

static int write_anew(struct event_file *f, const struct events *e, const struct events_commit *c)
{
	const struct disk *disk = f->folder->disk;
	struct event_path path = event_file_path(f->folder, f->rank), tmp = path;
	struct whole w = whole_of(c);
	int rc = -fault_error("keeper-create"), fd;

	strcat(tmp.text, ".new");
	disk->unlink(disk, tmp.text);
	if (rc)
		return rc;
	fd = disk->create(disk, tmp.text);
	if (fd < 0)
		return fd;
	rc = put_whole(f, fd, e, c, &w);
	if (rc == 0)
		rc = -fault_error("keeper-flush");
	if (rc == 0)
		rc = disk->flush(disk, fd);
	if (rc == 0)
		rc = -fault_error("keeper-rename");
	if (rc == 0)
		rc = disk->rename(disk, tmp.text, path.text);
	if (rc) {
		disk->close(disk, fd);
		disk->unlink(disk, tmp.text);
		return rc;
	}
	event_file_close(f);
	*f = (struct event_file){.folder = f->folder,
		.rank = f->rank,
		.fd = fd,
		.length = w.bytes,
		.commit = w.frames};
	rc = -fault_error("keeper-folder");
	if (rc == 0)
		rc = disk->flush_folder(disk, f->folder->path);
	/* after a crash either file may have the name, and this one says more */
	f->anew = rc != 0;
	return rc;
}

/* Most of the file is in vain. */
static bool is_wasteful(const struct event_file *f, const struct events_commit *c)
{
	uint64_t live = whole_of(c).bytes, waste = f->length > live ? f->length - live : 0;

	return waste > live && (f->tight || (waste > EVENT_WASTE && f->length >= f->shrink_at));
}

/* ---- a commit ---- */

static int append(struct event_file *f, const struct events *e, const struct events_commit *c)
{
	const struct disk *disk = f->folder->disk;
	int rc = -fault_error("keeper-write");

	if (rc == 0)
		rc = put_frame(f, f->fd, f->length, e, c, f->commit + 1);
	if (rc) {
		f->anew = disk->cut(disk, f->fd, f->length) != 0;
		return rc;
	}
	rc = -fault_error("keeper-flush");
	if (rc == 0)
		rc = disk->flush(disk, f->fd);
	if (rc) {
		f->anew = true;
		return rc;
	}
	f->length += frame_bytes(c->count);
	f->commit++;
	return 0;
}

int event_file_commit(struct event_file *f, const struct events *e, const struct events_commit *c)
{
	int rc = 0;

	if (f->anew || is_wasteful(f, c)) {
		rc = write_anew(f, e, c);
		if (rc == 0 || f->anew) {
			f->tight = rc != 0;
			return rc;
		}
		f->shrink_at = f->length + EVENT_WASTE;
	}
	rc = append(f, e, c);
	f->tight = rc != 0;
	return rc;
}
