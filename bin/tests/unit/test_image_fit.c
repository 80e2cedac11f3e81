/* SPDX-License-Identifier: BSD-3-Clause */
/* What stays, what is mapped, and what is in the way when a process becomes another one. */
#include <stdio.h>
#include <string.h>

#include "image/fit.h"
#include "image/plan.h"
#include "unit.h"

enum { MAX = 16 };

static struct region own[MAX];
static size_t owns;
static struct image_mapping image[MAX];
static size_t mappings;
static char names[MAX][64];

static size_t parse(const char *text, struct region *out)
{
	size_t bad;
	long n = process_map_parse(text, strlen(text), out, MAX, &bad);

	ck_assert_int_ge(n, 0);
	ck_assert_int_le(n, MAX);
	return (size_t)n;
}

/* What loads is in files that are called so. */
static void here(const char *text)
{
	owns = parse(text, own);
	for (size_t i = 0; i < owns; i++)
		own[i].loader = region_name_begins(&own[i], "/loads");
}

/* As the image's writer describes it. */
static void there(const char *text)
{
	struct region r[MAX];

	mappings = parse(text, r);
	for (size_t i = 0; i < mappings; i++) {
		const char *why;

		snprintf(names[i], sizeof names[i], "%.*s", (int)r[i].name_length, r[i].name);
		image[i] = (struct image_mapping){.name = names[i],
			.r = {.low = r[i].low,
				.high = r[i].high,
				.offset = r[i].offset,
				.kind = r[i].kind,
				.treatment = plan_for(&r[i], NULL, 0, &why),
				.name_length = (uint32_t)r[i].name_length}};
	}
}

static const struct {
	const char *there, *here;
	enum fit fit;
	int other; /* index in here; -1: none */
} cases[] = {
	/* without a file */
	{"1000-3000 rw-p 0 00:00 0", "", FIT_FRESH, -1},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 rw-p 0 00:00 0", FIT_FRESH, -1},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 rw-p 0 fe:01 7 /lib/a.so", FIT_FRESH, -1},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 r-xp 0 fe:01 7 /loads", FIT_IN_THE_WAY, 0},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 r--s 0 fe:01 7 /t", FIT_FRESH, -1},
	/* the program break is moved before */
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 rw-p 0 00:00 0 [heap]", FIT_FRESH, -1},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 r-xp 0 00:00 0 [vdso]", FIT_IN_THE_WAY, 0},
	{"1000-3000 rw-p 0 00:00 0", "2000-4000 rw-p 0 00:00 0 [stack]", FIT_IN_THE_WAY, 0},
	{"1000-3000 rw-p 0 fe:01 7 /tmp/x (deleted)", "", FIT_FRESH, -1},
	{"1000-3000 r-xp 0 fe:01 7 /bin/x (deleted)", "1000-3000 r-xp 0 fe:01 8 /bin/x", FIT_FRESH,
		-1},
	/* the kernel's */
	{"1000-3000 r-xp 0 00:00 0 [vdso]", "1000-3000 r-xp 0 00:00 0 [vdso]", FIT_KERNEL, -1},
	{"1000-3000 r-xp 0 00:00 0 [vdso]", "1000-2000 r-xp 0 00:00 0 [vdso]", FIT_IN_THE_WAY, 0},
	{"1000-3000 r-xp 0 00:00 0 [vdso]", "1000-3000 r--p 0 00:00 0 [vvar]", FIT_IN_THE_WAY, 0},
	{"1000-3000 r-xp 0 00:00 0 [vdso]", "4000-6000 r-xp 0 00:00 0 [vdso]", FIT_IN_THE_WAY, -1},
	{"1000-7000 rw-p 0 00:00 0 [stack]", "7000-9000 rw-p 0 00:00 0 [stack]", FIT_GROW, -1},
	/* heap */
	{"1000-9000 rw-p 0 00:00 0 [heap]", "1000-2000 rw-p 0 00:00 0 [heap]", FIT_BREAK, -1},
	{"1000-9000 rw-p 0 00:00 0 [heap]", "", FIT_BREAK, -1},
	{"1000-9000 rw-p 0 00:00 0 [heap]", "2000-3000 rw-p 0 00:00 0 [heap]", FIT_IN_THE_WAY, 0},
	/* a piece of one that mprotect has split */
	{"5000-6000 r--p 0 00:00 0 [heap]", "1000-2000 rw-p 0 00:00 0 [heap]", FIT_BREAK, -1},
	{"5000-6000 r--p 0 00:00 0 [heap]",
		"1000-5000 rw-p 0 00:00 0 [heap]\n5000-9000 ---p 0 00:00 0 [heap]", FIT_BREAK, -1},
	/* what they grow over */
	{"1000-9000 rw-p 0 00:00 0 [heap]",
		"1000-2000 rw-p 0 00:00 0 [heap]\n7000-9000 r-xp 0 fe:01 7 /lib/a.so",
		FIT_IN_THE_WAY, 1},
	{"1000-9000 rw-p 0 00:00 0 [heap]", "8000-a000 r-xp 0 00:00 0 [vdso]", FIT_IN_THE_WAY, 0},
	{"1000-9000 rw-p 0 00:00 0 [heap]", "1000-2000 rw-p 0 00:00 0", FIT_BREAK, -1},
	/* files */
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "1000-3000 rw-p 5000 fe:02 8 /a.so", FIT_THERE, -1},
	{"1000-3000 r-xp 5000 fe:01 7 /a.so", "1000-3000 r-xp 5000 fe:02 8 /a.so", FIT_THERE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so",
		"1000-2000 r--p 5000 fe:01 7 /a.so\n2000-4000 rw-p 6000 fe:01 7 /a.so", FIT_THERE,
		-1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "4000-6000 rw-p 5000 fe:01 7 /a.so", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "1000-3000 rw-p 6000 fe:01 7 /a.so", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "1000-3000 rw-p 5000 fe:01 7 /b.so", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "1000-3000 rw-s 5000 fe:01 7 /a.so", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "1000-2000 rw-p 5000 fe:01 7 /a.so", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "2000-3000 rw-p 6000 fe:01 7 /a.so", FIT_FILE, -1},
	{"1000-3000 r-xp 5000 fe:01 7 /loads", "1000-3000 r-xp 5000 fe:01 7 /loads", FIT_RUNS, -1},
	{"1000-3000 r--p 5000 fe:01 7 /loads", "1000-3000 r--p 5000 fe:01 7 /loads", FIT_THERE, -1},
	{"1000-3000 r-xp 5000 fe:01 7 /loads", "1000-3000 r-xp 6000 fe:01 7 /loads", FIT_IN_THE_WAY,
		0},
	{"1000-3000 rw-p 5000 fe:01 7 /a.so", "2000-4000 r-xp 6000 fe:01 7 /loads", FIT_IN_THE_WAY,
		0},
	{"1000-3000 r--s 5000 fe:01 7 /t", "1000-3000 r--s 5000 fe:01 7 /t", FIT_THERE, -1},
	{"1000-3000 r--s 5000 fe:01 7 /t", "", FIT_FILE, -1},
	/* over memory of this process without a file, as FIT_FRESH */
	{"1000-3000 rw-p 5000 fe:01 7 /t", "2000-9000 rw-p 0 00:00 0", FIT_FILE, -1},
	{"1000-3000 r--s 5000 fe:01 7 /t", "0-2000 rw-p 0 00:00 0\n2000-4000 ---p 0 00:00 0",
		FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /t",
		"1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0 [heap]", FIT_FILE, -1},
	{"1000-3000 rw-p 5000 fe:01 7 /t",
		"1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0 [stack]", FIT_IN_THE_WAY, 1},
};

START_TEST(a_mapping_fits_or_not)
{
	const struct region *other = NULL;

	there(cases[_i].there);
	here(cases[_i].here);
	ck_assert_int_eq(fit_for(&image[0], own, owns, &other), cases[_i].fit);
	if (cases[_i].other < 0)
		ck_assert_ptr_null(other);
	else
		ck_assert_ptr_eq(other, &own[cases[_i].other]);
}
END_TEST

/* Of which parts with other access than its neighbours have no name, and are all the stack that is
 * there. */
static const struct {
	const char *there, *here;
	bool fits;
	int other; /* index in here; -1: none */
} stacks[] = {
	{"1000-3000 rw-p 0 00:00 0", "", true, -1},
	{"1000-9000 rw-p 0 00:00 0 [stack]", "7000-9000 rw-p 0 00:00 0 [stack]", true, -1},
	{"1000-9000 rw-p 0 00:00 0 [stack]", "7000-a000 rw-p 0 00:00 0 [stack]", false, 0},
	{"1000-9000 rw-p 0 00:00 0 [stack]", "", false, -1},
	{"1000-7000 rw-p 0 00:00 0 [stack]", "7000-9000 rw-p 0 00:00 0 [stack]", false, 0},
	{"600000-900000 rw-p 0 00:00 0 [stack]",
		"480000-501000 rw-p 0 00:00 0\n700000-900000 rw-p 0 00:00 0 [stack]", false, 0},
	{"600000-900000 rw-p 0 00:00 0 [stack]",
		"480000-500000 rw-p 0 00:00 0\n700000-900000 rw-p 0 00:00 0 [stack]", true, -1},
	{"700000-900000 rw-p 0 00:00 0 [stack]",
		"480000-6f1000 rw-p 0 00:00 0\n700000-900000 rw-p 0 00:00 0 [stack]", true, -1},
	{"1000-9000 rw-p 0 00:00 0 [stack]",
		"1000-2000 rw-p 0 00:00 0\n7000-9000 rw-p 0 00:00 0 [stack]", false, 0},
	{"1000-9000 rw-p 0 00:00 0 [stack]",
		"1000-2000 r-xp 0 fe:01 7 /lib/a.so\n7000-9000 rw-p 0 00:00 0 [stack]", false, 0},
	{"1000-5000 rw-p 0 00:00 0 [stack]\n5000-9000 r--p 0 00:00 0 [stack]",
		"7000-9000 rw-p 0 00:00 0 [stack]", true, -1},
	{"1000-9000 rw-p 0 00:00 0 [stack]",
		"7000-8000 rwxp 0 00:00 0 [stack]\n8000-9000 rw-p 0 00:00 0 [stack]", true, -1},
	{"1000-5000 rw-p 0 00:00 0 [stack]\n5000-8000 r--p 0 00:00 0 [stack]",
		"7000-9000 rw-p 0 00:00 0 [stack]", false, 0},
	{"600000-900000 rw-p 0 00:00 0 [stack]",
		"480000-501000 rw-p 0 00:00 0\n600000-900000 rw-p 0 00:00 0 [stack]", true, -1},
};

START_TEST(a_stack_fits_or_not)
{
	const uint64_t gap = 1 << 20;
	const struct region *other = NULL;
	const struct image_mapping *m;

	there(stacks[_i].there);
	here(stacks[_i].here);
	m = fit_stack(image, mappings, own, owns, gap, &other);
	ck_assert_ptr_eq(m, stacks[_i].fits ? NULL : &image[0]);
	if (!m)
		return;
	if (stacks[_i].other < 0)
		ck_assert_ptr_null(other);
	else
		ck_assert_ptr_eq(other, &own[stacks[_i].other]);
}
END_TEST

START_TEST(the_gap_is_the_kernels)
{
	const struct region *other;

	there("600000-900000 rw-p 0 00:00 0 [stack]");
	here("480000-501000 rw-p 0 00:00 0\n700000-900000 rw-p 0 00:00 0 [stack]");
	ck_assert_ptr_null(fit_stack(image, mappings, own, owns, 0xff000, &other));
	ck_assert_ptr_eq(fit_stack(image, mappings, own, owns, 0xff001, &other), &image[0]);
	ck_assert_ptr_eq(other, &own[0]);
}
END_TEST

/* A mapping that may be written is of a descriptor that was opened so. */
START_TEST(a_shared_file_is_mapped_anew_to_be_written)
{
	const struct region *other = NULL;

	there("1000-3000 r--s 5000 fe:01 7 /t");
	here("1000-3000 r--s 5000 fe:01 7 /t");
	ck_assert_int_eq(fit_for(&image[0], own, owns, &other), FIT_THERE);
	image[0].r.flags = IMAGE_MAY_WRITE;
	ck_assert_int_eq(fit_for(&image[0], own, owns, &other), FIT_FILE);
}
END_TEST

static const struct {
	const char *there, *here;
	size_t n;
	uint64_t out[4][2];
} removals[] = {
	{"", "1000-2000 rw-p 0 00:00 0", 1, {{0x1000, 0x2000}}},
	{"", "1000-2000 rw-p 0 fe:01 7 /loads\n3000-4000 rw-p 0 00:00 0 [heap]", 0, {{0}}},
	{"", "1000-2000 r--p 0 fe:01 7 /etc/ld.so.cache", 1, {{0x1000, 0x2000}}},
	{"1000-2000 rw-p 0 00:00 0", "1000-2000 rw-p 0 00:00 0", 0, {{0}}},
	{"0-9000 rw-p 0 00:00 0", "1000-2000 rw-p 0 00:00 0", 0, {{0}}},
	{"2000-3000 rw-p 0 00:00 0", "1000-4000 rw-p 0 00:00 0", 2,
		{{0x1000, 0x2000}, {0x3000, 0x4000}}},
	{"0-2000 rw-p 0 00:00 0\n3000-5000 rw-p 0 00:00 0", "1000-4000 rw-p 0 00:00 0", 1,
		{{0x2000, 0x3000}}},
	{"2000-3000 rw-p 0 00:00 0\n7000-8000 rw-p 0 00:00 0",
		"1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0 \n6000-9000 rw-p 0 00:00 0", 4,
		{{0x1000, 0x2000}, {0x3000, 0x4000}, {0x6000, 0x7000}, {0x8000, 0x9000}}},
};

/* Where all memory is locked the heap is one mapping with what the program has before it. */
START_TEST(a_heap_that_was_merged_is_split)
{
	struct region r[MAX];
	size_t n = parse("1000-2000 r-xp 0 fe:01 7 /bin/a\n3000-9000 rw-p 0 00:00 0 [heap]\n"
			 "a000-b000 rw-p 0 00:00 0\n",
		r);

	ck_assert_uint_eq(process_map_split_heap(r, n, 0x3000, 0x9000), 3);
	ck_assert_uint_eq(process_map_split_heap(r, n, 0x5000, 0x9000), 4);
	ck_assert(r[1].kind == REGION_ANONYMOUS && r[1].name_length == 0);
	ck_assert(r[1].low == 0x3000 && r[1].high == 0x5000);
	ck_assert(r[2].kind == REGION_HEAP && r[2].low == 0x5000 && r[2].high == 0x9000);
	ck_assert(r[3].low == 0xa000 && r[3].high == 0xb000);
	ck_assert_uint_eq(process_map_split_heap(r, 4, 0x5000, 0x9000), 4);
}
END_TEST

/* Memory that is mapped right at the program break is, too. */
START_TEST(a_heap_ends_at_the_break)
{
	struct region r[MAX];
	size_t n = parse("1000-3000 rw-p 0 00:00 0 [heap]\n3000-9000 r--p 0 00:00 0 [heap]\n"
			 "9000-b000 rw-p 0 00:00 0 [heap]\n",
		r);

	ck_assert_uint_eq(process_map_split_heap(r, n, 0x1000, 0xb000), 3);
	ck_assert_uint_eq(process_map_split_heap(r, n, 0x2000, 0x5000), 5);
	for (size_t i = 0; i < 5; i++) {
		bool heap = i == 1 || i == 2;

		ck_assert_int_eq(r[i].kind, heap ? REGION_HEAP : REGION_ANONYMOUS);
		ck_assert_int_eq(r[i].name_length > 0, heap);
		ck_assert(i == 0 || r[i].low == r[i - 1].high);
	}
	ck_assert(r[1].low == 0x2000 && r[2].low == 0x3000 && r[3].low == 0x5000);
	ck_assert(r[4].low == 0x9000 && r[4].high == 0xb000);
	n = parse("1000-9000 rw-p 0 00:00 0 [heap]\n", r);
	ck_assert_uint_eq(process_map_split_heap(r, n, 0x2000, 0x5000), 3);
	ck_assert(r[0].kind != REGION_HEAP && r[1].kind == REGION_HEAP);
	ck_assert(r[2].kind != REGION_HEAP && r[2].low == 0x5000 && r[2].high == 0x9000);
	/* there is no heap yet */
	n = parse("1000-9000 rw-p 0 00:00 0 [heap]\n", r);
	ck_assert_uint_eq(process_map_split_heap(r, n, 0x1000, 0x1000), 1);
	ck_assert_int_eq(r[0].kind, REGION_ANONYMOUS);
}
END_TEST

START_TEST(what_the_image_has_not_is_removed)
{
	uint64_t out[4][2] = {{0}};

	there(removals[_i].there);
	here(removals[_i].here);
	ck_assert_uint_eq(fit_to_remove(image, mappings, own, owns, NULL, 0), removals[_i].n);
	ck_assert_uint_eq(fit_to_remove(image, mappings, own, owns, out, 4), removals[_i].n);
	ck_assert_int_eq(memcmp(out, removals[_i].out, sizeof out), 0);
}
END_TEST

START_TEST(a_gap_is_free_in_both)
{
	there("10000-28000 rw-p 0 00:00 0\n50000-51000 rw-p 0 00:00 0");
	here("30000-31000 rw-p 0 00:00 0\n48000-49000 r-xp 0 00:00 0 [vdso]");
	ck_assert_uint_eq(fit_gap(image, mappings, own, owns, 0x8000, 0x10000), 0x40000);
	ck_assert_uint_eq(fit_gap(image, mappings, own, owns, 0x8001, 0x10000), 0x60000);
	ck_assert_uint_eq(fit_gap(image, mappings, own, owns, 0x1000, 0x8000), 0x8000);
	here("10-fffffffffffff000 rw-p 0 00:00 0");
	ck_assert_uint_eq(fit_gap(image, mappings, own, owns, 0x1000, 0x1000), 0);
}
END_TEST

UNIT_MAIN("image_fit",
	  tcase_add_loop_test(tc, a_mapping_fits_or_not, 0, sizeof cases / sizeof *cases);
	  tcase_add_loop_test(
		  tc, what_the_image_has_not_is_removed, 0, sizeof removals / sizeof *removals);
	  tcase_add_loop_test(tc, a_stack_fits_or_not, 0, sizeof stacks / sizeof *stacks);
	  tcase_add_test(tc, the_gap_is_the_kernels);
	  tcase_add_test(tc, a_shared_file_is_mapped_anew_to_be_written);
	  tcase_add_test(tc, a_heap_that_was_merged_is_split);
	  tcase_add_test(tc, a_heap_ends_at_the_break); tcase_add_test(tc, a_gap_is_free_in_both);)
