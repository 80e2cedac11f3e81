/* SPDX-License-Identifier: BSD-3-Clause */
/* One line, looked at from outside; and words for numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"

static const struct ckpt_fs *fs = &ckpt_fs_posix;

static void check_lengths(struct listed_line *l, const char *session_path)
{
	struct ckpt_err err = {l->problem, sizeof l->problem};

	for (uint32_t r = 0; r < l->m.size && !*l->problem; r++) {
		struct ckpt_path path;
		uint64_t bytes;
		int rc;

		ckpt_path_file(&path, session_path, l->number, l->m.epoch, r, false);
		rc = fs->size(fs, path.text, &bytes);
		if (rc)
			ckpt_unreadable(err, path.text, rc);
		else if (bytes != l->m.ranks[r].bytes)
			ckpt_says(err, 0, path.text, "it has %" PRIu64 " bytes instead of %" PRIu64,
				bytes, l->m.ranks[r].bytes);
	}
}

const char *line_kind_word(enum line_kind kind)
{
	return kind == LINE_IMAGES ? "image" : kind == LINE_DATA ? "data" : "";
}

enum line_kind line_kind(const char *session_path, const struct ckpt_manifest *m)
{
	char unsaid[SENTENCE_BYTES];
	struct ckpt_reader reader;
	struct ckpt_path path;
	enum line_kind kind;

	ckpt_path_file(&path, session_path, m->line, m->epoch, 0, false);
	if (ckpt_reader_open(&reader, fs, path.text, (struct ckpt_err){unsaid, sizeof unsaid}) != 0)
		return LINE_UNKNOWN;
	kind = reader.header.kind == CKPT_FILE_IMAGE ? LINE_IMAGES : LINE_DATA;
	ckpt_reader_close(&reader);
	return kind;
}

void line_read(struct listed_line *l, const char *session_path, uint32_t number)
{
	int rc;

	*l = (struct listed_line){.number = number};
	rc = ckpt_manifest_read(fs, session_path, number, &l->m, l->problem, sizeof l->problem);
	if (rc && !*l->problem)
		strcpy(l->problem, "out of memory");
	l->has_manifest = rc == 0;
	if (rc)
		return;
	for (uint32_t r = 0; r < l->m.size; r++)
		l->bytes += l->m.ranks[r].bytes;
	check_lengths(l, session_path);
	l->kind = line_kind(session_path, &l->m);
}

void line_free(struct listed_line *l)
{
	if (l->has_manifest)
		ckpt_manifest_free(&l->m);
}

struct text text_bytes(uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)bytes / 1024;
	struct text t;
	size_t u = 0;

	if (bytes < 1024) {
		snprintf(t.v, sizeof t.v, "%" PRIu64 " B", bytes);
		return t;
	}
	for (; v >= 1023.95 && u < 5; u++)
		v /= 1024;
	snprintf(t.v, sizeof t.v, "%.1f %s", v, units[u]);
	return t;
}

struct text text_time(int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm tm;
	struct text t;

	if (!localtime_r(&when, &tm) || !strftime(t.v, sizeof t.v, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(t.v, sizeof t.v, "%" PRId64, seconds);
	return t;
}

struct text text_hex(const uint8_t *bytes, size_t n)
{
	struct text t = {""};

	for (size_t i = 0; i < n && 2 * i + 2 < sizeof t.v; i++)
		snprintf(t.v + 2 * i, 3, "%02x", bytes[i]);
	return t;
}
