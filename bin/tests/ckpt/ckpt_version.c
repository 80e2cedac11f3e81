/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ckpt_version SESSION_DIR LINE VERSION: the line as a library with other schedules would have made
 * it: every file of it, and the manifest, are written again with this version of schedules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "ckpt/ckpt.h"

static char err[512] = "SESSION_DIR LINE VERSION";

static bool set_version(struct ckpt_loaded *l, uint32_t version)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->sections[i].kind == CKPT_SCHEDULES) {
			struct writer w = writer_over((void *)(uintptr_t)l->sections[i].data, 4);

			writer_u32(&w, version);
			return true;
		}
	snprintf(err, sizeof err, "the line has no version");
	return false;
}

static bool rewrite(const char *dir, struct ckpt_manifest *m, uint32_t rank, uint32_t version)
{
	struct ckpt_identity self = {.rank = rank, .size = m->size};
	struct ckpt_loaded l;
	bool ok;

	memcpy(self.program, m->program, sizeof self.program);
	if (ckpt_load(&ckpt_fs_posix, dir, m, &self, true, &l, err, sizeof err) != 0)
		return false;
	ok = set_version(&l, version) &&
	     ckpt_write(&ckpt_fs_posix, dir, &l.made_by, m->line, l.sections, l.n,
		     &m->ranks[rank].seal, &m->ranks[rank].bytes, err, sizeof err) == 0;
	ckpt_loaded_free(&l);
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t line = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
	struct ckpt_manifest m = {0};
	char path[4096];
	bool ok =
		line && ckpt_manifest_read(&ckpt_fs_posix, argv[1], line, &m, err, sizeof err) == 0;

	for (uint32_t rank = 0; ok && rank < m.size; rank++)
		ok = rewrite(argv[1], &m, rank, (uint32_t)atoi(argv[3]));
	if (ok) {
		snprintf(path, sizeof path, "%s/line-%08u.manifest", argv[1], line);
		ok = unlink(path) == 0 &&
		     ckpt_commit(&ckpt_fs_posix, argv[1], &m, err, sizeof err) == 0;
	}
	ckpt_manifest_free(&m);
	if (!ok)
		fprintf(stderr, "ckpt_version: %s\n", err);
	return !ok;
}
