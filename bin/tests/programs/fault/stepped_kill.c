/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stepped_kill PID STEPS: lets that process go on by so many instructions of its first thread, and
 * kills it (SIGKILL). So it can die between any two of them, which a signal that is sent from
 * outside does not do: that one comes when the process enters the kernel.
 *
 * A process that sleeps in the kernel is killed there after SLEEP_S. Exit status 0: it was killed,
 * by whomever (one that is stepped may be taken for dead); 1: it was gone before; 2: it cannot be traced.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLEEP_S = 1, EXEC_MS = 1000 };

/* A status that is none of an end, nor of a stop. */
enum { RUNS = 0xffff };

static void on_alarm(int signal)
{
	(void)signal; /* it interrupts waitpid */
}

/* Again and again: one alarm may come before waitpid does. 0: none. */
static void set_alarm(int seconds)
{
	struct itimerval t = {{seconds, 0}, {seconds, 0}};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* False: it is gone, or sleeps. */
static int stops(pid_t pid, int *status)
{
	set_alarm(SLEEP_S);
	return waitpid(pid, status, __WALL) == pid && WIFSTOPPED(*status);
}

/* The signal that stopped it and that it is to get; those that stop it for us are ours. */
static long signal_of(int status)
{
	int signal = WSTOPSIG(status);

	return status >> 16 != 0 || signal == SIGTRAP ? 0 : signal;
}

/* How it is after that: a status as of waitpid. */
static int step(pid_t pid, long steps)
{
	int status = RUNS;

	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 || !stops(pid, &status))
		return status;
	while (steps-- > 0)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, signal_of(status)) != 0 ||
			!stops(pid, &status))
			break;
	return status;
}

/* A process that has ended and was not waited for yet has no program any more. */
static int is_gone(pid_t pid)
{
	char path[64], to[1];

	snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
	return readlink(path, to, sizeof to) < 0;
}

/* Within execve(2) a process cannot be traced for a moment. 0 or an errno. */
static int seize(pid_t pid)
{
	for (int ms = 0; ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0; ms++) {
		int err = errno;

		if (is_gone(pid))
			return ESRCH;
		if (err != EPERM || ms == EXEC_MS)
			return err;
		poll(NULL, 0, 1);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_handler = on_alarm}; /* without SA_RESTART */
	pid_t pid = argc == 3 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	int status, err;

	if (pid <= 0) {
		fprintf(stderr, "usage: stepped_kill PID STEPS\n");
		return 2;
	}
	sigaction(SIGALRM, &a, NULL);
	err = seize(pid);
	if (err && err != ESRCH)
		fprintf(stderr, "stepped_kill: process %ld: %s\n", (long)pid, strerror(err));
	if (err)
		return err == ESRCH ? 1 : 2;
	status = step(pid, strtol(argv[2], NULL, 10));
	kill(pid, SIGKILL);
	set_alarm(0);
	while (!WIFSIGNALED(status) && !WIFEXITED(status) && waitpid(pid, &status, __WALL) == pid)
		;
	return WIFEXITED(status) ? 1 : 0;
}
