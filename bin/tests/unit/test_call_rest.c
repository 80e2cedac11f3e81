/* SPDX-License-Identifier: BSD-3-Clause */
/* What is left of a call that a signal has cut. */
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "image/call_rest.h"
#include "unit.h"

enum { BUFFER = 0x10000, BYTES = 1000 };

static const uint64_t usual[6] = {3, BUFFER, BYTES, 50, 0, 0};
static struct iovec pieces[CALL_REST_PIECES];
static uint64_t rest[6];

START_TEST(only_a_part)
{
	ck_assert(call_rest_is_due(SYS_write, usual, CALL_FILE_PIPE, 1));
	ck_assert(call_rest_is_due(SYS_write, usual, CALL_FILE_PIPE, BYTES - 1));
	ck_assert(!call_rest_is_due(SYS_write, usual, CALL_FILE_PIPE, BYTES));
	ck_assert(!call_rest_is_due(SYS_write, usual, CALL_FILE_PIPE, 0));
}
END_TEST

/* What comes may be all that there is. */
START_TEST(of_which_files)
{
	ck_assert(call_rest_is_due(SYS_write, usual, CALL_FILE_STREAM, 9));
	ck_assert(!call_rest_is_due(SYS_write, usual, CALL_FILE_OTHER, 9));
	ck_assert(call_rest_is_due(SYS_read, usual, CALL_FILE_ENDLESS, 9));
	ck_assert(!call_rest_is_due(SYS_read, usual, CALL_FILE_PIPE, 9));
	ck_assert(!call_rest_is_due(SYS_read, usual, CALL_FILE_STREAM, 9));
	ck_assert(call_rest_is_due(SYS_sendfile, usual, CALL_FILE_OTHER, 9));
	ck_assert(!call_rest_is_due(SYS_close, usual, CALL_FILE_PIPE, 1));
	ck_assert(!call_rest_is_known(SYS_close));
	ck_assert(call_rest_is_known(SYS_getrandom));
}
END_TEST

START_TEST(by_their_flags)
{
	const uint64_t all[6] = {3, BUFFER, BYTES, MSG_WAITALL},
		       peek[6] = {3, BUFFER, BYTES, MSG_WAITALL | MSG_PEEK},
		       none[6] = {3, BUFFER, BYTES, 0}, random[6] = {BUFFER, BYTES, 0},
		       scarce[6] = {BUFFER, BYTES, GRND_RANDOM};

	ck_assert(call_rest_is_due(SYS_recvfrom, all, CALL_FILE_STREAM, 9));
	ck_assert(!call_rest_is_due(SYS_recvfrom, all, CALL_FILE_OTHER, 9));
	ck_assert(!call_rest_is_due(SYS_recvfrom, peek, CALL_FILE_STREAM, 9));
	ck_assert(!call_rest_is_due(SYS_recvfrom, none, CALL_FILE_STREAM, 9));
	ck_assert(call_rest_is_due(SYS_getrandom, random, CALL_FILE_OTHER, 9));
	ck_assert(!call_rest_is_due(SYS_getrandom, scarce, CALL_FILE_OTHER, 9));
}
END_TEST

START_TEST(its_arguments)
{
	call_rest_arguments(SYS_write, usual, 10, pieces, rest);
	ck_assert_uint_eq(rest[0], 3);
	ck_assert_uint_eq(rest[1], BUFFER + 10);
	ck_assert_uint_eq(rest[2], BYTES - 10);
	ck_assert_uint_eq(rest[3], 50);
	call_rest_arguments(SYS_pread64, usual, 10, pieces, rest);
	ck_assert_uint_eq(rest[3], 60);
	call_rest_arguments(SYS_sendfile, (const uint64_t[6]){3, 4, 5, BYTES}, 10, pieces, rest);
	ck_assert_uint_eq(rest[1], 4);
	ck_assert_uint_eq(rest[2], 5);
	ck_assert_uint_eq(rest[3], BYTES - 10);
	/* any call that has done nothing */
	call_rest_arguments(SYS_poll, usual, 0, pieces, rest);
	ck_assert_mem_eq(rest, usual, sizeof rest);
}
END_TEST

START_TEST(of_a_vector)
{
	char bytes[30];
	struct iovec v[3] = {{bytes, 10}, {bytes + 10, 0}, {bytes + 10, 20}};
	const uint64_t a[6] = {3, (uintptr_t)v, 3};

	ck_assert(call_rest_is_due(SYS_writev, a, CALL_FILE_PIPE, 29));
	ck_assert(!call_rest_is_due(SYS_writev, a, CALL_FILE_PIPE, 30));
	call_rest_arguments(SYS_writev, a, 4, pieces, rest);
	ck_assert_uint_eq(rest[1], (uintptr_t)pieces);
	ck_assert_uint_eq(rest[2], 2);
	ck_assert_ptr_eq(pieces[0].iov_base, bytes + 4);
	ck_assert_uint_eq(pieces[0].iov_len, 6);
	ck_assert_uint_eq(pieces[1].iov_len, 20);
	call_rest_arguments(SYS_writev, a, 12, pieces, rest);
	ck_assert_uint_eq(rest[2], 1);
	ck_assert_ptr_eq(pieces[0].iov_base, bytes + 12);
	ck_assert_uint_eq(pieces[0].iov_len, 18);
}
END_TEST

START_TEST(of_a_long_vector)
{
	char bytes[20];
	struct iovec v[20];
	const uint64_t a[6] = {3, (uintptr_t)v, 20};

	for (int i = 0; i < 20; i++)
		v[i] = (struct iovec){bytes + i, 1};
	call_rest_arguments(SYS_writev, a, 5, pieces, rest);
	ck_assert_uint_eq(rest[2], CALL_REST_PIECES);
	ck_assert_ptr_eq(pieces[0].iov_base, bytes + 5);
}
END_TEST

/* The kernel ends a call there by itself, and so does what is begun again. */
START_TEST(as_much_as_a_call_does)
{
	enum { MOST = 0x7ffff000 };
	const uint64_t large[6] = {3, BUFFER, UINT64_C(3) << 30}, huge[6] = {3, BUFFER, UINT64_MAX};
	struct iovec v[3] = {{NULL, 1 << 30}, {NULL, 1 << 30}, {NULL, 1 << 30}};
	const uint64_t a[6] = {3, (uintptr_t)v, 3};

	ck_assert(call_rest_is_due(SYS_write, large, CALL_FILE_PIPE, MOST - 1));
	ck_assert(!call_rest_is_due(SYS_write, large, CALL_FILE_PIPE, MOST));
	ck_assert(!call_rest_is_due(SYS_write, huge, CALL_FILE_PIPE, MOST));
	call_rest_arguments(SYS_write, large, 1 << 30, pieces, rest);
	ck_assert_uint_eq(rest[1], BUFFER + (1 << 30));
	ck_assert_uint_eq(rest[2], MOST - (1 << 30));
	ck_assert(call_rest_is_due(SYS_writev, a, CALL_FILE_PIPE, MOST - 1));
	ck_assert(!call_rest_is_due(SYS_writev, a, CALL_FILE_PIPE, MOST));
	call_rest_arguments(SYS_writev, a, (1 << 30) + 10, pieces, rest);
	ck_assert_uint_eq(rest[2], 1);
	ck_assert_uint_eq(pieces[0].iov_len, MOST - (1 << 30) - 10);
	call_rest_arguments(SYS_writev, a, 10, pieces, rest);
	ck_assert_uint_eq(rest[2], 2);
	ck_assert_uint_eq(pieces[0].iov_len + pieces[1].iov_len, MOST - 10);
}
END_TEST

START_TEST(which_sockets)
{
	ck_assert_int_eq(call_rest_socket(SOCK_STREAM, AF_UNIX, 0), CALL_FILE_STREAM);
	ck_assert_int_eq(call_rest_socket(SOCK_STREAM, AF_INET, IPPROTO_TCP), CALL_FILE_STREAM);
	ck_assert_int_eq(call_rest_socket(SOCK_STREAM, AF_INET6, IPPROTO_TCP), CALL_FILE_STREAM);
	ck_assert_int_eq(call_rest_socket(SOCK_STREAM, AF_INET, IPPROTO_SCTP), CALL_FILE_OTHER);
	ck_assert_int_eq(call_rest_socket(SOCK_STREAM, AF_VSOCK, 0), CALL_FILE_OTHER);
	ck_assert_int_eq(call_rest_socket(SOCK_SEQPACKET, AF_UNIX, 0), CALL_FILE_OTHER);
	ck_assert_int_eq(call_rest_socket(SOCK_DGRAM, AF_UNIX, 0), CALL_FILE_OTHER);
}
END_TEST

UNIT_MAIN("call_rest", tcase_add_test(tc, only_a_part); tcase_add_test(tc, of_which_files);
	  tcase_add_test(tc, by_their_flags); tcase_add_test(tc, its_arguments);
	  tcase_add_test(tc, of_a_vector); tcase_add_test(tc, of_a_long_vector);
	  tcase_add_test(tc, as_much_as_a_call_does); tcase_add_test(tc, which_sockets);)
