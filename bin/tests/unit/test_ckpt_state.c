/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program gives to be saved: the data buffer and the protected variables. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "ckpt/ckpt.h"
#include "unit.h"

static bool all_zero(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

START_TEST(without_a_buffer_nothing_works)
{
	struct ckpt_buffer b = {0};
	char c = 'x';

	ck_assert_int_eq(ckpt_buffer_reset(&b), FT_ENONE);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 0, CKPT_SEEK_SET), -1);
	ck_assert_int_eq(ckpt_buffer_add(&b, &c, 1), FT_ENONE);
	ck_assert_int_eq(ckpt_buffer_get(&b, &c, 0), FT_ENONE);
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(a_buffer_gives_back_what_was_added)
{
	struct ckpt_buffer b = {0};
	double got[3], put[3] = {1.5, -2.5, 1e300};
	int n = 7, m = 0;

	ck_assert_int_eq(ckpt_buffer_alloc(&b, sizeof n + sizeof put), 0);
	ck_assert(all_zero(b.data, b.size));
	ck_assert_int_eq(ckpt_buffer_add(&b, &n, sizeof n), 0);
	ck_assert_int_eq(ckpt_buffer_add(&b, put, sizeof put), 0);
	ck_assert_int_eq(ckpt_buffer_add(&b, &n, 1), FT_ETRUNC);
	ck_assert_int_eq(ckpt_buffer_add(&b, NULL, 0), 0);
	ck_assert_int_eq(ckpt_buffer_reset(&b), 0);
	ck_assert_int_eq(ckpt_buffer_get(&b, &m, sizeof m), 0);
	ck_assert_int_eq(m, 7);
	ck_assert_int_eq(ckpt_buffer_get(&b, got, sizeof got + 1), FT_ETRUNC);
	ck_assert_int_eq(ckpt_buffer_get(&b, got, sizeof got), 0);
	ck_assert_mem_eq(got, put, sizeof put);
	ckpt_buffer_free(&b);
	ck_assert_ptr_null(b.data);
}
END_TEST

START_TEST(bad_sizes_change_nothing)
{
	struct ckpt_buffer b = {0};
	char c = 'x';

	ck_assert_int_eq(ckpt_buffer_alloc(&b, -1), FT_EINVAL);
	ck_assert_int_eq(ckpt_buffer_alloc(&b, 4), 0);
	ck_assert_int_eq(ckpt_buffer_add(&b, &c, 1), 0);
	ck_assert_int_eq(ckpt_buffer_add(&b, &c, -1), FT_EINVAL);
	ck_assert_int_eq(ckpt_buffer_get(&b, &c, INT64_MIN), FT_EINVAL);
	ck_assert_int_eq(ckpt_buffer_add(&b, NULL, 1), FT_EINVAL);
	ck_assert_int_eq(ckpt_buffer_add(&b, &c, INT64_MAX), FT_ETRUNC);
	ck_assert_int_eq(ckpt_buffer_alloc(&b, -5), FT_EINVAL);
	ck_assert_int_eq(ckpt_buffer_realloc(&b, -5), FT_EINVAL);
	ck_assert_uint_eq(b.size, 4);
	ck_assert_uint_eq(b.at, 1);
	ck_assert_int_eq(b.data[0], 'x');
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(a_buffer_of_no_bytes_is_one)
{
	struct ckpt_buffer b = {0};
	char c;

	ck_assert_int_eq(ckpt_buffer_alloc(&b, 0), 0);
	ck_assert_int_eq(ckpt_buffer_reset(&b), 0);
	ck_assert_int_eq(ckpt_buffer_get(&b, &c, 0), 0);
	ck_assert_int_eq(ckpt_buffer_get(&b, &c, 1), FT_ETRUNC);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 0, CKPT_SEEK_END), 0);
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(realloc_keeps_what_fits)
{
	struct ckpt_buffer b = {0};
	char text[] = "0123456789";

	ck_assert_int_eq(ckpt_buffer_realloc(&b, 10), 0); /* without a buffer: alloc */
	ck_assert(all_zero(b.data, 10));
	ck_assert_int_eq(ckpt_buffer_add(&b, text, 10), 0);
	ck_assert_int_eq(ckpt_buffer_realloc(&b, 4), 0);
	ck_assert_uint_eq(b.at, 4);
	ck_assert_int_eq(ckpt_buffer_realloc(&b, 100000), 0);
	ck_assert_uint_eq(b.at, 4);
	ck_assert_mem_eq(b.data, "0123", 4);
	ck_assert(all_zero(b.data + 4, 100000 - 4));
	ck_assert_int_eq(ckpt_buffer_alloc(&b, 10), 0);
	ck_assert(all_zero(b.data, 10));
	ck_assert_uint_eq(b.at, 0);
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(seeking_tells_where_it_was)
{
	struct ckpt_buffer b = {0};

	ck_assert_int_eq(ckpt_buffer_alloc(&b, 10), 0);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 3, CKPT_SEEK_SET), 0);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 2, CKPT_SEEK_CUR), 3);
	ck_assert_int_eq(ckpt_buffer_seek(&b, -5, CKPT_SEEK_CUR), 5);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 4, CKPT_SEEK_END), 0);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 0, CKPT_SEEK_END), 6);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 10, CKPT_SEEK_END), 10);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 10, CKPT_SEEK_SET), 0);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 0, CKPT_SEEK_CUR), 10);
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(seeking_never_leaves_the_buffer)
{
	static const struct {
		int64_t offset;
		int how;
	} wrong[] = {{11, CKPT_SEEK_SET}, {-1, CKPT_SEEK_SET}, {INT64_MIN, CKPT_SEEK_SET},
		{INT64_MAX, CKPT_SEEK_SET}, {7, CKPT_SEEK_CUR}, {-5, CKPT_SEEK_CUR},
		{INT64_MAX, CKPT_SEEK_CUR}, {INT64_MIN, CKPT_SEEK_CUR}, {11, CKPT_SEEK_END},
		{-1, CKPT_SEEK_END}, {INT64_MIN, CKPT_SEEK_END}, {INT64_MAX, CKPT_SEEK_END}, {0, 3},
		{0, -1}};
	struct ckpt_buffer b = {0};

	ck_assert_int_eq(ckpt_buffer_alloc(&b, 10), 0);
	ck_assert_int_eq(ckpt_buffer_seek(&b, 4, CKPT_SEEK_SET), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_int_eq(ckpt_buffer_seek(&b, wrong[i].offset, wrong[i].how), -1);
		ck_assert_uint_eq(b.at, 4);
	}
	ckpt_buffer_free(&b);
}
END_TEST

START_TEST(a_restored_buffer_begins_at_its_beginning)
{
	struct ckpt_buffer b = {0};

	ck_assert_int_eq(ckpt_buffer_fill(&b, "abc", 3), 0);
	ck_assert_uint_eq(b.size, 3);
	ck_assert_uint_eq(b.at, 0);
	ck_assert_mem_eq(b.data, "abc", 3);
	ck_assert_int_eq(ckpt_buffer_fill(&b, NULL, 0), 0);
	ck_assert_ptr_nonnull(b.data);
	ckpt_buffer_free(&b);
}
END_TEST

/* ---- protected variables ---- */

START_TEST(variables_come_in_the_order_of_their_ids)
{
	static const uint32_t ids[] = {CKPT_ID_MAX, 0, 300, 256, 255, 1000};
	static const uint32_t sorted[] = {0, 255, 256, 300, 1000, CKPT_ID_MAX};
	struct ckpt_registry r = {0};
	const struct ckpt_protected *p = NULL;
	int place[6];

	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(ckpt_protect(&r, ids[i], &place[i], 4 * i, (uint32_t)i, i), 0);
	ck_assert_uint_eq(r.count, 6);
	for (size_t i = 0; i < 6; i++) {
		p = ckpt_protected_next(&r, p);
		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq(p->id, sorted[i]);
	}
	ck_assert_ptr_null(ckpt_protected_next(&r, p));
	p = ckpt_protected_find(&r, 300);
	ck_assert_ptr_eq(p->addr, &place[2]);
	ck_assert_uint_eq(p->bytes, 8);
	ck_assert_uint_eq(p->type, 2);
	ck_assert_uint_eq(p->count, 2);
	ckpt_registry_free(&r);
}
END_TEST

START_TEST(a_variable_moves_and_goes)
{
	struct ckpt_registry r = {0};
	int a, b;

	ck_assert_ptr_null(ckpt_protected_next(&r, NULL));
	ck_assert_int_eq(ckpt_unprotect(&r, 5), FT_ENONE);
	ck_assert_int_eq(ckpt_protect(&r, CKPT_ID_MAX + 1, &a, 4, 0, 1), FT_EINVAL);
	ck_assert_int_eq(ckpt_protect(&r, 5, NULL, 4, 0, 1), FT_EINVAL);
	ck_assert_int_eq(ckpt_protect(&r, 5, &a, 4, 0, 1), 0);
	ck_assert_int_eq(ckpt_protect(&r, 5, &b, 2, 0, 1), 0);
	ck_assert_uint_eq(r.count, 1);
	ck_assert_ptr_eq(ckpt_protected_find(&r, 5)->addr, &b);
	ck_assert_ptr_null(ckpt_protected_find(&r, 4));
	ck_assert_ptr_null(ckpt_protected_find(&r, UINT32_MAX));
	ck_assert_int_eq(ckpt_unprotect(&r, 5), 0);
	ck_assert_int_eq(ckpt_unprotect(&r, 5), FT_ENONE);
	ck_assert_int_eq(ckpt_unprotect(&r, CKPT_ID_MAX + 1), FT_ENONE);
	ck_assert_ptr_null(ckpt_protected_find(&r, 5));
	ck_assert_ptr_null(ckpt_protected_next(&r, NULL));
	ck_assert_uint_eq(r.count, 0);
	ckpt_registry_free(&r);
}
END_TEST

UNIT_MAIN("ckpt_state", tcase_add_test(tc, without_a_buffer_nothing_works);
	  tcase_add_test(tc, a_buffer_gives_back_what_was_added);
	  tcase_add_test(tc, bad_sizes_change_nothing);
	  tcase_add_test(tc, a_buffer_of_no_bytes_is_one);
	  tcase_add_test(tc, realloc_keeps_what_fits);
	  tcase_add_test(tc, seeking_tells_where_it_was);
	  tcase_add_test(tc, seeking_never_leaves_the_buffer);
	  tcase_add_test(tc, a_restored_buffer_begins_at_its_beginning);
	  tcase_add_test(tc, variables_come_in_the_order_of_their_ids);
	  tcase_add_test(tc, a_variable_moves_and_goes);)
