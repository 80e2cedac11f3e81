/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread, and what it does not. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/thread_status.h"
#include "unit.h"

static struct thread_status s;

static bool parse(const char *text)
{
	return thread_status_parse(text, strlen(text), &s);
}

START_TEST(a_status_is_read)
{
	ck_assert(parse("Name:\tworker\nUmask:\t0022\nState:\tS (sleeping)\nSigQ:\t0/7\n"
			"SigBlk:\tbfffffff00000001\nSigIgn:\t0000000000000004\n"));
	ck_assert_str_eq(s.name, "worker");
	ck_assert(!s.ended);
	ck_assert_uint_eq(s.blocked, 0xbfffffff00000001u);
}
END_TEST

START_TEST(one_that_has_ended)
{
	ck_assert(parse("State:\tZ (zombie)\nSigBlk:\t0\n"));
	ck_assert(s.ended);
	ck_assert_str_eq(s.name, "");
	ck_assert(parse("State:\tX (dead)\nSigBlk:\t0\n"));
	ck_assert(s.ended);
	ck_assert(parse("State:\tt (tracing stop)\nSigBlk:\t0\n"));
	ck_assert(!s.ended);
}
END_TEST

/* The kernel writes a new line in a name as a backslash and an n. */
START_TEST(a_name_is_a_name)
{
	ck_assert(parse("Name:\tSigBlk:\t7\nState:\tR\nSigBlk:\t0000000000000003\n"));
	ck_assert_str_eq(s.name, "SigBlk:\t7");
	ck_assert_uint_eq(s.blocked, 3);
	ck_assert(parse("Name:\t0123456789abcdefghij\nState:\tR\nSigBlk:\t1\n"));
	ck_assert_str_eq(s.name, "0123456789abcde");
	ck_assert(parse("Name:\t\nState:\tR\nSigBlk:\t1\n"));
	ck_assert_str_eq(s.name, "");
}
END_TEST

START_TEST(what_is_none)
{
	static const char whole[] = "State:\tR\nSigBlk:\t1";

	for (size_t n = 0; n < sizeof whole - 1; n++)
		ck_assert(!thread_status_parse(whole, n, &s));
	ck_assert(parse(whole));
	ck_assert(!parse("State:\tR\nSigBlk:\tx\n"));
	ck_assert(!parse("xState:\tR\nSigBlk:\t1\n"));
	ck_assert(!parse("State:\tR\nShdPnd SigBlk:\t1\n"));
}
END_TEST

static struct thread_call call;

static bool parse_call(const char *text)
{
	return thread_call_parse(text, strlen(text), &call);
}

START_TEST(a_call_is_read)
{
	ck_assert(parse_call("128 0x7ffff7d8ad70 0x1 0x2 0x3 0x4 0x5 0x7ffe 0x7fff\n"));
	ck_assert_int_eq(call.number, 128);
	ck_assert_uint_eq(call.argument[0], 0x7ffff7d8ad70);
	for (unsigned i = 1; i < THREAD_CALL_ARGUMENTS; i++)
		ck_assert_uint_eq(call.argument[i], i);
	ck_assert_uint_eq(call.stack, 0x7ffe);
	ck_assert_uint_eq(call.at, 0x7fff);
	ck_assert(parse_call("0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0"));
	ck_assert_int_eq(call.number, 0);
	ck_assert_uint_eq(call.argument[0], 0);
}
END_TEST

START_TEST(what_is_no_call)
{
	static const char whole[] = "1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9";

	for (size_t n = 0; n < sizeof whole - 1; n++)
		ck_assert(!thread_call_parse(whole, n, &call));
	ck_assert(parse_call(whole));
	ck_assert(!parse_call("running\n"));
	ck_assert(!parse_call("-1 0x7ffe 0x7fff\n"));
	ck_assert(!parse_call("128 0xg 0x3 0x4 0x5 0x6 0x7 0x8 0x9"));
	ck_assert(!parse_call("128 1x7 0x3 0x4 0x5 0x6 0x7 0x8 0x9"));
	ck_assert(!parse_call("128 0x7,0x3 0x4 0x5 0x6 0x7 0x8 0x9"));
	ck_assert(!parse_call("99999999999999999999 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9"));
}
END_TEST

/* As this kernel writes them. */
START_TEST(of_this_process)
{
	char text[1 << 16], name[THREAD_NAME_BYTES];
	int fd = open("/proc/thread-self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text);
	ssize_t length;

	close(fd);
	ck_assert_int_gt(n, 0);
	ck_assert(thread_status_parse(text, (size_t)n, &s));
	fd = open("/proc/thread-self/comm", O_RDONLY);
	length = read(fd, name, sizeof name);
	close(fd);
	ck_assert_int_gt(length, 0);
	name[length - 1] = '\0';
	ck_assert_str_eq(s.name, name);
	ck_assert(!s.ended);
	fd = open("/proc/thread-self/syscall", O_RDONLY);
	n = read(fd, text, sizeof text);
	close(fd);
	/* it reads that file just now */
	if (n > 0)
		ck_assert(thread_call_parse(text, (size_t)n, &call) ||
			  strncmp(text, "running", 7) == 0);
}
END_TEST

UNIT_MAIN("thread_status", tcase_add_test(tc, a_status_is_read);
	  tcase_add_test(tc, one_that_has_ended); tcase_add_test(tc, a_name_is_a_name);
	  tcase_add_test(tc, what_is_none); tcase_add_test(tc, a_call_is_read);
	  tcase_add_test(tc, what_is_no_call); tcase_add_test(tc, of_this_process);)
