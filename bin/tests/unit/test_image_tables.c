/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of an image that fit each other, and those that do not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "image/context.h"
#include "image/plan.h"
#include "image/tables.h"
#include "unit.h"

enum { MAX = 8, PAGE = 4096 };

static const struct tables_bounds bounds = {PAGE, 0x100000};
static char why[512];

/* ---- sections ---- */

#define G (1ull << 62)

static const struct {
	uint64_t at[IMAGE_SECTIONS], length[IMAGE_SECTIONS], bytes;
	const char *said; /* NULL: they fit */
} files[] = {
	{{100, 110, 110, 130, 130}, {10, 0, 20, 0, 5}, 135, NULL},
	{{100, 110, 110, 130, 130}, {10, 0, 20, 0, 5}, 134,
		"is cut: its file has 134 bytes of 135"},
	{{100, 110, 110, 130, 130}, {10, 0, 20, 0, 5}, 136, NULL},
	{{100, 110, 109, 130, 130}, {10, 0, 20, 0, 5}, 135,
		"section 2 of the image is to begin at byte 109"},
	{{100, 110, 111, 130, 130}, {10, 0, 20, 0, 5}, 135,
		"section 2 of the image is to begin at byte 111"},
	{{100, 110, 110, 130, 130}, {10, 0, 20, 0, ~0ull}, 129, "section 4 of the image"},
	{{100, 100 + G, 100 + 2 * G, 100 + 3 * G}, {G, G, G, G}, 100, "section 1 of the image"},
};

START_TEST(sections_fill_the_file)
{
	struct image_file f = {0};
	int rc;

	memcpy(f.at, files[_i].at, sizeof f.at);
	memcpy(f.length, files[_i].length, sizeof f.length);
	rc = tables_sections(&f, files[_i].bytes, why, sizeof why);
	ck_assert_int_eq(rc, files[_i].said ? -EPROTO : 0);
	if (files[_i].said)
		ck_assert_msg(strstr(why, files[_i].said), "%s", why);
}
END_TEST

/* ---- mappings ---- */

static struct image_mapping mapping[MAX];
static char names[1 << 12];
static uint8_t section[1 << 12];
static size_t length;

static void put_named(struct image_region r, const char *name, size_t bytes)
{
	r.name_length = (uint32_t)bytes;
	memcpy(section + length, &r, sizeof r);
	memcpy(section + length + sizeof r, name, bytes);
	length += sizeof r + bytes;
}

static void put(struct image_region r, const char *name)
{
	put_named(r, name, strlen(name));
}

static long parse(void)
{
	uint8_t *copy = malloc(length + 1);
	long n;

	/* a byte too many is seen by a sanitizer */
	memcpy(copy, section, length);
	n = tables_mappings(copy, length, &bounds, mapping, MAX, names, why, sizeof why);
	free(copy);
	return n;
}

#define RW (PROT_READ | PROT_WRITE)
#define PLAIN(low, high)                                                                           \
	{                                                                                          \
		low, high, 0, PLAN_FRESH, REGION_ANONYMOUS, RW, 0, 0, 0, 0, 0                      \
	}

static const struct {
	const char *name, *said; /* NULL: it is accepted */
	struct image_region r;
} rows[] = {
	{"", NULL, PLAIN(0x2000, 0x4000)},
	{"", NULL, PLAIN(0xff000, 0x100000)},
	{"", "beyond the addresses", PLAIN(0xff000, 0x101000)},
	{"", "is not made of pages", PLAIN(0x2001, 0x4000)},
	{"", "is not made of pages", PLAIN(0x2000, 0x4800)},
	{"", "ends before it begins", PLAIN(0x2000, 0x2000)},
	{"", "ends before it begins", PLAIN(0x4000, 0x2000)},
	{"", "over the one before", PLAIN(0x1000, 0x4000)},
	{"[stack]", NULL, {0x2000, 0x4000, 0, PLAN_FRESH, REGION_STACK, RW, 0, 0, 0, 0, 0}},
	{"[heap]", NULL, {0x2000, 0x4000, 0, PLAN_FRESH, REGION_HEAP, RW, 0, 0, 0, 0, 0}},
	{"[heap]", "unknown kind",
		{0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_HEAP, RW, 0, 0, 0, 0, 0}},
	{"", "unknown kind",
		{0x2000, 0x4000, 0, PLAN_LEFT_OUT, REGION_ANONYMOUS, RW, 0, 0, 0, 0, 0}},
	{"", "unknown kind", {0x2000, 0x4000, 0, PLAN_FRESH, REGION_KERNEL + 1, RW, 0, 0, 0, 0, 0}},
	{"", "unknown kind", {0x2000, 0x4000, 0, PLAN_FRESH, REGION_ANONYMOUS, 8, 0, 0, 0, 0, 0}},
	{"[vdso]", NULL,
		{0x2000, 0x4000, 0, PLAN_LEFT_OUT, REGION_KERNEL, PROT_READ, 0, 0, 0, 0, 0}},
	{"[vsyscall]", NULL,
		{~0ull << 12 << 2, ~0ull << 12, 0, PLAN_LEFT_OUT, REGION_KERNEL, 4, 0, 0, 0, 0, 0}},
	{"[vdso]", "unknown kind",
		{0x2000, 0x4000, 0, PLAN_FRESH, REGION_KERNEL, RW, 0, 0, 0, 0, 0}},
	{"/a", NULL,
		{0x2000, 0x4000, 0x1000, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 999999999, 7, 8}},
	{"/a", NULL, {0x2000, 0x4000, 0x1000, PLAN_AS_IT_IS, REGION_FILE, 5, 0, 0, 0, 7, 8}},
	{"/a", NULL, {0x2000, 0x4000, 0x1000, PLAN_WHOLE, REGION_FILE, 5, 0, 0, 0, 7, 8}},
	{"/a", NULL, {0x2000, 0x4000, 0, PLAN_AS_IT_IS, REGION_SHARED, PROT_READ, 0, 0, 0, 7, 8}},
	{"/a", "unknown kind",
		{0x2000, 0x4000, 0, PLAN_AS_IT_IS, REGION_SHARED, RW, 0, 0, 0, 7, 8}},
	{"/a", "unknown kind", {0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_SHARED, 1, 0, 0, 0, 7, 8}},
	{"/a", "unknown kind", {0x2000, 0x4000, 0, PLAN_REFUSED, REGION_FILE, 1, 0, 0, 0, 7, 8}},
	{"/a", "not made of pages",
		{0x2000, 0x4000, 0x80, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, 7, 8}},
	{"/a", "a file that cannot be",
		{0x2000, 0x4000, 1ull << 63, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, 7, 8}},
	{"/a", "a file that cannot be",
		{0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 1000000000, 7, 8}},
	{"/a", "a file that cannot be",
		{0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, ~0ull, 8}},
	{"", "without a name", {0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, 7, 8}},
	{"a", "without a name", {0x2000, 0x4000, 0, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, 7, 8}},
};

START_TEST(a_mapping_makes_sense)
{
	length = 0;
	put((struct image_region)PLAIN(0x1000, 0x2000), "[anon: one]");
	put(rows[_i].r, rows[_i].name);
	if (rows[_i].said) {
		ck_assert_int_eq(parse(), -EPROTO);
		ck_assert_msg(strstr(why, rows[_i].said), "%s", why);
		ck_assert_msg(strstr(why, "the image's mapping 2,"), "%s", why);
		return;
	}
	ck_assert_msg(parse() == 2, "%s", why);
	ck_assert_str_eq(mapping[0].name, "[anon: one]");
	ck_assert_str_eq(mapping[1].name, rows[_i].name);
	ck_assert_uint_eq(mapping[1].r.high, rows[_i].r.high);
}
END_TEST

START_TEST(the_list_is_whole)
{
	size_t whole;

	length = 0;
	ck_assert_int_eq(parse(), 0);
	put((struct image_region)PLAIN(0x1000, 0x2000), "one");
	whole = length;
	for (length = 1; length < whole; length++) {
		ck_assert_int_eq(parse(), -EPROTO);
		ck_assert_ptr_nonnull(strstr(why, "is cut in mapping 1"));
	}
	ck_assert_int_eq(parse(), 1);
	put_named((struct image_region)PLAIN(0x2000, 0x3000), "t\0o", 3);
	ck_assert_int_eq(parse(), -EPROTO);
	ck_assert_ptr_nonnull(strstr(why, "a name with a NUL"));
	length = whole;
	for (int i = 1; i <= MAX; i++)
		put((struct image_region)PLAIN(
			    0x1000 + 0x1000 * (uint64_t)i, 0x2000 + 0x1000 * (uint64_t)i),
			"");
	ck_assert_int_eq(parse(), -EPROTO);
	ck_assert_ptr_nonnull(strstr(why, "more than 8"));
}
END_TEST

START_TEST(there_is_one_stack)
{
	length = 0;
	put((struct image_region){0x1000, 0x2000, 0, PLAN_FRESH, REGION_STACK, RW, 0, 0, 0, 0, 0},
		"");
	put((struct image_region){0x2000, 0x3000, 0, PLAN_FRESH, REGION_STACK, 0, 2, 0, 0, 0, 0},
		"");
	ck_assert_int_eq(parse(), 2);
	length = 0;
	put((struct image_region){0x1000, 0x2000, 0, PLAN_FRESH, REGION_STACK, RW, 0, 0, 0, 0, 0},
		"");
	put((struct image_region){0x3000, 0x4000, 0, PLAN_FRESH, REGION_STACK, RW, 0, 0, 0, 0, 0},
		"");
	ck_assert_int_eq(parse(), -EPROTO);
	ck_assert_ptr_nonnull(strstr(why, "another stack"));
}
END_TEST

/* ---- the process ---- */

/* A file's pages, memory right behind them, a heap, code. */
static long make_all(void)
{
	length = 0;
	put((struct image_region){0x1000, 0x2000, 0, PLAN_OF_FILE, REGION_FILE, RW, 0, 0, 0, 1, 1},
		"/a");
	put((struct image_region)PLAIN(0x2000, 0x4000), "");
	put((struct image_region){0x6000, 0x8000, 0, PLAN_FRESH, REGION_HEAP, RW, 0, 0, 0, 0, 0},
		"");
	put((struct image_region){0x9000, 0xa000, 0, PLAN_AS_IT_IS, REGION_FILE, 5, 0, 0, 0, 1, 1},
		"/a");
	put((struct image_region){0xa000, 0xb000, 0, PLAN_LEFT_OUT, REGION_KERNEL, 5, 0, 0, 0, 0,
		    0},
		"[vdso]");
	put((struct image_region){0xc000, 0xe000, 0, PLAN_FRESH, REGION_STACK, RW, 0, 0, 0, 0, 0},
		"");
	return parse();
}

static const struct {
	uint64_t program_break, context;
	const char *said;
} processes[] = {
	{0x8000, 0x2000, NULL},
	{0x7001, 0x2000, NULL},
	{0x7000, 0x2000, "heap ends at 0x8000, and its program break is 0x7000"},
	{0x8001, 0x2000, "program break is 0x8001"},
	{~0ull, 0x2000, "program break is"},
	{0, 0x2000, "program break is"},
	/* over the border of two */
	{0x8000, 0x1ff8, NULL},
	{0x8000, 0x4000 - sizeof(struct image_context), NULL},
	{0x8000, 0x4008 - sizeof(struct image_context), "goes on at"},
	{0x8000, 0x2004, "goes on at 0x2004"},
	{0x8000, 0x4000, "goes on at 0x4000"},
	{0x8000, 0x9000, "goes on at 0x9000"},
	{0x8000, 0xa000, "goes on at"},
	{0x8000, 0, "goes on at"},
	{0x8000, ~7ull, "goes on at"},
};

START_TEST(a_process_lies_in_its_mappings)
{
	struct image_process p = {
		.program_break = processes[_i].program_break, .context = processes[_i].context};
	long n = make_all();

	ck_assert_msg(n == 6, "%s", why);
	ck_assert_int_eq(tables_process(&p, mapping, (size_t)n, &bounds, why, sizeof why),
		processes[_i].said ? -EPROTO : 0);
	if (processes[_i].said)
		ck_assert_msg(strstr(why, processes[_i].said), "%s", why);
}
END_TEST

START_TEST(a_folder_ends)
{
	struct image_process p = {.program_break = 0x8000, .context = 0x2000};
	long n = make_all();

	memset(p.state.folder, 'x', sizeof p.state.folder);
	ck_assert_int_eq(tables_process(&p, mapping, (size_t)n, &bounds, why, sizeof why), -EPROTO);
	ck_assert_ptr_nonnull(strstr(why, "folder does not end"));
	p.state.folder[sizeof p.state.folder - 1] = '\0';
	ck_assert_int_eq(tables_process(&p, mapping, (size_t)n, &bounds, why, sizeof why), 0);
}
END_TEST

START_TEST(the_stack_may_grow)
{
	long n = make_all();

	ck_assert_uint_eq(tables_stack_bytes(mapping, (size_t)n), 0x2000);
	ck_assert_int_eq(tables_stack(mapping, (size_t)n, 0x2000, why, sizeof why), 0);
	ck_assert_int_eq(tables_stack(mapping, (size_t)n, ~0ull, why, sizeof why), 0);
	ck_assert_int_eq(tables_stack(mapping, (size_t)n, 0x1fff, why, sizeof why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "has 8 KiB, and the hard limit here is 7 KiB"));
}
END_TEST

START_TEST(a_file_is_as_it_was)
{
	struct image_mapping m = {.name = "/data",
		.r = {.file_bytes = 7, .file_seconds = 86400, .file_nanoseconds = 5}};

	ck_assert_int_eq(tables_source(&m, 7, 86400, 5, why, sizeof why), 0);
	ck_assert_int_eq(tables_source(&m, 8, 86400, 5, why, sizeof why), -EINVAL);
	ck_assert_int_eq(tables_source(&m, 7, 86400, 6, why, sizeof why), -EINVAL);
	ck_assert_int_eq(tables_source(&m, 7, 86461, 5, why, sizeof why), -EINVAL);
	ck_assert_str_eq(why, "/data was changed since the image was taken (7 bytes of 1970-01-02 "
			      "00:00:00.000000005 UTC, here 7 bytes of 1970-01-02 "
			      "00:01:01.000000005 UTC): put the file of that time in its place");
	ck_assert_int_eq(tables_source(&m, 7, INT64_MAX, 5, why, sizeof why), -EINVAL);
}
END_TEST

/* ---- pages ---- */

/* Runs, until one has no bytes or is refused; the section has so many bytes more than they say. */
static const struct {
	struct image_run run[MAX];
	long more;
	const char *said;
} runs[] = {
	{{{0x1000, 0x1000}, {0x2000, 0x1000}, {0x3000, 0x1000}, {0x7000, 0x1000}, {0xc000, 0x2000}},
		0, NULL},
	{{{0, 0}}, 0, NULL},
	{{{0, 0}}, 16, "16 bytes behind the end mark"},
	{{{0, 0}}, -1, "no end mark"},
	{{{0x1000, 0x1000}}, -16, "no end mark"},
	{{{0x1000, 0x1000}}, -17, "has 4095 bytes of 4096"},
	{{{0x1000, 0x1000}, {0x1000, 0x1000}}, 0, "for 0x1000, which"},
	{{{0x2000, 0x2000}, {0x3000, 0x1000}}, 0, "for 0x3000, which"},
	{{{0x7000, 0x1000}, {0x1000, 0x1000}}, 0, "for 0x1000, which"},
	{{{0x1000, 0x2000}}, 0, "8192 bytes of pages for 0x1000, which"},
	{{{0x0, 0x1000}}, 0, "which no mapping"},
	{{{0x4000, 0x1000}}, 0, "which no mapping"},
	{{{0x9000, 0x1000}}, 0, "which no mapping"},
	{{{0xa000, 0x1000}}, 0, "which no mapping"},
	{{{0xe000, 0x1000}}, 0, "which no mapping"},
	{{{0x7000, 0x2000}}, 0, "which no mapping"},
	{{{0x2001, 0x1000}}, 0, "which no mapping"},
	{{{0x2000, 0x1001}}, 0, "which no mapping"},
	{{{0x2000, ~0xfffull}}, 0, "is cut"},
};

static bool has_run(const struct image_run *run, const struct image_region *r)
{
	for (; run->bytes; run++)
		if (run->address >= r->low && run->address < r->high)
			return true;
	return false;
}

START_TEST(runs_lie_in_mappings)
{
	long n = make_all();
	struct tables_runs c = {.mapping = mapping, .n = (size_t)n, .page_bytes = PAGE};
	int rc = 0;

	for (int i = 0; i == 0 || runs[_i].run[i - 1].bytes; i++)
		c.left += sizeof(struct image_run) + runs[_i].run[i].bytes;
	if (runs[_i].run[0].bytes > 1 << 20)
		c.left = 1 << 20;
	c.left += (uint64_t)runs[_i].more;
	for (int i = 0; rc == 0; i++)
		rc = tables_next_run(&c, &runs[_i].run[i], why, sizeof why);
	ck_assert_msg(rc == (runs[_i].said ? -EPROTO : 1), "%d %s", rc, why);
	for (long i = 0; i < n && !runs[_i].said; i++)
		ck_assert_int_eq(mapping[i].filled, has_run(runs[_i].run, &mapping[i].r));
	if (runs[_i].said)
		ck_assert_msg(strstr(why, runs[_i].said), "%s", why);
}
END_TEST

UNIT_MAIN("image_tables",
	  tcase_add_loop_test(tc, sections_fill_the_file, 0, sizeof files / sizeof *files);
	  tcase_add_loop_test(tc, a_mapping_makes_sense, 0, sizeof rows / sizeof *rows);
	  tcase_add_test(tc, the_list_is_whole); tcase_add_test(tc, there_is_one_stack);
	  tcase_add_loop_test(
		  tc, a_process_lies_in_its_mappings, 0, sizeof processes / sizeof *processes);
	  tcase_add_test(tc, a_folder_ends); tcase_add_test(tc, the_stack_may_grow);
	  tcase_add_test(tc, a_file_is_as_it_was);
	  tcase_add_loop_test(tc, runs_lie_in_mappings, 0, sizeof runs / sizeof *runs);)
