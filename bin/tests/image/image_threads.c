/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads come back with an image: image_threads FILE SECOND first|other. While each thread waits
 * in a way of its own, and one computes, the first thread of the process, or another one that the
 * first waits for, takes the image FILE. With SECOND being - the process ends there; else it takes
 * that one, too, and goes on. At its end it prints a line for each thing that is not as it was, and
 * one with what was counted. Standard input is a pipe that somebody holds open.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "image_file.h"

enum role { COMPUTES, COUNTS, POSTED, SLEEPS, POLLS, WAITS, READS, LOCKS, JOINS, CANCELLED, ROLES };
enum { STEPS = 3000, AT = 1000, LIMIT_SECONDS = 120, HOUR = 3600, STACK = 1 << 16 };
enum { SEQUENCES_SIGNATURE = 0x53053053, SEQUENCES_BYTES = 32 };

extern const ptrdiff_t __rseq_offset __attribute__((weak));

struct worker {
	pthread_t thread;
	_Atomic int turns;
	volatile sig_atomic_t came, on_stack; /* SIGUSR1 */
	void *robust;
	pthread_mutex_t own; /* robust; of every second thread recursive */
	int sequences;
	char stack[STACK];
};

static struct worker worker[ROLES];
static __thread int in_thread = 3;
static pthread_key_t key;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, never = PTHREAD_MUTEX_INITIALIZER, robust,
		       held;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER, no_change = PTHREAD_COND_INITIALIZER;
static int given, taken; /* under queue */
static sem_t posted;
static _Atomic int over, step, word, cleaned, wrong;
static uint64_t digest = 1;
static long double fraction = 0.1L;

static void *stay(void *unused)
{
	pause();
	return unused;
}

/* With TOO_MANY in the environment it has another thread by then. */
void image_file_soil(void)
{
	pthread_t t;

	memset(worker, 0xff, sizeof worker);
	if (getenv("TOO_MANY"))
		pthread_create(&t, NULL, stay, NULL);
}

static void expect(int role, int holds, const char *what)
{
	if (holds)
		return;
	printf("wrong: %d: %s\n", role, what);
	wrong = 1;
}

static int own_id(void)
{
	return (int)syscall(SYS_gettid);
}

/* What the kernel says to one registration more: that there is one, or why there is none. */
static int sequences(void)
{
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	errno = 0;
	syscall(SYS_rseq, area, SEQUENCES_BYTES, 0, SEQUENCES_SIGNATURE);
	return errno;
}

static void on_signal(int signal)
{
	struct worker *w = pthread_getspecific(key);
	char here, *p = &here;

	(void)signal;
	w->on_stack = p >= w->stack && p < w->stack + STACK;
	w->came = 1;
}

static void make_robust(pthread_mutex_t *m, int recursive)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (recursive)
		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(m, &a);
}

static void begin(enum role role)
{
	struct worker *w = &worker[role];
	stack_t stack = {.ss_sp = w->stack, .ss_size = STACK};
	sigset_t set;
	size_t bytes;
	char name[16];

	in_thread = 1000 + role;
	pthread_setspecific(key, w);
	sigemptyset(&set);
	sigaddset(&set, role % 2 ? SIGUSR2 : SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaltstack(&stack, NULL);
	snprintf(name, sizeof name, "role %d", role);
	prctl(PR_SET_NAME, name);
	syscall(SYS_get_robust_list, 0, &w->robust, &bytes);
	make_robust(&w->own, role % 2);
	pthread_mutex_lock(&w->own);
	w->sequences = sequences();
}

/* A mutex that knows its owner. */
static void check_owner(enum role role)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &a);
	expect(role, pthread_mutex_lock(&m) == 0, "a lock");
	expect(role, pthread_mutex_lock(&m) == EDEADLK, "its owner");
	expect(role, pthread_mutex_unlock(&m) == 0, "its end");
}

static void check(enum role role)
{
	struct worker *w = &worker[role];
	sigset_t set;
	void *list;
	size_t bytes;
	char name[16], is[16];

	expect(role, in_thread == 1000 + (int)role, "its variable");
	expect(role, pthread_getspecific(key) == w, "its key");
	expect(role, pthread_equal(pthread_self(), w->thread), "itself");
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	expect(role, sigismember(&set, SIGUSR2) == (int)role % 2, "SIGUSR2");
	expect(role, sigismember(&set, SIGHUP) == !(role % 2), "SIGHUP");
	expect(role, !sigismember(&set, SIGUSR1) && !sigismember(&set, SIGRTMAX - 1), "others");
	snprintf(name, sizeof name, "role %d", role);
	prctl(PR_GET_NAME, is);
	expect(role, strcmp(is, name) == 0, "its name");
	syscall(SYS_get_robust_list, 0, &list, &bytes);
	expect(role, list == w->robust, "its robust list");
	expect(role, sequences() == w->sequences, "its restartable sequences");
	pthread_kill(pthread_self(), SIGUSR1);
	expect(role, w->came && w->on_stack, "a signal on its stack");
	check_owner(role);
	if (role % 2)
		expect(role, pthread_mutex_lock(&w->own) == 0 && pthread_mutex_unlock(&w->own) == 0,
			"its mutex, once more");
	expect(role, pthread_mutex_unlock(&w->own) == 0, "its mutex");
}

/* ---- what they do ---- */

static void compute(void)
{
	double part[4] = {1, 2, 3, 4};

	for (; step < STEPS || !over; step += step < STEPS) {
		for (int i = 0; i < 1000 && step < STEPS; i++) {
			void *p = malloc(1 + digest % 5000);

			digest = (digest ^ (uint64_t)(i + step)) * 1099511628211u;
			fraction = fraction * 1.0000001L + 1e-9L;
			for (int k = 0; k < 4; k++)
				part[k] = part[k] * 1.0000001 + (double)(digest & 255);
			free(p);
		}
	}
	digest ^= (uint64_t)(part[0] + part[1] + part[2] + part[3]);
}

static void count(struct worker *w)
{
	pthread_mutex_lock(&queue);
	while (taken < given || !over) {
		for (; taken < given; taken++)
			w->turns++;
		pthread_cond_broadcast(&change);
		if (!over)
			pthread_cond_wait(&change, &queue);
	}
	pthread_mutex_unlock(&queue);
}

static void take_posts(struct worker *w)
{
	while (!over) {
		expect(POSTED, sem_wait(&posted) == 0, "sem_wait");
		w->turns++;
	}
}

static void sleep_long(void)
{
	struct timespec hour = {HOUR, 0}, left;

	expect(SLEEPS, nanosleep(&hour, &left) != 0 && over, "it ends by a signal alone");
	expect(SLEEPS, errno == EINTR && left.tv_sec > HOUR - LIMIT_SECONDS, "what is left");
}

static void poll_long(void)
{
	expect(POLLS, poll(NULL, 0, HOUR * 1000) != 0 && errno == EINTR && over,
		"poll ends by a signal alone");
}

static void wait_word(struct worker *w)
{
	expect(WAITS, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0,
		"futex");
	w->turns++;
}

static void read_one(struct worker *w)
{
	char c = 0;

	expect(READS, read(STDIN_FILENO, &c, 1) == 1 && c == 'x', "read");
	w->turns++;
}

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
	pthread_mutex_unlock(&never);
}

static void wait_for_ever(void)
{
	pthread_mutex_lock(&never);
	pthread_cleanup_push(clean, NULL);
	for (;;)
		pthread_cond_wait(&no_change, &never);
	pthread_cleanup_pop(0);
}

static void *work(void *arg)
{
	enum role role = (enum role)(uintptr_t)arg;
	struct worker *w = &worker[role];

	begin(role);
	switch (role) {
	case COMPUTES:
		compute();
		break;
	case COUNTS:
		count(w);
		break;
	case POSTED:
		take_posts(w);
		break;
	case SLEEPS:
		sleep_long();
		break;
	case POLLS:
		poll_long();
		break;
	case WAITS:
		wait_word(w);
		break;
	case READS:
		read_one(w);
		break;
	case LOCKS:
		expect(LOCKS, pthread_mutex_lock(&held) == 0, "a mutex of another thread");
		pthread_mutex_unlock(&held);
		/* and the owner of this one dies */
		pthread_mutex_lock(&robust);
		break;
	case JOINS:
		expect(JOINS, pthread_join(worker[COMPUTES].thread, NULL) == 0, "pthread_join");
		break;
	default:
		wait_for_ever();
	}
	check(role);
	return w;
}

/* ---- who has them do it ---- */

static void a_moment(void)
{
	const struct timespec ms = {0, 1000000};

	nanosleep(&ms, NULL);
}

/* How many threads of these names wait, as /proc/self/task/ID/stat has it: "ID (NAME) S ...". Ids
 * are others in a process that woke up. */
static int waiting(void)
{
	DIR *all = opendir("/proc/self/task");
	int found = 0, role;

	for (struct dirent *e; (e = readdir(all));) {
		char path[300], text[512], state;
		ssize_t n;
		int fd;

		snprintf(path, sizeof path, "/proc/self/task/%s/stat", e->d_name);
		fd = open(path, O_RDONLY);
		n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		if (fd >= 0)
			close(fd);
		text[n > 0 ? n : 0] = '\0';
		found += sscanf(text, "%*d (role %d) %c", &role, &state) == 2 && role != COMPUTES &&
			 state == 'S';
	}
	closedir(all);
	return found;
}

/* All wait, and one computes; alarm(2) ends it. */
static void wait_settled(int images)
{
	while (step < AT * (images + 1) || waiting() < ROLES - 1)
		a_moment();
}

static void begin_all(void)
{
	struct sigaction usr1 = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	pthread_key_create(&key, NULL);
	sem_init(&posted, 0, 0);
	make_robust(&robust, 0);
	make_robust(&held, 1);
	sigaction(SIGUSR1, &usr1, NULL);
	pthread_mutex_lock(&held);
	for (uintptr_t i = 0; i < ROLES; i++)
		expect((int)i, pthread_create(&worker[i].thread, NULL, work, (void *)i) == 0,
			"begin");
}

static void *nothing(void *arg)
{
	return arg;
}

static void use_queue(void)
{
	pthread_mutex_lock(&queue);
	for (given++; taken < given;) {
		pthread_cond_broadcast(&change);
		pthread_cond_wait(&change, &queue);
	}
	pthread_mutex_unlock(&queue);
}

static void end_all(void)
{
	struct timespec t;
	clockid_t clock;
	int fd;

	over = 1;
	pthread_mutex_lock(&queue);
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&queue);
	sem_post(&posted);
	expect(COMPUTES,
		pthread_getcpuclockid(worker[CANCELLED].thread, &clock) == 0 &&
			clock_gettime(clock, &t) == 0,
		"the clock of a thread");
	/* until it is in the call, and not on its way there */
	while (!worker[WAITS].turns) {
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		a_moment();
	}
	fd = open("/proc/self/fd/0", O_WRONLY);
	expect(READS, fd >= 0 && write(fd, "x", 1) == 1, "write");
	close(fd);
	expect(LOCKS, pthread_mutex_unlock(&held) == 0, "the taker's mutex");
	while (!worker[SLEEPS].came || !worker[POLLS].came) {
		pthread_kill(worker[SLEEPS].thread, SIGUSR1);
		pthread_kill(worker[POLLS].thread, SIGUSR1);
		a_moment();
	}
	expect(CANCELLED, pthread_cancel(worker[CANCELLED].thread) == 0, "pthread_cancel");
}

static void join_all(void)
{
	pthread_t another;
	void *result;

	for (int i = 0; i < ROLES; i++) {
		if (i == COMPUTES)
			continue; /* another one joins it */
		expect(i, pthread_join(worker[i].thread, &result) == 0, "pthread_join");
		expect(i, result == (i == CANCELLED ? PTHREAD_CANCELED : &worker[i]), "its result");
	}
	expect(CANCELLED, cleaned == 1, "what it had to do at last");
	expect(CANCELLED, pthread_mutex_lock(&worker[CANCELLED].own) == EOWNERDEAD, "its mutex");
	expect(LOCKS, pthread_mutex_lock(&robust) == EOWNERDEAD, "a lock of the dead");
	expect(ROLES, pthread_create(&another, NULL, nothing, &key) == 0, "one more");
	expect(ROLES, pthread_join(another, &result) == 0 && result == &key, "its end");
}

/* True: it woke up. All others are there by then, with their new ids. */
static bool take(const char *path)
{
	if (!image_file_take(path))
		return false;
	for (int i = 0; i < ROLES; i++)
		expect(i, pthread_kill(worker[i].thread, 0) == 0, "it is there");
	return true;
}

static void *take_images(void *arg)
{
	char **argv = arg;
	bool twice = strcmp(argv[2], "-") != 0;

	begin_all();
	wait_settled(0);
	use_queue();
	sem_post(&posted);
	while (worker[POSTED].turns < 1)
		a_moment();
	if (!take(argv[1]) && !twice)
		exit(0);
	if (twice) {
		use_queue();
		wait_settled(1);
		take(argv[2]);
	}
	use_queue();
	end_all();
	join_all();
	printf("%jx %.17Lg queue %d sem %d futex %d read %d\n", (uintmax_t)digest, fraction,
		worker[COUNTS].turns, worker[POSTED].turns, worker[WAITS].turns,
		worker[READS].turns);
	return &worker[0];
}

/* The first thread waits for the one that takes images. */
static void wait_for_other(char **argv)
{
	pthread_t other;
	sigset_t usr2, is;
	void *result = NULL;

	in_thread = 77;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	expect(ROLES, pthread_create(&other, NULL, take_images, argv) == 0, "begin");
	pthread_sigmask(SIG_BLOCK, &usr2, NULL);
	expect(ROLES, pthread_join(other, &result) == 0 && result == &worker[0], "the first waits");
	pthread_sigmask(SIG_SETMASK, NULL, &is);
	expect(ROLES, in_thread == 77, "the first's variable");
	expect(ROLES, sigismember(&is, SIGUSR2) && !sigismember(&is, SIGHUP), "the first's mask");
	check_owner(ROLES);
	expect(ROLES, own_id() == getpid(), "the first is the first");
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	alarm(LIMIT_SECONDS);
	if (strcmp(argv[3], "other") == 0)
		wait_for_other(argv);
	else
		take_images(argv);
	return wrong;
}
