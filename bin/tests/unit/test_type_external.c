/* SPDX-License-Identifier: BSD-3-Clause */
/* "external32" as the standard has it (MPI 5.0 section 14.5.2): bytes written out by hand. */
#include <check.h>
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "mpi/type/type_external.h"
#include "type_check.h"

struct known {
	MPI_Datatype type;
	const char *external; /* bytes, in hexadecimal */
	union {
		signed char c;
		short s;
		int i;
		long l;
		long long ll;
		unsigned u;
		unsigned long ul;
		float f;
		double d;
		long double ld;
		float complex fc;
		double complex dc;
		wchar_t w;
		__int128 i128;
	} value;
};

static const struct known known[] = {
	{MPI_CHAR, "41", {.c = 'A'}},
	{MPI_BYTE, "ff", {.c = -1}},
	{MPI_SHORT, "fffe", {.s = -2}},
	{MPI_INT, "01020304", {.i = 0x01020304}},
	{MPI_UNSIGNED, "80000000", {.u = 0x80000000u}},
	{MPI_LONG, "fffffffe", {.l = -2}},
	{MPI_LONG, "01020304", {.l = 0x01020304}},
	{MPI_UNSIGNED_LONG, "fffffffe", {.ul = 0xfffffffeu}},
	{MPI_LONG_LONG, "fffffffffffffffe", {.ll = -2}},
	{MPI_INT64_T, "0102030405060708", {.ll = 0x0102030405060708}},
	{MPI_AINT, "0102030405060708", {.ll = 0x0102030405060708}},
	{MPI_INTEGER16, "fffffffffffffffffffffffffffffffd", {.i128 = -3}},
	{MPI_WCHAR, "20ac", {.w = 0x20ac}},
	{MPI_LOGICAL, "00000001", {.i = 1}},
	{MPI_FLOAT, "bfc00000", {.f = -1.5f}},
	{MPI_REAL4, "3f800000", {.f = 1.0f}},
	{MPI_DOUBLE, "4008000000000000", {.d = 3.0}},
	{MPI_LONG_DOUBLE, "3fff8000000000000000000000000000", {.ld = 1.5L}},
	{MPI_LONG_DOUBLE, "c0000000000000000000000000000000", {.ld = -2.0L}},
	{MPI_LONG_DOUBLE, "00000000000000000000000000000000", {.ld = 0.0L}},
	{MPI_C_COMPLEX, "3f800000c0000000", {.fc = 1.0f - 2.0f * I}},
	{MPI_C_DOUBLE_COMPLEX, "3ff0000000000000c000000000000000", {.dc = 1.0 - 2.0 * I}},
};

static size_t from_hex(const char *hex, unsigned char *out)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++)
		sscanf(hex + 2 * i, "%2hhx", &out[i]);
	return n;
}

START_TEST(basic_types)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct known *k = &known[i];
		struct type *t = object_of(k->type);
		unsigned char want[32], got[32], back[32] = {0};
		size_t n = from_hex(k->external, want);

		ck_assert_msg(
			t->external == n, "%s: size %zu, not %zu", type_name(t), t->external, n);
		memset(got, 0x5a, sizeof(got));
		must(type_external_write(t, 1, &k->value, got));
		ck_assert_msg(memcmp(got, want, n) == 0 && got[n] == 0x5a, "%s: not %s",
			type_name(t), k->external);
		must(type_external_read(t, 1, want, back));
		ck_assert_msg(
			memcmp(back, &k->value, k->type == MPI_LONG_DOUBLE ? 10 : t->size) == 0,
			"%s: %s is read as something else", type_name(t), k->external);
	}
}
END_TEST

START_TEST(long_doubles_come_back)
{
	static const long double values[] = {LDBL_MAX, -LDBL_MAX, LDBL_MIN, LDBL_TRUE_MIN, 1.0L / 3,
		INFINITY, -INFINITY, 1e-4940L};
	struct type *t = object_of(MPI_LONG_DOUBLE);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		unsigned char external[16];
		long double back = 0;

		must(type_external_write(t, 1, &values[i], external));
		must(type_external_read(t, 1, external, &back));
		ck_assert_msg(back == values[i], "%Lg came back as %Lg", values[i], back);
	}
	{
		unsigned char external[16];
		long double nan = NAN, back = 0;

		must(type_external_write(t, 1, &nan, external));
		must(type_external_read(t, 1, external, &back));
		ck_assert(isnan(back));
	}
}
END_TEST

struct mixed {
	short s[2];
	struct {
		double value;
		int index;
	} pair;
	long l;
};

static MPI_Datatype mixed_type(void)
{
	int lens[] = {2, 1, 0, 1};
	MPI_Aint at[] = {0, offsetof(struct mixed, pair), 0, offsetof(struct mixed, l)};
	MPI_Datatype types[] = {MPI_SHORT, MPI_DOUBLE_INT, MPI_CHAR, MPI_LONG}, t, all;

	must(MPI_Type_create_struct(4, lens, at, types, &t));
	must(MPI_Type_contiguous(2, t, &all));
	must(MPI_Type_free(&t));
	return all;
}

/* Two structs of unlike members, one of them a pair with a hole: each member in its turn. */
START_TEST(structs)
{
	MPI_Datatype handle = mixed_type();
	struct type *t = object_of(handle);
	struct mixed a[2] = {{{1, -2}, {1.5, 7}, -3}, {{4, 5}, {-2.0, 8}, 9}}, b[2] = {0};
	unsigned char want[64], got[64];
	char packed[64];
	size_t n = from_hex("0001fffe3ff800000000000000000007fffffffd"
			    "00040005c0000000000000000000000800000009",
		want);

	ck_assert_int_eq(t->external, n);
	type_pack(t, a, 1, packed);
	must(type_external_write(t, 1, packed, got));
	ck_assert_mem_eq(got, want, n);
	memset(packed, 0, sizeof(packed));
	must(type_external_read(t, 1, got, packed));
	type_unpack(t, b, 1, packed, t->size);
	for (int i = 0; i < 2; i++) {
		ck_assert(a[i].s[0] == b[i].s[0] && a[i].s[1] == b[i].s[1] && a[i].l == b[i].l);
		ck_assert(a[i].pair.value == b[i].pair.value && a[i].pair.index == b[i].pair.index);
	}
	must(MPI_Type_free(&handle));
}
END_TEST

UNIT_MAIN("type_external", tcase_add_test(tc, basic_types);
	  tcase_add_test(tc, long_doubles_come_back); tcase_add_test(tc, structs);)
