/* SPDX-License-Identifier: BSD-3-Clause */
/* The states that reexec can be put in, by their words on the command line. */
#include "reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

enum { FILES = 200, HIGH_FD = 500, CLOSE_RANGE = 436, BUSY = 1000, ROUNDS = 20 };

/* ---- what it does to itself ---- */

static char **own_argv;

static void do_init(void)
{
	MPI_Init(NULL, NULL);
}

static void do_finish(void)
{
	MPI_Finalize();
	exit(0);
}

static void do_chdir(void)
{
	if (chdir("/") != 0)
		perror("chdir");
}

static void do_limits(void)
{
	/* the memory of a sanitizer's shadow counts, too */
	const struct rlimit most = {(rlim_t)1 << 50, RLIM_INFINITY};

	umask(0777);
	if (setrlimit(RLIMIT_DATA, &most) != 0 || setrlimit(RLIMIT_FSIZE, &most) != 0)
		perror("setrlimit");
}

static void do_setenv(void)
{
	setenv("AGAIN", "changed", 1);
	setenv("AGAIN_NEW", "1", 1);
	unsetenv("PATH");
}

static void do_argv(void)
{
	for (int i = 1; own_argv[i]; i++)
		memset(own_argv[i], 'x', strlen(own_argv[i]));
}

static void do_block(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void do_ignore(void)
{
	signal(SIGUSR1, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGHUP, SIG_DFL); /* which the test ignores */
}

static void do_pending(void)
{
	do_block();
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGRTMIN + 3);
	pthread_kill(pthread_self(), SIGTERM);
}

static void do_alarm(void)
{
	const struct itimerval far = {.it_value.tv_sec = 300};

	setitimer(ITIMER_REAL, &far, NULL);
	setitimer(ITIMER_VIRTUAL, &far, NULL);
	setitimer(ITIMER_PROF, &far, NULL);
}

static void on_tick(int s)
{
	(void)s;
}

static void do_ticks(void)
{
	const struct itimerval often = {{0, 200}, {0, 200}};

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void do_files(void)
{
	int fds[2];

	for (int i = 0; i < FILES; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			perror("open");
	if (pipe(fds) != 0 || dup2(fds[0], HIGH_FD) < 0)
		perror("pipe");
}

static void do_flags(void)
{
	fcntl(1, F_SETFL, O_NONBLOCK | O_APPEND);
	fcntl(2, F_SETFD, FD_CLOEXEC);
}

static void do_close(void)
{
	close(0);
}

static void do_redirect(void)
{
	int fd = open("/dev/null", O_WRONLY);

	dup2(fd, 2);
	close(fd);
}

/* All that are allowed but the first, where there are two. */
static void do_pin(void)
{
	cpu_set_t set;
	int first = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(first, &set))
		first++;
	CPU_CLR(first, &set);
	if (CPU_COUNT(&set) > 0)
		sched_setaffinity(0, sizeof set, &set);
}

/* A kernel without close_range. */
static void do_old(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOSE_RANGE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) !=
			0)
		perror("seccomp");
}

/* ---- where it stays ---- */

static void say_ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		exit(2);
}

static void stay_compute(void)
{
	for (volatile unsigned long n = 0;; n++)
		;
}

static void stay_recv(void)
{
	int x;

	MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void stay_barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static volatile sig_atomic_t asked;

static void on_question(int s)
{
	(void)s;
	asked = 1;
}

/* Numbers go from rank to rank for ever; ready is who has had enough of them, and who is asked by
 * SIGUSR1 when it has had another. */
static void do_ring(void)
{
	int rank, size, got;

	signal(SIGUSR1, on_question);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int n = 0;; n++) {
		MPI_Sendrecv(&n, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
			(rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (got != n)
			MPI_Abort(MPI_COMM_WORLD, 9);
		if (n == ROUNDS || asked) {
			asked = 0;
			say_ready();
		}
	}
}

static void stay_pause(void)
{
	for (;;)
		pause();
}

static void *second(void *arg)
{
	(void)arg;
	stay_compute();
	return NULL;
}

static pthread_t start_thread(void *(*run)(void *arg))
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, NULL) != 0)
		abort();
	return t;
}

static void stay_join(void)
{
	pthread_join(start_thread(second), NULL);
}

/* This link is the first thread's: it ends with it. */
static void *after_first(void *arg)
{
	char to[PATH_MAX];

	while (readlink("/proc/self/exe", to, sizeof to) >= 0)
		sched_yield();
	say_ready();
	return second(arg);
}

/* The thread that began is not there any more. */
static void do_gone(void)
{
	start_thread(after_first);
	pthread_exit(NULL);
}

static pthread_t first_thread;

static void *shower(void *arg)
{
	for (unsigned n = 0;; n++) {
		pthread_kill(first_thread, SIGUSR1);
		if (n == BUSY)
			say_ready();
	}
	return arg;
}

/* A signal that is caught comes from another thread all the time. */
static void do_shower(void)
{
	signal(SIGUSR1, on_tick);
	first_thread = pthread_self();
	pthread_join(start_thread(shower), NULL);
}

/* Of a child: no longer than its parent is there. */
static void stay_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	say_ready();
	for (;;)
		pause();
}

static void stay_child(void)
{
	pid_t child = fork();

	if (child == 0)
		stay_with_parent();
	waitpid(child, NULL, 0);
}

/* It has ended, and nobody has waited for it. */
static void do_zombie(void)
{
	siginfo_t info;

	if (fork() == 0)
		_exit(0);
	waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
}

static void stay_vfork(void)
{
	if (vfork() == 0)
		stay_with_parent();
}

static const struct {
	const char *name;
	void (*run)(void);
	int stays;
} words[] = {
	{"init", do_init, 0},
	{"chdir", do_chdir, 0},
	{"limits", do_limits, 0},
	{"setenv", do_setenv, 0},
	{"argv", do_argv, 0},
	{"block", do_block, 0},
	{"ignore", do_ignore, 0},
	{"pending", do_pending, 0},
	{"alarm", do_alarm, 0},
	{"ticks", do_ticks, 0},
	{"files", do_files, 0},
	{"flags", do_flags, 0},
	{"close", do_close, 0},
	{"redirect", do_redirect, 0},
	{"pin", do_pin, 0},
	{"old", do_old, 0},
	{"finish", do_finish, 1},
	{"compute", stay_compute, 1},
	{"recv", stay_recv, 1},
	{"barrier", stay_barrier, 1},
	{"ring", do_ring, 0},
	{"pause", stay_pause, 1},
	{"join", stay_join, 1},
	{"gone", do_gone, 0},
	{"shower", do_shower, 0},
	{"child", stay_child, 0},
	{"vfork", stay_vfork, 0},
	{"zombie", do_zombie, 0},
};

void reexec_obey(char **argv, const char *word)
{
	size_t n = sizeof words / sizeof *words, i = 0;

	own_argv = argv;
	while (i < n && strcmp(words[i].name, word) != 0)
		i++;
	if (i == n) {
		fprintf(stderr, "reexec: there is no word %s\n", word);
		exit(2);
	}
	if (words[i].stays)
		say_ready();
	words[i].run();
}
