/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call is begun again after a signal, and for how long. */
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "image/thread_wait.h"
#include "image/wait_limit.h"
#include "unit.h"

/* ---- limits ---- */

static struct wait_limit of(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return wait_limit_of(number, (const uint64_t[6]){a, b, c, d});
}

START_TEST(a_limit_in_a_register)
{
	struct wait_limit l = of(SYS_epoll_pwait, 3, 0, 1, 250);

	ck_assert_int_eq(l.kind, WAIT_LIMIT_MS);
	ck_assert_uint_eq(l.argument, 3);
	ck_assert_int_eq(of(SYS_epoll_pwait, 3, 0, 1, (uint64_t)-1).kind, WAIT_LIMIT_NONE);
	ck_assert_int_eq(of(SYS_epoll_pwait, 3, 0, 1, 0xffffffff).kind, WAIT_LIMIT_NONE);
}
END_TEST

START_TEST(a_limit_in_memory)
{
	struct wait_limit l = of(SYS_rt_sigtimedwait, 1, 2, 77, 8);

	ck_assert_int_eq(l.kind, WAIT_LIMIT_TIME);
	ck_assert_uint_eq(l.argument, 2);
	ck_assert_uint_eq(l.rest, 0);
	ck_assert_int_eq(of(SYS_rt_sigtimedwait, 1, 2, 0, 8).kind, WAIT_LIMIT_NONE);
	l = of(SYS_nanosleep, 77, 99, 0, 0);
	ck_assert_int_eq(l.kind, WAIT_LIMIT_TIME);
	ck_assert_uint_eq(l.rest, 99);
	l = of(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, 77, 99);
	ck_assert_int_eq(l.kind, WAIT_LIMIT_TIME);
	ck_assert_uint_eq(l.argument, 2);
	ck_assert_uint_eq(l.rest, 99);
}
END_TEST

START_TEST(a_point_in_time)
{
	ck_assert_int_eq(of(SYS_clock_nanosleep, 0, TIMER_ABSTIME, 77, 99).kind, WAIT_LIMIT_NONE);
	ck_assert_int_eq(of(SYS_futex, 1, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, 77).kind,
		WAIT_LIMIT_NONE);
	ck_assert_int_eq(
		of(SYS_futex, 1, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 77).kind, WAIT_LIMIT_TIME);
	ck_assert_int_eq(of(SYS_futex, 1, FUTEX_WAIT, 0, 0).kind, WAIT_LIMIT_NONE);
}
END_TEST

START_TEST(a_socket)
{
	ck_assert_int_eq(of(SYS_recvfrom, 3, 0, 0, 0).option, SO_RCVTIMEO);
	ck_assert_int_eq(of(SYS_write, 3, 0, 0, 0).option, SO_SNDTIMEO);
	ck_assert_int_eq(of(SYS_write, 3, 0, 0, 0).kind, WAIT_LIMIT_SOCKET);
}
END_TEST

START_TEST(what_is_no_wait)
{
	ck_assert_int_eq(of(SYS_connect, 0, 0, 0, 0).kind, WAIT_LIMIT_UNKNOWN);
	ck_assert(!wait_limit_is_known(SYS_close));
	ck_assert(wait_limit_is_known(SYS_ppoll));
}
END_TEST

/* ---- a thread in a handler ---- */

static const struct timespec hour = {3600, 0};
static struct thread_call noted;
static ucontext_t u;
static struct thread_wait rooms[2];
#define room rooms[1]

#if defined(__x86_64__)
enum { CALL_BYTES = 2 };
#define RESULT u.uc_mcontext.gregs[REG_RAX]
#define AT u.uc_mcontext.gregs[REG_RIP]
#define STACK u.uc_mcontext.gregs[REG_RSP]
#define SECOND_ARGUMENT u.uc_mcontext.gregs[REG_RSI]
#define THIRD_ARGUMENT u.uc_mcontext.gregs[REG_RDX]
#else
enum { CALL_BYTES = 4 };
#define RESULT u.uc_mcontext.regs[0]
#define AT u.uc_mcontext.pc
#define STACK u.uc_mcontext.sp
#define SECOND_ARGUMENT u.uc_mcontext.regs[1]
#define THIRD_ARGUMENT u.uc_mcontext.regs[2]
#endif

/* Where it was ended: no system call lies before that. */
static const unsigned char code[64] __attribute__((aligned(64)));
enum { USED = 2048 };
static char stack[2 * USED] __attribute__((aligned(16)));

static void stopped_in_sigtimedwait(void)
{
	memset(&u, 0, sizeof u);
	noted = (struct thread_call){SYS_rt_sigtimedwait, {0, 0, (uintptr_t)&hour},
		(uintptr_t)(stack + USED), (uintptr_t)(code + 16)};
	RESULT = -EINTR;
	AT = (long long)noted.at;
	STACK = (long long)noted.stack;
	THIRD_ARGUMENT = (long long)noted.argument[2];
#if defined(__aarch64__)
	u.uc_mcontext.regs[8] = SYS_rt_sigtimedwait;
#endif
}

START_TEST(it_is_begun_again)
{
	struct thread_wait *w;

	stopped_in_sigtimedwait();
	w = thread_wait_ended(&u, &noted, &room);
	ck_assert_ptr_eq(w, &room);
	ck_assert_uint_eq(w->at, noted.at);
	ck_assert_uint_eq(w->stack, noted.stack);
	ck_assert_int_eq(w->left_ns, 3600 * INT64_C(1000000000));
	thread_wait_again(&u, w, 0);
	ck_assert_uint_ne((uint64_t)AT, noted.at);
	ck_assert_uint_eq((uint64_t)STACK, (uintptr_t)w);
	ck_assert_uint_eq((uint64_t)THIRD_ARGUMENT, (uintptr_t)&w->limit);
	ck_assert_int_eq(w->limit.tv_sec, 3600);
}
END_TEST

START_TEST(another_call_is_left)
{
	stopped_in_sigtimedwait();
	RESULT = 0;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
	stopped_in_sigtimedwait();
	SECOND_ARGUMENT = 5;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
	stopped_in_sigtimedwait();
	STACK += 16;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
	stopped_in_sigtimedwait();
	AT += 4;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
	stopped_in_sigtimedwait();
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	noted.number = SYS_connect;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
}
END_TEST

/* Those of the tests' own frame are inherited. */
static void have_no_handlers(void)
{
	for (int s = 1; s <= SIGRTMAX; s++)
		signal(s, SIG_DFL);
}

/* The thread began to wait after it was looked at. */
START_TEST(the_number_is_in_the_code)
{
#if defined(__x86_64__)
	/* what lies before it is looked at, too */
	unsigned char bytes[80]
		__attribute__((aligned(16))) = {[53] = 0x90, 0xb8, SYS_poll, 0, 0, 0, 0x0f, 0x05};
	unsigned char *call = bytes + 48;

	have_no_handlers();
	stopped_in_sigtimedwait();
	AT = (greg_t)(call + 13);
	ck_assert_ptr_eq(thread_wait_ended(&u, NULL, &room), &room);
	ck_assert_int_eq(room.number, SYS_poll);
	/* mov to another register */
	call[5] = 0x41;
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	call[5] = 0x90;
	call[7] = SYS_close;
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
#endif
}
END_TEST

START_TEST(code_that_cannot_be_read)
{
	char *code_alone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	have_no_handlers();
	stopped_in_sigtimedwait();
	AT = (long long)(code_alone + 64);
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	RESULT = 5;
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	AT = (long long)(code_alone + 4095);
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	munmap(code_alone, 4096);
}
END_TEST

/* Of a call that a signal has cut the rest is done, and nothing else is begun again. */
START_TEST(it_is_done_in_parts)
{
	static char bytes[1000];
	struct thread_wait *w;

	stopped_in_sigtimedwait();
	noted.number = SYS_getrandom;
	noted.argument[0] = (uintptr_t)bytes;
	noted.argument[1] = sizeof bytes;
	noted.argument[2] = 0;
#if defined(__x86_64__)
	u.uc_mcontext.gregs[REG_RDI] = (long long)noted.argument[0];
#else
	u.uc_mcontext.regs[8] = SYS_getrandom;
#endif
	SECOND_ARGUMENT = sizeof bytes;
	THIRD_ARGUMENT = 0;
	RESULT = sizeof bytes;
	ck_assert_ptr_null(thread_wait_ended(&u, &noted, &room));
	RESULT = 300;
	w = thread_wait_ended(&u, &noted, &room);
	ck_assert_ptr_eq(w, &room);
	thread_wait_again(&u, w, 0);
	ck_assert_uint_eq(w->done, 300);
	ck_assert_uint_eq((uint64_t)SECOND_ARGUMENT, 700);
	ck_assert_uint_eq((uint64_t)STACK, (uintptr_t)w);
	AT += CALL_BYTES;
	RESULT = 200;
	ck_assert_ptr_eq(thread_wait_ended(&u, NULL, NULL), w);
	thread_wait_again(&u, w, 0);
	ck_assert_uint_eq(w->done, 500);
	ck_assert_uint_eq((uint64_t)SECOND_ARGUMENT, 500);
	AT += CALL_BYTES;
	RESULT = 500;
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, NULL));
}
END_TEST

/* Once begun again, it has what was left, and no more. */
START_TEST(its_time_passes)
{
	struct thread_wait *w;

	stopped_in_sigtimedwait();
	w = thread_wait_ended(&u, &noted, &room);
	thread_wait_again(&u, w, 0);
	w->since -= 3599 * UINT64_C(1000000000);
	RESULT = -EINTR;
	AT += CALL_BYTES;
	ck_assert_ptr_eq(thread_wait_ended(&u, NULL, NULL), w);
	ck_assert_int_le(w->left_ns, 1000000000);
	w->since -= 3600 * UINT64_C(1000000000);
	thread_wait_ended(&u, NULL, NULL);
	ck_assert_int_eq(w->left_ns, 0);
	thread_wait_again(&u, w, 0);
	ck_assert_int_eq(w->limit.tv_sec, 0);
	ck_assert_int_eq(w->limit.tv_nsec, 0);
	ck_assert_uint_eq(w->at, noted.at);
}
END_TEST

/* A stack for signals is somebody else's when the handler is over. */
START_TEST(where_there_is_room)
{
	struct thread_wait *w;

	stopped_in_sigtimedwait();
	u.uc_stack = (stack_t){.ss_sp = rooms, .ss_size = sizeof rooms};
	w = thread_wait_ended(&u, &noted, &room);
	ck_assert((char *)w > stack && (char *)(w + 1) <= stack + USED - 128);
	ck_assert_uint_eq((uintptr_t)w % 16, 0);
	/* the thread was on it already */
	u.uc_stack = (stack_t){.ss_sp = stack, .ss_size = 1 << 20};
	ck_assert_ptr_eq(thread_wait_ended(&u, &noted, &room), &room);
}
END_TEST

static void on_signal(int signal)
{
	(void)signal;
}

static void come(int number, void (*handler)(int))
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(number, handler);
	raise(number);
}

static bool is_begun_again(uint64_t own)
{
	struct thread_wait *w = thread_wait_ended(&u, &noted, &room);
	bool again;

	thread_wait_again(&u, w, own);
	again = (uint64_t)AT != noted.at;
	AT = (long long)noted.at;
	STACK = (long long)noted.stack;
	THIRD_ARGUMENT = (long long)noted.argument[2];
	RESULT = -EINTR;
	return again;
}

START_TEST(the_program_ends_it)
{
	stopped_in_sigtimedwait();
	come(SIGUSR2, SIG_DFL);
	ck_assert(is_begun_again(0));
	come(SIGUSR1, on_signal);
	ck_assert(!is_begun_again(0));
	ck_assert(is_begun_again(1u << (SIGUSR1 - 1)));
	/* for another thread, or later */
	sigaddset(&u.uc_sigmask, SIGUSR1);
	ck_assert(is_begun_again(0));
}
END_TEST

/* Nobody saw it wait: a handler that the program has may be what ended it. */
START_TEST(the_program_may_have_ended_it)
{
#if defined(__x86_64__)
	/* what lies before it is looked at, too */
	unsigned char bytes[80]
		__attribute__((aligned(16))) = {[53] = 0x90, 0xb8, SYS_poll, 0, 0, 0, 0x0f, 0x05};
	unsigned char *call = bytes + 48;
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	have_no_handlers();
	stopped_in_sigtimedwait();
	AT = (greg_t)(call + 13);
	sigaction(SIGRTMAX - 2, &a, NULL);
	call[7] = SYS_pause;
	ck_assert_ptr_nonnull(thread_wait_ended(&u, NULL, &room));
	sigaction(SIGUSR1, &a, NULL);
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	call[7] = SYS_poll;
	ck_assert_ptr_nonnull(thread_wait_ended(&u, NULL, &room));
	a.sa_flags = 0;
	sigaction(SIGUSR1, &a, NULL);
	ck_assert_ptr_null(thread_wait_ended(&u, NULL, &room));
	/* it was seen */
	stopped_in_sigtimedwait();
	ck_assert_ptr_nonnull(thread_wait_ended(&u, &noted, &room));
#endif
}
END_TEST

UNIT_MAIN("thread_wait", tcase_add_test(tc, a_limit_in_a_register);
	  tcase_add_test(tc, a_limit_in_memory); tcase_add_test(tc, a_point_in_time);
	  tcase_add_test(tc, a_socket); tcase_add_test(tc, what_is_no_wait);
	  tcase_add_test(tc, it_is_begun_again); tcase_add_test(tc, another_call_is_left);
	  tcase_add_test(tc, the_number_is_in_the_code);
	  tcase_add_test(tc, code_that_cannot_be_read); tcase_add_test(tc, it_is_done_in_parts);
	  tcase_add_test(tc, its_time_passes); tcase_add_test(tc, where_there_is_room);
	  tcase_add_test(tc, the_program_ends_it);
	  tcase_add_test(tc, the_program_may_have_ended_it);)
