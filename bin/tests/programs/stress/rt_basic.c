/* SPDX-License-Identifier: BSD-3-Clause */
#include "rt_data.h"

#include <complex.h>
#include <float.h>
#include <stdalign.h>
#include <wchar.h>

/* The 80-bit long double of x86 lies in 16 bytes, six of them padding. */
enum { LONG_DOUBLE_SOLID = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

struct float_int {
	float v;
	int i;
};
struct double_int {
	double v;
	int i;
};
struct long_int {
	long v;
	int i;
};
struct int_int {
	int v, i;
};
struct short_int {
	short v;
	int i;
};
struct long_double_int {
	long double v;
	int i;
};

#define PLAIN(mpi, class, ctype)                                                                   \
	{                                                                                          \
#mpi, mpi, class, sizeof(ctype), alignof(ctype), sizeof(ctype),                    \
			{sizeof(ctype), 0 }, 0                                                     \
	}
#define PAIR(mpi, ctype, vtype, first)                                                             \
	{                                                                                          \
#mpi, mpi, RT_PAIR, sizeof(ctype), alignof(ctype), sizeof(vtype) + sizeof(int),    \
			{first, sizeof(int) }, offsetof(ctype, i)                                  \
	}

const struct rt_basic rt_basics[] = {
	PLAIN(MPI_UINT64_T, RT_UNSIGNED, uint64_t),
	PLAIN(MPI_CHAR, RT_OPAQUE, char),
	PLAIN(MPI_WCHAR, RT_OPAQUE, wchar_t),
	PLAIN(MPI_SIGNED_CHAR, RT_SIGNED, signed char),
	PLAIN(MPI_UNSIGNED_CHAR, RT_UNSIGNED, unsigned char),
	PLAIN(MPI_BYTE, RT_BYTE, unsigned char),
	PLAIN(MPI_SHORT, RT_SIGNED, short),
	PLAIN(MPI_UNSIGNED_SHORT, RT_UNSIGNED, unsigned short),
	PLAIN(MPI_INT, RT_SIGNED, int),
	PLAIN(MPI_UNSIGNED, RT_UNSIGNED, unsigned),
	PLAIN(MPI_LONG, RT_SIGNED, long),
	PLAIN(MPI_UNSIGNED_LONG, RT_UNSIGNED, unsigned long),
	PLAIN(MPI_LONG_LONG, RT_SIGNED, long long),
	PLAIN(MPI_LONG_LONG_INT, RT_SIGNED, long long),
	PLAIN(MPI_UNSIGNED_LONG_LONG, RT_UNSIGNED, unsigned long long),
	PLAIN(MPI_INT8_T, RT_SIGNED, int8_t),
	PLAIN(MPI_UINT8_T, RT_UNSIGNED, uint8_t),
	PLAIN(MPI_INT16_T, RT_SIGNED, int16_t),
	PLAIN(MPI_UINT16_T, RT_UNSIGNED, uint16_t),
	PLAIN(MPI_INT32_T, RT_SIGNED, int32_t),
	PLAIN(MPI_UINT32_T, RT_UNSIGNED, uint32_t),
	PLAIN(MPI_INT64_T, RT_SIGNED, int64_t),
	PLAIN(MPI_AINT, RT_ADDRESS, MPI_Aint),
	PLAIN(MPI_OFFSET, RT_ADDRESS, MPI_Offset),
	PLAIN(MPI_COUNT, RT_ADDRESS, MPI_Count),
	PLAIN(MPI_FLOAT, RT_REAL, float),
	PLAIN(MPI_DOUBLE, RT_REAL, double),
	PLAIN(MPI_C_BOOL, RT_BOOL, bool),
	PLAIN(MPI_C_COMPLEX, RT_COMPLEX, float complex),
	PLAIN(MPI_C_FLOAT_COMPLEX, RT_COMPLEX, float complex),
	PLAIN(MPI_C_DOUBLE_COMPLEX, RT_COMPLEX, double complex),
	{"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, RT_REAL, sizeof(long double), alignof(long double),
		sizeof(long double), {LONG_DOUBLE_SOLID, 0}, 0},
	{"MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, RT_COMPLEX,
		sizeof(long double complex), alignof(long double complex),
		sizeof(long double complex), {LONG_DOUBLE_SOLID, LONG_DOUBLE_SOLID},
		sizeof(long double)},
	PAIR(MPI_FLOAT_INT, struct float_int, float, sizeof(float)),
	PAIR(MPI_DOUBLE_INT, struct double_int, double, sizeof(double)),
	PAIR(MPI_LONG_INT, struct long_int, long, sizeof(long)),
	PAIR(MPI_2INT, struct int_int, int, sizeof(int)),
	PAIR(MPI_SHORT_INT, struct short_int, short, sizeof(short)),
	PAIR(MPI_LONG_DOUBLE_INT, struct long_double_int, long double, LONG_DOUBLE_SOLID),
};

const int rt_basic_count = sizeof(rt_basics) / sizeof(rt_basics[0]);
const int rt_basic_uint64 = 0;

size_t rt_pattern_bytes(const struct rt_pattern *p)
{
	size_t bytes = 0;
	for (int i = 0; i < p->n; i++)
		bytes += rt_basics[p->basic[i]].size;
	return bytes;
}

struct rt_pattern rt_pattern_draw(struct rng *rng)
{
	struct rt_pattern p = {1, {0}};
	if (rng_chance(rng, 30))
		p.n = 2 + (int)rng_below(rng, RT_PATTERN_MAX - 1);
	for (int i = 0; i < p.n; i++)
		p.basic[i] = (int)rng_below(rng, (size_t)rt_basic_count);
	return p;
}
