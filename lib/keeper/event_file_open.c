/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of a log is read once, as the keeper begins; nothing in it is believed before it is
 * checked. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/fault.h"
#include "keeper/event_file.h"
#include "keeper/event_format.h"

struct reading {
	struct event_file *f;
	struct events *e;
	uint64_t bytes, at; /* of the file; read */
	uint64_t commits;   /* what the header says */
	uint64_t last;	    /* where the last frame begins */
	char *said;
	size_t size;
	uint8_t buffer[EVENT_FRAME_BYTES_MAX];
};

static int fails(struct reading *r, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "PATH: ..." */
static int fails(struct reading *r, int code, const char *fmt, ...)
{
	struct event_path path = event_file_path(r->f->folder, r->f->rank);
	int n = snprintf(r->said, r->size, "%s: ", path.text);
	va_list args;

	if (n < 0 || (size_t)n >= r->size)
		return code;
	va_start(args, fmt);
	vsnprintf(r->said + n, r->size - (size_t)n, fmt, args);
	va_end(args);
	return code;
}

static int damaged(struct reading *r, const char *why)
{
	return fails(r, FT_EDAMAGED,
		"damaged at byte %llu: %s; the outcomes of rank %u are lost unless it tells them "
		"again",
		(unsigned long long)r->at, why, (unsigned)r->f->rank);
}

/* *got: how many bytes were there. */
static int get(struct reading *r, uint64_t at, void *out, size_t want, size_t *got)
{
	const struct disk *disk = r->f->folder->disk;
	int64_t n = disk->read(disk, r->f->fd, out, want, at);

	if (n < 0)
		return fails(r, FT_ESYS, "cannot be read: %s; mend that", strerror((int)-n));
	*got = (size_t)n;
	return 0;
}

static int read_header(struct reading *r)
{
	struct event_header h;
	size_t got;
	int rc = get(r, 0, &h, sizeof h, &got);

	if (rc)
		return rc;
	if (got < sizeof h)
		return damaged(r, "it is shorter than its header");
	if (memcmp(h.magic, EVENT_FILE_MAGIC, sizeof h.magic) != 0)
		return damaged(r, "it is no file of a keeper");
	if (h.sum != XXH3_64bits(&h, offsetof(struct event_header, sum)))
		return damaged(r, "the checksum of its header is wrong");
	if (h.version != EVENT_FILE_VERSION)
		return fails(r, FT_EMISMATCH,
			"it has version %u, and this keeper knows %d only; take the keeper that "
			"wrote it",
			(unsigned)h.version, EVENT_FILE_VERSION);
	if (memcmp(h.session, r->f->folder->session, sizeof h.session) != 0 || h.rank != r->f->rank)
		return fails(r, FT_EMISMATCH,
			"it belongs to another job or rank; give a folder of this job's own");
	if (h.commits == 0)
		return damaged(r, "it was made without a frame");
	r->commits = h.commits;
	r->at = sizeof h;
	return 0;
}

static bool is_frame(const struct event_frame *frame)
{
	return frame->magic == EVENT_FRAME_MAGIC && frame->zero == 0 &&
	       frame->count <= KEEPER_WINDOW &&
	       frame->sum == XXH3_64bits(frame, offsetof(struct event_frame, sum));
}

/* The frame at r->at, the records in the buffer. NULL: it is whole; else why it is not. */
static const char *why_not_whole(
	struct reading *r, struct event_frame *frame, size_t got, uint64_t commit)
{
	size_t records;

	if (got < sizeof *frame)
		return "the file ends in a frame";
	memcpy(frame, r->buffer, sizeof *frame);
	if (!is_frame(frame))
		return "the checksum of a frame is wrong";
	if (frame->commit != commit)
		return "a frame is missing";
	records = (size_t)frame->count * KEEPER_RECORD_BYTES;
	if (got - sizeof *frame < records)
		return "the file ends in a frame";
	if (frame->records_sum != XXH3_64bits(r->buffer + sizeof *frame, records))
		return "the checksum of outcomes is wrong";
	return NULL;
}

/* Frames behind r->at, wherever they begin: the highest number, and the newest incarnation. */
static int scan(struct reading *r, uint64_t *commit, uint32_t *incarnation)
{
	const size_t step = sizeof r->buffer - sizeof(struct event_frame);

	*commit = 0;
	*incarnation = 0;
	for (uint64_t at = r->at; at < r->bytes; at += step) {
		struct event_frame frame;
		size_t got;
		int rc = get(r, at, r->buffer, sizeof r->buffer, &got);

		if (rc)
			return rc;
		for (size_t i = 0; i + sizeof frame <= got; i += EVENT_ALIGN) {
			memcpy(&frame, r->buffer + i, sizeof frame);
			if (!is_frame(&frame))
				continue;
			if (*commit < frame.commit)
				*commit = frame.commit;
			if (*incarnation < frame.incarnation)
				*incarnation = frame.incarnation;
		}
	}
	return 0;
}

/* The frame of this number, at r->at, is not whole: was it never acknowledged? Then the file ends
 * before it. */
static int end_or_damage(struct reading *r, uint64_t number, const char *why)
{
	uint64_t later;
	uint32_t incarnation;
	int rc = scan(r, &later, &incarnation);

	if (rc)
		return rc;
	if (number > r->commits && later <= number && r->bytes - r->at <= EVENT_FRAME_BYTES_MAX)
		return 0;
	return damaged(r, why);
}

static int read_frames(struct reading *r)
{
	uint64_t number = 1;

	for (; r->at < r->bytes; number++) {
		struct event_frame frame;
		struct events_commit c;
		const char *why;
		size_t got;
		int rc = get(r, r->at, r->buffer, sizeof r->buffer, &got);

		if (rc)
			return rc;
		why = why_not_whole(r, &frame, got, number);
		if (why)
			return end_or_damage(r, number, why);
		c = (struct events_commit){.incarnation = frame.incarnation,
			.count = frame.count,
			.forgotten = frame.forgotten,
			.needed = frame.needed,
			.first = frame.first};
		rc = events_restore(r->e, r->f->rank, &c, r->buffer + sizeof frame, &why);
		if (rc == FT_EDAMAGED)
			return damaged(r, why);
		if (rc == FT_ETRUNC)
			return fails(r, rc,
				"holds more outcomes than the limit; start the keeper with the "
				"-limit that it had, or more");
		if (rc)
			return fails(r, rc, "%s", ft_error_text(rc));
		r->last = r->at;
		r->at += sizeof frame + (uint64_t)frame.count * KEEPER_RECORD_BYTES;
		r->f->length = r->at;
		r->f->commit = number;
	}
	return number > r->commits ? 0 : damaged(r, "frames are missing at its end");
}

/* No older incarnation is to be listened to, though the log is lost. */
static void keep_incarnation(struct reading *r)
{
	struct events_rank *log = &r->e->v[r->f->rank];
	uint64_t commit;
	uint32_t incarnation;

	if (scan(r, &commit, &incarnation) == 0 && log->incarnation < incarnation)
		log->incarnation = incarnation;
}

/* The keeper before may have died before it flushed the last frame, or may have failed to: then the
 * kernel takes for written what is not, and a flush alone would not write it. Those before were
 * flushed before the last one was begun. */
static int make_durable(struct reading *r)
{
	struct event_file *f = r->f;
	const struct disk *disk = f->folder->disk;
	struct iovec iov = {r->buffer, (size_t)(f->length - r->last)};
	int rc = 0;

	if (disk->read(disk, f->fd, r->buffer, iov.iov_len, r->last) != (int64_t)iov.iov_len)
		return -EIO;
	if (f->length < r->bytes) {
		rc = -fault_error("keeper-cut");
		if (rc == 0)
			rc = disk->cut(disk, f->fd, f->length);
	}
	if (rc == 0)
		rc = disk->write(disk, f->fd, &iov, 1, r->last);
	if (rc == 0)
		rc = disk->flush(disk, f->fd);
	return rc ? rc : disk->flush_folder(disk, f->folder->path);
}

static int read_file(struct reading *r)
{
	int rc = read_header(r);

	if (rc == 0)
		rc = read_frames(r);
	if (rc == FT_EDAMAGED) {
		keep_incarnation(r);
		events_lose(r->e, r->f->rank);
		r->f->anew = true; /* this one stays until the new one has its name */
		return 0;
	}
	if (rc == 0 && make_durable(r) != 0)
		r->f->anew = r->e->v[r->f->rank].changed = true;
	return rc;
}

int event_file_open(struct event_file *f, const struct event_folder *folder, uint32_t rank,
	bool fresh, struct events *e, char *said, size_t size)
{
	struct event_path path = event_file_path(folder, rank);
	struct reading *r;
	uint64_t bytes;
	int rc;

	*f = (struct event_file){.folder = folder, .rank = rank, .fd = -1};
	*said = '\0';
	rc = folder->disk->open(folder->disk, path.text, &bytes);
	if (rc == -ENOENT) {
		f->anew = true;
		if (fresh)
			return 0;
		events_lose(e, rank);
		snprintf(said, size,
			"%s is not there: the outcomes of rank %u are lost unless it tells them "
			"again",
			path.text, (unsigned)rank);
		return 0;
	}
	if (rc < 0) {
		snprintf(said, size, "cannot open %s: %s; let the keeper read and write it",
			path.text, strerror(-rc));
		return rc == -ENOMEM ? FT_ENOMEM : FT_ESYS;
	}
	f->fd = rc;
	r = calloc(1, sizeof *r);
	if (!r) {
		snprintf(said, size, "there is no memory to read the files");
		return FT_ENOMEM;
	}
	r->f = f;
	r->e = e;
	r->bytes = bytes;
	r->said = said;
	r->size = size;
	rc = read_file(r);
	free(r);
	return rc;
}
