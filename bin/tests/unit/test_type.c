/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes: what the predefined ones are, what derived ones look like, what is refused. */
#include <check.h>
#include <complex.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "mpi/api.h"
#include "mpi/status.h"
#include "mpi/type.h"
#include "mpi/type_layout.h"
#include "unit.h"

#define must(call) ck_assert_int_eq((call), MPI_SUCCESS)

static struct type *object_of(MPI_Datatype handle)
{
	struct type *t = NULL;

	must(type_lookup(handle, &t));
	return t;
}

struct known {
	MPI_Datatype handle;
	size_t size, extent;
};

#define C(handle, type)                                                                            \
	{                                                                                          \
		handle, sizeof(type), sizeof(type)                                                 \
	}
#define PAIR(handle, a, b)                                                                         \
	{                                                                                          \
		handle, sizeof(a) + sizeof(b), sizeof(struct {                                     \
			a x;                                                                       \
			b y;                                                                       \
		})                                                                                 \
	}

static const struct known predefined[] = {
	C(MPI_CHAR, char),
	C(MPI_SIGNED_CHAR, char),
	C(MPI_UNSIGNED_CHAR, char),
	C(MPI_BYTE, char),
	C(MPI_PACKED, char),
	C(MPI_WCHAR, wchar_t),
	C(MPI_SHORT, short),
	C(MPI_UNSIGNED_SHORT, short),
	C(MPI_INT, int),
	C(MPI_UNSIGNED, int),
	C(MPI_LONG, long),
	C(MPI_UNSIGNED_LONG, long),
	C(MPI_LONG_LONG, long long),
	C(MPI_LONG_LONG_INT, long long),
	C(MPI_UNSIGNED_LONG_LONG, long long),
	C(MPI_FLOAT, float),
	C(MPI_DOUBLE, double),
	C(MPI_LONG_DOUBLE, long double),
	C(MPI_C_BOOL, bool),
	C(MPI_CXX_BOOL, bool),
	C(MPI_C_COMPLEX, float complex),
	C(MPI_C_FLOAT_COMPLEX, float complex),
	C(MPI_C_DOUBLE_COMPLEX, double complex),
	C(MPI_C_LONG_DOUBLE_COMPLEX, long double complex),
	C(MPI_CXX_FLOAT_COMPLEX, float complex),
	C(MPI_CXX_DOUBLE_COMPLEX, double complex),
	C(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex),
	C(MPI_AINT, MPI_Aint),
	C(MPI_COUNT, MPI_Count),
	C(MPI_OFFSET, MPI_Offset),
	{MPI_INT8_T, 1, 1},
	{MPI_UINT8_T, 1, 1},
	{MPI_INT16_T, 2, 2},
	{MPI_UINT16_T, 2, 2},
	{MPI_INT32_T, 4, 4},
	{MPI_UINT32_T, 4, 4},
	{MPI_INT64_T, 8, 8},
	{MPI_UINT64_T, 8, 8},
	PAIR(MPI_FLOAT_INT, float, int),
	PAIR(MPI_DOUBLE_INT, double, int),
	PAIR(MPI_LONG_INT, long, int),
	PAIR(MPI_2INT, int, int),
	PAIR(MPI_SHORT_INT, short, int),
	PAIR(MPI_LONG_DOUBLE_INT, long double, int),
	PAIR(MPI_2REAL, float, float),
	PAIR(MPI_2DOUBLE_PRECISION, double, double),
	PAIR(MPI_2INTEGER, int, int),
	{MPI_CHARACTER, 1, 1},
	{MPI_LOGICAL, 4, 4},
	{MPI_INTEGER, 4, 4},
	{MPI_REAL, 4, 4},
	{MPI_DOUBLE_PRECISION, 8, 8},
	{MPI_COMPLEX, 8, 8},
	{MPI_DOUBLE_COMPLEX, 16, 16},
	{MPI_LOGICAL1, 1, 1},
	{MPI_LOGICAL2, 2, 2},
	{MPI_LOGICAL4, 4, 4},
	{MPI_LOGICAL8, 8, 8},
	{MPI_LOGICAL16, 16, 16},
	{MPI_INTEGER1, 1, 1},
	{MPI_INTEGER2, 2, 2},
	{MPI_INTEGER4, 4, 4},
	{MPI_INTEGER8, 8, 8},
	{MPI_INTEGER16, 16, 16},
	{MPI_REAL4, 4, 4},
	{MPI_REAL8, 8, 8},
	{MPI_COMPLEX8, 8, 8},
	{MPI_COMPLEX16, 16, 16},
};

START_TEST(predefined_types_are_as_in_c)
{
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		const struct known *k = &predefined[i];
		MPI_Aint lb = -1, extent = -1;
		int size = -1;

		must(MPI_Type_size(k->handle, &size));
		must(MPI_Type_get_extent(k->handle, &lb, &extent));
		ck_assert_msg(size == (int)k->size && lb == 0 && extent == (MPI_Aint)k->extent,
			"0x%x: size %d lb %ld extent %ld", (unsigned)(uintptr_t)k->handle, size,
			(long)lb, (long)extent);
		ck_assert(object_of(k->handle)->committed);
		ck_assert_ptr_eq(object_of(k->handle)->basic, k->handle);
		ck_assert_int_eq(object_of(k->handle)->contiguous, k->size == k->extent);
	}
}
END_TEST

START_TEST(missing_fortran_types_have_no_size)
{
	MPI_Datatype missing[] = {MPI_REAL2, MPI_REAL16, MPI_COMPLEX4, MPI_COMPLEX32};

	for (int i = 0; i < 4; i++) {
		struct type *t = NULL;
		MPI_Count large = 0;
		int size = 0;

		must(MPI_Type_size(missing[i], &size));
		must(MPI_Type_size_c(missing[i], &large));
		ck_assert_int_eq(size, MPI_UNDEFINED);
		ck_assert_int_eq(large, MPI_UNDEFINED);
		ck_assert_int_eq(type_lookup(missing[i], &t), MPI_ERR_TYPE);
	}
}
END_TEST

START_TEST(invented_handles_are_refused)
{
	MPI_Datatype bad[] = {NULL, MPI_DATATYPE_NULL, (MPI_Datatype)MPI_COMM_WORLD,
		(MPI_Datatype)0x211, (MPI_Datatype)0x300, (MPI_Datatype)4095, (MPI_Datatype)8192,
		(MPI_Datatype)(intptr_t)-8};
	int size = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(MPI_Type_size(bad[i], &size), MPI_ERR_TYPE);
		ck_assert(strlen(api_detail()) > 0);
	}
}
END_TEST

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

START_TEST(wrong_arguments_get_their_class)
{
	int lens[] = {1, -1}, zero[] = {0};
	MPI_Aint at[] = {0, 8};
	MPI_Datatype types[] = {MPI_INT, MPI_INT}, t = MPI_DATATYPE_NULL, null = MPI_DATATYPE_NULL;

	ck_assert_int_eq(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
	ck_assert_int_eq(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_vector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT);
	ck_assert_int_eq(MPI_Type_vector(1, -1, 1, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_hvector(1, 1, 1, MPI_REAL16, &t), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_create_struct(-1, lens, at, types, &t), MPI_ERR_COUNT);
	ck_assert_int_eq(MPI_Type_create_struct(2, lens, at, types, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_struct(1, NULL, at, types, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_struct(1, zero, at, &null, &t), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_extent(MPI_INT, NULL, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_commit(NULL), MPI_ERR_ARG);
	ck_assert_ptr_eq(t, MPI_DATATYPE_NULL);
	must(MPI_Type_create_struct(0, NULL, NULL, NULL, &t));
	must(MPI_Type_free(&t));
}
END_TEST

START_TEST(types_larger_than_memory_are_refused)
{
	MPI_Datatype big, t = MPI_DATATYPE_NULL;
	MPI_Count large = 0;
	int size = 0;

	must(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &big));
	must(MPI_Type_size(big, &size));
	must(MPI_Type_size_c(big, &large));
	ck_assert_int_eq(size, MPI_UNDEFINED);
	ck_assert_int_eq(large, (MPI_Count)INT_MAX * 8);
	ck_assert_int_eq(MPI_Type_contiguous(INT_MAX, big, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_vector_c(1, 1, LLONG_MAX, big, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_vector_c(3, 1, LLONG_MAX / 8, MPI_DOUBLE, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_resized(MPI_INT, PTRDIFF_MAX, 2, &t), MPI_ERR_ARG);
	ck_assert_ptr_eq(t, MPI_DATATYPE_NULL);
	must(MPI_Type_free(&big));
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

UNIT_MAIN("type", tcase_add_test(tc, predefined_types_are_as_in_c);
	  tcase_add_test(tc, missing_fortran_types_have_no_size);
	  tcase_add_test(tc, invented_handles_are_refused);
	  tcase_add_test(tc, struct_is_padded_like_the_compiler_does);
	  tcase_add_test(tc, negative_stride_moves_the_lower_bound);
	  tcase_add_test(tc, contiguous_is_seen_through_constructors);
	  tcase_add_test(tc, what_is_one_piece_is_found);
	  tcase_add_test(tc, a_vector_of_a_million_blocks_is_one_node);
	  tcase_add_test(tc, nesting_does_not_grow_the_walk);
	  tcase_add_test(tc, absolute_addresses_work_from_bottom);
	  tcase_add_test(tc, large_copies_between_unlike_types);
	  tcase_add_test(tc, wrong_arguments_get_their_class);
	  tcase_add_test(tc, types_larger_than_memory_are_refused);
	  tcase_add_test(tc, commit_and_free); tcase_add_test(tc, get_count_counts_whole_elements);)
