/* SPDX-License-Identifier: BSD-3-Clause */
/* Which words of the linker's data are a lock that is held. */
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/linker_locks.h"
#include "unit.h"

enum { WORDS = sizeof(pthread_mutex_t) / sizeof(uint32_t) };

static int self(void)
{
	return (int)syscall(SYS_gettid);
}

START_TEST(a_recursive_mutex_has_an_owner)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	ck_assert_int_eq(linker_locks_owner(&m), 0);
	pthread_mutex_lock(&m);
	ck_assert_int_eq(linker_locks_owner(&m), self());
	pthread_mutex_lock(&m);
	ck_assert_int_eq(linker_locks_owner(&m), self());
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	ck_assert_int_eq(linker_locks_owner(&m), 0);
}
END_TEST

START_TEST(another_kind_has_none)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	ck_assert_int_eq(linker_locks_owner(&m), 0);
	pthread_mutex_unlock(&m);
}
END_TEST

/* What the linker of glibc 2.36 knows of an AMD EPYC of family 25, where that is a thread, as it
 * often is in a container: kind, greatest leaf, family, model and stepping; then what CPUID has
 * answered. */
START_TEST(a_processor_is_no_mutex)
{
	uint32_t words[WORDS] = {2, 16, (uint32_t)self(), 1, 1, 0x00a00f11, 0x01020800, 0xfffa3203};
	pthread_mutex_t m;

	memcpy(&m, words, sizeof m);
	ck_assert_int_eq(linker_locks_owner(&m), 0);
}
END_TEST

static int holds(struct dl_phdr_info *o, size_t size, void *arg)
{
	(void)o, (void)size;
	*(bool *)arg = linker_locks_held();
	return 1;
}

START_TEST(a_lock_of_the_linker_is_found)
{
	bool held = false;

	linker_locks_find();
	ck_assert(!linker_locks_held());
	dl_iterate_phdr(holds, &held);
	ck_assert(held);
	ck_assert(!linker_locks_held());
}
END_TEST

UNIT_MAIN("linker_locks", tcase_add_test(tc, a_recursive_mutex_has_an_owner);
	  tcase_add_test(tc, another_kind_has_none); tcase_add_test(tc, a_processor_is_no_mutex);
	  tcase_add_test(tc, a_lock_of_the_linker_is_found);)
