/* SPDX-License-Identifier: BSD-3-Clause */
/* A child is waited for as long as it gets on, and no longer. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/recovery/ckpt_child.h"
#include "unit.h"

enum { IDLE_MS = 40, LONG_MS = 600000, LOOKS = 100, STATUS = 7 };

static pid_t child;
static uint64_t looks;

static uint64_t nothing(void)
{
	return 0;
}

/* Another number at each look; after so many the child is let go on. */
static uint64_t something(void)
{
	if (++looks == LOOKS)
		kill(child, SIGCONT);
	return looks;
}

/* The child stands still; when it is let go on it ends. */
static void begin_stopped(void)
{
	int status;

	child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		_exit(STATUS);
	}
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(WIFSTOPPED(status));
}

START_TEST(one_that_ends_is_told_by_its_status)
{
	int status = -1;

	child = fork();
	if (child == 0)
		_exit(STATUS);
	ck_assert(ckpt_child_wait(child, nothing, LONG_MS, &status));
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), STATUS);
	ck_assert(ckpt_child_wait(child, nothing, LONG_MS, &status));
	ck_assert_int_eq(status, -1);
}
END_TEST

START_TEST(one_that_gets_on_is_waited_for)
{
	int status = -1;

	begin_stopped();
	ck_assert(ckpt_child_wait(child, something, 1, &status));
	ck_assert_uint_ge(looks, LOOKS);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), STATUS);
}
END_TEST

START_TEST(one_that_stands_still_is_not)
{
	int status;

	begin_stopped();
	ck_assert(!ckpt_child_wait(child, nothing, IDLE_MS, &status));
	ck_assert_int_eq(kill(child, 0), 0);
	ckpt_child_kill(child);
	ck_assert_int_eq(waitpid(child, &status, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

UNIT_MAIN("ckpt_child", tcase_add_test(tc, one_that_ends_is_told_by_its_status);
	  tcase_add_test(tc, one_that_gets_on_is_waited_for);
	  tcase_add_test(tc, one_that_stands_still_is_not);)
