/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank's link tells its keeper, and hears from it, until it is freed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "keeper/server_conn.h"
#include "link_stage.h"
#include "unit.h"
#include "woken.h"

/* ---- what a rank tells ---- */

START_TEST(what_is_told_is_acknowledged)
{
	static const uint64_t more[] = {1, 5000, 100000};
	static struct rank r;

	stage_setup();
	stage_start(true);
	rank_begin(&r, 1, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	ck_assert_uint_eq(r.given, 0);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		rank_add(&r, more[i]);
		rank_until(&r, rank_is_acknowledged, "acknowledged");
	}
	ck_assert_uint_eq(r.acknowledged, 105001);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* It is kept until then. */
START_TEST(a_rank_tells_before_it_is_ready)
{
	static struct rank r;

	stage_setup();
	stage_start(true);
	rank_new(&r, 1, 1, 0);
	rank_add(&r, 3);
	rank_go_on(&r);
	rank_add(&r, 4);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 7);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* Each record is told on the loop's thread, inside the call that says that the one before is
 * durable. */
START_TEST(an_acknowledgement_is_answered)
{
	static struct rank r;

	stage_setup();
	stage_start(true);
	rank_begin(&r, 1, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	pthread_mutex_lock(&r.mutex);
	r.answers = 500;
	pthread_mutex_unlock(&r.mutex);
	rank_add(&r, 1);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 501);
	rank_end(&r);
	stage_stop();
}
END_TEST

static sem_t begun, let_go;

static void wait_for(sem_t *s)
{
	struct timespec until_then = clock_timespec(clock_ns() + DEADLINE_NS);

	ck_assert_int_eq(sem_clockwait(s, CLOCK_MONOTONIC, &until_then), 0);
}

static void run_stuck(struct loop_task *task)
{
	(void)task;
	sem_post(&begun);
	wait_for(&let_go);
}

/* Nothing else would remind the link of what the socket did not take. */
START_TEST(a_full_socket_is_waited_for)
{
	static struct rank r;

	stage_setup();
	stage_start(true);
	rank_begin(&r, 1, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	for (unsigned times = 1; times <= 5; times++) {
		atomic_store(&stage_full, times);
		rank_add(&r, 1);
		rank_until(&r, rank_is_acknowledged, "acknowledged");
		ck_assert_uint_eq(atomic_load(&stage_full), 0);
	}
	rank_end(&r);
	stage_stop();
}
END_TEST

/* Told one by one while the loop's thread does something else; the first of them once more, late.
 */
START_TEST(many_calls_make_one_frame)
{
	static struct loop_task stuck = {.run = run_stuck};
	static struct rank r;

	stage_setup();
	stage_start(true);
	sem_init(&begun, 0, 0);
	sem_init(&let_go, 0, 0);
	rank_begin(&r, 1, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	loop_post(r.loop, &stuck);
	wait_for(&begun);
	for (int i = 0; i < CLIENT_PIECE; i++)
		rank_add(&r, 1);
	keeper_link_tell(r.link, 1);
	sem_post(&let_go);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.reads, 1);
	rank_end(&r);
	stage_stop();
}
END_TEST

enum { TELLERS = 4, EACH_TELLS = 3000 };

/* Numbers come in any order: each thread tells after it has let the lock go. */
static void *tell(void *arg)
{
	struct rank *r = arg;

	for (int i = 0; i < EACH_TELLS; i++) {
		uint64_t last;

		pthread_mutex_lock(&r->mutex);
		last = ++r->last;
		pthread_mutex_unlock(&r->mutex);
		keeper_link_tell(r->link, last);
		if (last % 512 == 0)
			keeper_link_cover(r->link, last / 2);
		if (i % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static bool all_is_acknowledged(const struct rank *r)
{
	return r->acknowledged == TELLERS * EACH_TELLS;
}

START_TEST(several_threads_tell)
{
	static struct rank r;
	pthread_t tellers[TELLERS];

	stage_setup();
	stage_start(true);
	rank_begin(&r, 1, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	for (int i = 0; i < TELLERS; i++)
		ck_assert_int_eq(pthread_create(&tellers[i], NULL, tell, &r), 0);
	rank_until(&r, all_is_acknowledged, "all acknowledged");
	for (int i = 0; i < TELLERS; i++)
		pthread_join(tellers[i], NULL);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* ---- keepers and incarnations that come and go ---- */

static bool is_refused(const struct rank *r)
{
	return r->refused != 0;
}

static bool is_forgotten(const struct rank *r)
{
	return stage_server->events.v[r->rank].forgotten == r->covered;
}

static bool has_lost(const struct rank *r)
{
	return r->losses > 0;
}

START_TEST(a_keeper_is_started_again)
{
	static struct rank r;

	stage_setup();
	stage_start(true);
	rank_begin(&r, 0, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	for (int i = 1; i <= 5; i++) {
		rank_add(&r, 3000);
		for (int turns = 0; turns < i; turns++)
			stage_turn();
		stage_kill();
		fake_disk_crash(&stage_disk, FAKE_NONE, false);
		rank_add(&r, 100);
		for (int turns = 0; turns < 10 * i; turns++)
			stage_turn();
		stage_start(false);
	}
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 15500);
	ck_assert_uint_eq(r.losses, 0);
	rank_end(&r);
	stage_stop();
}
END_TEST

START_TEST(a_later_incarnation_gets_the_records)
{
	static struct rank one, two, late;

	stage_setup();
	stage_start(true);
	rank_begin(&one, 1, 1, 0);
	rank_until(&one, rank_is_ready, "ready");
	rank_add(&one, 30000);
	rank_until(&one, rank_is_acknowledged, "acknowledged");
	rank_cover(&one, 10000);
	rank_until(&one, is_forgotten, "forgotten");
	rank_add(&one, 1);
	rank_until(&one, rank_is_acknowledged, "acknowledged");
	rank_begin(&two, 1, 2, 10000);
	rank_until(&two, rank_is_ready, "ready");
	ck_assert_uint_eq(two.given, 20001);
	rank_until(&one, is_refused, "refused");
	ck_assert_uint_eq(one.refused, KEEPER_FENCED);
	rank_add(&one, 1);
	/* and makes no connection any more */
	for (int i = 0; i < 50; i++) {
		stage_turn();
		ck_assert_int_eq(rank_descriptor(&one), -1);
		rank_go_on(&one);
	}
	rank_add(&two, 7);
	rank_until(&two, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(two.acknowledged, 30008);
	/* also one that comes only now */
	rank_begin(&late, 1, 1, 10000);
	rank_until(&late, is_refused, "refused");
	ck_assert_uint_eq(late.refused, KEEPER_FENCED);
	ck_assert(!late.ready);
	rank_end(&late);
	rank_end(&two);
	rank_end(&one);
	stage_stop();
}
END_TEST

START_TEST(a_lost_log_is_told_again)
{
	static struct rank r, two;

	stage_setup();
	stage_start(true);
	rank_begin(&r, 0, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	rank_add(&r, 9000);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	rank_cover(&r, 2000);
	stage_kill();
	fake_disk_file(&stage_disk, "f/rank-00000.events")->now[60] ^= 1;
	stage_start(false);
	rank_until(&r, has_lost, "told of the loss");
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.losses, 1);
	rank_begin(&two, 0, 2, 2000);
	rank_until(&two, rank_is_ready, "ready");
	ck_assert_uint_eq(two.given, 7000);
	rank_end(&two);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* ---- the end ---- */

static int open_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The listener's queue is full, so the kernel answers no more. */
START_TEST(freed_while_it_connects)
{
	static struct rank r;
	struct sockaddr_in peer;
	socklen_t len = sizeof peer;
	int full, fillers[4], before, fd = -1;
	uint64_t end = clock_ns() + DEADLINE_NS;

	stage_setup();
	full = stage_listener(0);
	for (int i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		connect(fillers[i], (struct sockaddr *)&stage_at, sizeof stage_at);
	}
	before = open_descriptors();
	rank_begin(&r, 0, 1, 0);
	while ((fd = rank_descriptor(&r)) < 0) {
		ck_assert(clock_ns() < end);
		rank_go_on(&r);
	}
	ck_assert_int_eq(getpeername(fd, (struct sockaddr *)&peer, &len), -1);
	ck_assert_int_eq(errno, ENOTCONN);
	ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	rank_end(&r);
	ck_assert_int_eq(open_descriptors(), before);
	for (int i = 0; i < 4; i++)
		close(fillers[i]);
	close(full);
	stage_stop();
}
END_TEST

/* Before it begins, between any two turns of the keeper while it connects and tells, and in the
 * pause between two attempts. */
START_TEST(freed_at_any_moment)
{
	static struct rank r;
	int before;

	stage_setup();
	stage_start(true);
	before = open_descriptors();
	rank_new(&r, 0, 1, 0);
	rank_end(&r);
	for (uint32_t i = 1; i <= 100; i++) {
		rank_begin(&r, 0, i, 0);
		rank_add(&r, 5000);
		for (uint32_t turns = 0; turns < i % 25; turns++)
			stage_turn();
		if (i % 5 == 0)
			stage_cut(0);
		rank_end(&r);
	}
	stage_kill();
	for (uint32_t i = 0; i < 20; i++) {
		rank_begin(&r, 1, 1, 0);
		for (uint32_t turns = 0; turns < i; turns++)
			stage_turn();
		rank_end(&r);
	}
	stage_start(false);
	for (int i = 0; i < 20; i++)
		stage_turn();
	ck_assert_int_eq(open_descriptors(), before);
	stage_stop();
}
END_TEST

static struct rank image;
static int number; /* of its link's descriptor */

static void forgets(void)
{
	int null = open("/dev/null", O_RDONLY);

	WOKEN_MUST(null == number || (dup2(null, number) == number && close(null) == 0));
	loop_forget(image.loop);
	keeper_link_forget(image.link);
	keeper_link_forget(NULL);
	loop_free(image.loop);
	WOKEN_MUST(fcntl(number, F_GETFD) >= 0);
}

START_TEST(forgotten_by_a_process_that_woke_up)
{
	stage_setup();
	stage_start(true);
	rank_begin(&image, 1, 1, 0);
	rank_until(&image, rank_is_ready, "ready");
	number = rank_descriptor(&image);
	ck_assert_int_ge(number, 0);
	woken(forgets);
	rank_go_on(&image);
	rank_add(&image, 5);
	rank_until(&image, rank_is_acknowledged, "acknowledged");
	rank_end(&image);
	stage_stop();
}
END_TEST

UNIT_MAIN("keeper_link", log_configure(0, "link"); tcase_add_test(tc, what_is_told_is_acknowledged);
	  tcase_add_test(tc, a_rank_tells_before_it_is_ready);
	  tcase_add_test(tc, an_acknowledgement_is_answered);
	  tcase_add_test(tc, a_full_socket_is_waited_for);
	  tcase_add_test(tc, many_calls_make_one_frame); tcase_add_test(tc, several_threads_tell);
	  tcase_add_test(tc, a_keeper_is_started_again);
	  tcase_add_test(tc, a_later_incarnation_gets_the_records);
	  tcase_add_test(tc, a_lost_log_is_told_again); tcase_add_test(tc, freed_while_it_connects);
	  tcase_add_test(tc, freed_at_any_moment);
	  tcase_add_test(tc, forgotten_by_a_process_that_woke_up);)
