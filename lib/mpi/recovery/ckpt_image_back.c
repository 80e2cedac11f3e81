/* SPDX-License-Identifier: BSD-3-Clause */
/* In a process that woke up: what its line holds beside its image. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "ckpt/reader.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_part.h"

/* In malloc'ed memory; NULL: err says why. */
static uint8_t *read_section(
	struct ckpt_reader *r, enum ckpt_kind kind, size_t *len, struct ckpt_err err)
{
	const struct ckpt_entry *e = ckpt_reader_find(r, kind);
	uint8_t *bytes;

	if (!e) {
		ckpt_says(err, FT_EDAMAGED, r->path.text, "it lacks a section");
		return NULL;
	}
	*len = (size_t)e->len;
	bytes = malloc(*len ? *len : 1);
	if (!bytes)
		ckpt_says(err, FT_ENOMEM, r->path.text, "there is no memory for its messages");
	else if (ckpt_reader_section(r, (uint32_t)(e - r->entries), bytes, err) == 0)
		return bytes;
	free(bytes);
	return NULL;
}

static bool take(struct ckpt_job *j, const struct ckpt_loaded *l, struct ckpt_err err)
{
	struct ckpt_loaded was = j->loaded;
	bool ok = ckpt_part_valid(l, (int)j->id.size);

	if (!ok)
		snprintf(err.text, err.size, "the messages that it holds make no sense");
	j->loaded = *l;
	if (ok && !ckpt_part_take(j)) {
		snprintf(err.text, err.size, "there is no memory for its messages");
		ok = false;
	}
	j->loaded = was;
	return ok;
}

static bool give(struct ckpt_job *j, struct ckpt_reader *r, struct ckpt_err err)
{
	static const enum ckpt_kind wanted[CKPT_IMAGE_BESIDE] = {CKPT_MESSAGES, CKPT_ORPHANS};
	struct ckpt_section s[CKPT_IMAGE_BESIDE];
	uint8_t *bytes[CKPT_IMAGE_BESIDE] = {0};
	bool ok = true;

	for (size_t i = 0; i < CKPT_IMAGE_BESIDE && ok; i++) {
		size_t len = 0;

		bytes[i] = read_section(r, wanted[i], &len, err);
		s[i] = (struct ckpt_section){.kind = wanted[i], .data = bytes[i], .len = len};
		ok = bytes[i] != NULL;
	}
	ok = ok && take(j, &(struct ckpt_loaded){.sections = s, .n = CKPT_IMAGE_BESIDE}, err);
	for (size_t i = 0; i < CKPT_IMAGE_BESIDE; i++)
		free(bytes[i]);
	return ok;
}

/* All of it was verified by the process that loaded the image. */
bool ckpt_image_give_back(
	struct ckpt_job *j, const char *session_dir, uint32_t line, char *err, size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_manifest m = {0};
	struct ckpt_reader r;
	bool ok;

	if (ckpt_manifest_read(&ckpt_fs_posix, session_dir, line, &m, err, errsize) != 0)
		return false;
	ok = ckpt_image_reopen(&ckpt_fs_posix, session_dir, &m, &j->id, &r, e) == 0;
	if (ok) {
		ok = give(j, &r, e);
		ckpt_reader_close(&r);
	}
	ckpt_manifest_free(&m);
	return ok;
}
