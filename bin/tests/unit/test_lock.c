/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock, whose favoured thread takes it without an atomic operation: nobody else has it then. */
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/lock.h"
#include "unit.h"

enum { OTHERS = 2, ROUNDS = 200000, OTHERS_ROUNDS = 20000, TURNS = 2000 };

static struct lock lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_bool stop;

/* what the lock guards: two numbers that differ only while somebody holds it */
static volatile long first, second;
static long turns;

/* ---- the kernel ---- */

static bool no_barriers;   /* it has none */
static bool not_joined;	   /* the process has become another one */
static atomic_long joined; /* how often it said that it takes part */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	va_list args;
	long a[6];

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_membarrier) {
		int command = (int)a[0];

		if (no_barriers) {
			errno = ENOSYS;
			return -1;
		}
		if (command == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) {
			not_joined = false;
			joined++;
		}
		if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED && not_joined) {
			errno = EPERM;
			return -1;
		}
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- */

static void begin(bool favoured)
{
	lock_init(&lock);
	first = second = turns = 0;
	stop = false;
	if (!favoured)
		return;
	lock_take(&lock);
	lock_favour(&lock);
	ck_assert(lock_favours(&lock));
	lock_give(&lock);
}

static void work(void)
{
	ck_assert(lock_held(&lock));
	ck_assert_int_eq(first, second);
	first++;
	second++;
}

static void *others_work(void *arg)
{
	long *n = arg;

	for (*n = 0; *n < OTHERS_ROUNDS && !stop; ++*n) {
		if (*n % 3 == 0) {
			lock_take_before(&lock);
		} else if (*n % 3 == 1) {
			lock_take(&lock);
		} else {
			while (!lock_try(&lock))
				continue;
		}
		work();
		lock_give(&lock);
	}
	return NULL;
}

static void all_work(void)
{
	pthread_t t[OTHERS];
	long n[OTHERS], sum = 0, mine = 0;

	for (int i = 0; i < OTHERS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, others_work, &n[i]), 0);
	for (; mine < ROUNDS; mine++) {
		lock_take(&lock);
		work();
		lock_give(&lock);
	}
	for (int i = 0; i < OTHERS; i++) {
		pthread_join(t[i], NULL);
		sum += n[i];
	}
	ck_assert_int_eq(first, sum + mine);
	ck_assert_int_eq(sum, OTHERS * OTHERS_ROUNDS);
}

START_TEST(one_at_a_time)
{
	begin(true);
	all_work();
}
END_TEST

START_TEST(without_barriers_nobody_is_favoured)
{
	no_barriers = true;
	begin(false);
	lock_take(&lock);
	lock_favour(&lock);
	ck_assert(!lock_favours(&lock));
	lock_give(&lock);
	all_work();
}
END_TEST

static void *takes_once(void *arg)
{
	lock_take(&lock);
	*(bool *)arg = true;
	lock_give(&lock);
	return NULL;
}

/* As behind an image: what the lock knows is there still, what the kernel knew is not. */
START_TEST(a_process_that_became_another_joins_again)
{
	bool took = false;
	pthread_t t;

	begin(true);
	not_joined = true;
	joined = 0;
	ck_assert_int_eq(pthread_create(&t, NULL, takes_once, &took), 0);
	pthread_join(t, NULL);
	ck_assert(took);
	ck_assert_int_eq(joined, 1);
}
END_TEST

/* Where it may not join any more, time is the barrier. */
START_TEST(a_barrier_that_is_gone_is_done_without)
{
	bool took = false;
	pthread_t t;

	begin(true);
	no_barriers = true;
	lock_take(&lock);
	ck_assert_int_eq(pthread_create(&t, NULL, takes_once, &took), 0);
	work();
	lock_give(&lock);
	pthread_join(t, NULL);
	ck_assert(took);
}
END_TEST

/* ---- a second favoured thread ---- */

static void *asks_for_favour(void *arg)
{
	lock_take(&lock);
	lock_favour(&lock);
	*(bool *)arg = lock_favours(&lock);
	lock_give(&lock);
	return NULL;
}

START_TEST(only_one_is_favoured)
{
	bool favoured = true;
	pthread_t t;

	begin(true);
	ck_assert_int_eq(pthread_create(&t, NULL, asks_for_favour, &favoured), 0);
	pthread_join(t, NULL);
	ck_assert(!favoured);
	ck_assert(lock_favours(&lock));
	lock_take(&lock);
	work();
	lock_give(&lock);
}
END_TEST

/* ---- in a signal handler ---- */

static volatile long in_handler, tried, differed;

static void on_alarm(int number)
{
	(void)number;
	tried++;
	if (!lock_try(&lock))
		return;
	in_handler++;
	differed += first != second;
	first++;
	second++;
	lock_give(&lock);
}

static void handler_is_no_thread(bool favoured)
{
	enum { ENOUGH = 300 };
	struct itimerval every = {.it_interval = {0, 500}, .it_value = {0, 500}}, none = {0};
	long mine = 0;

	begin(favoured);
	in_handler = tried = differed = 0;
	ck_assert(signal(SIGALRM, on_alarm) != SIG_ERR);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
	for (; tried < ENOUGH || in_handler == 0; mine++) {
		lock_take(&lock);
		work();
		lock_give(&lock);
		for (volatile int pause = 0; pause < 100; pause++)
			;
	}
	ck_assert_int_eq(setitimer(ITIMER_REAL, &none, NULL), 0);
	ck_assert_int_eq(first, mine + in_handler);
	ck_assert_int_eq(differed, 0);
}

START_TEST(a_handler_has_it_when_it_is_free)
{
	handler_is_no_thread(_i);
}
END_TEST

/* The favoured thread goes by the mutex where another has claimed the lock: between the two a
 * handler must not have it, as whoever waits for the mutex would wait for the handler's end. */
static bool interrupt_behind_mutex;

int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	int rc = __real_pthread_mutex_lock(m);

	if (interrupt_behind_mutex) {
		atomic_store(&lock.claimed, 0); /* by whoever had the mutex before */
		raise(SIGALRM);
	}
	return rc;
}

START_TEST(a_handler_does_not_have_it_behind_the_mutex)
{
	begin(true);
	in_handler = tried = 0;
	ck_assert(signal(SIGALRM, on_alarm) != SIG_ERR);
	atomic_store(&lock.claimed, 1);
	interrupt_behind_mutex = true;
	lock_take(&lock);
	interrupt_behind_mutex = false;
	work();
	lock_give(&lock);
	ck_assert_int_eq(tried, 1);
	ck_assert_int_eq(in_handler, 0);
}
END_TEST

/* ---- waiting ---- */

/* Whose turn it is: 0 the favoured one's, 1 the other's. Each waits for its own. */
static void take_turns(long mine)
{
	lock_take(&lock);
	while (turns < 2L * TURNS) {
		if (turns % 2 == mine) {
			work();
			turns++;
			pthread_cond_broadcast(&cond);
		} else {
			lock_wait(&lock, &cond);
			ck_assert(lock_held(&lock));
		}
	}
	lock_give(&lock);
}

static void *others_turns(void *arg)
{
	(void)arg;
	take_turns(1);
	return NULL;
}

START_TEST(nobody_sleeps_through_what_it_waits_for)
{
	pthread_t t;

	begin(_i);
	ck_assert_int_eq(pthread_create(&t, NULL, others_turns, NULL), 0);
	take_turns(0);
	pthread_join(t, NULL);
	ck_assert_int_eq(first, 2L * TURNS);
}
END_TEST

UNIT_MAIN("lock", tcase_add_test(tc, one_at_a_time);
	  tcase_add_test(tc, without_barriers_nobody_is_favoured);
	  tcase_add_test(tc, a_process_that_became_another_joins_again);
	  tcase_add_test(tc, a_barrier_that_is_gone_is_done_without);
	  tcase_add_test(tc, only_one_is_favoured);
	  tcase_add_test(tc, a_handler_does_not_have_it_behind_the_mutex);
	  tcase_add_loop_test(tc, a_handler_has_it_when_it_is_free, 0, 2);
	  tcase_add_loop_test(tc, nobody_sleeps_through_what_it_waits_for, 0, 2);)
