/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/shown.h"
#include "json.h"
#include "tool.h"

static void json_line(const struct listed_line *l)
{
	json_open(NULL, '{');
	json_unsigned("line", l->number);
	if (l->has_manifest) {
		json_unsigned("epoch", l->m.epoch);
		json_number("time", l->m.time_s);
		json_unsigned("ranks", l->m.size);
		json_unsigned("bytes", l->bytes);
		json_string("program", l->m.program_name);
		json_string_or_null("kind", line_kind_word(l->kind));
	}
	json_bool("whole", !*l->problem);
	json_string_or_null("problem", l->problem);
	json_close('}');
}

static void print_line(const struct listed_line *l)
{
	if (l->has_manifest)
		printf("%10u  %-19s  %6u  %10s  %-16s  %s%s\n", l->number, text_time(l->m.time_s).v,
			l->m.size, text_bytes(l->bytes).v, shown(l->m.program_name).text,
			*l->problem ? "damaged" : "whole",
			l->kind == LINE_IMAGES ? ", process images" : "");
	else
		printf("%10u  %-19s  %6s  %10s  %-16s  damaged\n", l->number, "?", "?", "?", "?");
	if (*l->problem)
		printf("            %s\n", l->problem);
}

/* Returns the bytes of its files. */
static uint64_t one_line(const struct options *o, const struct session *s, uint32_t number)
{
	uint64_t bytes;
	struct listed_line l;

	line_read(&l, s->path, number);
	(o->json ? json_line : print_line)(&l);
	bytes = l.bytes;
	line_free(&l);
	return bytes;
}

static void unfinished(const struct options *o, const struct session *s)
{
	if (o->json)
		json_open("unfinished", '[');
	for (size_t i = 0; i < s->nunfinished; i++) {
		if (o->json) {
			json_open(NULL, '{');
			json_unsigned("line", s->unfinished[i].line);
			json_unsigned("epoch", s->unfinished[i].epoch);
			json_close('}');
		} else {
			printf("%10u  was not committed (epoch %u)\n", s->unfinished[i].line,
				s->unfinished[i].epoch);
		}
	}
	if (o->json)
		json_close(']');
}

static void one_session(const struct options *o, const struct session *s)
{
	size_t n;
	const uint32_t *lines = session_lines(s, o, &n);
	uint64_t bytes = 0;
	struct record job;

	record_read(&job, s->path);
	if (o->json) {
		json_open(NULL, '{');
		json_string("session", s->name);
		json_string("path", s->path);
		record_json(&job);
		json_open("lines", '[');
	} else {
		printf("%s\n", shown(s->name).text);
		record_print(&job);
	}
	if (!o->json && (n || !session_ranks(s, o)))
		printf("%10s  %-19s  %6s  %10s  %-16s  %s\n", "line", "time", "ranks", "size",
			"program", "state");
	for (size_t i = 0; i < n; i++)
		bytes += one_line(o, s, lines[i]);
	if (o->json)
		json_close(']');
	else if (n > 1)
		printf("%10s  %-19s  %6s  %10s\n", "all", "", "", text_bytes(bytes).v);
	unfinished(o, s);
	bytes += ranks_list(o, s);
	if (o->json) {
		json_unsigned("bytes", bytes);
		json_close('}');
	}
	record_free(&job);
}

int command_list(const struct options *o, const struct sessions *s)
{
	if (o->table) {
		list_table(o, s);
		return EXIT_WELL;
	}
	if (o->json) {
		json_open(NULL, '{');
		json_open("sessions", '[');
	}
	for (size_t i = 0; i < s->n; i++)
		one_session(o, &s->v[i]);
	if (o->json) {
		json_close(']');
		json_close('}');
		putchar('\n');
	} else if (s->n == 0) {
		printf("there are no recovery lines and no checkpoints in %s\n",
			shown(o->path).text);
	}
	return EXIT_WELL;
}
