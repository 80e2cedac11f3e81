/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call was made, out of the code before it. */
#include <stdio.h>
#include <string.h>

#include "image/call_number.h"
#include "unit.h"

/* So much code as the text has, two digits a byte; -1: no number. */
static long number_in(const char *text)
{
	uint8_t code[256];
	size_t n = 8;
	unsigned byte;
	long number = 0;

	memset(code, 0x90, n);
	for (int used; sscanf(text, "%2x %n", &byte, &used) == 1; text += used)
		code[n++] = (uint8_t)byte;
	return call_number_before(code + n, n, &number) ? number : -1;
}

START_TEST(right_before_the_call)
{
	ck_assert_int_eq(number_in("b8 07 00 00 00 0f 05"), 7);
	ck_assert_int_eq(number_in("31 c0 0f 05"), 0);
	ck_assert_int_eq(number_in("48 31 c0 0f 05"), 0);
}
END_TEST

/* As the compiler has them in pselect, epoll_pwait2, recvfrom and others of glibc 2.36. */
START_TEST(others_are_filled_between)
{
	ck_assert_int_eq(number_in("b8 0e 01 00 00 8b 7c 24 1c 0f 05"), 270);
	ck_assert_int_eq(number_in("b8 b9 01 00 00 8b 7c 24 08 0f 05"), 441);
	ck_assert_int_eq(number_in("b8 2d 00 00 00 48 8b 54 24 10 48 8b 74 24 08 0f 05"), 45);
	ck_assert_int_eq(number_in("b8 05 00 00 00 48 89 de 41 b8 07 00 00 00 0f 05"), 5);
	ck_assert_int_eq(number_in("31 c0 48 8b bc 24 b8 00 00 00 0f 05"), 0);
	ck_assert_int_eq(number_in("b8 05 00 00 00 45 31 d2 48 8d 3d 01 02 03 04 0f 05"), 5);
	ck_assert_int_eq(number_in("b8 05 00 00 00 48 c7 c2 ff ff ff ff 0f 05"), 5);
}
END_TEST

START_TEST(in_a_displacement)
{
	ck_assert_int_eq(number_in("b8 01 00 00 00 48 8b bc 24 b8 00 00 00 48 8b b4 24 c0 00 00 00 "
				   "0f 05"),
		1);
	ck_assert_int_eq(number_in("48 8b bc 24 b8 00 00 00 48 8b b4 24 c0 00 00 00 0f 05"), -1);
	ck_assert_int_eq(number_in("b8 ff 03 00 00 0f 05"), 1023);
	ck_assert_int_eq(number_in("b8 00 04 00 00 0f 05"), -1);
	ck_assert_int_eq(number_in("b8 ff ff ff ff 0f 05"), -1);
}
END_TEST

START_TEST(no_number)
{
	/* of another register */
	ck_assert_int_eq(number_in("41 b8 07 00 00 00 0f 05"), -1);
	ck_assert_int_eq(number_in("45 31 c0 0f 05"), -1);
	/* it is changed between: from a register, from memory, by what is not known */
	ck_assert_int_eq(number_in("b8 07 00 00 00 89 d0 0f 05"), -1);
	ck_assert_int_eq(number_in("b8 07 00 00 00 8b 44 24 08 0f 05"), -1);
	ck_assert_int_eq(number_in("b8 07 00 00 00 83 c0 01 0f 05"), -1);
	/* no call */
	ck_assert_int_eq(number_in("b8 07 00 00 00 0f 06"), -1);
}
END_TEST

START_TEST(what_cannot_be_read)
{
	const uint8_t code[] = {0x90, 0xb8, 7, 0, 0, 0, 0x0f, 0x05};
	long number;

	ck_assert(call_number_before(code + 8, 8, &number));
	ck_assert(!call_number_before(code + 8, 7, &number));
	ck_assert(!call_number_before(code + 8, 1, &number));
}
END_TEST

UNIT_MAIN("call_number", tcase_add_test(tc, right_before_the_call);
	  tcase_add_test(tc, others_are_filled_between); tcase_add_test(tc, in_a_displacement);
	  tcase_add_test(tc, no_number); tcase_add_test(tc, what_cannot_be_read);)
