/* SPDX-License-Identifier: BSD-3-Clause */
/* Heartbeats over real sockets: who stops is suspected, who lives or leaves is not. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"
#include "beats.h"
#include "heartbeat/hb.h"

#include "woken.h"

/* Long beside what a loaded machine delays; a suspicion that must not come would be seen before one
 * that must. */
enum { PERIOD = 50, TIMEOUT = 2000 };

static struct beats b;

static void signal_child(pid_t pid, int sig)
{
	int status;

	ck_assert_int_eq(kill(pid, sig), 0);
	if (sig == SIGSTOP || sig == SIGKILL)
		ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
}

START_TEST(a_stopped_process_is_suspected)
{
	pid_t child;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	child = beats_child(&b, 1);
	beats_start(&b, 0);
	beats_said("test: rank 1 beats\n");
	signal_child(child, SIGSTOP);
	beats_said("suspect 1 by 0.");
	beats_said(" ms: suspected\n");
	signal_child(child, SIGCONT);
	beats_said("heard 1 by 0.");
	beats_said("test: rank 1 silent ");
	beats_said(" ms: beats again\n");
	signal_child(child, SIGSTOP);
	beats_said("suspect 1 by 0.");
	signal_child(child, SIGKILL);
	beats_end(&b);
}
END_TEST

START_TEST(a_killed_process_is_suspected)
{
	pid_t child;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	child = beats_child(&b, 1);
	beats_start(&b, 0);
	beats_said("test: rank 1 beats\n");
	signal_child(child, SIGKILL);
	beats_said("suspect 1 by 0.");
	beats_end(&b);
}
END_TEST

/* Rank 1 is stopped until rank 0 suspects it. When it goes on it may not blame rank 0 for that
 * time; but it must, when rank 0 stops later. */
START_TEST(an_observer_that_was_stopped_blames_nobody)
{
	pid_t child;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	child = beats_child(&b, 1);
	beats_start(&b, 0);
	beats_said_both("child: rank 0 beats\n", "test: rank 1 beats\n");
	signal_child(child, SIGSTOP);
	beats_said("suspect 1 by 0.");
	signal_child(child, SIGCONT);
	beats_said("beats again\n");
	beats_stop(&b, 0, false);
	beats_said("suspect 0 by 1.");
	beats_said(" ms: suspected\n");
	ck_assert_msg(!beats_has_said("beats again"), "rank 1 had suspected rank 0 before");
	signal_child(child, SIGKILL);
	beats_end(&b);
}
END_TEST

/* Ranks 1 and 2 are stopped as a job is suspended, and rank 1 goes on first. Nothing has come from
 * rank 2 meanwhile; but rank 1 did not run either. */
START_TEST(nor_one_that_was_stopped_with_it)
{
	pid_t first, second;

	beats_begin(&b, 3, PERIOD, TIMEOUT);
	first = beats_child(&b, 1);
	second = beats_child(&b, 2);
	beats_start(&b, 0);
	for (int i = 0; i < 6; i++)
		beats_said(" beats\n");
	signal_child(first, SIGSTOP);
	signal_child(second, SIGSTOP);
	beats_said_both("suspect 1 by 0.", "suspect 2 by 0.");
	signal_child(first, SIGCONT);
	beats_said_first("test: rank 1 silent ", "suspect 2 by 1.");
	signal_child(second, SIGCONT);
	beats_said_first("test: rank 2 silent ", "suspect 2 by 1.");
	beats_stop(&b, 0, false);
	beats_said_first("suspect 0 by 1.", "suspect 2 by 1.");
	signal_child(first, SIGKILL);
	signal_child(second, SIGKILL);
	beats_end(&b);
}
END_TEST

/* It is missed like a stopped one, and blames nobody for that time. */
START_TEST(one_that_pauses_is_not_there)
{
	pid_t child;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	child = beats_child(&b, 1);
	beats_start(&b, 0);
	beats_said_both("child: rank 0 beats\n", "test: rank 1 beats\n");
	ck_assert_int_eq(hb_pause(b.rank[0], UINT64_MAX), 0);
	beats_said("suspect 0 by 1.");
	ck_assert_int_eq(hb_go_on(b.rank[0]), 0);
	beats_said_first("heard 0 by 1.", "suspect 1 by 0.");
	signal_child(child, SIGSTOP);
	beats_said("suspect 1 by 0.");
	signal_child(child, SIGKILL);
	beats_end(&b);
}
END_TEST

/* Rank 0 believes it where nobody is. */
START_TEST(one_that_has_moved_is_beaten_to_there)
{
	struct hb_address there;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	there = b.addresses[1];
	b.addresses[1] = b.addresses[0];
	beats_start(&b, 0);
	beats_start(&b, 1);
	beats_said("test: rank 1 beats\n");
	ck_assert(!beats_has_said("rank 0 beats\n"));
	hb_moved(b.rank[0], 0, &there);
	hb_moved(b.rank[0], 1, &b.addresses[0]);
	hb_moved(b.rank[0], 1, &there);
	beats_said("test: rank 0 beats\n");
	beats_stop(&b, 0, false);
	beats_stop(&b, 1, false);
	beats_end(&b);
}
END_TEST

/* Of three the first leaves and the second only stops: when the second is missed the first would
 * have been, for longer. */
START_TEST(who_leaves_is_not_suspected)
{
	beats_begin(&b, 3, PERIOD, TIMEOUT);
	for (int i = 0; i < 3; i++)
		beats_start(&b, i);
	for (int i = 0; i < 3; i++)
		for (int peer = 0; peer < 3; peer++)
			if (peer != i)
				beats_said(" beats\n");
	beats_stop(&b, 1, true);
	beats_said("rank 1 leaves, and beats no more\n");
	beats_said("rank 1 leaves, and beats no more\n");
	beats_stop(&b, 2, false);
	beats_said_first("suspect 2 by 0.", "suspect 1 by 0.");
	beats_end(&b);
}
END_TEST

START_TEST(nobody_is_suspected_while_debugging)
{
	beats_begin(&b, 2, PERIOD, TIMEOUT);
	b.c.debug = true;
	beats_start(&b, 0);
	b.c.debug = false;
	beats_start(&b, 1);
	beats_said(" beats\n");
	beats_said(" beats\n");
	beats_stop(&b, 1, false);
	beats_said(" ms: not suspected, as the job is debugged\n");
	ck_assert(!beats_has_said("suspect 1"));
	beats_end(&b);
}
END_TEST

/* A rank that runs its program anew: the socket stays, the connections end, the epoch grows. */
START_TEST(a_rank_may_begin_anew)
{
	int kept;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	kept = dup(b.listener[1]);
	beats_start(&b, 0);
	beats_start(&b, 1);
	beats_said(" beats\n");
	beats_said(" beats\n");
	beats_stop(&b, 1, false);
	b.listener[1] = kept;
	b.c.epoch++;
	beats_start(&b, 1);
	beats_said("turned away somebody: the peer belongs to another epoch\n");
	kept = dup(kept);
	beats_stop(&b, 1, false);
	beats_said("suspect 1 by 0.");
	b.listener[1] = kept;
	b.c.epoch--;
	beats_start(&b, 1);
	beats_said_both(" ms: beats again\n", "test: rank 0 beats\n");
	beats_end(&b);
}
END_TEST

static int entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static bool beats_here(const char *task)
{
	char path[512], name[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
	f = fopen(path, "r");
	if (f && !fgets(name, sizeof name, f))
		name[0] = '\0';
	if (f)
		fclose(f);
	return strcmp(name, "ftmpi-beat\n") == 0;
}

/* A sanitizer may have threads of its own. */
static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))
		n += beats_here(e->d_name);
	closedir(d);
	return n;
}

/* The kernel shows a thread for a moment after it was joined. */
static void await_no_thread(void)
{
	uint64_t deadline = clock_ns() + (uint64_t)UNIT_DEADLINE_S / 4 * 1000000000;

	while (threads() > 0) {
		ck_assert_msg(clock_ns() < deadline, "%d threads are left", threads());
		sched_yield();
	}
}

static void stop_in_any_state(bool leaving)
{
	int fds, stranger;

	beats_begin(&b, 3, PERIOD, TIMEOUT);
	for (int i = 0; i < 3; i++)
		close(dup(b.listener[i]));
	fds = entries("/proc/self/fd") - 2;
	/* rank 2 listens and never answers */
	beats_start(&b, 0);
	beats_start(&b, 1);
	beats_said(" beats\n");
	beats_said(" beats\n");
	stranger = beats_connect(&b, 0);
	ck_assert_int_eq(threads(), 2);
	beats_stop(&b, 0, leaving);
	beats_stop(&b, 1, leaving);
	beats_closed(stranger);
	ck_assert_int_eq(entries("/proc/self/fd"), fds);
	await_no_thread();
	beats_end(&b);
}

START_TEST(nothing_is_left_after_the_end)
{
	stop_in_any_state(true);
	stop_in_any_state(false);
}
END_TEST

static int listener;

static void forgets(void)
{
	struct hb_config c = b.c;
	struct hb *h;
	int null;

	dup2(STDOUT_FILENO, STDERR_FILENO); /* nobody reads what this process says */
	null = open("/dev/null", O_RDONLY);
	/* the launcher gives every process this number */
	WOKEN_MUST(null == listener || (dup2(null, listener) == listener && close(null) == 0));
	hb_forget(b.rank[0]);
	hb_forget(NULL);
	WOKEN_MUST(fcntl(listener, F_GETFD) >= 0);
	c.self = 0;
	c.listen_fd = socket(AF_INET, SOCK_STREAM, 0);
	WOKEN_MUST(listen(c.listen_fd, 1) == 0);
	WOKEN_MUST(hb_start(&h, &c) == 0);
	hb_stop(h, false);
	WOKEN_MUST(fcntl(c.listen_fd, F_GETFD) < 0 && fcntl(listener, F_GETFD) >= 0);
}

START_TEST(a_process_that_woke_up_beats_anew)
{
	uint64_t until = clock_ns() + (uint64_t)UNIT_DEADLINE_S / 4 * 1000000000;

	beats_begin(&b, 3, PERIOD, TIMEOUT);
	listener = b.listener[0];
	beats_start(&b, 0);
	beats_start(&b, 1);
	beats_said(" beats\n");
	beats_said(" beats\n");
	ck_assert_int_eq(hb_pause(b.rank[0], until), 0);
	woken(forgets);
	ck_assert_int_eq(hb_go_on(b.rank[0]), 0);
	beats_end(&b);
}
END_TEST

/* Its thread is ended before it came to its first task, which is still there then. */
START_TEST(one_that_pauses_before_it_has_begun)
{
	uint64_t until = clock_ns() + (uint64_t)UNIT_DEADLINE_S / 4 * 1000000000;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	beats_start(&b, 0);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(hb_pause(b.rank[0], until), 0);
		ck_assert_int_eq(hb_go_on(b.rank[0]), 0);
	}
	beats_start(&b, 1);
	beats_said(" beats\n");
	beats_said(" beats\n");
	beats_end(&b);
}
END_TEST

START_TEST(a_start_that_fails_takes_nothing)
{
	struct rlimit before, none;
	struct hb *h = NULL;
	int fds;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	b.c.self = 0;
	b.c.listen_fd = b.listener[0];
	fds = entries("/proc/self/fd");
	getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){0, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	ck_assert_int_eq(hb_start(&h, &b.c), FT_ENOMEM);
	setrlimit(RLIMIT_NOFILE, &before);
	b.c.period_ms = 0;
	ck_assert_int_eq(hb_start(&h, &b.c), FT_EINVAL);
	ck_assert_ptr_null(h);
	ck_assert_int_eq(entries("/proc/self/fd"), fds);
	b.c.period_ms = PERIOD;
	beats_start(&b, 0);
	beats_end(&b);
}
END_TEST

/* The thread of this process that has this name; 0: none. */
static pid_t thread_called(const char *name)
{
	char path[64], comm[32];
	struct dirent *e;
	DIR *dir = opendir("/proc/self/task");
	pid_t found = 0;

	ck_assert_ptr_nonnull(dir);
	while (!found && (e = readdir(dir))) {
		FILE *in;

		snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", e->d_name);
		in = fopen(path, "r");
		if (in && fgets(comm, sizeof comm, in) && strncmp(comm, name, strlen(name)) == 0)
			found = (pid_t)strtol(e->d_name, NULL, 10);
		if (in)
			fclose(in);
	}
	closedir(dir);
	return found;
}

/* Whether a process like this one may run in real time; what it tries is gone with it. */
static bool real_time_allowed(void)
{
	struct sched_param least = {.sched_priority = sched_get_priority_min(SCHED_RR)};
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(sched_setscheduler(0, SCHED_RR, &least) != 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status == 0;
}

/* It beats by the time that somebody hears it, and has asked before. */
START_TEST(its_thread_has_the_priority_that_is_allowed)
{
	int want = real_time_allowed() ? SCHED_RR | SCHED_RESET_ON_FORK : SCHED_OTHER;
	pid_t thread;

	beats_begin(&b, 2, PERIOD, TIMEOUT);
	beats_child(&b, 1);
	beats_start(&b, 0);
	beats_said("test: rank 1 beats\n");
	thread = thread_called("ftmpi-beat");
	ck_assert_int_gt(thread, 0);
	ck_assert_int_eq(sched_getscheduler(thread), want);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_OTHER);
	beats_end(&b);
}
END_TEST

START_TEST(the_nice_value_that_a_limit_allows)
{
	ck_assert_int_eq(priority_nice(0), 0);
	ck_assert_int_eq(priority_nice(1), 0);
	ck_assert_int_eq(priority_nice(20), 0);
	ck_assert_int_eq(priority_nice(21), -1);
	ck_assert_int_eq(priority_nice(40), -20);
	ck_assert_int_eq(priority_nice(RLIM_INFINITY), -20);
}
END_TEST

UNIT_MAIN("heartbeat", tcase_add_test(tc, a_stopped_process_is_suspected);
	  tcase_add_test(tc, a_killed_process_is_suspected);
	  tcase_add_test(tc, an_observer_that_was_stopped_blames_nobody);
	  tcase_add_test(tc, nor_one_that_was_stopped_with_it);
	  tcase_add_test(tc, one_that_pauses_is_not_there);
	  tcase_add_test(tc, one_that_has_moved_is_beaten_to_there);
	  tcase_add_test(tc, who_leaves_is_not_suspected);
	  tcase_add_test(tc, nobody_is_suspected_while_debugging);
	  tcase_add_test(tc, a_rank_may_begin_anew);
	  tcase_add_test(tc, nothing_is_left_after_the_end);
	  tcase_add_test(tc, a_process_that_woke_up_beats_anew);
	  tcase_add_test(tc, one_that_pauses_before_it_has_begun);
	  tcase_add_test(tc, a_start_that_fails_takes_nothing);
	  tcase_add_test(tc, its_thread_has_the_priority_that_is_allowed);
	  tcase_add_test(tc, the_nice_value_that_a_limit_allows);)
