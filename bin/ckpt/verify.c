/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/plural.h"
#include "base/shown.h"
#include "json.h"
#include "tool.h"

struct verifying {
	const struct options *o;
	const struct session *s;
	unsigned made, damaged; /* lines, and checkpoints of ranks */
};

static void tell(void *ctx, const char *problem)
{
	struct verifying *v = ctx;

	if (v->o->json)
		json_string(NULL, problem);
	else
		printf("  %s\n", problem);
}

static bool one_file(struct verifying *v, const struct ckpt_manifest *m, uint32_t rank)
{
	struct rank_file f = file_of_line(v->s->path, m, rank);
	bool well;

	if (!v->o->json)
		return file_verify(&f, tell, v);
	json_open(NULL, '{');
	json_unsigned("rank", rank);
	json_open("problems", '[');
	well = file_verify(&f, tell, v);
	json_close(']');
	json_bool("whole", well);
	json_close('}');
	return well;
}

static bool files(struct verifying *v, const struct listed_line *l)
{
	bool well = true;

	if (v->o->json)
		json_open("files", '[');
	for (uint32_t r = 0; l->has_manifest && r < l->m.size; r++)
		well = one_file(v, &l->m, r) && well;
	if (v->o->json)
		json_close(']');
	return well;
}

static void one_line(struct verifying *v, uint32_t number)
{
	struct listed_line l;
	bool well;

	line_read(&l, v->s->path, number);
	if (v->o->json) {
		json_open(NULL, '{');
		json_unsigned("line", number);
		json_string_or_null("problem", l.has_manifest ? "" : l.problem);
	} else if (!l.has_manifest) {
		printf("  %s\n", l.problem);
	}
	well = files(v, &l) && l.has_manifest;
	if (v->o->json) {
		json_bool("whole", well);
		json_close('}');
	} else if (well) {
		printf("%s: line %u is whole (%u file%s, %s%s)\n", shown(v->s->name).text, number,
			l.m.size, plural(l.m.size), text_bytes(l.bytes).v,
			l.kind == LINE_IMAGES ? ", process images" : "");
	} else {
		printf("%s: line %u is damaged\n", shown(v->s->name).text, number);
	}
	v->made++;
	v->damaged += !well;
	line_free(&l);
}

static void one_session(struct verifying *v)
{
	size_t n;
	const uint32_t *lines = session_lines(v->s, v->o, &n);

	if (v->o->json) {
		json_open(NULL, '{');
		json_string("session", v->s->name);
		json_string("path", v->s->path);
		json_open("lines", '[');
	}
	for (size_t i = 0; i < n; i++)
		one_line(v, lines[i]);
	if (v->o->json)
		json_close(']');
	v->damaged += !ranks_verify(v->o, v->s, &v->made);
	if (v->o->json)
		json_close('}');
}

int command_verify(const struct options *o, const struct sessions *s)
{
	struct verifying v = {.o = o};

	if (o->json) {
		json_open(NULL, '{');
		json_open("sessions", '[');
	}
	for (size_t i = 0; i < s->n; i++) {
		v.s = &s->v[i];
		one_session(&v);
	}
	if (o->json) {
		json_close(']');
		json_bool("whole", v.made > 0 && v.damaged == 0);
		json_close('}');
		putchar('\n');
	}
	if (v.made == 0)
		complain(o->has_line ? "there is no such recovery line in %s"
				     : "there are no recovery lines and no checkpoints in %s",
			shown(o->path).text);
	return v.made && !v.damaged ? EXIT_WELL : EXIT_DAMAGED;
}
