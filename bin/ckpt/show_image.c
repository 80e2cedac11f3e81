/* SPDX-License-Identifier: BSD-3-Clause */
/* What the image of a process holds: its mappings, their files, how much of them is in the image.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plural.h"
#include "base/shown.h"
#include "image/contents.h"
#include "image/process_map.h"
#include "json.h"
#include "tool.h"

enum { KINDS = REGION_KERNEL + 1 };

static const char *const kind_names[KINDS] = {
	[REGION_ANONYMOUS] = "memory",
	[REGION_FILE] = "files",
	[REGION_SHARED] = "shared",
	[REGION_STACK] = "stack",
	[REGION_HEAP] = "heap",
	[REGION_KERNEL] = "kernel",
};

/* Mappings of one kind, or of one file. */
struct sum {
	uint64_t mappings, bytes;
};

/* Those of another byte order or size of words have other numbers in them. */
static bool is_of_this_machine(const struct ckpt_reader *r)
{
	return r->header.order == ckpt_own_order() && r->header.word == sizeof(void *);
}

static void print_sum(const char *name, struct sum s)
{
	printf("             %s: %" PRIu64 " mapping%s, %s\n", name, s.mappings, plural(s.mappings),
		text_bytes(s.bytes).v);
}

static void json_sum(const char *name, struct sum s)
{
	json_string("name", name);
	json_unsigned("mappings", s.mappings);
	json_unsigned("bytes", s.bytes);
}

static void one_sum(const struct options *o, const char *name, struct sum s)
{
	if (s.mappings == 0)
		return;
	if (o->json) {
		json_open(NULL, '{');
		json_sum(name, s);
		json_close('}');
	} else {
		print_sum(name, s);
	}
}

/* false: it is no section of mappings. */
static bool each_kind(const struct options *o, const uint8_t *bytes, size_t len)
{
	struct contents_maps m = {.at = bytes, .left = len};
	struct sum of_kind[KINDS] = {{0}};
	struct image_region r;
	const char *name;

	while (contents_next_mapping(&m, &r, &name)) {
		of_kind[r.kind].mappings++;
		of_kind[r.kind].bytes += r.high - r.low;
	}
	for (size_t i = 0; i < KINDS && !m.bad; i++)
		one_sum(o, kind_names[i], of_kind[i]);
	return !m.bad;
}

static bool is_file(const struct image_region *r)
{
	return (r->kind == REGION_FILE || r->kind == REGION_SHARED) && r->name_length > 0;
}

static void one_file(const struct options *o, const char *name, size_t length, struct sum s)
{
	char *copy = strndup(name, length);

	if (copy)
		one_sum(o, o->json ? copy : shown(copy).text, s);
	free(copy);
}

/* The mappings of a file lie side by side. */
static void each_file(const struct options *o, const uint8_t *bytes, size_t len)
{
	struct contents_maps m = {.at = bytes, .left = len};
	const char *name, *file = NULL;
	struct image_region r;
	struct sum s = {0};
	size_t length = 0;

	while (contents_next_mapping(&m, &r, &name)) {
		if (!is_file(&r))
			continue;
		if (!file || r.name_length != length || memcmp(name, file, length) != 0) {
			if (file)
				one_file(o, file, length, s);
			s = (struct sum){0};
		}
		file = name;
		length = r.name_length;
		s.mappings++;
		s.bytes += r.high - r.low;
	}
	if (file)
		one_file(o, file, length, s);
}

static void say_problem(const struct options *o, const char *problem)
{
	if (o->json)
		json_string_or_null("problem", problem);
	else if (*problem)
		printf("             %s\n", problem);
}

/* 0 and the section's bytes, malloc'ed; or an error with a sentence in err. */
static int read_mappings(struct ckpt_reader *r, uint32_t i, uint8_t **out, struct ckpt_err err)
{
	uint8_t *bytes = malloc((size_t)r->entries[i].len + 1);
	int rc = bytes ? ckpt_reader_section(r, i, bytes, err)
		       : ckpt_says(err, FT_ENOMEM, r->path.text, "no memory for its mappings");

	if (rc) {
		free(bytes);
		return rc;
	}
	*out = bytes;
	return 0;
}

static int no_sense(const struct ckpt_reader *r, uint32_t i, struct ckpt_err err)
{
	return ckpt_says(err, FT_EDAMAGED, r->path.text,
		"section %u holds no %s, although it says so", i,
		ckpt_kind_name(r->entries[i].kind));
}

bool show_mappings(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	char problem[SENTENCE_BYTES] = "";
	struct ckpt_err err = {problem, sizeof problem};
	size_t len = (size_t)r->entries[i].len;
	uint8_t *bytes = NULL;
	int rc;

	if (!is_of_this_machine(r))
		return true;
	rc = read_mappings(r, i, &bytes, err);
	if (o->json)
		json_open("mappings", '[');
	if (rc == 0 && !each_kind(o, bytes, len))
		rc = no_sense(r, i, err);
	if (o->json) {
		json_close(']');
		json_open("mapped_files", '[');
	}
	if (rc == 0)
		each_file(o, bytes, len);
	if (o->json)
		json_close(']');
	say_problem(o, problem);
	free(bytes);
	return rc == 0;
}

/* The heads of the runs alone are read: show looks at no checksum of what it does not show. */
static int count_runs(
	struct ckpt_reader *r, uint32_t i, struct contents_runs *c, struct ckpt_err err)
{
	struct image_run run;

	*c = (struct contents_runs){.left = r->entries[i].len};
	do {
		uint64_t there = c->left < sizeof run ? c->left : sizeof run;
		int64_t n = r->fs->read(r->fs, r->fd, &run, there, r->entries[i].at + c->at);

		if (n < 0)
			return ckpt_unreadable(err, r->path.text, (int)n);
		if ((uint64_t)n < there)
			return no_sense(r, i, err);
	} while (contents_next_run(c, &run));
	return c->bad ? no_sense(r, i, err) : 0;
}

bool show_pages(const struct options *o, struct ckpt_reader *r, uint32_t i)
{
	char problem[SENTENCE_BYTES] = "";
	struct contents_runs c;
	int rc;

	if (!is_of_this_machine(r))
		return true;
	rc = count_runs(r, i, &c, (struct ckpt_err){problem, sizeof problem});
	if (o->json) {
		json_unsigned("runs", c.runs);
		json_unsigned("page_bytes", c.bytes);
	} else if (rc == 0) {
		printf("             %s in %" PRIu64 " run%s; zeros are not held\n",
			text_bytes(c.bytes).v, c.runs, plural(c.runs));
	}
	say_problem(o, problem);
	return rc == 0;
}
