/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One loop for each operator and each kind of value, written so that compilers vectorise it: no
 * branch, no call, arrays that do not overlap (build with -O3).
 *
 * Integers are added and multiplied as unsigned numbers of at least 32 bits: in two's complement
 * the bits are the same, and overflow is defined. So signed and unsigned share what does not
 * compare.
 */
#include "op_kernels.h"

__extension__ typedef unsigned __int128 u128;

/* X(function, element, value of one new element from a (left) and b (right)) */
#define INTEGER_KERNELS(X)                                                                         \
	X(sum_8, uint8_t, (uint32_t)a + b)                                                         \
	X(sum_16, uint16_t, (uint32_t)a + b)                                                       \
	X(sum_32, uint32_t, a + b)                                                                 \
	X(sum_64, uint64_t, a + b)                                                                 \
	X(sum_128, u128, a + b)                                                                    \
	X(prod_8, uint8_t, (uint32_t)a *b)                                                         \
	X(prod_16, uint16_t, (uint32_t)a *b)                                                       \
	X(prod_32, uint32_t, a *b)                                                                 \
	X(prod_64, uint64_t, a *b)                                                                 \
	X(prod_128, u128, a *b)                                                                    \
	X(min_i8, int8_t, a < b ? a : b)                                                           \
	X(min_u8, uint8_t, a < b ? a : b)                                                          \
	X(min_i16, int16_t, a < b ? a : b)                                                         \
	X(min_u16, uint16_t, a < b ? a : b)                                                        \
	X(min_i32, int32_t, a < b ? a : b)                                                         \
	X(min_u32, uint32_t, a < b ? a : b)                                                        \
	X(min_i64, int64_t, a < b ? a : b)                                                         \
	X(min_u64, uint64_t, a < b ? a : b)                                                        \
	X(min_i128, type_int128, a < b ? a : b)                                                    \
	X(max_i8, int8_t, a > b ? a : b)                                                           \
	X(max_u8, uint8_t, a > b ? a : b)                                                          \
	X(max_i16, int16_t, a > b ? a : b)                                                         \
	X(max_u16, uint16_t, a > b ? a : b)                                                        \
	X(max_i32, int32_t, a > b ? a : b)                                                         \
	X(max_u32, uint32_t, a > b ? a : b)                                                        \
	X(max_i64, int64_t, a > b ? a : b)                                                         \
	X(max_u64, uint64_t, a > b ? a : b)                                                        \
	X(max_i128, type_int128, a > b ? a : b)

#define BIT_KERNELS(X)                                                                             \
	X(band_8, uint8_t, a &b)                                                                   \
	X(band_16, uint16_t, a &b)                                                                 \
	X(band_32, uint32_t, a &b)                                                                 \
	X(band_64, uint64_t, a &b)                                                                 \
	X(band_128, u128, a &b)                                                                    \
	X(bor_8, uint8_t, a | b)                                                                   \
	X(bor_16, uint16_t, a | b)                                                                 \
	X(bor_32, uint32_t, a | b)                                                                 \
	X(bor_64, uint64_t, a | b)                                                                 \
	X(bor_128, u128, a | b)                                                                    \
	X(bxor_8, uint8_t, a ^ b)                                                                  \
	X(bxor_16, uint16_t, a ^ b)                                                                \
	X(bxor_32, uint32_t, a ^ b)                                                                \
	X(bxor_64, uint64_t, a ^ b)                                                                \
	X(bxor_128, u128, a ^ b)

#define LOGICAL_KERNELS(X)                                                                         \
	X(land_8, uint8_t, (a != 0) & (b != 0))                                                    \
	X(land_16, uint16_t, (a != 0) & (b != 0))                                                  \
	X(land_32, uint32_t, (a != 0) & (b != 0))                                                  \
	X(land_64, uint64_t, (a != 0) & (b != 0))                                                  \
	X(land_128, u128, (a != 0) & (b != 0))                                                     \
	X(lor_8, uint8_t, (a | b) != 0)                                                            \
	X(lor_16, uint16_t, (a | b) != 0)                                                          \
	X(lor_32, uint32_t, (a | b) != 0)                                                          \
	X(lor_64, uint64_t, (a | b) != 0)                                                          \
	X(lor_128, u128, (a | b) != 0)                                                             \
	X(lxor_8, uint8_t, (a != 0) != (b != 0))                                                   \
	X(lxor_16, uint16_t, (a != 0) != (b != 0))                                                 \
	X(lxor_32, uint32_t, (a != 0) != (b != 0))                                                 \
	X(lxor_64, uint64_t, (a != 0) != (b != 0))                                                 \
	X(lxor_128, u128, (a != 0) != (b != 0))

#define FLOATING_KERNELS(X)                                                                        \
	X(sum_float, float, a + b)                                                                 \
	X(sum_double, double, a + b)                                                               \
	X(sum_long_double, long double, a + b)                                                     \
	X(prod_float, float, a *b)                                                                 \
	X(prod_double, double, a *b)                                                               \
	X(prod_long_double, long double, a *b)                                                     \
	X(min_float, float, a < b ? a : b)                                                         \
	X(min_double, double, a < b ? a : b)                                                       \
	X(min_long_double, long double, a < b ? a : b)                                             \
	X(max_float, float, a > b ? a : b)                                                         \
	X(max_double, double, a > b ? a : b)                                                       \
	X(max_long_double, long double, a > b ? a : b)

/* Complex numbers as their two parts: the product by C's own * would call a function that looks for
 * infinities in every element. */
struct complex_float {
	float re, im;
};
struct complex_double {
	double re, im;
};
struct complex_long_double {
	long double re, im;
};

#define COMPLEX_SUM(type)                                                                          \
	(type)                                                                                     \
	{                                                                                          \
		a.re + b.re, a.im + b.im                                                           \
	}
#define COMPLEX_PROD(type)                                                                         \
	(type)                                                                                     \
	{                                                                                          \
		a.re *b.re - a.im *b.im, a.re *b.im + a.im *b.re                                   \
	}

#define COMPLEX_KERNELS(X)                                                                         \
	X(sum_complex_float, struct complex_float, COMPLEX_SUM(struct complex_float))              \
	X(sum_complex_double, struct complex_double, COMPLEX_SUM(struct complex_double))           \
	X(sum_complex_long_double, struct complex_long_double,                                     \
		COMPLEX_SUM(struct complex_long_double))                                           \
	X(prod_complex_float, struct complex_float, COMPLEX_PROD(struct complex_float))            \
	X(prod_complex_double, struct complex_double, COMPLEX_PROD(struct complex_double))         \
	X(prod_complex_long_double, struct complex_long_double,                                    \
		COMPLEX_PROD(struct complex_long_double))

/* MPI 5.0 section 6.9.4: equal values give the smaller index. */
#define FIRST_LEAST (a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b)
#define FIRST_GREATEST (a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b)

#define PAIR_KERNELS(X)                                                                            \
	X(minloc_float_int, struct type_float_int, FIRST_LEAST)                                    \
	X(minloc_double_int, struct type_double_int, FIRST_LEAST)                                  \
	X(minloc_long_int, struct type_long_int, FIRST_LEAST)                                      \
	X(minloc_2int, struct type_2int, FIRST_LEAST)                                              \
	X(minloc_short_int, struct type_short_int, FIRST_LEAST)                                    \
	X(minloc_long_double_int, struct type_long_double_int, FIRST_LEAST)                        \
	X(minloc_2float, struct type_2float, FIRST_LEAST)                                          \
	X(minloc_2double, struct type_2double, FIRST_LEAST)                                        \
	X(maxloc_float_int, struct type_float_int, FIRST_GREATEST)                                 \
	X(maxloc_double_int, struct type_double_int, FIRST_GREATEST)                               \
	X(maxloc_long_int, struct type_long_int, FIRST_GREATEST)                                   \
	X(maxloc_2int, struct type_2int, FIRST_GREATEST)                                           \
	X(maxloc_short_int, struct type_short_int, FIRST_GREATEST)                                 \
	X(maxloc_long_double_int, struct type_long_double_int, FIRST_GREATEST)                     \
	X(maxloc_2float, struct type_2float, FIRST_GREATEST)                                       \
	X(maxloc_2double, struct type_2double, FIRST_GREATEST)

#define DEFINE_KERNEL(name, type, result)                                                          \
	static void name(const void *in, void *inout, size_t n)                                    \
	{                                                                                          \
		const type *restrict left = in;                                                    \
		type *restrict right = inout;                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i++) {                                                   \
			const type a = left[i], b = right[i];                                      \
                                                                                                   \
			right[i] = (result);                                                       \
		}                                                                                  \
	}

INTEGER_KERNELS(DEFINE_KERNEL)
BIT_KERNELS(DEFINE_KERNEL)
LOGICAL_KERNELS(DEFINE_KERNEL)
FLOATING_KERNELS(DEFINE_KERNEL)
COMPLEX_KERNELS(DEFINE_KERNEL)
PAIR_KERNELS(DEFINE_KERNEL)

/* In the order of enum op_kind: sum prod min max, band bor bxor, land lor lxor. */
static op_kernel *const kernels[VALUE_COUNT][OP_KINDS] = {
	[VALUE_I8] = {sum_8, prod_8, min_i8, max_i8, band_8, bor_8, bxor_8, land_8, lor_8, lxor_8},
	[VALUE_U8] = {sum_8, prod_8, min_u8, max_u8, band_8, bor_8, bxor_8, land_8, lor_8, lxor_8},
	[VALUE_I16] = {sum_16, prod_16, min_i16, max_i16, band_16, bor_16, bxor_16, land_16, lor_16,
		lxor_16},
	[VALUE_U16] = {sum_16, prod_16, min_u16, max_u16, band_16, bor_16, bxor_16, land_16, lor_16,
		lxor_16},
	[VALUE_I32] = {sum_32, prod_32, min_i32, max_i32, band_32, bor_32, bxor_32, land_32, lor_32,
		lxor_32},
	[VALUE_U32] = {sum_32, prod_32, min_u32, max_u32, band_32, bor_32, bxor_32, land_32, lor_32,
		lxor_32},
	[VALUE_I64] = {sum_64, prod_64, min_i64, max_i64, band_64, bor_64, bxor_64, land_64, lor_64,
		lxor_64},
	[VALUE_U64] = {sum_64, prod_64, min_u64, max_u64, band_64, bor_64, bxor_64, land_64, lor_64,
		lxor_64},
	[VALUE_I128] = {sum_128, prod_128, min_i128, max_i128, band_128, bor_128, bxor_128,
		land_128, lor_128, lxor_128},
	[VALUE_FLOAT] = {sum_float, prod_float, min_float, max_float},
	[VALUE_DOUBLE] = {sum_double, prod_double, min_double, max_double},
	[VALUE_LONG_DOUBLE] = {sum_long_double, prod_long_double, min_long_double, max_long_double},
	[VALUE_FLOAT_COMPLEX] = {sum_complex_float, prod_complex_float},
	[VALUE_DOUBLE_COMPLEX] = {sum_complex_double, prod_complex_double},
	[VALUE_LONG_DOUBLE_COMPLEX] = {sum_complex_long_double, prod_complex_long_double},
	[VALUE_FLOAT_INT] = {[OP_MINLOC] = minloc_float_int, [OP_MAXLOC] = maxloc_float_int},
	[VALUE_DOUBLE_INT] = {[OP_MINLOC] = minloc_double_int, [OP_MAXLOC] = maxloc_double_int},
	[VALUE_LONG_INT] = {[OP_MINLOC] = minloc_long_int, [OP_MAXLOC] = maxloc_long_int},
	[VALUE_2INT] = {[OP_MINLOC] = minloc_2int, [OP_MAXLOC] = maxloc_2int},
	[VALUE_SHORT_INT] = {[OP_MINLOC] = minloc_short_int, [OP_MAXLOC] = maxloc_short_int},
	[VALUE_LONG_DOUBLE_INT] =
		{[OP_MINLOC] = minloc_long_double_int, [OP_MAXLOC] = maxloc_long_double_int},
	[VALUE_2FLOAT] = {[OP_MINLOC] = minloc_2float, [OP_MAXLOC] = maxloc_2float},
	[VALUE_2DOUBLE] = {[OP_MINLOC] = minloc_2double, [OP_MAXLOC] = maxloc_2double},
};

op_kernel *op_kernels_find(enum op_kind kind, enum type_value value)
{
	return kernels[value][kind];
}
