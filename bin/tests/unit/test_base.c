/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/admission.h"
#include "base/copy.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/idtab.h"
#include "base/knob.h"
#include "base/slab.h"
#include "unit.h"

START_TEST(cursor_reads_what_writer_wrote)
{
	uint8_t buf[64], raw[3] = {7, 8, 9}, got[3];
	char text[16];
	struct writer w = writer_over(buf, sizeof buf);
	struct cursor c;

	writer_u16(&w, 0x1234);
	writer_u32(&w, 0xdeadbeef);
	writer_u64(&w, 0x0102030405060708);
	writer_string(&w, "rank");
	writer_bytes(&w, raw, 3);
	ck_assert(!w.bad);
	ck_assert_uint_eq(buf[0], 0x34); /* little-endian */
	c = cursor_over(buf, (size_t)(w.at - buf));
	ck_assert_uint_eq(cursor_u16(&c), 0x1234);
	ck_assert_uint_eq(cursor_u32(&c), 0xdeadbeef);
	ck_assert_uint_eq(cursor_u64(&c), 0x0102030405060708);
	cursor_string(&c, text, sizeof text);
	ck_assert_str_eq(text, "rank");
	cursor_bytes(&c, got, 3);
	ck_assert_mem_eq(got, raw, 3);
	ck_assert(cursor_done(&c));
}
END_TEST

START_TEST(cursor_past_the_end_is_bad_for_good)
{
	uint8_t buf[3] = {1, 2, 3};
	struct cursor c = cursor_over(buf, sizeof buf);

	ck_assert_uint_eq(cursor_u32(&c), 0);
	ck_assert(c.bad);
	ck_assert_uint_eq(cursor_u16(&c), 0); /* though two bytes are there */
	ck_assert(!cursor_done(&c));
}
END_TEST

START_TEST(cursor_string_is_checked)
{
	char text[4];
	uint8_t lying[] = {255, 255, 255, 255, 'a'}, long_one[] = {4, 0, 0, 0, 'a', 'b', 'c', 'd'},
		nul[] = {2, 0, 0, 0, 'a', 0};
	struct cursor c = cursor_over(lying, sizeof lying);

	cursor_string(&c, text, sizeof text);
	ck_assert(c.bad);
	c = cursor_over(long_one, sizeof long_one);
	cursor_string(&c, text, sizeof text);
	ck_assert(c.bad);
	c = cursor_over(nul, sizeof nul);
	cursor_string(&c, text, sizeof text);
	ck_assert(c.bad);
}
END_TEST

START_TEST(writer_stops_at_the_end)
{
	uint8_t buf[5] = {0};
	struct writer w = writer_over(buf, 4);

	writer_u16(&w, 1);
	writer_u32(&w, 2);
	ck_assert(w.bad);
	ck_assert_uint_eq(buf[4], 0);
}
END_TEST

START_TEST(ids_of_the_dead_mean_nothing)
{
	enum { N = 1000 };
	struct idtab t;
	uint64_t ids[N];
	int objects[N];

	idtab_init(&t);
	ck_assert_ptr_null(idtab_find(&t, 0));
	for (int i = 0; i < N; i++) {
		ids[i] = idtab_add(&t, &objects[i]);
		ck_assert_uint_ne(ids[i], 0);
	}
	for (int i = 0; i < N; i++)
		ck_assert_ptr_eq(idtab_find(&t, ids[i]), &objects[i]);
	for (int i = 0; i < N; i += 2)
		idtab_remove(&t, ids[i]);
	for (int i = 0; i < N; i += 2) {
		uint64_t id = idtab_add(&t, &objects[i]);

		ck_assert_ptr_null(idtab_find(&t, ids[i]));
		ck_assert_ptr_eq(idtab_find(&t, id), &objects[i]);
	}
	ck_assert_ptr_null(idtab_find(&t, UINT64_MAX));
	idtab_fini(&t);
}
END_TEST

START_TEST(slab_objects_do_not_overlap)
{
	enum { N = 300, SIZE = 40 };
	struct slab s;
	unsigned char *o[N];

	slab_init(&s, SIZE);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++) {
			o[i] = slab_take(&s);
			memset(o[i], i, SIZE);
		}
		for (int i = 0; i < N; i++)
			for (int b = 0; b < SIZE; b++)
				ck_assert_uint_eq(o[i][b], (unsigned char)i);
		for (int i = 0; i < N; i++)
			slab_give(&s, o[i]);
	}
	slab_fini(&s);
}
END_TEST

START_TEST(knobs_are_checked)
{
	char err[256];

	unsetenv("FTMPI_SPIN_US");
	ck_assert_int_eq(knob_load(err, sizeof err), 0);
	ck_assert_int_eq(knob_get(KNOB_SPIN_US), 200);
	setenv("FTMPI_SPIN_US", "17", 1);
	ck_assert_int_eq(knob_load(err, sizeof err), 0);
	ck_assert_int_eq(knob_get(KNOB_SPIN_US), 17);
	for (const char *const *bad = (const char *const[]){"", "x", "17x", "-1", "99999999", NULL};
		*bad; bad++) {
		setenv("FTMPI_SPIN_US", *bad, 1);
		ck_assert_int_eq(knob_load(err, sizeof err), FT_EINVAL);
		ck_assert_ptr_nonnull(strstr(err, "FTMPI_SPIN_US"));
	}
}
END_TEST

/* Lengths around those where it goes another way, from any address; nothing behind is touched. */
START_TEST(copies_put_aside_are_whole)
{
	static const size_t lengths[] = {
		0, 1, 63, (128 << 10) - 1, 128 << 10, (128 << 10) + 63, 1000003};
	size_t most = 1000003 + 64;
	unsigned char *from = malloc(most + 3), *to = aligned_alloc(64, (most + 63) / 64 * 64);

	ck_assert(from && to);
	for (size_t i = 0; i < most + 3; i++)
		from[i] = (unsigned char)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (size_t odd = 0; odd < 4; odd++) {
			memset(to, 0xee, most);
			copy_aside(to, from + odd, lengths[i]);
			ck_assert_mem_eq(to, from + odd, lengths[i]);
			for (size_t k = 0; k < 64; k++)
				ck_assert_uint_eq(to[lengths[i] + k], 0xee);
		}
	free(from);
	free(to);
}
END_TEST

/* The oldest gives way, and only when there is one too many. */
START_TEST(admission_has_a_bound)
{
	struct admission a;
	struct link items[4];

	admission_open(&a, 3);
	ck_assert_ptr_null(admission_oldest(&a));
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_null(admission_surplus(&a));
		admission_enter(&a, &items[i]);
	}
	ck_assert_ptr_eq(admission_surplus(&a), &items[0]);
	admission_leave(&a, &items[1]);
	ck_assert_ptr_null(admission_surplus(&a));
	ck_assert_ptr_eq(admission_oldest(&a), &items[0]);
	admission_leave(&a, &items[0]);
	admission_enter(&a, &items[3]);
	ck_assert_ptr_eq(admission_oldest(&a), &items[2]);
	ck_assert_int_eq(a.count, 2);
}
END_TEST

START_TEST(admission_leaves_descriptors)
{
	struct rlimit before, few;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 80;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(admission_most(128, 8), 10);
	ck_assert_int_eq(admission_most(9, 8), 9);
	ck_assert_int_eq(admission_most(64, 40), 4);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

static bool no_room(void)
{
	return false;
}

START_TEST(refusals_have_few_lines)
{
	struct refusals r = {0};
	uint64_t second = 1000000000, end = second + (uint64_t)REFUSALS_MS * 1000000;

	ck_assert(refusals_renew(&r, second));
	ck_assert(!refusals_line(&r, no_room));
	for (int i = 0; i < REFUSALS_LINES; i++)
		ck_assert(refusals_line(&r, NULL));
	ck_assert(!refusals_line(&r, NULL));
	ck_assert(!refusals_renew(&r, end - 1));
	ck_assert(!refusals_line(&r, NULL));
	ck_assert(refusals_renew(&r, end));
	ck_assert_uint_eq(refusals_rest(&r), 3);
	ck_assert_uint_eq(refusals_rest(&r), 0);
	ck_assert(refusals_line(&r, NULL));
}
END_TEST

UNIT_MAIN("base", tcase_add_test(tc, admission_has_a_bound);
	  tcase_add_test(tc, admission_leaves_descriptors);
	  tcase_add_test(tc, refusals_have_few_lines);
	  tcase_add_test(tc, copies_put_aside_are_whole);
	  tcase_add_test(tc, cursor_reads_what_writer_wrote);
	  tcase_add_test(tc, cursor_past_the_end_is_bad_for_good);
	  tcase_add_test(tc, cursor_string_is_checked); tcase_add_test(tc, writer_stops_at_the_end);
	  tcase_add_test(tc, ids_of_the_dead_mean_nothing);
	  tcase_add_test(tc, slab_objects_do_not_overlap); tcase_add_test(tc, knobs_are_checked);)
