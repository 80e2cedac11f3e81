/* SPDX-License-Identifier: BSD-3-Clause */
/* What derived datatypes look like, and what is packed and copied by them; their lives, and what is
 * counted in them. */
#include <stdlib.h>
#include <string.h>

#include "mpi/handle/status.h"
#include "mpi/type/layout.h"
#include "type_check.h"

struct padded {
	char c;
	double d;
	char e;
};

static MPI_Datatype padded_type(void)
{
	int lens[] = {1, 1, 1};
	MPI_Aint at[] = {0, offsetof(struct padded, d), offsetof(struct padded, e)};
	MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR}, t = MPI_DATATYPE_NULL;

	must(MPI_Type_create_struct(3, lens, at, types, &t));
	return t;
}

START_TEST(struct_is_padded_like_the_compiler_does)
{
	MPI_Datatype t = padded_type();
	MPI_Count lb, extent, true_lb, true_extent, size;
	struct padded a[2] = {{'a', 1.5, 'b'}, {'c', 2.5, 'd'}};
	char packed[20];
	double d;

	must(MPI_Type_get_extent_c(t, &lb, &extent));
	must(MPI_Type_get_true_extent_x(t, &true_lb, &true_extent));
	must(MPI_Type_size_x(t, &size));
	ck_assert_int_eq(lb, 0);
	ck_assert_int_eq(extent, sizeof(struct padded));
	ck_assert_int_eq(true_lb, 0);
	ck_assert_int_eq(true_extent, offsetof(struct padded, e) + 1);
	ck_assert_int_eq(size, 10);
	ck_assert_ptr_eq(object_of(t)->basic, MPI_DATATYPE_NULL);
	type_pack(object_of(t), a, 2, packed);
	memcpy(&d, packed + 11, sizeof(d));
	ck_assert(packed[0] == 'a' && packed[9] == 'b' && packed[10] == 'c' && packed[19] == 'd');
	ck_assert(d == 2.5);
	must(MPI_Type_free(&t));
}
END_TEST

START_TEST(negative_stride_moves_the_lower_bound)
{
	MPI_Datatype t;
	MPI_Aint lb, extent;
	int a[5] = {0, 1, 2, 3, 4}, packed[3];

	must(MPI_Type_vector(3, 1, -2, MPI_INT, &t));
	must(MPI_Type_get_extent(t, &lb, &extent));
	ck_assert_int_eq(lb, -16);
	ck_assert_int_eq(extent, 20);
	type_pack(object_of(t), &a[4], 1, packed);
	ck_assert(packed[0] == 4 && packed[1] == 2 && packed[2] == 0);
	must(MPI_Type_free(&t));
}
END_TEST

START_TEST(contiguous_is_seen_through_constructors)
{
	int lens[] = {2, 1};
	MPI_Aint at[] = {0, 8};
	MPI_Datatype ints[] = {MPI_INT, MPI_INT}, t;

	must(MPI_Type_vector(10, 3, 3, MPI_DOUBLE, &t));
	ck_assert(object_of(t)->contiguous);
	ck_assert_ptr_eq(object_of(t)->basic, MPI_DOUBLE);
	must(MPI_Type_free(&t));
	must(MPI_Type_create_struct(2, lens, at, ints, &t));
	ck_assert(object_of(t)->contiguous);
	ck_assert_ptr_eq(object_of(t)->basic, MPI_INT);
	must(MPI_Type_free(&t));
	must(MPI_Type_contiguous(4, MPI_DOUBLE_INT, &t));
	ck_assert(!object_of(t)->contiguous);
	must(MPI_Type_free(&t));
	must(MPI_Type_create_resized(MPI_INT, 0, 8, &t));
	ck_assert(!object_of(t)->contiguous);
	must(MPI_Type_free(&t));
}
END_TEST

/* A part of an array that is whole rows, an absolute address: nothing to gather. */
START_TEST(what_is_one_piece_is_found)
{
	int sizes[] = {4, 5}, rows[] = {2, 5}, columns[] = {4, 2}, starts[] = {1, 0}, one[] = {1};
	int a[40];
	MPI_Aint at[1];
	MPI_Datatype t;

	must(MPI_Type_create_subarray(2, sizes, rows, starts, MPI_ORDER_C, MPI_INT, &t));
	ck_assert_ptr_eq(type_piece(object_of(t), a, 1), &a[5]);
	ck_assert_ptr_null(type_piece(object_of(t), a, 2));
	must(MPI_Type_free(&t));
	must(MPI_Type_create_subarray(2, sizes, columns, (int[]){0, 1}, MPI_ORDER_C, MPI_INT, &t));
	ck_assert_ptr_null(type_piece(object_of(t), a, 1));
	must(MPI_Type_free(&t));
	must(MPI_Get_address(a, at));
	must(MPI_Type_create_hindexed(1, one, at, MPI_INT, &t));
	ck_assert_ptr_eq(type_piece(object_of(t), MPI_BOTTOM, 3), a);
	must(MPI_Type_free(&t));
	must(MPI_Type_create_resized(MPI_INT, 0, 8, &t));
	ck_assert_ptr_eq(type_piece(object_of(t), a, 1), a);
	ck_assert_ptr_null(type_piece(object_of(t), a, 2));
	must(MPI_Type_free(&t));
	ck_assert_ptr_eq(type_piece(object_of(MPI_INT), a, 7), a);
	ck_assert_ptr_null(type_piece(object_of(MPI_DOUBLE_INT), a, 1));
}
END_TEST

START_TEST(a_vector_of_a_million_blocks_is_one_node)
{
	enum { N = 1000000 };
	MPI_Datatype row, column;
	double *a = malloc(2 * N * sizeof(*a)), *packed = malloc(N * sizeof(*packed));

	must(MPI_Type_vector(1000, 1, 2, MPI_DOUBLE, &row));
	must(MPI_Type_create_hvector(1000, 1, 2000 * sizeof(double), row, &column));
	ck_assert_int_eq(object_of(column)->layout->n, 1);
	ck_assert_ptr_null(object_of(column)->layout->parts[0].child);
	ck_assert_int_eq(object_of(column)->layout->parts[0].count, N);
	for (int i = 0; i < 2 * N; i++)
		a[i] = i;
	type_pack(object_of(column), a, 1, packed);
	for (int i = 0; i < N; i++)
		ck_assert(packed[i] == 2.0 * i);
	must(MPI_Type_free(&row));
	must(MPI_Type_free(&column));
	free(a);
	free(packed);
}
END_TEST

START_TEST(nesting_does_not_grow_the_walk)
{
	MPI_Aint at[] = {0, 0};
	int lens[] = {1, 1};
	MPI_Datatype t = MPI_INT, old;
	char *packed;

	for (int i = 0; i < 5000; i++) {
		MPI_Datatype types[] = {MPI_CHAR, t};

		old = t;
		at[1] = 16;
		must(MPI_Type_create_struct(2, lens, at, types, &t));
		if (i > 0)
			must(MPI_Type_free(&old));
	}
	ck_assert_int_le(object_of(t)->layout->depth, 100);
	ck_assert_int_eq(object_of(t)->size, 5004);
	packed = calloc(1, 5004);
	{
		char *a = calloc(1, (size_t)object_of(t)->extent);

		a[16 * 4999] = 7;
		type_pack(object_of(t), a, 1, packed);
		ck_assert_int_eq(packed[4999], 7);
		free(a);
	}
	free(packed);
	must(MPI_Type_free(&t));
}
END_TEST

START_TEST(absolute_addresses_work_from_bottom)
{
	static double x = 3.25;
	int *y = malloc(sizeof(*y));
	int lens[] = {1, 1};
	MPI_Aint at[2];
	MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, t;
	char packed[12];

	*y = 77;
	must(MPI_Get_address(&x, &at[0]));
	must(MPI_Get_address(y, &at[1]));
	ck_assert_int_eq(MPI_Aint_diff(at[1], at[0]), (char *)y - (char *)&x);
	ck_assert_int_eq(MPI_Aint_add(at[0], MPI_Aint_diff(at[1], at[0])), at[1]);
	must(MPI_Type_create_struct(2, lens, at, types, &t));
	type_pack(object_of(t), MPI_BOTTOM, 1, packed);
	x = 0;
	*y = 0;
	type_unpack(object_of(t), MPI_BOTTOM, 1, packed, 12);
	ck_assert(x == 3.25 && *y == 77);
	must(MPI_Type_free(&t));
	free(y);
}
END_TEST

/* Larger than one chunk, sizes without a common divisor, both with holes. */
START_TEST(large_copies_between_unlike_types)
{
	enum { N = 150150 };
	MPI_Datatype three, five;
	short *a = malloc(2 * N * sizeof(*a)), *b = malloc(3 * N * sizeof(*b));
	size_t copied;

	must(MPI_Type_vector(3, 1, 2, MPI_SHORT, &three));
	must(MPI_Type_create_resized(three, 0, 12, &three));
	must(MPI_Type_vector(5, 1, 3, MPI_SHORT, &five));
	must(MPI_Type_create_resized(five, 0, 30, &five));
	for (int i = 0; i < 2 * N; i++)
		a[i] = (short)i;
	memset(b, 0x55, 3 * N * sizeof(*b));
	copied = type_copy(object_of(three), a, N / 3, object_of(five), b, N / 5 - 1);
	ck_assert_int_eq(copied, (N - 5) * sizeof(short));
	for (int i = 0; i < N - 5; i++) {
		ck_assert_int_eq(b[3 * i], (short)(2 * i));
		ck_assert_int_eq(b[3 * i + 1], 0x5555);
	}
	ck_assert_int_eq(b[3 * (N - 5)], 0x5555);
	free(a);
	free(b);
}
END_TEST

START_TEST(commit_and_free)
{
	struct type *t = NULL, *u = NULL;
	MPI_Datatype a, b, gone, basic = MPI_INT;

	must(MPI_Type_vector(2, 1, 2, MPI_INT, &a));
	ck_assert_int_eq(type_lookup_committed(a, &t), MPI_ERR_TYPE);
	must(MPI_Type_dup(a, &b));
	ck_assert(!object_of(b)->committed);
	must(MPI_Type_free(&b));
	must(MPI_Type_commit(&a));
	must(MPI_Type_commit(&a));
	must(type_lookup_committed(a, &t));
	must(MPI_Type_dup(a, &b));
	ck_assert(object_of(b)->committed);
	type_hold(t);
	gone = a;
	must(MPI_Type_free(&a));
	ck_assert_ptr_eq(a, MPI_DATATYPE_NULL);
	ck_assert_int_eq(type_lookup(gone, &u), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_free(&gone), MPI_ERR_TYPE);
	ck_assert_int_eq(t->size, 8); /* what holds it can go on */
	type_release(t);
	must(MPI_Type_free(&b));
	must(MPI_Type_commit(&basic));
	ck_assert_int_eq(MPI_Type_free(&basic), MPI_ERR_TYPE);
	ck_assert_ptr_eq(basic, MPI_INT);
}
END_TEST

START_TEST(get_count_counts_whole_elements)
{
	MPI_Status status;
	MPI_Count large = 0;
	MPI_Datatype empty;
	int n = -1;

	memset(&status, 0xff, sizeof(status));
	status_set_bytes(&status, 24);
	must(MPI_Get_count(&status, MPI_DOUBLE, &n));
	ck_assert_int_eq(n, 3);
	status_set_bytes(&status, 25);
	must(MPI_Get_count(&status, MPI_DOUBLE, &n));
	ck_assert_int_eq(n, MPI_UNDEFINED);
	status_set_bytes(&status, 8ull << 31);
	must(MPI_Get_count(&status, MPI_DOUBLE, &n));
	ck_assert_int_eq(n, MPI_UNDEFINED);
	must(MPI_Get_count_c(&status, MPI_DOUBLE, &large));
	ck_assert_int_eq(large, 1ll << 31);
	must(MPI_Type_contiguous(0, MPI_INT, &empty));
	must(MPI_Get_count(&status, empty, &n));
	ck_assert_int_eq(n, MPI_UNDEFINED);
	status_set_bytes(&status, 0);
	must(MPI_Get_count(&status, empty, &n));
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &n), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Get_count(&status, MPI_INT, NULL), MPI_ERR_ARG);
	must(MPI_Type_free(&empty));
}
END_TEST

UNIT_MAIN("type", tcase_add_test(tc, struct_is_padded_like_the_compiler_does);
	  tcase_add_test(tc, negative_stride_moves_the_lower_bound);
	  tcase_add_test(tc, contiguous_is_seen_through_constructors);
	  tcase_add_test(tc, what_is_one_piece_is_found);
	  tcase_add_test(tc, a_vector_of_a_million_blocks_is_one_node);
	  tcase_add_test(tc, nesting_does_not_grow_the_walk);
	  tcase_add_test(tc, absolute_addresses_work_from_bottom);
	  tcase_add_test(tc, large_copies_between_unlike_types);
	  tcase_add_test(tc, commit_and_free); tcase_add_test(tc, get_count_counts_whole_elements);)
