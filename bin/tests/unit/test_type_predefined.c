/* SPDX-License-Identifier: BSD-3-Clause */
/* What the predefined datatypes are. */
#include <complex.h>
#include <wchar.h>

#include "type_check.h"

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

UNIT_MAIN("type_predefined", tcase_add_test(tc, predefined_types_are_as_in_c);
	  tcase_add_test(tc, missing_fortran_types_have_no_size);)
