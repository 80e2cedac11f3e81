/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/prune.h"

#include "base/shown.h"
#include "json.h"
#include "tool.h"

struct pruning {
	const struct options *o;
	const struct session *s;
};

static void removing(void *ctx, uint32_t line, uint32_t epoch, bool committed)
{
	const struct pruning *p = ctx;

	if (p->o->json) {
		json_open(NULL, '{');
		json_unsigned("line", line);
		if (!committed)
			json_unsigned("epoch", epoch);
		json_bool("committed", committed);
		json_close('}');
	} else if (committed) {
		printf("%s: line %u is removed\n", shown(p->s->name).text, line);
	} else {
		printf("%s: files of line %u, epoch %u, are removed\n", shown(p->s->name).text,
			line, epoch);
	}
}

/* Nobody waits for the tool: it reads what it counts on. */
static bool whole(void *ctx, const struct ckpt_manifest *m)
{
	const struct pruning *p = ctx;

	for (uint32_t r = 0; r < m->size; r++) {
		struct rank_file f = file_of_line(p->s->path, m, r);

		if (!file_verify(&f, NULL, NULL))
			return false;
	}
	return true;
}

static bool one_session(const struct options *o, const struct session *s)
{
	struct pruning p = {o, s};
	struct ckpt_prune_order order = {
		.keep = o->keep, .idle = true, .whole = whole, .removing = removing, .ctx = &p};
	char problem[SENTENCE_BYTES] = "";
	int rc;

	if (o->json) {
		json_open(NULL, '{');
		json_string("session", s->name);
		json_string("path", s->path);
		json_open("removed", '[');
	}
	rc = ckpt_prune_with(
		&ckpt_fs_posix, s->path, &order, (struct ckpt_err){problem, sizeof problem});
	if (o->json) {
		json_close(']');
		json_string_or_null("problem", problem);
		json_close('}');
	}
	if (rc)
		complain("%s", problem);
	return rc == 0;
}

int command_prune(const struct options *o, const struct sessions *s)
{
	bool well = true;

	if (o->json) {
		json_open(NULL, '{');
		json_open("sessions", '[');
	}
	for (size_t i = 0; i < s->n; i++)
		well = one_session(o, &s->v[i]) && well;
	if (o->json) {
		json_close(']');
		json_close('}');
		putchar('\n');
	}
	return well ? EXIT_WELL : EXIT_DAMAGED;
}
