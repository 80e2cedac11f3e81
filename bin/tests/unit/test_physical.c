/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that woke up forgets of the one that it was, and what it learns instead; and its
 * clock. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/descriptors.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/loop.h"
#include "ckpt/capture.h"
#include "ckpt/ckpt.h"
#include "ckpt/writer.h"
#include "launch/control.h"
#include "launch/control_commands.h"
#include "mpi.h"
#include "mpi/handle/process.h"
#include "mpi/init/beating.h"
#include "mpi/init/physical.h"
#include "mpi/recovery/ckpt_job.h"
#include "woken.h"

enum { EPOCH = 5, MB = 1 << 20, FEW = 64 };

#define NS 1000000000ull

/* ---- between the library and libc ---- */

/* A monotonic clock of another boot. */
static int64_t other_boot;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = __real_clock_gettime(clock, t);

	if (clock == CLOCK_MONOTONIC)
		t->tv_sec += other_boot;
	return rc;
}

/* Which lock a call of the library has taken; Check takes locks, too. */
static _Thread_local pthread_mutex_t *taken;

int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	taken = m;
	return __real_pthread_mutex_lock(m);
}

/* How often a thread of the library has gone to sleep for a while; here only another thread wakes
 * it. */
static atomic_int slept;

int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
	const struct timespec *until);

int __wrap_pthread_cond_clockwait(
	pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	(void)clock;
	if (until->tv_sec == 0)
		return ETIMEDOUT;
	atomic_fetch_add(&slept, 1);
	return pthread_cond_wait(cond, mutex);
}

static bool elsewhere;

ssize_t __real_readlink(const char *path, char *out, size_t size);
ssize_t __wrap_readlink(const char *path, char *out, size_t size);

ssize_t __wrap_readlink(const char *path, char *out, size_t size)
{
	static const char file[] = "/elsewhere/program";

	if (!elsewhere)
		return __real_readlink(path, out, size);
	memcpy(out, file, sizeof file - 1);
	return sizeof file - 1;
}

/* ---- an agent ---- */

static int agent; /* its end of the control socket */

static void put_frame(uint16_t type, const void *body, size_t len)
{
	uint8_t head[8];
	struct writer w = writer_over(head, sizeof head);

	writer_u32(&w, (uint32_t)len);
	writer_u16(&w, type);
	writer_u16(&w, CONTROL_VERSION);
	WOKEN_MUST(write(agent, head, sizeof head) == sizeof head);
	WOKEN_MUST(write(agent, body, len) == (ssize_t)len);
}

static const char *session_name = "session";

/* Rank 1 of 2. */
static void put_start(uint32_t epoch, const char *host)
{
	uint8_t body[1024], session[16] = {(uint8_t)session_name[0]}, secret[32] = {2};
	struct writer w = writer_over(body, sizeof body);

	writer_bytes(&w, session, sizeof session);
	writer_u32(&w, epoch);
	writer_u32(&w, 1);
	writer_u32(&w, 2);
	writer_bytes(&w, secret, sizeof secret);
	for (int i = 0; i < 3; i++)
		writer_u32(&w, 0);
	writer_string(&w, "/tmp");
	writer_string(&w, session_name);
	writer_u32(&w, 0);
	for (int i = 0; i < 2; i++) {
		writer_string(&w, host);
		writer_string(&w, "127.0.0.1");
		writer_u16(&w, 1000);
		writer_u16(&w, 0);
		writer_u32(&w, 0);
		writer_u32(&w, 1);
	}
	WOKEN_MUST(!w.bad);
	put_frame(CONTROL_START, body, (size_t)(w.at - body));
}

static void name_fd(const char *name, int fd)
{
	char number[16];

	snprintf(number, sizeof number, "%d", fd);
	setenv(name, number, 1);
}

/* Started by an agent, which says START. */
static void learn(uint32_t epoch, const char *host)
{
	int control[2];

	WOKEN_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, control) == 0);
	agent = control[0];
	name_fd("FTMPI_CONTROL_FD", control[1]);
	name_fd("FTMPI_LISTEN_FD", socket(AF_UNIX, SOCK_STREAM, 0));
	name_fd("FTMPI_BEAT_FD", socket(AF_UNIX, SOCK_STREAM, 0));
	put_start(epoch, host);
	physical_learn(NULL, NULL);
}

/* The next frame to the agent is of this type; what its body begins with. */
static struct cursor hear(uint16_t type)
{
	static uint8_t got[2048];
	struct pollfd p = {.fd = agent, .events = POLLIN};
	struct cursor c = cursor_over(got, 8);
	uint32_t len;

	WOKEN_MUST(poll(&p, 1, WOKEN_DEADLINE_S * 1000) == 1);
	WOKEN_MUST(recv(agent, got, 8, MSG_WAITALL) == 8);
	len = cursor_u32(&c);
	WOKEN_MUST(len <= sizeof got && cursor_u16(&c) == type);
	WOKEN_MUST(recv(agent, got, len, MSG_WAITALL) == (ssize_t)len);
	return cursor_over(got, len);
}

/* ---- commands ---- */

static struct loop *loop;
static sem_t observed;

static void on_observe(void)
{
	sem_post(&observed);
}

static void no_command(void)
{
	abort();
}

static void watch(uint32_t epoch)
{
	static const struct control_handlers commands = {
		.restart = no_command, .observe = on_observe, .dump = no_command};

	loop = loop_new("test");
	WOKEN_MUST(loop && control_commands_watch(
				   loop, physical_launch()->control_fd, epoch, &commands) == 0);
	WOKEN_MUST(loop_start(loop) == 0);
}

static void wait_for(sem_t *s)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WOKEN_DEADLINE_S;
	WOKEN_MUST(sem_timedwait(s, &until) == 0);
}

static void read_half_a_command(void)
{
	uint64_t until = clock_ns() + WOKEN_DEADLINE_S * NS;
	int left = 5;

	ck_assert_int_eq(write(agent, "\4\0\0\0\3", 5), 5);
	while (left > 0) {
		ck_assert_int_eq(ioctl(physical_launch()->control_fd, FIONREAD, &left), 0);
		ck_assert_uint_lt(clock_ns(), until);
		sched_yield();
	}
	ck_assert_int_eq(loop_pause(loop, until), 0);
}

static void obey(uint32_t epoch)
{
	uint8_t body[4];
	struct writer w = writer_over(body, sizeof body);

	writer_u32(&w, epoch);
	put_frame(CONTROL_OBSERVE, body, sizeof body);
	wait_for(&observed);
}

/* ---- the writer ---- */

static sem_t running, never;
static atomic_int ran;

static void run_for_ever(struct ckpt_task *t)
{
	(void)t;
	sem_post(&running);
	sem_wait(&never);
}

static void run(struct ckpt_task *t)
{
	(void)t;
	atomic_fetch_add(&ran, 1);
}

static void *wait_for_writer(void *arg)
{
	sem_post(&running);
	ckpt_writer_wait(UINT64_MAX);
	return arg;
}

/* A task that runs, one that waits, somebody who waits for both. */
static void occupy_writer(void)
{
	static struct ckpt_task first = {.run = run_for_ever}, second = {.run = run};
	pthread_t waiter;

	ck_assert_int_eq(ckpt_writer_post(&first), 0);
	ck_assert_int_eq(ckpt_writer_post(&second), 0);
	ck_assert_int_eq(pthread_create(&waiter, NULL, wait_for_writer, NULL), 0);
	wait_for(&running);
	wait_for(&running);
}

/* When it has nothing to do it waits for more. */
static void write_something(void)
{
	static struct ckpt_task task = {.run = run};
	int before = atomic_load(&ran), sleeping = atomic_load(&slept);

	WOKEN_MUST(ckpt_writer_post(&task) == 0);
	while (atomic_load(&slept) == sleeping)
		sched_yield();
	WOKEN_MUST(atomic_load(&ran) == before + 1);
}

static void end_writer(void)
{
	WOKEN_MUST(ckpt_writer_wait(UINT64_MAX) == 0);
}

/* ---- captures ---- */

static long mapped_mb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	WOKEN_MUST(f && fscanf(f, "%ld", &pages) == 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE) / MB;
}

static void keep_a_capture(void)
{
	struct ckpt_capture *c = ckpt_capture_new();

	WOKEN_MUST(c && ckpt_capture_room(c, CKPT_VARIABLE, 1, 1, 64 * MB));
	ckpt_capture_done(c);
}

/* ---- names ---- */

/* The process is that rank on that host, and says so. */
static void is_on(const char *host)
{
	char said[256] = "", wanted[64];
	int line[2], was = dup(STDERR_FILENO);

	WOKEN_MUST(pipe(line) == 0 && dup2(line[1], STDERR_FILENO) >= 0);
	log_error("hello");
	dup2(was, STDERR_FILENO);
	WOKEN_MUST(read(line[0], said, sizeof said - 1) > 0);
	snprintf(wanted, sizeof wanted, "rank 1 on %s: hello\n", host);
	WOKEN_MUST(strcmp(said, wanted) == 0);
	WOKEN_MUST(strcmp(process_host(), host) == 0 && process_rank() == 1);
}

static void limit_descriptors(rlim_t most)
{
	struct rlimit r;

	WOKEN_MUST(getrlimit(RLIMIT_NOFILE, &r) == 0);
	r.rlim_cur = most;
	WOKEN_MUST(setrlimit(RLIMIT_NOFILE, &r) == 0);
}

/* ---- tests ---- */

static void setup(void)
{
	sem_init(&observed, 0, 0);
	sem_init(&running, 0, 0);
	sem_init(&never, 0, 0);
	setenv("FTMPI_FAULT", "epoch:*:6:*:EIO,passes:*:*:2:ENOSPC", 1);
	learn(EPOCH, "old");
	hear(CONTROL_RUNS);
	hear(CONTROL_PROGRAM);
}

static void wake_and_forget(void)
{
	const struct launch *l = physical_launch();

	elsewhere = true;
	physical_forget();
	WOKEN_MUST(l->control_fd == -1 && l->listen_fd == -1 && l->beat_fd == -1);
	WOKEN_MUST(l->size == 0 && !l->addresses && !l->hosts && l->secret[0] == 0);
}

static void learns_anew(void)
{
	const struct launch *l = physical_launch();
	char path[64] = "";
	struct cursor c;

	wake_and_forget();
	learn(EPOCH + 1, "new");
	WOKEN_MUST(l->epoch == EPOCH + 1 && l->rank == 1 && l->size == 2 && l->control_fd > 2);
	is_on("new");
	WOKEN_MUST(fault_error("epoch") == EIO);
	WOKEN_MUST(fault_error("passes") == ENOSPC);
	c = hear(CONTROL_RUNS);
	cursor_bytes(&c, path, CONTROL_HASH_BYTES);
	cursor_string(&c, path, sizeof path);
	WOKEN_MUST(strcmp(path, "/elsewhere/program") == 0);
}

START_TEST(what_is_learnt_anew)
{
	is_on("old");
	ck_assert_int_eq(fault_error("epoch"), 0);
	ck_assert_int_eq(fault_error("passes"), 0);
	woken(learns_anew);
}
END_TEST

static void obeys_another_agent(void)
{
	wake_and_forget();
	learn(EPOCH + 1, "new");
	hear(CONTROL_RUNS);
	hear(CONTROL_PROGRAM);
	watch(EPOCH + 1);
	obey(EPOCH + 1);
	control_line(physical_launch()->control_fd, 17);
	WOKEN_MUST(hear(CONTROL_LINE).at[0] == 17);
}

/* At the image half of a command had come, and a restart was being answered. */
START_TEST(the_agent_is_another)
{
	watch(EPOCH);
	read_half_a_command();
	control_restarting(physical_launch()->control_fd, EPOCH + 1);
	woken(obeys_another_agent);
}
END_TEST

static void writes(void)
{
	wake_and_forget();
	for (int round = 0; round < 4; round++) {
		write_something();
		write_something();
		write_something();
		end_writer();
	}
}

START_TEST(the_writer_has_nothing_to_do)
{
	occupy_writer();
	woken(writes);
}
END_TEST

START_TEST(the_writer_begins_anew)
{
	write_something();
	woken(writes);
	end_writer();
}
END_TEST

static long mapped_before;

static void captures(void)
{
	wake_and_forget();
	WOKEN_MUST(mapped_mb() - mapped_before < 32);
	keep_a_capture();
	ckpt_capture_clear();
}

START_TEST(no_capture_is_kept)
{
	mapped_before = mapped_mb();
	keep_a_capture();
	ck_assert_int_ge(mapped_mb() - mapped_before, 64);
	woken(captures);
}
END_TEST

static void all_locks_are_free(void)
{
	uint8_t hash[CKPT_PROGRAM_BYTES];
	char name[CKPT_NAME_BYTES], err[256];

	wake_and_forget();
	physical_leave();
	write_something();
	end_writer();
	keep_a_capture();
	descriptors_lock();
	descriptors_unlock();
	control_heard(-1, 0);
	WOKEN_MUST(ckpt_program(hash, name, sizeof name, err, sizeof err) == 0);
}

/* As if other threads, which are not in the image, held all of them. */
START_TEST(no_lock_is_held)
{
	uint8_t hash[CKPT_PROGRAM_BYTES];
	char name[CKPT_NAME_BYTES], err[256];
	pthread_mutex_t *held[5] = {NULL};

	ckpt_writer_wait(0);
	held[0] = taken;
	ckpt_capture_clear();
	held[1] = taken;
	control_heard(-1, 0);
	held[2] = taken;
	if (ckpt_program(hash, name, sizeof name, err, sizeof err) == 0)
		held[3] = taken;
	physical_leave();
	held[4] = taken;
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		ck_assert(held[i] && pthread_mutex_lock(held[i]) == 0);
	descriptors_lock();
	woken(all_locks_are_free);
}
END_TEST

static void other_limit(void)
{
	limit_descriptors(FEW + 1);
	wake_and_forget();
	WOKEN_MUST(strstr(descriptors_text(), " 65;"));
}

START_TEST(the_limit_of_descriptors_is_another)
{
	limit_descriptors(FEW);
	ck_assert_ptr_nonnull(strstr(descriptors_text(), " 64;"));
	woken(other_limit);
}
END_TEST

static struct beating beating = BEATING_NONE;

static void beats_of_nobody(void)
{
	beating_forget(&beating);
	WOKEN_MUST(!beating.hb && !beating.observing);
	beating_observe(&beating);
	WOKEN_MUST(beating.observing);
}

START_TEST(nobody_is_to_be_observed)
{
	beating_observe(&beating);
	pthread_mutex_lock(&beating.lock);
	woken(beats_of_nobody);
}
END_TEST

static void is_in_session(const char *name, uint32_t epoch)
{
	struct ckpt_job *j = ckpt_job();
	uint64_t now = clock_ns();
	char dir[64];

	snprintf(dir, sizeof dir, "/tmp/%s", name);
	WOKEN_MUST(strcmp(j->dir, dir) == 0 && j->id.epoch == epoch);
	WOKEN_MUST(memcmp(j->id.session, physical_launch()->session, 16) == 0);
	WOKEN_MUST(j->since <= now && now - j->since < WOKEN_DEADLINE_S * NS);
}

static void is_of_another_session(void)
{
	wake_and_forget();
	session_name = "later";
	learn(EPOCH + 1, "new");
	other_boot = -1000000;
	ckpt_job_renew();
	is_in_session("later", EPOCH + 1);
}

/* A line that another job goes on from is in that one's session. */
START_TEST(lines_are_of_another_session)
{
	ckpt_job()->launch = physical_launch();
	ckpt_job_renew();
	ck_assert_str_eq(ckpt_job()->dir, "");
	ckpt_job_name();
	ckpt_job_renew();
	is_in_session("session", EPOCH);
	woken(is_of_another_session);
}
END_TEST

/* ---- the clock ---- */

static double last;

/* Seconds since it was looked at last; it is a long time before this test ends. */
static double passed(void)
{
	double now = PMPI_Wtime(), since = now - last;

	last = now;
	return since;
}

static void time_goes_on(void)
{
	static const int64_t boots[] = {-1000000, 1000000, 0, -5};

	for (size_t i = 0; i < sizeof boots / sizeof *boots; i++) {
		double since;

		other_boot = boots[i];
		physical_forget();
		since = passed();
		WOKEN_MUST(since >= 0 && since < WOKEN_DEADLINE_S);
		since = passed();
		WOKEN_MUST(since >= 0 && since < WOKEN_DEADLINE_S);
		physical_note();
	}
}

/* On other hosts, one after the other, which were switched on later or earlier. */
START_TEST(time_never_goes_back)
{
	last = PMPI_Wtime();
	ck_assert(passed() >= 0);
	physical_note();
	woken(time_goes_on);
	ck_assert(passed() >= 0);
}
END_TEST

/* The clock is the system's until then. */
START_TEST(time_is_the_systems)
{
	double before = (double)clock_ns() * 1e-9, now = PMPI_Wtime(),
	       after = (double)clock_ns() * 1e-9;

	ck_assert(before <= now && now <= after);
}
END_TEST

UNIT_MAIN("physical", tcase_add_checked_fixture(tc, setup, NULL);
	  tcase_add_test(tc, what_is_learnt_anew); tcase_add_test(tc, the_agent_is_another);
	  tcase_add_test(tc, the_writer_has_nothing_to_do);
	  tcase_add_test(tc, the_writer_begins_anew); tcase_add_test(tc, no_capture_is_kept);
	  tcase_add_test(tc, no_lock_is_held);
	  tcase_add_test(tc, the_limit_of_descriptors_is_another);
	  tcase_add_test(tc, nobody_is_to_be_observed);
	  tcase_add_test(tc, lines_are_of_another_session);
	  tcase_add_test(tc, time_never_goes_back); tcase_add_test(tc, time_is_the_systems);)
