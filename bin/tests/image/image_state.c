/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel knows of a process comes back with its image: image_state FILE FOLDER [cut].
 * Prints a line for each thing that is not as it was, and at last "right" or "wrong". cut: the end
 * of its heap is unmapped.
 */
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "image_file.h"

enum { LOW = 50 };

static volatile sig_atomic_t came, on_alternate, alarms, real_alarms, ends;
static char alternate[1 << 16];
static char *page[3]; /* of the heap */
static int wrong;
static rlim_t longest; /* file */
static int traps;      /* of floating-point exceptions */

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	printf("wrong: %s\n", what);
	wrong = 1;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	char here;

	(void)context;
	came = signal + (info->si_pid == getpid() ? 100 : 0);
	on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
}

static void on_alarm(int signal)
{
	alarms += signal == SIGVTALRM;
	real_alarms += signal == SIGALRM;
	ends += signal == SIGPROF;
}

static int is_pending(int signal)
{
	sigset_t is;

	return sigpending(&is) == 0 && sigismember(&is, signal);
}

static void set_blocked(int how, int signal)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signal);
	sigprocmask(how, &one, NULL);
}

/* Both wait to be taken when there is the image: one that goes off once, and one that would begin
 * again. */
static void let_timers_wait(void)
{
	struct itimerval once = {{0, 0}, {0, 1000}}, often = {{0, 1000}, {0, 1000}};

	signal(SIGALRM, on_alarm);
	signal(SIGPROF, on_alarm);
	set_blocked(SIG_BLOCK, SIGALRM);
	set_blocked(SIG_BLOCK, SIGPROF);
	setitimer(ITIMER_PROF, &once, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (clock_t until = clock() + 10 * CLOCKS_PER_SEC; clock() < until;)
		if (is_pending(SIGALRM) && is_pending(SIGPROF))
			return;
	expect(0, "timers");
}

static void check_waiting_timers(void)
{
	set_blocked(SIG_UNBLOCK, SIGALRM);
	set_blocked(SIG_UNBLOCK, SIGPROF);
	for (clock_t until = clock() + 10 * CLOCKS_PER_SEC; clock() < until;)
		if (real_alarms >= 3 && ends >= 1)
			break;
	expect(real_alarms >= 3, "a timer whose signal was pending");
	expect(ends == 1, "the signal of one that was over");
}

static void limit(int what, rlim_t soft)
{
	struct rlimit is;

	getrlimit(what, &is);
	is.rlim_cur = soft < is.rlim_max ? soft : is.rlim_max;
	setrlimit(what, &is);
}

static rlim_t limit_of(int what)
{
	struct rlimit is = {0};

	getrlimit(what, &is);
	return is.rlim_cur;
}

/* The kernel has a mapping for each protection. */
static void split_heap(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	page[0] = aligned_alloc(bytes, 3 * bytes);
	expect(page[0] && page[0] < (char *)sbrk(0), "the heap is where it is looked for");
	for (int i = 0; i < 3; i++) {
		page[i] = page[0] + (size_t)i * bytes;
		memset(page[i], 'a' + i, bytes);
	}
	expect(mprotect(page[1], bytes, PROT_READ) == 0, "mprotect");
	expect(mprotect(page[2], bytes, PROT_NONE) == 0, "mprotect");
}

static void cut_heap(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *end = (char *)sbrk((intptr_t)(2 * bytes)) + 2 * bytes;

	end += -(uintptr_t)end % bytes; /* with the page of the break */
	expect(munmap(end - bytes, bytes) == 0, "munmap");
}

static int can_be_written(char *there)
{
	int zeros = open("/dev/zero", O_RDONLY);
	ssize_t n = read(zeros, there, 1);

	close(zeros);
	return n == 1;
}

static void check_heap(void)
{
	expect(page[0][0] == 'a' && page[1][0] == 'b', "what the heap holds");
	expect(can_be_written(page[0]), "the heap can be written");
	expect(!can_be_written(page[1]) && !can_be_written(page[2]), "not all of it");
	mprotect(page[2], (size_t)sysconf(_SC_PAGESIZE), PROT_READ);
	expect(page[2][0] == 'c', "what could not be read");
}

/* One by arithmetic, one as a library raises it: on x86-64 there is a unit for each. */
static void set_arithmetic(void)
{
	volatile double zero = 0, one = 1;

	feclearexcept(FE_ALL_EXCEPT);
	one /= zero;
	feraiseexcept(FE_OVERFLOW);
	expect(fesetround(FE_UPWARD) == 0, "fesetround");
	/* not every processor has traps */
	feenableexcept(FE_INVALID);
	traps = fegetexcept();
}

static void check_arithmetic(void)
{
	volatile double third = 1, three = 3;
	volatile long double longer = 1, three_longer = 3;
	int flags = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID);

	third /= three;
	longer /= three_longer;
	expect(flags == (FE_DIVBYZERO | FE_OVERFLOW), "flags of floating-point exceptions");
	expect(fegetround() == FE_UPWARD, "the direction of rounding");
	expect(third * 3 > 1 && longer * 3 > 1, "... is used");
}

static void set_all(const char *folder)
{
	struct sigaction with_all = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	struct itimerval every = {{0, 10000}, {0, 10000}};
	sigset_t two;

	longest = limit_of(RLIMIT_FSIZE);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &with_all, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_DFL); /* what a shell starts in the background ignores it */
	signal(SIGVTALRM, on_alarm);
	sigemptyset(&two);
	sigaddset(&two, SIGUSR2);
	sigaddset(&two, SIGRTMAX);
	sigprocmask(SIG_BLOCK, &two, NULL);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	umask(067);
	limit(RLIMIT_NOFILE, LOW);
	limit(RLIMIT_CORE, 0);
	expect(chdir(folder) == 0, "chdir");
}

/* The process that loads the image is otherwise. */
void image_file_soil(void)
{
	signal(SIGUSR1, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	umask(0);
	limit(RLIMIT_FSIZE, 1 << 20);
	limit(RLIMIT_CORE, 4096);
	expect(chdir("/") == 0, "chdir");
}

static int disposition(int signal, void (*handler)(int))
{
	struct sigaction is;

	return sigaction(signal, NULL, &is) == 0 && is.sa_handler == handler;
}

/* Before main a process has nothing at 16 GiB: a load is there. */
static int has_arena(void)
{
	return msync((void *)(16ull << 30), 1, MS_ASYNC) == 0;
}

static void check_all(const char *folder)
{
	char here[4096];
	sigset_t is;

	alarms = 0;
	raise(SIGUSR1);
	expect(came == SIGUSR1 + 100, "the handler of SIGUSR1");
	expect(on_alternate, "its stack");
	expect(disposition(SIGHUP, SIG_IGN), "SIGHUP is ignored");
	expect(disposition(SIGINT, SIG_DFL), "SIGINT is not");
	sigprocmask(SIG_SETMASK, NULL, &is);
	expect(sigismember(&is, SIGUSR2) && sigismember(&is, SIGRTMAX), "blocked signals");
	expect(!sigismember(&is, SIGUSR1) && !sigismember(&is, SIGTERM), "no others are");
	expect(umask(0) == 067, "the umask");
	expect(limit_of(RLIMIT_NOFILE) == LOW, "the limit of descriptors");
	expect(limit_of(RLIMIT_CORE) == 0, "that of a core file");
	expect(limit_of(RLIMIT_FSIZE) == longest, "that of a file");
	expect(getcwd(here, sizeof here) && strcmp(here, folder) == 0, "the current folder");
	/* both go by the time that the process computes */
	for (clock_t until = clock() + 10 * CLOCKS_PER_SEC; alarms < 3 && clock() < until;)
		;
	expect(alarms >= 3, "the timer");
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	set_all(argv[2]);
	split_heap();
	if (argc > 3)
		cut_heap();
	let_timers_wait();
	set_arithmetic();
	if (image_file_take(argv[1])) {
		check_arithmetic();
		check_waiting_timers();
		check_all(argv[2]);
		check_heap();
		expect(!has_arena(), "nothing is left of the load");
	}
	expect(fegetexcept() == traps, "traps of floating-point exceptions");
	printf("%s\n", wrong ? "wrong" : "right");
	return wrong;
}
