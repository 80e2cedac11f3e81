/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of one rank, verified. */
#include "base/error.h"
#include "tool.h"

struct rank_file file_of_line(
	const char *session_path, const struct ckpt_manifest *m, uint32_t rank)
{
	struct rank_file f = {.m = m, .rank = rank};

	ckpt_path_file(&f.path, session_path, m->line, m->epoch, rank, false);
	return f;
}

int file_belongs(const struct ckpt_reader *r, const struct rank_file *f, struct ckpt_err err)
{
	const struct ckpt_header *h = &r->header;

	if (f->m)
		return ckpt_reader_belongs(r, f->m, f->rank, err);
	if (h->id.rank == f->rank && h->line == f->number && h->id.epoch <= f->incarnation)
		return 0;
	return ckpt_says(err, FT_EDAMAGED, f->path.text,
		"it is not what its name says, but checkpoint %u of rank %u", h->line, h->id.rank);
}

bool file_verify_opened(struct ckpt_reader *r, const struct rank_file *f,
	void (*tell)(void *ctx, const char *problem), void *ctx)
{
	char text[SENTENCE_BYTES] = "out of memory";
	struct ckpt_err err = {text, sizeof text};
	bool well = true;

	if (file_belongs(r, f, err) != 0) {
		well = false;
		if (tell)
			tell(ctx, text);
	}
	for (uint32_t i = 0; i < r->header.sections; i++) {
		if (ckpt_reader_section(r, i, NULL, err) == 0)
			continue;
		well = false;
		if (tell)
			tell(ctx, text);
	}
	return well;
}

bool file_verify(const struct rank_file *f, void (*tell)(void *ctx, const char *problem), void *ctx)
{
	char text[SENTENCE_BYTES] = "out of memory";
	struct ckpt_reader reader;
	bool well;

	if (ckpt_reader_open(&reader, &ckpt_fs_posix, f->path.text,
		    (struct ckpt_err){text, sizeof text}) != 0) {
		if (tell)
			tell(ctx, text);
		return false;
	}
	well = file_verify_opened(&reader, f, tell, ctx);
	ckpt_reader_close(&reader);
	return well;
}
