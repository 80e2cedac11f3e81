/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/plural.h"
#include "base/shown.h"
#include "ckpt/rank_folder.h"
#include "ckpt/ckpt.h"
#include "ckpt/reader.h"

static int check_size(const struct ckpt_manifest *m, const struct ckpt_identity *self,
	const char *dir, struct ckpt_err err)
{
	if (m->size != self->size)
		return ckpt_says(err, FT_EMISMATCH, dir,
			"line %u is of %u rank%s, and this job has %u: start it with -n %u",
			m->line, m->size, plural(m->size), self->size, m->size);
	if (self->rank >= m->size)
		return ckpt_says(
			err, FT_EMISMATCH, dir, "line %u has no rank %u", m->line, self->rank);
	return 0;
}

/* Could this process make sense of what is in the file? */
static int check_maker(const struct ckpt_reader *r, const struct ckpt_identity *self,
	bool accept_binary, struct ckpt_err err)
{
	const struct ckpt_header *h = &r->header;

	if (h->order != ckpt_own_order() || h->word != sizeof(void *))
		return ckpt_says(err, FT_EMISMATCH, r->path.text,
			"it was made on a machine with %s byte order and %u-bit words: restore it "
			"on one of that kind",
			h->order == CKPT_ORDER_BIG ? "big-endian" : "little-endian", 8 * h->word);
	if (!accept_binary && memcmp(h->id.program, self->program, sizeof self->program) != 0)
		return ckpt_says(err, FT_EMISMATCH, r->path.text,
			"it was made by another build of the program (%s; this is %s): %s",
			shown(h->id.program_name).text, shown(self->program_name).text,
			h->kind == CKPT_FILE_IMAGE
				? "the image of a process needs the very same one"
				: "give -accept-binary, before the program, if this one can go on "
				  "from there");
	return 0;
}

static int check_kind(const struct ckpt_reader *r, enum ckpt_file_kind wanted, struct ckpt_err err)
{
	if (r->header.kind == wanted)
		return 0;
	return ckpt_says(err, FT_EMISMATCH, r->path.text,
		wanted == CKPT_FILE_DATA
			? "it is the image of a process, and this job saves data: restore it in a "
			  "job that saves images"
			: "it has data that the program saved, and this job saves images of "
			  "processes: restore it in a job that saves data");
}

/* Every section into memory, one behind the other, each beginning at a multiple of 64. */
static int load_sections(struct ckpt_reader *r, struct ckpt_loaded *out, struct ckpt_err err)
{
	uint64_t need = ckpt_reader_payload(r) + (uint64_t)r->header.sections * 64 + 64;
	uint8_t *at;
	int rc;

	out->n = r->header.sections;
	out->made_by = r->header.id;
	out->sections = calloc(out->n + 1, sizeof *out->sections);
	out->memory = aligned_alloc(64, need & ~(uint64_t)63);
	if (!out->sections || !out->memory)
		return ckpt_failed(err, "read", r->path.text, -ENOMEM);
	at = out->memory;
	for (uint32_t i = 0; i < out->n; i++) {
		const struct ckpt_entry *e = &r->entries[i];

		rc = ckpt_reader_section(r, i, at, err);
		if (rc)
			return rc;
		out->sections[i] = (struct ckpt_section){e->kind, e->id, e->type, 0, at, e->len};
		at += (e->len + 63) & ~(uint64_t)63;
	}
	return 0;
}

/* The file that self may go on from, as far as header and table tell. */
static int open_own(struct ckpt_reader *r, const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_manifest *m, const struct ckpt_identity *self, struct ckpt_err err)
{
	struct ckpt_path path;
	int rc;

	if (strlen(session_dir) > CKPT_DIR_MAX)
		return ckpt_failed(err, "read in", session_dir, -ENAMETOOLONG);
	rc = check_size(m, self, session_dir, err);
	if (rc)
		return rc;
	ckpt_path_file(&path, session_dir, m->line, m->epoch, self->rank, false);
	rc = -fault_error("restore-read");
	if (rc)
		return ckpt_unreadable(err, path.text, rc);
	rc = ckpt_reader_open(r, fs, path.text, err);
	if (rc)
		return rc;
	rc = ckpt_reader_belongs(r, m, self->rank, err);
	if (rc)
		ckpt_reader_close(r);
	return rc;
}

/* It is closed in any case. */
static int load_data(struct ckpt_reader *r, const struct ckpt_identity *self, bool accept_binary,
	struct ckpt_loaded *out, struct ckpt_err err)
{
	struct ckpt_loaded found = {0};
	int rc = check_kind(r, CKPT_FILE_DATA, err);

	if (rc == 0)
		rc = check_maker(r, self, accept_binary, err);
	if (rc == 0)
		rc = load_sections(r, &found, err);
	ckpt_reader_close(r);
	if (rc)
		ckpt_loaded_free(&found);
	else
		*out = found;
	return rc;
}

int ckpt_load(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_manifest *m,
	const struct ckpt_identity *self, bool accept_binary, struct ckpt_loaded *out, char *err,
	size_t errsize)
{
	struct ckpt_err e = {err, errsize};
	struct ckpt_reader r;
	int rc = open_own(&r, fs, session_dir, m, self, e);

	return rc ? rc : load_data(&r, self, accept_binary, out, e);
}

int ckpt_image_reopen(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_manifest *m, const struct ckpt_identity *self, struct ckpt_reader *out,
	struct ckpt_err err)
{
	int rc = open_own(out, fs, session_dir, m, self, err);

	if (rc)
		return rc;
	rc = check_kind(out, CKPT_FILE_IMAGE, err);
	if (rc == 0)
		rc = check_maker(out, self, false, err);
	if (rc)
		ckpt_reader_close(out);
	return rc;
}

/* With every byte, or it is closed. */
static int verify(struct ckpt_reader *r, struct ckpt_err err)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->header.sections && rc == 0; i++)
		rc = ckpt_reader_section(r, i, NULL, err);
	if (rc)
		ckpt_reader_close(r);
	return rc;
}

int ckpt_image_open(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_manifest *m, const struct ckpt_identity *self, struct ckpt_reader *out,
	struct ckpt_err err)
{
	int rc = ckpt_image_reopen(fs, session_dir, m, self, out, err);

	return rc ? rc : verify(out, err);
}

static int check_alone(const struct ckpt_reader *r, uint32_t number,
	const struct ckpt_identity *self, struct ckpt_err err)
{
	const struct ckpt_header *h = &r->header;

	if (memcmp(h->id.session, self->session, sizeof self->session) == 0 && h->line == number &&
		h->id.rank == self->rank && h->id.size == self->size && h->id.epoch <= self->epoch)
		return 0;
	return ckpt_says(err, FT_EDAMAGED, r->path.text,
		"it is not what its name says, but checkpoint %u of rank %u of %u", h->line,
		h->id.rank, h->id.size);
}

/* The one with this number that self may go on from, as far as header and table tell. */
static int open_alone(struct ckpt_reader *out, const struct ckpt_fs *fs, const char *session_dir,
	uint32_t number, const struct ckpt_identity *self, struct ckpt_err err)
{
	struct ckpt_path folder, path;
	int rc;

	ckpt_path_alone(&folder, session_dir, self->rank);
	ckpt_name_format(
		&path, folder.text, (struct ckpt_name){CKPT_NAME_ALONE, number, self->epoch, 0});
	rc = -fault_error("restore-read");
	if (rc)
		return ckpt_unreadable(err, path.text, rc);
	rc = ckpt_reader_open(out, fs, path.text, err);
	if (rc)
		return rc;
	rc = check_alone(out, number, self, err);
	if (rc)
		ckpt_reader_close(out);
	return rc;
}

int ckpt_rank_folder_open(const struct ckpt_fs *fs, const char *session_dir, uint32_t number,
	const struct ckpt_identity *self, struct ckpt_reader *out, struct ckpt_err err)
{
	int rc = open_alone(out, fs, session_dir, number, self, err);

	if (rc)
		return rc;
	rc = check_kind(out, CKPT_FILE_IMAGE, err);
	if (rc == 0)
		rc = check_maker(out, self, false, err);
	if (rc)
		ckpt_reader_close(out);
	return rc ? rc : verify(out, err);
}

int ckpt_rank_folder_load(const struct ckpt_fs *fs, const char *session_dir, uint32_t number,
	const struct ckpt_identity *self, bool accept_binary, struct ckpt_loaded *out,
	struct ckpt_err err)
{
	struct ckpt_reader r;
	int rc = open_alone(&r, fs, session_dir, number, self, err);

	return rc ? rc : load_data(&r, self, accept_binary, out, err);
}

void ckpt_loaded_free(struct ckpt_loaded *l)
{
	free(l->sections);
	free(l->memory);
	*l = (struct ckpt_loaded){0};
}
