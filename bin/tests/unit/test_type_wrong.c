/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that are refused: each wrong argument, and the standard's class for it; what is larger
 * than memory. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "mpi/bindings/api.h"
#include "mpi/handle/handle_table.h"
#include "type_check.h"

START_TEST(invented_handles_are_refused)
{
	MPI_Datatype bad[] = {NULL, MPI_DATATYPE_NULL, (MPI_Datatype)MPI_COMM_WORLD,
		(MPI_Datatype)0x211, (MPI_Datatype)0x300, (MPI_Datatype)4095, (MPI_Datatype)8192,
		(MPI_Datatype)(intptr_t)-8};
	int size = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(MPI_Type_size(bad[i], &size), MPI_ERR_TYPE);
		ck_assert(strlen(fail_detail()) > 0);
	}
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

START_TEST(wrong_arguments)
{
	int ok[] = {2}, zero[] = {0}, neg[] = {-1}, block[] = {MPI_DISTRIBUTE_BLOCK}, one[] = {1};
	int none[] = {MPI_DISTRIBUTE_NONE}, odd[] = {77}, nine[] = {9};
	MPI_Aint bytes[] = {0};
	MPI_Count huge[] = {LLONG_MAX / 2};
	MPI_Datatype t = MPI_DATATYPE_NULL;

	ck_assert_int_eq(MPI_Type_indexed(-1, ok, ok, MPI_INT, &t), MPI_ERR_COUNT);
	ck_assert_int_eq(MPI_Type_indexed(1, neg, ok, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_indexed(1, NULL, ok, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_indexed(1, ok, NULL, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_indexed(1, ok, ok, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_indexed(1, ok, ok, MPI_INT, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_indexed_block(1, -1, ok, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_hindexed(1, neg, bytes, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_hindexed_block(1, 1, NULL, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_indexed_c(1, huge, huge, MPI_INT, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_indexed_block_c(1, 1, huge, MPI_INT, &t), MPI_ERR_ARG);
#define SUBARRAY(n, size, sub, start, order)                                                       \
	MPI_Type_create_subarray(n, size, sub, start, order, MPI_INT, &t)
	ck_assert_int_eq(SUBARRAY(0, ok, one, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, zero, one, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, zero, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, nine, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, one, neg, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, one, ok, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, one, zero, 5), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, NULL, one, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, NULL, zero, MPI_ORDER_C), MPI_ERR_ARG);
	ck_assert_int_eq(SUBARRAY(1, ok, one, NULL, MPI_ORDER_C), MPI_ERR_ARG);
#define DARRAY(size, rank, gsize, way, darg, procs)                                                \
	MPI_Type_create_darray(size, rank, 1, gsize, way, darg, procs, MPI_ORDER_C, MPI_INT, &t)
	ck_assert_int_eq(DARRAY(2, 2, nine, block, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, -1, nine, block, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(3, 0, nine, block, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(0, 0, nine, block, nine, zero), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, zero, block, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, odd, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, none, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, block, ok, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, block, zero, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, NULL, nine, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, block, NULL, ok), MPI_ERR_ARG);
	ck_assert_int_eq(DARRAY(2, 0, nine, block, nine, NULL), MPI_ERR_ARG);
	ck_assert_ptr_eq(t, MPI_DATATYPE_NULL);
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
}
END_TEST

/* An array that no memory holds, of which this process has a little at its end. */
START_TEST(large_arrays)
{
	MPI_Count sizes[] = {1ll << 40, 1ll << 20}, subsizes[] = {2, 3};
	MPI_Count starts[] = {(1ll << 40) - 2, (1ll << 20) - 3}, lb, extent;
	MPI_Datatype t = MPI_DATATYPE_NULL;

	must(MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_CHAR, &t));
	must(MPI_Type_get_extent_c(t, &lb, &extent));
	ck_assert(lb == 0 && extent == 1ll << 60);
	must(MPI_Type_get_true_extent_c(t, &lb, &extent));
	ck_assert_int_eq(lb, ((1ll << 60) - 1) - (1ll << 20) - 2);
	ck_assert_int_eq(extent, (1ll << 20) + 3);
	must(MPI_Type_free(&t));
	ck_assert_int_eq(MPI_Type_create_subarray_c(
				 2, sizes, subsizes, starts, MPI_ORDER_C, MPI_LONG_DOUBLE, &t),
		MPI_ERR_ARG);
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
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

UNIT_MAIN("type_wrong", tcase_add_test(tc, invented_handles_are_refused);
	  tcase_add_test(tc, wrong_arguments_get_their_class); tcase_add_test(tc, wrong_arguments);
	  tcase_add_test(tc, large_arrays);
	  tcase_add_test(tc, types_larger_than_memory_are_refused);)
