/* SPDX-License-Identifier: BSD-3-Clause */
#include "rt_value.h"

#include <string.h>

static const char *const names[RT_OPS] = {"MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN", "MPI_LAND",
	"MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC"};

const char *rt_op_name(enum rt_op op)
{
	return names[op];
}

MPI_Op rt_op_handle(enum rt_op op)
{
	const MPI_Op handles[RT_OPS] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR,
		MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
	return handles[op];
}

bool rt_op_fits(const struct rt_basic *b, enum rt_op op)
{
	bool arithmetic = op == RT_SUM || op == RT_PROD, order = op == RT_MAX || op == RT_MIN;
	bool bitwise = op == RT_BAND || op == RT_BOR || op == RT_BXOR;
	bool logical = op == RT_LAND || op == RT_LOR || op == RT_LXOR;
	switch (b->class) {
	case RT_SIGNED:
	case RT_UNSIGNED:
		return arithmetic || order || bitwise || logical;
	case RT_ADDRESS:
		return arithmetic || order || bitwise;
	case RT_REAL:
		return arithmetic || order;
	case RT_COMPLEX:
		return arithmetic;
	case RT_BOOL:
		return logical;
	case RT_BYTE:
		return bitwise;
	case RT_PAIR:
		return op == RT_MAXLOC || op == RT_MINLOC;
	case RT_OPAQUE:
		break;
	}
	return false;
}

static bool is_signed(const struct rt_basic *b)
{
	return b->class == RT_SIGNED || b->class == RT_ADDRESS;
}

/* What is left of the bits in a number of the type's size. */
static uint64_t narrow(const struct rt_basic *b, uint64_t bits)
{
	int unused = 64 - 8 * (int)b->size;
	bits <<= unused;
	return is_signed(b) ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
}

/* Sums of small whole numbers and products of small powers of two are exact. */
static double draw_real(enum rt_op op, uint64_t random)
{
	static const double factors[] = {1.0, -1.0, 2.0, 0.5};
	return op == RT_PROD ? factors[random % 4] : (double)(random % 2001) - 1000.0;
}

/* Factors are 2+i times a power of i: no product of them has a part that is zero, whose sign would
 * depend on the order of evaluation. */
static struct rt_value draw_complex(enum rt_op op, uint64_t random)
{
	static const double factors[][2] = {{2, 1}, {-1, 2}, {-2, -1}, {1, -2}};
	struct rt_value v = {0, 0.0, 0.0, 0};
	v.re = op == RT_PROD ? factors[random % 4][0] : draw_real(op, random);
	v.im = op == RT_PROD ? factors[random % 4][1] : draw_real(op, random >> 32);
	return v;
}

static uint64_t draw_bits(const struct rt_basic *b, enum rt_op op, uint64_t random)
{
	if (op == RT_LAND || op == RT_LOR || op == RT_LXOR)
		/* zeros must be frequent enough, and true need not be 1 */
		return random % 3 == 0 ? 0 : b->class == RT_BOOL ? 1 : (random >> 8) % 100 + 1;
	if (op == RT_PROD)
		return random | 1;
	return random;
}

struct rt_value rt_value_draw(const struct rt_basic *b, enum rt_op op, uint64_t random)
{
	struct rt_value v = {0, 0.0, 0.0, 0};
	switch (b->class) {
	case RT_REAL:
		v.re = draw_real(op, random);
		break;
	case RT_COMPLEX:
		v = draw_complex(op, random);
		break;
	case RT_PAIR:
		/* ties are frequent, and the index need not be the rank */
		v.re = (double)(random % 5);
		v.index = (int)(random >> 32 & 0xffff);
		break;
	default:
		v.bits = narrow(b, draw_bits(b, op, random));
	}
	return v;
}

static uint64_t combine_bits(const struct rt_basic *b, enum rt_op op, uint64_t x, uint64_t y)
{
	bool less = is_signed(b) ? (int64_t)x < (int64_t)y : x < y;
	switch (op) {
	case RT_SUM:
		return x + y;
	case RT_PROD:
		return x * y;
	case RT_MAX:
		return less ? y : x;
	case RT_MIN:
		return less ? x : y;
	case RT_LAND:
		return x && y;
	case RT_LOR:
		return x || y;
	case RT_LXOR:
		return !x != !y;
	case RT_BAND:
		return x & y;
	case RT_BOR:
		return x | y;
	default:
		return x ^ y;
	}
}

static struct rt_value combine_numbers(enum rt_op op, struct rt_value x, struct rt_value y)
{
	struct rt_value v = x;
	if (op == RT_SUM) {
		v.re = x.re + y.re;
		v.im = x.im + y.im;
	} else if (op == RT_PROD) {
		v.re = x.re * y.re - x.im * y.im;
		v.im = x.re * y.im + x.im * y.re;
	} else if (op == RT_MAX ? y.re > x.re : y.re < x.re) {
		v = y;
	}
	return v;
}

/* Of equal values the lower index counts. */
static struct rt_value combine_pairs(enum rt_op op, struct rt_value x, struct rt_value y)
{
	if (x.re == y.re)
		return x.index < y.index ? x : y;
	return (x.re > y.re) == (op == RT_MAXLOC) ? x : y;
}

struct rt_value rt_value_combine(
	const struct rt_basic *b, enum rt_op op, struct rt_value left, struct rt_value right)
{
	if (b->class == RT_REAL || b->class == RT_COMPLEX)
		return combine_numbers(op, left, right);
	if (b->class == RT_PAIR)
		return combine_pairs(op, left, right);
	left.bits = narrow(b, combine_bits(b, op, left.bits, right.bits));
	return left;
}

static void store_real(size_t size, double v, void *at)
{
	float f = (float)v;
	long double l = v;
	if (size == sizeof(f))
		memcpy(at, &f, sizeof(f));
	else if (size == sizeof(v))
		memcpy(at, &v, sizeof(v));
	else
		memcpy(at, &l, size);
}

/* The first part of a pair; the size that counts tells float from double, but not long from double,
 * nor float from int. */
static void store_pair(const struct rt_basic *b, struct rt_value v, void *at)
{
	long number = (long)v.re;
	bool real = b->type == MPI_FLOAT_INT || b->type == MPI_DOUBLE_INT ||
		    b->type == MPI_LONG_DOUBLE_INT;
	if (real)
		store_real(b->solid[0], v.re, at);
	else
		memcpy(at, &number, b->solid[0]); /* little-endian, and the number is small */
	memcpy((char *)at + b->second, &v.index, sizeof(v.index));
}

void rt_value_store(const struct rt_basic *b, struct rt_value v, void *at)
{
	if (b->class == RT_PAIR) {
		store_pair(b, v, at);
	} else if (b->class == RT_REAL) {
		store_real(b->solid[0], v.re, at);
	} else if (b->class == RT_COMPLEX) {
		size_t half = b->size / 2;
		size_t solid = half > b->solid[0] ? b->solid[0] : half;
		store_real(solid, v.re, at);
		store_real(solid, v.im, (char *)at + half);
	} else {
		memcpy(at, &v.bits, b->size);
	}
}
