/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of each kind of region in an image, and what is said where there is none. */
#include <string.h>

#include "image/plan.h"
#include "unit.h"

#define SHARED "memory shared with other processes"

static const struct {
	const char *line;
	enum plan_treatment treatment;
	const char *why; /* it is refused */
} lines[] = {
	{"1000-2000 rw-p 0 00:00 0", PLAN_FRESH, NULL},
	{"1000-2000 ---p 0 00:00 0", PLAN_FRESH, NULL},
	{"1000-2000 rwxp 0 00:00 0", PLAN_FRESH, NULL},
	{"1000-2000 r-xp 0 00:00 0", PLAN_FRESH, NULL},
	{"1000-2000 rw-p 0 00:00 0 [anon: mine]", PLAN_FRESH, NULL},
	{"1000-2000 rw-p 0 00:00 0 [heap]", PLAN_FRESH, NULL},
	{"1000-2000 rw-p 0 00:00 0 [stack]", PLAN_FRESH, NULL},
	{"1000-2000 r-xp 0 00:00 0 [vdso]", PLAN_LEFT_OUT, NULL},
	{"1000-2000 r--p 0 00:00 0 [vvar]", PLAN_LEFT_OUT, NULL},
	{"1000-2000 r-xp 0 fe:01 7 /lib/a.so", PLAN_AS_IT_IS, NULL},
	{"1000-2000 rwxp 0 fe:01 7 /lib/a.so", PLAN_OF_FILE, NULL},
	{"1000-2000 r--p 0 fe:01 7 /lib/a.so", PLAN_OF_FILE, NULL},
	{"1000-2000 rw-p 0 fe:01 7 /lib/a.so", PLAN_OF_FILE, NULL},
	{"1000-2000 ---p 0 fe:01 7 /lib/a.so", PLAN_OF_FILE, NULL},
	{"1000-2000 rw-p 0 fe:01 7 /tmp/data (deleted)", PLAN_WHOLE, NULL},
	{"1000-2000 r-xp 0 fe:01 7 /tmp/program (deleted)", PLAN_WHOLE, NULL},
	{"1000-2000 rw-p 0 00:01 7 /memfd:x (deleted)", PLAN_WHOLE, NULL},
	{"1000-2000 rw-p 0 00:05 7 /dev/zero", PLAN_FRESH, NULL},
	{"1000-2000 r--s 0 fe:01 7 /usr/lib/gconv-modules.cache", PLAN_AS_IT_IS, NULL},
	{"1000-2000 rw-s 0 fe:01 7 /tmp/data", PLAN_REFUSED, "a file mapped shared and writable"},
	{"1000-2000 r--s 0 fe:01 7 /tmp/data (deleted)", PLAN_REFUSED, SHARED},
	{"1000-2000 rw-s 0 00:01 7 /dev/zero (deleted)", PLAN_REFUSED, SHARED},
	{"1000-2000 rw-s 0 00:01 7 /SYSV00000000 (deleted)", PLAN_REFUSED,
		"a System V shared memory segment"},
	{"1000-2000 r--s 0 00:01 7 /dev/shm/x", PLAN_REFUSED, SHARED},
	{"1000-2000 r--s 0 00:01 7 /memfd:x (deleted)", PLAN_REFUSED, SHARED},
	{"1000-2000 rw-s 0 00:05 7 /dev/dri/card0", PLAN_REFUSED, "memory of a device"},
	{"1000-2000 rw-p 0 00:05 7 /dev/mem", PLAN_REFUSED, "memory of a device"},
	{"1000-2000 rw-p 0 00:0f 7 /anon_hugepage (deleted)", PLAN_REFUSED,
		"memory in huge pages that were reserved (hugetlbfs)"},
};

static struct region region_of(const char *line)
{
	struct region r;
	size_t bad;

	ck_assert_int_eq(process_map_parse(line, strlen(line), &r, 1, &bad), 1);
	return r;
}

START_TEST(regions_are_treated)
{
	struct region r = region_of(lines[_i].line);
	const char *why = NULL;

	ck_assert_int_eq(plan_for(&r, NULL, 0, &why), lines[_i].treatment);
	ck_assert_pstr_eq(why, lines[_i].why);
}
END_TEST

/* What /proc/PID/smaps tells, and where it is. */
START_TEST(odd_memory_is_refused)
{
	struct region huge = region_of("1000-2000 rw-p 0 00:0f 7 /mnt/huge/x");
	struct region shadow = region_of("1000-2000 rw-p 0 00:00 0"), keyed = shadow;
	struct region high = region_of("100000000000000-100000000001000 rw-p 0 00:00 0");
	struct region system =
		region_of("ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]");
	const char *why = NULL;

	huge.huge = shadow.shadow = keyed.keyed = true;
	ck_assert_int_eq(plan_for(&huge, NULL, 0, &why), PLAN_REFUSED);
	ck_assert_str_eq(why, "memory in huge pages that were reserved (hugetlbfs)");
	ck_assert_int_eq(plan_for(&shadow, NULL, 0, &why), PLAN_REFUSED);
	ck_assert_str_eq(why, "a shadow stack (GLIBC_TUNABLES, x86_shstk)");
	ck_assert_int_eq(plan_for(&keyed, NULL, 0, &why), PLAN_REFUSED);
	ck_assert_str_eq(why, "memory with a protection key (pkey_mprotect)");
	ck_assert_int_eq(plan_for(&high, NULL, 0, &why), PLAN_REFUSED);
	ck_assert_str_eq(why, "memory at an address that only some machines have");
	ck_assert_int_eq(plan_for(&system, NULL, 0, &why), PLAN_LEFT_OUT);
}
END_TEST

/* Whoever patches code changes its pages. */
START_TEST(code_that_was_changed_is_held)
{
	struct region r = region_of("1000-2000 r-xp 0 fe:01 7 /lib/a.so");
	const char *why = NULL;

	r.changed = true;
	ck_assert_int_eq(plan_for(&r, NULL, 0, &why), PLAN_OF_FILE);
}
END_TEST

/* Only what lies in it as a whole. */
START_TEST(own_memory_is_left_out)
{
	const struct plan_range own[] = {{0x10000, 0x20000}, {0x1000, 0x3000}};
	struct region in = region_of("1000-2000 rw-s 0 00:01 7 /dev/zero (deleted)");
	struct region beyond = region_of("2000-4000 rw-p 0 00:00 0");
	const char *why;

	ck_assert_int_eq(plan_for(&in, own, 2, &why), PLAN_LEFT_OUT);
	ck_assert_int_eq(plan_for(&in, own, 1, &why), PLAN_REFUSED);
	ck_assert_int_eq(plan_for(&beyond, own, 2, &why), PLAN_FRESH);
}
END_TEST

UNIT_MAIN(
	"image_plan", tcase_add_loop_test(tc, regions_are_treated, 0, sizeof lines / sizeof *lines);
	tcase_add_test(tc, odd_memory_is_refused);
	tcase_add_test(tc, code_that_was_changed_is_held);
	tcase_add_test(tc, own_memory_is_left_out);)
