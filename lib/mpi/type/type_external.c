/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_external.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "signature.h"
#include "type_table.h"

/* A number: its bytes here and there. */
struct number {
	unsigned char native, external;
	bool is_signed; /* that are missing are made from its sign */
	bool extended;	/* long double, which is x87's here */
};

/* A basic type is one or two of them. */
struct basic_type {
	int n;
	struct number of[2];
};

enum { NUMBER_MAX = 16 };

#if LDBL_MANT_DIG == 64
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif
_Static_assert(sizeof(quad) == NUMBER_MAX && sizeof(long double) == NUMBER_MAX,
	"a long double takes 16 bytes, in external32 as an IEEE number");

static struct number integer(size_t size, bool is_signed)
{
	return (struct number){(unsigned char)size, (unsigned char)size, is_signed, false};
}

static struct number real(size_t size)
{
	struct number x = integer(size, false);

	x.extended = size == sizeof(long double);
	return x;
}

static struct basic_type one(struct number x)
{
	return (struct basic_type){1, {x}};
}

static struct basic_type two(struct number x, struct number y)
{
	return (struct basic_type){2, {x, y}};
}

static struct basic_type by_value(MPI_Datatype basic)
{
	struct number index = integer(sizeof(int), true);

	switch (type_table_value_of(basic)) {
	case VALUE_FLOAT:
	case VALUE_DOUBLE:
	case VALUE_LONG_DOUBLE:
		return one(real(type_predefined(basic)->size));
	case VALUE_FLOAT_COMPLEX:
	case VALUE_2FLOAT:
		return two(real(sizeof(float)), real(sizeof(float)));
	case VALUE_DOUBLE_COMPLEX:
	case VALUE_2DOUBLE:
		return two(real(sizeof(double)), real(sizeof(double)));
	case VALUE_LONG_DOUBLE_COMPLEX:
		return two(real(sizeof(long double)), real(sizeof(long double)));
	case VALUE_FLOAT_INT:
		return two(real(sizeof(float)), index);
	case VALUE_DOUBLE_INT:
		return two(real(sizeof(double)), index);
	case VALUE_LONG_DOUBLE_INT:
		return two(real(sizeof(long double)), index);
	case VALUE_LONG_INT:
		return two(integer(sizeof(long), true), index);
	case VALUE_SHORT_INT:
		return two(integer(sizeof(short), true), index);
	case VALUE_2INT:
		return two(index, index);
	default: /* integers of all sizes: cut ones are C's */
		return one(integer(type_predefined(basic)->size, basic == MPI_LONG));
	}
}

static struct basic_type numbers_of(MPI_Datatype basic)
{
	struct basic_type x = by_value(basic);
	size_t others = x.n == 2 ? x.of[1].external : 0;

	x.of[0].external = (unsigned char)(type_predefined(basic)->external - others);
	return x;
}

/* This machine's order is least significant byte first. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are turned round");

static void put(struct number x, const unsigned char *native, unsigned char *external)
{
	unsigned char turned[NUMBER_MAX];

	if (x.extended) {
		long double here;
		quad there;

		memcpy(&here, native, sizeof here);
		there = here;
		memcpy(turned, &there, sizeof there);
		native = turned;
	}
	for (int i = 0; i < x.external; i++)
		external[i] = native[x.external - 1 - i];
}

static void get(struct number x, const unsigned char *external, unsigned char *native)
{
	bool negative = x.is_signed && external[0] & 0x80;

	for (int i = 0; i < x.external; i++)
		native[i] = external[x.external - 1 - i];
	memset(native + x.external, negative ? 0xff : 0, (size_t)(x.native - x.external));
	if (x.extended) {
		long double here;
		quad there;

		memcpy(&there, native, sizeof there);
		here = (long double)there;
		memset(native, 0, x.native);
		memcpy(native, &here, LDBL_MANT_DIG == 64 ? 10 : sizeof here);
	}
}

/* Where a walk is; it goes one of two ways. */
struct walk {
	const unsigned char *from;
	unsigned char *to;
};

static void write_run(void *arg, struct signature_run run)
{
	struct basic_type x = numbers_of(run.basic);
	struct walk *w = arg;

	for (size_t i = 0; i < run.count; i++) {
		for (int k = 0; k < x.n; k++) {
			put(x.of[k], w->from, w->to);
			w->from += x.of[k].native;
			w->to += x.of[k].external;
		}
	}
}

static void read_run(void *arg, struct signature_run run)
{
	struct basic_type x = numbers_of(run.basic);
	struct walk *w = arg;

	for (size_t i = 0; i < run.count; i++) {
		for (int k = 0; k < x.n; k++) {
			get(x.of[k], w->from, w->to);
			w->from += x.of[k].external;
			w->to += x.of[k].native;
		}
	}
}

int type_external_write(const struct type *t, size_t count, const void *packed, void *external)
{
	struct walk w = {packed, external};

	return signature_each(t, count, write_run, &w);
}

int type_external_read(const struct type *t, size_t count, const void *external, void *packed)
{
	struct walk w = {external, packed};

	return signature_each(t, count, read_run, &w);
}
