/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads are the library's: by their ids, whatever their names are. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_threads.h"
#include "unit.h"

static _Atomic pid_t own, other;
static char name[16];

static void *of_library(void *arg)
{
	own_threads_enter("ftmpi-own");
	own = (pid_t)syscall(SYS_gettid);
	pthread_getname_np(pthread_self(), name, sizeof name);
	ck_assert(own_threads_have(own));
	own_threads_leave();
	return arg;
}

static void *of_program(void *arg)
{
	other = (pid_t)syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), "ftmpi-own");
	ck_assert(!own_threads_have(other));
	return arg;
}

static void run(void *(*f)(void *))
{
	pthread_t t;

	ck_assert_int_eq(pthread_create(&t, NULL, f, NULL), 0);
	pthread_join(t, NULL);
}

START_TEST(by_their_ids)
{
	ck_assert(!own_threads_have(getpid()));
	/* as often as one likes */
	for (int i = 0; i < 100; i++)
		run(of_library);
	ck_assert_str_eq(name, "ftmpi-own");
	ck_assert(!own_threads_have(own));
	run(of_program);
}
END_TEST

UNIT_MAIN("own_threads", tcase_add_test(tc, by_their_ids);)
