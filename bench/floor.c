/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The floor, without any MPI, called and answering like mpibench:
 *
 *	floor SECONDS pingpong:BYTES   microseconds one way of two processes with one loopback TCP
 *	                               connection, recv(MSG_DONTWAIT) in a loop, nothing else
 *	floor SECONDS memory:0         MiB resident of an empty program
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "resident.h"

enum { MESSAGE_MAX = 64 << 20, PIECES = 8 };

static char *buf;

/* False when the other end is gone. */
static int get(int fd, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t k = recv(fd, buf, n - have, MSG_DONTWAIT);

		if (k == 0)
			return 0;
		if (k > 0)
			have += (size_t)k;
	}
	return 1;
}

static void put(int fd, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t k = send(fd, buf, n - have, MSG_NOSIGNAL);

		if (k < 0)
			exit(1);
		have += (size_t)k;
	}
}

/* The socket options that FTMPI uses: small messages leave at once, and nothing is paced (BBR would). */
static void tune(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) != 0)
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

static int connected(int *other)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(l, (struct sockaddr *)&a, sizeof a) || listen(l, 1) ||
		getsockname(l, (struct sockaddr *)&a, &len) ||
		connect(c, (struct sockaddr *)&a, len))
		exit(1);
	*other = accept(l, NULL, NULL);
	close(l);
	tune(c);
	tune(*other);
	return c;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_for(int fd, size_t n, long rounds)
{
	double t = now();

	for (long i = 0; i < rounds; i++) {
		put(fd, n);
		if (!get(fd, n))
			exit(1);
	}
	return now() - t;
}

/* The other process: gives back what comes until the connection ends. */
static pid_t echo(int fd, int not_ours, size_t n)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	close(not_ours);
	while (get(fd, n))
		put(fd, n);
	_exit(0);
}

static double pingpong(size_t n, double budget)
{
	int theirs, mine = connected(&theirs);
	pid_t pid = echo(theirs, mine, n);
	double t = 0;
	long rounds = 1;

	close(theirs);
	while ((t = seconds_for(mine, n, rounds)) < budget / PIECES)
		rounds *= 2;
	rounds = (long)((double)rounds * budget / t) + 1;
	t = seconds_for(mine, n, rounds);
	close(mine);
	waitpid(pid, NULL, 0);
	return t / (double)rounds / 2 * 1e6;
}

int main(int argc, char **argv)
{
	double budget = argc == 3 ? atof(argv[1]) : 0;
	long n = 0;

	if (argc == 3 && budget > 0 && sscanf(argv[2], "memory:%ld", &n) == 1) {
		printf("memory %ld %.4f\n", n, resident_mib());
		return 0;
	}
	if (argc != 3 || !(budget > 0 && budget <= 60) ||
		sscanf(argv[2], "pingpong:%ld", &n) != 1 || n < 1 || n > MESSAGE_MAX) {
		fprintf(stderr, "usage: floor SECONDS pingpong:BYTES|memory:0\n");
		return 2;
	}
	buf = calloc(1, (size_t)n);
	if (buf == NULL)
		return 1;
	printf("pingpong %ld %.4f\n", n, pingpong((size_t)n, budget));
	return 0;
}
