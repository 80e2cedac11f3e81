/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All threads stop for an image, or it is told which does not and why, and all go on: image_parking
 * HOW. Prints what was told, and at last "all go on". No image is written: the child ends at once.
 */
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/image.h"
#include "image_file.h"

enum {
	LIMIT_SECONDS = 120,
	SHORT_MS = 300,
	MANY = 1024,
	STACK = 1 << 16,
	CHURNS = 300,
	LONG = 4,
	TRIES = 100
};
enum { SEQUENCES_SIGNATURE = 0x53053053, SEQUENCES_BYTES = 32 };

extern const ptrdiff_t __rseq_offset __attribute__((weak));

static _Atomic int there, over, strange;

void image_file_soil(void)
{
}

static void on_signal(int signal)
{
	(void)signal;
}

static int no_section(struct image_out *out, enum image_section section)
{
	(void)out;
	(void)section;
	return -ECANCELED;
}

/* 0, when there was a child. */
static int take_silently(uint32_t patience_ms)
{
	struct image_out out = {.begin = no_section, .patience_ms = patience_ms};
	pid_t child;
	int rc = image_take(&out, &child);

	if (rc == 0)
		strange += waitpid(child, NULL, __WALL) != child ||
			   image_report()->error != -ECANCELED;
	return rc;
}

/* The same; prints the sentence. */
static int take(uint32_t patience_ms)
{
	int rc = take_silently(patience_ms);

	if (rc)
		printf("%s\n", image_report()->why);
	return rc;
}

static void begin(pthread_t *t, void *(*f)(void *), void *arg)
{
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, STACK);
	if (pthread_create(t, &a, f, arg) != 0)
		exit(3);
	pthread_attr_destroy(&a);
}

static void wait_there(int count)
{
	while (there < count)
		sched_yield();
}

static void *stay(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "stays");
	there++;
	while (!over)
		syscall(SYS_futex, &over, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

static void end_all(void)
{
	over = 1;
	syscall(SYS_futex, &over, FUTEX_WAKE_PRIVATE, MANY, NULL, NULL, 0);
}

/* ---- what is told ---- */

static void *block_all(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return stay(unused);
}

/* Past libc, which leaves two signals out. */
static void *block_more(void *unused)
{
	const uint64_t all = ~UINT64_C(0);

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
	return stay(unused);
}

/* A stack for signals as programs have it by an old constant, too small for what a processor of
 * today writes there. */
static void *small_signal_stack(void *unused)
{
	enum { SMALL = 2048 };
	static char bytes[SMALL];
	const stack_t stack = {.ss_sp = bytes, .ss_size = SMALL};

	if (sigaltstack(&stack, NULL) != 0)
		fputs("no such stack\n", stderr);
	return stay(unused);
}

/* It takes signals as they come: those that stop threads are not among them. */
static void *wait_signals(void *unused)
{
	sigset_t all;
	int signal;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "signals");
	there++;
	while (!over)
		if (sigwait(&all, &signal) == 0 && signal != SIGUSR1)
			strange++;
	return NULL;
}

static void of_thread(void *(*f)(void *), uint32_t patience_ms)
{
	pthread_t a, b;

	begin(&a, f, NULL);
	begin(&b, stay, NULL);
	wait_there(2);
	take(patience_ms);
	end_all();
	pthread_kill(a, SIGUSR1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

/* libc reaches all threads by the signal that stops those, and waits until each has answered. */
static void *change_user(void *unused)
{
	there++;
	while (!over)
		strange += setresuid(getuid(), geteuid(), getuid()) != 0;
	return unused;
}

static void user_changes(void)
{
	pthread_t changes, signals, blocks;

	begin(&signals, wait_signals, NULL);
	begin(&blocks, block_all, NULL);
	wait_there(2);
	take(0);
	begin(&changes, change_user, NULL);
	wait_there(3);
	for (int i = 0; i < CHURNS; i++) {
		strange += take(0) != 0;
		strange += setresuid(getuid(), geteuid(), getuid()) != 0;
	}
	end_all();
	pthread_kill(signals, SIGUSR1);
	pthread_join(changes, NULL);
	pthread_join(signals, NULL);
	pthread_join(blocks, NULL);
}

static void uses(void (*handler)(int))
{
	signal(SIGRTMAX - 1, handler);
	take(0); /* of one thread it can be taken */
	of_thread(stay, 0);
}

/* It uses it only after an image, from which on it is another's. */
static void uses_later(void)
{
	pthread_t t;

	begin(&t, stay, NULL);
	wait_there(1);
	take(0);
	signal(SIGRTMAX - 1, on_signal);
	take(0);
	end_all();
	pthread_join(t, NULL);
}

static int bare(void *unused)
{
	static const char name[] = "bare";

	(void)unused;
	syscall(SYS_prctl, PR_SET_NAME, name);
	there++;
	while (!over)
		sched_yield();
	there--;
	syscall(SYS_exit, 0);
	return 0;
}

static void not_by_pthreads(void)
{
	static char stack[STACK];

	if (clone(bare, stack + STACK,
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) < 0)
		exit(3);
	wait_there(1);
	take(0);
	end_all();
	while (there)
		sched_yield();
}

static void *own_sequences(void *unused)
{
	static _Alignas(SEQUENCES_BYTES) char area[SEQUENCES_BYTES];
	char *glibc = (char *)__builtin_thread_pointer() + __rseq_offset;

	syscall(SYS_rseq, glibc, SEQUENCES_BYTES, 1, SEQUENCES_SIGNATURE);
	if (syscall(SYS_rseq, area, SEQUENCES_BYTES, 0, SEQUENCES_SIGNATURE) != 0)
		printf("rseq: %s\n", strerror(errno));
	return stay(unused);
}

/* It waits for a child that has its memory, and takes no signal. */
static int pipe_to_child[2];

static void *wait_for_child(void *unused)
{
	char c;

	prctl(PR_SET_NAME, "vfork");
	if (vfork() == 0) {
		there++;
		(void)!read(pipe_to_child[0], &c, 1);
		_exit(0);
	}
	return unused;
}

static void does_not_stop(void)
{
	pthread_t a, b;

	if (pipe(pipe_to_child) != 0)
		exit(3);
	begin(&a, wait_for_child, NULL);
	begin(&b, stay, NULL);
	wait_there(2);
	take(SHORT_MS);
	/* the signal is still to come: it finds that nobody waits */
	(void)!write(pipe_to_child[1], "x", 1);
	pthread_join(a, NULL);
	end_all();
	pthread_join(b, NULL);
}

static void many(int count)
{
	pthread_t *t = calloc((size_t)count, sizeof *t);

	for (int i = 0; i < count; i++)
		begin(&t[i], stay, NULL);
	wait_there(count);
	printf("%d\n", take(0));
	end_all();
	for (int i = 0; i < count; i++)
		pthread_join(t[i], NULL);
}

static void *without_first(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	take(0);
	printf("all go on\n");
	exit(strange != 0);
}

static _Noreturn void first_ends(void)
{
	static pthread_t first;
	pthread_t t;

	first = pthread_self();
	begin(&t, without_first, &first);
	pthread_exit(NULL);
}

/* The other one blocks the signals until it has seen that an image is being taken; which of the two
 * is the first is not known. */
static void *take_second(void *arg)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t before;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
	there++;
	while (take_silently(1) != -EBUSY)
		;
	printf("busy\n");
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
	stay(arg);
	return NULL;
}

/* No signal has room in its queue. */
static void no_signals(void)
{
	struct rlimit was, none;

	getrlimit(RLIMIT_SIGPENDING, &was);
	none = (struct rlimit){0, was.rlim_max};
	setrlimit(RLIMIT_SIGPENDING, &none);
	of_thread(stay, 0);
	setrlimit(RLIMIT_SIGPENDING, &was);
}

static int within_linker(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	stay(unused);
	return 1;
}

/* A lock of the dynamic linker is held as long as the other function runs. */
static void *hold_linker(void *unused)
{
	dl_iterate_phdr(within_linker, NULL);
	return unused;
}

/* As it gets there after image_prepare, and before it. */
static void in_linker(void)
{
	char why[1024] = "";
	pthread_t t;

	begin(&t, hold_linker, NULL);
	wait_there(1);
	printf("%d\n", take(0));
	printf("%d %s\n", image_prepare(why, sizeof why), why);
	end_all();
	pthread_join(t, NULL);
}

/* ---- threads that come and go ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long locked, begun, handled;
static pthread_t taker;

/* In the taker, which must not be in it while others are stopped. */
static void lock_in_handler(int signal)
{
	(void)signal;
	pthread_mutex_lock(&lock);
	handled++;
	pthread_mutex_unlock(&lock);
}

static void *short_one(void *arg)
{
	free(malloc((size_t)arg));
	pthread_mutex_lock(&lock);
	locked++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *churn(void *unused)
{
	there++;
	for (long i = 1; !over; i++) {
		pthread_t t;

		begin(&t, short_one, (void *)(i % 5000));
		if (pthread_join(t, NULL) != 0)
			strange++;
		pthread_mutex_lock(&lock);
		pthread_kill(taker, SIGUSR2);
		begun++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/* A thread that begins or ends is in the dynamic linker for a moment, in which no image is taken; a
 * rank tries again after a millisecond. */
static int take_at_last(void)
{
	int rc = -1;

	for (int i = 0; rc && i < TRIES; i++) {
		rc = take_silently(0);
		if (rc && !strstr(image_report()->why, "in the dynamic linker"))
			break;
	}
	if (rc)
		printf("%s\n", image_report()->why);
	return rc;
}

static void churns(void)
{
	pthread_t t[LONG];

	taker = pthread_self();
	signal(SIGUSR2, lock_in_handler);
	for (int i = 0; i < LONG; i++)
		begin(&t[i], churn, NULL);
	wait_there(LONG);
	for (int i = 0; i < CHURNS; i++)
		strange += take_at_last() != 0;
	end_all();
	for (int i = 0; i < LONG; i++)
		pthread_join(t[i], NULL);
	strange += locked != begun || handled == 0;
	printf("%d images\n", CHURNS);
}

static int run(const char *how)
{
	pthread_t t;

	if (strcmp(how, "blocks") == 0) {
		of_thread(block_all, 0);
	} else if (strcmp(how, "waits") == 0) {
		of_thread(wait_signals, 0);
	} else if (strcmp(how, "blocks_more") == 0) {
		of_thread(block_more, SHORT_MS);
	} else if (strcmp(how, "small") == 0) {
		of_thread(small_signal_stack, 0);
	} else if (strcmp(how, "user") == 0) {
		user_changes();
	} else if (strcmp(how, "uses") == 0) {
		uses(on_signal);
	} else if (strcmp(how, "ignores") == 0) {
		uses(SIG_IGN);
	} else if (strcmp(how, "later") == 0) {
		uses_later();
	} else if (strcmp(how, "bare") == 0) {
		not_by_pthreads();
	} else if (strcmp(how, "sequences") == 0) {
		of_thread(own_sequences, 0);
	} else if (strcmp(how, "vfork") == 0) {
		does_not_stop();
	} else if (strcmp(how, "most") == 0) {
		many(MANY - 1);
	} else if (strcmp(how, "more") == 0) {
		many(MANY);
	} else if (strcmp(how, "signals") == 0) {
		no_signals();
	} else if (strcmp(how, "linker") == 0) {
		in_linker();
	} else if (strcmp(how, "ended") == 0) {
		first_ends();
	} else if (strcmp(how, "churn") == 0) {
		churns();
	} else if (strcmp(how, "two") == 0) {
		begin(&t, take_second, NULL);
		wait_there(1);
		while (take_silently(0) != 0)
			;
		end_all();
		pthread_join(t, NULL);
	} else {
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char why[1024];
	int rc;

	alarm(LIMIT_SECONDS);
	signal(SIGUSR1, on_signal);
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = image_prepare(why, sizeof why);
	if (rc)
		printf("%s\n", why);
	else
		rc = argc < 2 ? 2 : run(argv[1]);
	if (rc)
		return rc;
	printf("%s\n", strange ? "strange" : "all go on");
	return strange != 0;
}
