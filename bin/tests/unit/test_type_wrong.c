/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that are refused: each wrong argument, and the standard's class for it; what is larger
 * than memory. */
#include <limits.h>

#include "mpi/live.h"
#include "type_check.h"

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
	ck_assert_ptr_null(live_any(OBJECT_TYPE));
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
	ck_assert_ptr_null(live_any(OBJECT_TYPE));
}
END_TEST

UNIT_MAIN("type_wrong", tcase_add_test(tc, wrong_arguments); tcase_add_test(tc, large_arrays);)
