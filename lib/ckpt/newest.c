/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a line is never before that of one that was committed before it in the same work
 * directory, whatever clocks say: -restore finds the newest line by its time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ckpt/ckpt.h"
#include "ckpt/name.h"

/* The year 9999: a time beyond that is no clock's. */
static const int64_t sane = 253402300799;

struct search {
	const struct ckpt_fs *fs;
	const char *work_dir;
	int64_t newest;
};

/* Of a session the line with the highest number counts. One that is damaged, or no session, tells
 * nothing. */
static int look_at(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct ckpt_manifest m;
	struct ckpt_path path;
	uint32_t *lines = NULL;
	char ignored[256];
	size_t n = 0;

	if (!ckpt_name_is_session(name) || strlen(s->work_dir) > CKPT_DIR_MAX - 30)
		return 0;
	ckpt_path_in(&path, s->work_dir, name);
	if (ckpt_line_numbers(s->fs, path.text, &lines, &n, ignored, sizeof ignored) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (ckpt_manifest_read(s->fs, path.text, lines[i], &m, ignored, sizeof ignored) !=
			0)
			continue;
		if (m.time_s > s->newest && m.time_s < sane)
			s->newest = m.time_s;
		ckpt_manifest_free(&m);
		break;
	}
	free(lines);
	return 0;
}

int64_t ckpt_newest_time(const struct ckpt_fs *fs, const char *work_dir)
{
	struct search s = {.fs = fs, .work_dir = work_dir};

	fs->list(fs, work_dir, look_at, &s);
	return s.newest;
}
