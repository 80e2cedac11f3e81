/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "base/shown.h"
#include "json.h"
#include "mpi/type/type_table.h"
#include "tool.h"

static struct text sum_text(uint64_t sum)
{
	struct text t;

	snprintf(t.v, sizeof t.v, "%016" PRIx64, sum);
	return t;
}

/* MPI's name of a variable's type; its number where there is none (MPI_BYTE has one, too). */
static struct text type_text(const struct ckpt_entry *e)
{
	const char *name = e->kind == CKPT_VARIABLE && e->type
				   ? type_table_name((MPI_Datatype)(uintptr_t)e->type)
				   : NULL;
	struct text t;

	if (name)
		snprintf(t.v, sizeof t.v, "%s", name);
	else
		snprintf(t.v, sizeof t.v, "%" PRIu32, e->type);
	return t;
}

/* What is in it, of those kinds that are not the program's own. false: nothing that makes sense. */
static bool contents(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	switch (r->entries[i].kind) {
	case CKPT_MESSAGES:
		return show_messages(o, r, i);
	case CKPT_ORPHANS:
		return show_orphans(o, r, i);
	case CKPT_OPERATIONS:
		return show_operations(o, r, i);
	case CKPT_IMAGE_MAPS:
		return show_mappings(o, r, i);
	case CKPT_IMAGE_PAGES:
		return show_pages(o, r, i);
	default:
		return true;
	}
}

static bool section(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	const struct ckpt_entry *e = &r->entries[i];
	bool well;

	if (!o->json) {
		printf("    %7u  %-13s  %10u  %-18s  %20" PRIu64 "  %s\n", i,
			ckpt_kind_name(e->kind), e->id, type_text(e).v, e->len, sum_text(e->sum).v);
		return contents(o, r, i);
	}
	json_open(NULL, '{');
	json_string("kind", ckpt_kind_name(e->kind));
	json_unsigned("kind_number", e->kind);
	json_unsigned("id", e->id);
	json_unsigned("type", e->type);
	json_string("type_name", type_text(e).v);
	json_unsigned("bytes", e->len);
	json_unsigned("offset", e->at);
	json_string("checksum", sum_text(e->sum).v);
	well = contents(o, r, i);
	json_close('}');
	return well;
}

static void file_head(const struct options *o, const struct ckpt_reader *r)
{
	const struct ckpt_header *h = &r->header;

	if (!o->json) {
		printf("  rank %u: %s%s, written %s, seal %s\n", h->id.rank,
			h->kind == CKPT_FILE_IMAGE ? "process image, " : "", text_bytes(h->bytes).v,
			text_time(h->time_s).v, sum_text(h->seal).v);
		printf("    %7s  %-13s  %10s  %-18s  %20s  %s\n", "section", "kind", "id", "type",
			"bytes", "checksum");
		return;
	}
	json_unsigned("version", h->version);
	json_string("kind", h->kind == CKPT_FILE_IMAGE ? "image" : "data");
	json_string("byte_order", h->order == CKPT_ORDER_BIG ? "big" : "little");
	json_unsigned("word_bytes", h->word);
	json_unsigned("bytes", h->bytes);
	json_number("time", h->time_s);
	json_string("seal", sum_text(h->seal).v);
	json_string("program", h->id.program_name);
	json_string("program_hash", text_hex(h->id.program, sizeof h->id.program).v);
}

bool file_show(const struct options *o, const struct rank_file *f, struct ckpt_reader *r)
{
	char problem[SENTENCE_BYTES] = "";
	struct ckpt_err err = {problem, sizeof problem};
	struct ckpt_reader own;
	bool well;

	if (!r && ckpt_reader_open(&own, &ckpt_fs_posix, f->path.text, err) == 0) {
		well = file_show(o, f, &own);
		ckpt_reader_close(&own);
		return well;
	}
	if (r)
		file_belongs(r, f, err);
	if (o->json) {
		json_open(NULL, '{');
		json_unsigned("rank", f->rank);
		json_string("path", f->path.text);
		json_string_or_null("problem", problem);
	} else if (*problem) {
		printf("  rank %u: %s\n", f->rank, problem);
	}
	if (r)
		file_head(o, r);
	if (o->json)
		json_open("sections", '[');
	well = !*problem;
	for (uint32_t i = 0; r && i < r->header.sections; i++)
		well = section(o, r, i) && well;
	if (o->json) {
		json_close(']');
		json_close('}');
	}
	return well;
}

static void line_head(const struct options *o, const struct session *s, const struct listed_line *l)
{
	static const char *const kinds[] = {
		[LINE_UNKNOWN] = "",
		[LINE_DATA] = ", data of the program",
		[LINE_IMAGES] = ", process images",
	};
	const struct ckpt_manifest *m = &l->m;

	if (!o->json) {
		printf("%s: line %u, epoch %u, committed %s, %u rank%s, %s%s\n",
			shown(s->name).text, l->number, m->epoch, text_time(m->time_s).v, m->size,
			plural(m->size), text_bytes(l->bytes).v, kinds[l->kind]);
		printf("  session %s\n  program %s (%s)\n",
			text_hex(m->session, sizeof m->session).v, shown(m->program_name).text,
			text_hex(m->program, sizeof m->program).v);
		return;
	}
	json_unsigned("epoch", m->epoch);
	json_number("time", m->time_s);
	json_unsigned("ranks", m->size);
	json_unsigned("bytes", l->bytes);
	json_string("session_id", text_hex(m->session, sizeof m->session).v);
	json_string("program", m->program_name);
	json_string("program_hash", text_hex(m->program, sizeof m->program).v);
	json_string_or_null("kind", line_kind_word(l->kind));
}

static bool one_line(const struct options *o, const struct session *s, uint32_t number)
{
	struct listed_line l;
	bool well;

	line_read(&l, s->path, number);
	well = l.has_manifest;
	if (o->json) {
		json_open(NULL, '{');
		json_string("session", s->name);
		json_unsigned("line", number);
		json_string_or_null("problem", l.has_manifest ? "" : l.problem);
	} else if (!l.has_manifest) {
		printf("%s: line %u: %s\n", shown(s->name).text, number, l.problem);
	}
	if (l.has_manifest)
		line_head(o, s, &l);
	if (o->json)
		json_open("files", '[');
	for (uint32_t r = 0; l.has_manifest && r < l.m.size; r++) {
		struct rank_file f = file_of_line(s->path, &l.m, r);

		well = file_show(o, &f, NULL) && well;
	}
	if (o->json) {
		json_close(']');
		json_close('}');
	}
	line_free(&l);
	return well;
}

/* The line asked for, or the newest, of each session. */
static bool newest_lines(const struct options *o, const struct sessions *s, unsigned *shown_lines)
{
	bool well = true;

	for (size_t i = 0; i < s->n; i++) {
		size_t n;
		const uint32_t *lines = session_lines(&s->v[i], o, &n);

		if (n == 0)
			continue;
		++*shown_lines;
		well = one_line(o, &s->v[i], lines[0]) && well;
	}
	return well;
}

static bool ranks(const struct options *o, const struct sessions *s, unsigned *made)
{
	bool well = true;

	for (size_t i = 0; i < s->n; i++)
		if (session_ranks(&s->v[i], o))
			well = ranks_show(o, &s->v[i], made) && well;
	return well;
}

int command_show(const struct options *o, const struct sessions *s)
{
	unsigned any = 0;
	bool well;

	if (o->json) {
		json_open(NULL, '{');
		json_open("lines", '[');
	}
	well = newest_lines(o, s, &any);
	if (o->json) {
		json_close(']');
		json_open("checkpoints", '[');
	}
	well = ranks(o, s, &any) && well;
	if (o->json) {
		json_close(']');
		json_close('}');
		putchar('\n');
	}
	if (!any)
		complain(o->has_line ? "there is no such recovery line in %s"
				     : "there are no recovery lines and no checkpoints in %s",
			shown(o->path).text);
	return any && well ? EXIT_WELL : EXIT_DAMAGED;
}
