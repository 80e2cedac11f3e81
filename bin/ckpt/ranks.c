/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints that ranks make alone (doc/msglog.md): of each rank the one that counts. */
#include "base/error.h"
#include "base/shown.h"
#include "ckpt/rank_folder.h"
#include "json.h"
#include "tool.h"

enum { LOOKS = 16 };

struct own {
	struct rank_file f;
	bool made; /* there is one; else the rank begins at its beginning, if there is no problem */
	bool opened;
	struct ckpt_reader reader; /* when opened: own_close */
	char problem[SENTENCE_BYTES];
};

static void own_find(struct own *w, const struct session *s, uint32_t rank)
{
	struct ckpt_path folder;
	struct ckpt_name n;

	*w = (struct own){.f.rank = rank};
	if (ckpt_rank_folder_newest(&ckpt_fs_posix, s->path, rank, &n,
		    (struct ckpt_err){w->problem, sizeof w->problem}) != 0)
		return;
	w->made = n.kind == CKPT_NAME_ALONE && n.line > 0;
	w->f.number = n.line;
	w->f.incarnation = n.epoch;
	ckpt_path_alone(&folder, s->path, rank);
	ckpt_name_format(&w->f.path, folder.text, n);
}

/* As far as its header tells. A rank that runs takes away what it replaces: then it is looked for
 * again. */
static void own_read(struct own *w, const struct session *s, uint32_t rank)
{
	struct ckpt_err err;
	int rc = FT_ENONE;

	for (int i = 0; i < LOOKS && rc == FT_ENONE; i++) {
		own_find(w, s, rank);
		if (!w->made)
			return;
		err = (struct ckpt_err){w->problem, sizeof w->problem};
		rc = ckpt_reader_open(&w->reader, &ckpt_fs_posix, w->f.path.text, err);
	}
	if (rc)
		return;
	w->opened = true;
	file_belongs(&w->reader, &w->f, err);
}

static void own_close(struct own *w)
{
	if (w->opened)
		ckpt_reader_close(&w->reader);
}

static const char *kind_of(const struct ckpt_header *h)
{
	return h->kind == CKPT_FILE_IMAGE ? "image" : "data";
}

static void json_head(const struct own *w)
{
	json_unsigned("rank", w->f.rank);
	if (w->made) {
		json_unsigned("checkpoint", w->f.number);
		json_unsigned("incarnation", w->f.incarnation);
	}
}

/* ---- list ---- */

static void json_own(const struct own *w)
{
	json_open(NULL, '{');
	json_head(w);
	if (w->opened) {
		json_number("time", w->reader.header.time_s);
		json_unsigned("bytes", w->reader.header.bytes);
		json_string("program", w->reader.header.id.program_name);
		json_string("kind", kind_of(&w->reader.header));
	}
	json_bool("made", w->made);
	json_bool("whole", !*w->problem);
	json_string_or_null("problem", w->problem);
	json_close('}');
}

static void print_own(const struct own *w)
{
	const char *state = *w->problem ? "damaged" : w->made ? "whole" : "begins at its beginning";

	printf("%10u", w->f.rank);
	if (w->made)
		printf("  %10u", w->f.number);
	else
		printf("  %10s", "none");
	if (w->opened)
		printf("  %-19s  %10s  %-16s  %s%s\n", text_time(w->reader.header.time_s).v,
			text_bytes(w->reader.header.bytes).v,
			shown(w->reader.header.id.program_name).text, state,
			w->reader.header.kind == CKPT_FILE_IMAGE ? ", process image" : "");
	else
		printf("  %-19s  %10s  %-16s  %s\n", "", "", "", state);
	if (*w->problem)
		printf("            %s\n", w->problem);
}

uint64_t ranks_list(const struct options *o, const struct session *s)
{
	size_t n = session_ranks(s, o);
	uint64_t bytes = 0;
	struct own w;

	if (o->json)
		json_open("checkpoints", '[');
	else if (n)
		printf("%10s  %10s  %-19s  %10s  %-16s  %s\n", "rank", "checkpoint", "time", "size",
			"program", "state");
	for (size_t i = 0; i < n; i++) {
		own_read(&w, s, s->ranks[i]);
		(o->json ? json_own : print_own)(&w);
		bytes += w.opened ? w.reader.header.bytes : 0;
		own_close(&w);
	}
	if (o->json)
		json_close(']');
	return bytes;
}

/* ---- verify ---- */

static void tell(void *ctx, const char *problem)
{
	const struct options *o = ctx;

	if (o->json)
		json_string(NULL, problem);
	else
		printf("  %s\n", problem);
}

/* false: it is damaged, or not known. */
static bool verify(const struct options *o, const struct session *s, struct own *w)
{
	bool well = !*w->problem;

	if (o->json) {
		json_open(NULL, '{');
		json_head(w);
		json_open("problems", '[');
	}
	if (w->opened)
		well = file_verify_opened(&w->reader, &w->f, tell, (void *)(uintptr_t)o);
	else if (!well)
		tell((void *)(uintptr_t)o, w->problem);
	if (o->json) {
		json_close(']');
		json_bool("whole", well);
		json_close('}');
	} else if (w->made) {
		printf("%s: checkpoint %u of rank %u is %s\n", shown(s->name).text, w->f.number,
			w->f.rank, well ? "whole" : "damaged");
	} else if (well) {
		printf("%s: rank %u has no checkpoint\n", shown(s->name).text, w->f.rank);
	}
	return well;
}

bool ranks_verify(const struct options *o, const struct session *s, unsigned *made)
{
	bool well = true;
	struct own w;

	if (o->json)
		json_open("checkpoints", '[');
	for (size_t i = 0; i < session_ranks(s, o); i++) {
		own_read(&w, s, s->ranks[i]);
		*made += w.made;
		well = verify(o, s, &w) && well;
		own_close(&w);
	}
	if (o->json)
		json_close(']');
	return well;
}

/* ---- show ---- */

static bool show(const struct options *o, struct own *w)
{
	if (w->opened) {
		if (!o->json)
			printf("  checkpoint %u of rank %u, incarnation %u:\n", w->f.number,
				w->f.rank, w->f.incarnation);
		return file_show(o, &w->f, &w->reader);
	}
	if (o->json) {
		json_open(NULL, '{');
		json_head(w);
		if (w->made)
			json_string("path", w->f.path.text);
		json_string_or_null("problem", w->problem);
		json_open("sections", '[');
		json_close(']');
		json_close('}');
	} else {
		printf("  rank %u: %s\n", w->f.rank, *w->problem ? w->problem : "no checkpoint");
	}
	return !*w->problem;
}

bool ranks_show(const struct options *o, const struct session *s, unsigned *made)
{
	bool well = true;
	struct own w;

	if (o->json) {
		json_open(NULL, '{');
		json_string("session", s->name);
		json_open("files", '[');
	} else {
		printf("%s: checkpoints of ranks\n", shown(s->name).text);
	}
	for (size_t i = 0; i < session_ranks(s, o); i++) {
		own_read(&w, s, s->ranks[i]);
		*made += w.made;
		well = show(o, &w) && well;
		own_close(&w);
	}
	if (o->json) {
		json_close(']');
		json_close('}');
	}
	return well;
}
