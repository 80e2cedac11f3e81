/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined operators through MPI_Reduce_local: what comes out of them. */
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "type_check.h"

/* One element: a op b must be `want`, and must not depend on where in an array it is. */
static void reduces(
	MPI_Op op, MPI_Datatype type, const void *a, const void *b, const void *want, size_t size)
{
	enum { N = 37 };
	char *in = malloc(N * size), *inout = malloc(N * size);

	for (size_t i = 0; i < N; i++) {
		memcpy(in + i * size, a, size);
		memcpy(inout + i * size, b, size);
	}
	must(MPI_Reduce_local(in, inout, N, type, op));
	for (size_t i = 0; i < N; i++)
		ck_assert_msg(memcmp(inout + i * size, want, size) == 0,
			"op 0x%x on 0x%x: element %zu is wrong", (unsigned)(uintptr_t)op,
			(unsigned)(uintptr_t)type, i);
	free(in);
	free(inout);
}

#define REDUCES(op, type, ctype, x, y, z)                                                          \
	reduces(op, type, &(ctype){x}, &(ctype){y}, &(ctype){z}, sizeof(ctype))

/* The ordinary cases and both signs, for an integer type of at least 8 bits. */
#define INTEGER_CASES(type, ctype)                                                                 \
	do {                                                                                       \
		REDUCES(MPI_SUM, type, ctype, 5, 7, 12);                                           \
		REDUCES(MPI_PROD, type, ctype, 5, 7, 35);                                          \
		REDUCES(MPI_MIN, type, ctype, 5, 7, 5);                                            \
		REDUCES(MPI_MAX, type, ctype, 5, 7, 7);                                            \
		REDUCES(MPI_MIN, type, ctype, 9, 7, 7);                                            \
		REDUCES(MPI_MAX, type, ctype, 9, 7, 9);                                            \
		REDUCES(MPI_MIN, type, ctype, (ctype)-1, 1, (ctype)-1 < (ctype)1 ? (ctype)-1 : 1); \
		REDUCES(MPI_MAX, type, ctype, (ctype)-1, 1, (ctype)-1 < (ctype)1 ? 1 : (ctype)-1); \
		REDUCES(MPI_SUM, type, ctype, (ctype)-1, (ctype)-1, (ctype)-2);                    \
		REDUCES(MPI_PROD, type, ctype, (ctype)-1, (ctype)-1, 1);                           \
		REDUCES(MPI_BAND, type, ctype, 12, 10, 8);                                         \
		REDUCES(MPI_BOR, type, ctype, 12, 10, 14);                                         \
		REDUCES(MPI_BXOR, type, ctype, 12, 10, 6);                                         \
		REDUCES(MPI_BXOR, type, ctype, (ctype)-1, 1, (ctype)-2);                           \
	} while (0)

#define LOGICAL_CASES(type, ctype, yes)                                                            \
	do {                                                                                       \
		REDUCES(MPI_LAND, type, ctype, yes, 1, 1);                                         \
		REDUCES(MPI_LAND, type, ctype, yes, 0, 0);                                         \
		REDUCES(MPI_LAND, type, ctype, 0, yes, 0);                                         \
		REDUCES(MPI_LOR, type, ctype, 0, yes, 1);                                          \
		REDUCES(MPI_LOR, type, ctype, yes, 0, 1);                                          \
		REDUCES(MPI_LOR, type, ctype, 0, 0, 0);                                            \
		REDUCES(MPI_LXOR, type, ctype, yes, 1, 0);                                         \
		REDUCES(MPI_LXOR, type, ctype, yes, 0, 1);                                         \
		REDUCES(MPI_LXOR, type, ctype, 0, 0, 0);                                           \
	} while (0)

START_TEST(c_integers)
{
#define CASES(type, ctype)                                                                         \
	INTEGER_CASES(type, ctype);                                                                \
	LOGICAL_CASES(type, ctype, 2);
	CASES(MPI_SIGNED_CHAR, signed char)
	CASES(MPI_CHAR, char)
	CASES(MPI_UNSIGNED_CHAR, unsigned char)
	CASES(MPI_SHORT, short)
	CASES(MPI_UNSIGNED_SHORT, unsigned short)
	CASES(MPI_INT, int)
	CASES(MPI_UNSIGNED, unsigned)
	CASES(MPI_LONG, long)
	CASES(MPI_UNSIGNED_LONG, unsigned long)
	CASES(MPI_LONG_LONG, long long)
	CASES(MPI_UNSIGNED_LONG_LONG, unsigned long long)
	CASES(MPI_INT8_T, int8_t)
	CASES(MPI_UINT8_T, uint8_t)
	CASES(MPI_INT16_T, int16_t)
	CASES(MPI_UINT16_T, uint16_t)
	CASES(MPI_INT32_T, int32_t)
	CASES(MPI_UINT32_T, uint32_t)
	CASES(MPI_INT64_T, int64_t)
	CASES(MPI_UINT64_T, uint64_t)
#undef CASES
}
END_TEST

START_TEST(fortran_and_address_integers)
{
	__extension__ typedef __int128 int128;

	INTEGER_CASES(MPI_INTEGER, int);
	INTEGER_CASES(MPI_INTEGER1, int8_t);
	INTEGER_CASES(MPI_INTEGER2, int16_t);
	INTEGER_CASES(MPI_INTEGER4, int32_t);
	INTEGER_CASES(MPI_INTEGER8, int64_t);
	INTEGER_CASES(MPI_INTEGER16, int128);
	INTEGER_CASES(MPI_AINT, MPI_Aint);
	INTEGER_CASES(MPI_COUNT, MPI_Count);
	INTEGER_CASES(MPI_OFFSET, MPI_Offset);
}
END_TEST

/* Defined here to wrap around, as nearly all hardware does; the sanitizer build watches. */
START_TEST(signed_overflow_wraps)
{
	REDUCES(MPI_SUM, MPI_INT, int, INT_MAX, 1, INT_MIN);
	REDUCES(MPI_PROD, MPI_INT, int, INT_MAX, 2, -2);
	REDUCES(MPI_SUM, MPI_LONG, long, LONG_MIN, -1, LONG_MAX);
	REDUCES(MPI_PROD, MPI_SHORT, short, -32768, -1, -32768);
	REDUCES(MPI_PROD, MPI_UNSIGNED_SHORT, unsigned short, 65535, 65535, 1);
	REDUCES(MPI_PROD, MPI_INT8_T, int8_t, -128, 127, -128);
}
END_TEST

START_TEST(logicals_and_bytes)
{
	__extension__ typedef __int128 int128;

	LOGICAL_CASES(MPI_C_BOOL, bool, 1);
	LOGICAL_CASES(MPI_CXX_BOOL, bool, 1);
	LOGICAL_CASES(MPI_LOGICAL, int, 1);
	LOGICAL_CASES(MPI_LOGICAL1, int8_t, 1);
	LOGICAL_CASES(MPI_LOGICAL2, int16_t, 1);
	LOGICAL_CASES(MPI_LOGICAL4, int32_t, 1);
	LOGICAL_CASES(MPI_LOGICAL8, int64_t, 1);
	LOGICAL_CASES(MPI_LOGICAL16, int128, 1);
	REDUCES(MPI_BAND, MPI_BYTE, unsigned char, 0xf0, 0x3c, 0x30);
	REDUCES(MPI_BOR, MPI_BYTE, unsigned char, 0xf0, 0x3c, 0xfc);
	REDUCES(MPI_BXOR, MPI_BYTE, unsigned char, 0xf0, 0x3c, 0xcc);
}
END_TEST

/* long double has bytes that mean nothing, so that values are compared, not bytes. */
static void reduces_long_double(MPI_Op op, long double a, long double b, long double want)
{
	must(MPI_Reduce_local(&a, &b, 1, MPI_LONG_DOUBLE, op));
	ck_assert(b == want);
}

START_TEST(floating_numbers)
{
#define CASES(type, ctype)                                                                         \
	REDUCES(MPI_SUM, type, ctype, 1.5, -4, -2.5);                                              \
	REDUCES(MPI_PROD, type, ctype, 1.5, -4, -6);                                               \
	REDUCES(MPI_MIN, type, ctype, 1.5, -4, -4);                                                \
	REDUCES(MPI_MAX, type, ctype, 1.5, -4, 1.5);                                               \
	REDUCES(MPI_MIN, type, ctype, -INFINITY, -4, -INFINITY);                                   \
	REDUCES(MPI_MAX, type, ctype, 1.5, INFINITY, INFINITY);
	CASES(MPI_FLOAT, float)
	CASES(MPI_DOUBLE, double)
	CASES(MPI_REAL, float)
	CASES(MPI_REAL4, float)
	CASES(MPI_REAL8, double)
	CASES(MPI_DOUBLE_PRECISION, double)
#undef CASES
	reduces_long_double(MPI_SUM, 1.5L, -4, -2.5L);
	reduces_long_double(MPI_PROD, 1.5L, -4, -6);
	reduces_long_double(MPI_MIN, 1.5L, -4, -4);
	reduces_long_double(MPI_MAX, 1.5L, -4, 1.5L);
}
END_TEST

START_TEST(complex_numbers)
{
	long double complex a = 1.0L + 2.0L * I, b = 3.0L - 1.0L * I;

#define CASES(type, ctype)                                                                         \
	REDUCES(MPI_SUM, type, ctype, 1 + 2 * I, 3 - 1 * I, 4 + 1 * I);                            \
	REDUCES(MPI_PROD, type, ctype, 1 + 2 * I, 3 - 1 * I, 5 + 5 * I);
	CASES(MPI_C_COMPLEX, float complex)
	CASES(MPI_C_DOUBLE_COMPLEX, double complex)
	CASES(MPI_CXX_FLOAT_COMPLEX, float complex)
	CASES(MPI_CXX_DOUBLE_COMPLEX, double complex)
	CASES(MPI_COMPLEX, float complex)
	CASES(MPI_DOUBLE_COMPLEX, double complex)
	CASES(MPI_COMPLEX8, float complex)
	CASES(MPI_COMPLEX16, double complex)
#undef CASES
	must(MPI_Reduce_local(&a, &b, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD));
	ck_assert(b == 5.0L + 5.0L * I);
	must(MPI_Reduce_local(&a, &b, 1, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_SUM));
	ck_assert(b == 6.0L + 7.0L * I);
}
END_TEST

#define PAIR_CASE(op, type, vtype, itype, v1, i1, v2, i2, v3, i3)                                  \
	do {                                                                                       \
		struct {                                                                           \
			vtype v;                                                                   \
			itype i;                                                                   \
		} in[3] = {{v1, i1}, {v1, i1}, {v1, i1}},                                          \
		  inout[3] = {{v2, i2}, {v2, i2}, {v2, i2}};                                       \
		must(MPI_Reduce_local(in, inout, 3, type, op));                                    \
		for (int k = 0; k < 3; k++)                                                        \
			ck_assert(inout[k].v == v3 && inout[k].i == i3);                           \
	} while (0)

START_TEST(pairs_and_ties)
{
#define CASES(type, vtype, itype)                                                                  \
	PAIR_CASE(MPI_MINLOC, type, vtype, itype, 3, 8, 5, 2, 3, 8);                               \
	PAIR_CASE(MPI_MINLOC, type, vtype, itype, 5, 2, 3, 8, 3, 8);                               \
	PAIR_CASE(MPI_MAXLOC, type, vtype, itype, 3, 8, 5, 2, 5, 2);                               \
	PAIR_CASE(MPI_MAXLOC, type, vtype, itype, 5, 2, 3, 8, 5, 2);                               \
	PAIR_CASE(MPI_MINLOC, type, vtype, itype, 4, 8, 4, 2, 4, 2);                               \
	PAIR_CASE(MPI_MINLOC, type, vtype, itype, 4, 2, 4, 8, 4, 2);                               \
	PAIR_CASE(MPI_MAXLOC, type, vtype, itype, 4, 8, 4, 2, 4, 2);                               \
	PAIR_CASE(MPI_MAXLOC, type, vtype, itype, 4, 2, 4, 8, 4, 2);
	CASES(MPI_FLOAT_INT, float, int)
	CASES(MPI_DOUBLE_INT, double, int)
	CASES(MPI_LONG_INT, long, int)
	CASES(MPI_2INT, int, int)
	CASES(MPI_SHORT_INT, short, int)
	CASES(MPI_LONG_DOUBLE_INT, long double, int)
	CASES(MPI_2REAL, float, float)
	CASES(MPI_2DOUBLE_PRECISION, double, double)
	CASES(MPI_2INTEGER, int, int)
#undef CASES
}
END_TEST

UNIT_MAIN("op", tcase_add_test(tc, c_integers); tcase_add_test(tc, fortran_and_address_integers);
	  tcase_add_test(tc, signed_overflow_wraps); tcase_add_test(tc, logicals_and_bytes);
	  tcase_add_test(tc, floating_numbers); tcase_add_test(tc, complex_numbers);
	  tcase_add_test(tc, pairs_and_ties);)
