/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor: floor BYTES ROUNDS. Two processes, one loopback TCP connection, recv(MSG_DONTWAIT) in
 * a loop, nothing else. Prints microseconds one way. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *buf;

static void get(int fd, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t k = recv(fd, buf, n - have, MSG_DONTWAIT);

		if (k == 0)
			exit(1);
		if (k > 0)
			have += (size_t)k;
	}
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

static int connected(int *other)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int on = 1, l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(l, (struct sockaddr *)&a, sizeof a) || listen(l, 1) ||
		getsockname(l, (struct sockaddr *)&a, &len) ||
		connect(c, (struct sockaddr *)&a, len))
		exit(1);
	*other = accept(l, NULL, NULL);
	setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(*other, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return c;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	long rounds = argc == 3 ? atol(argv[2]) : 0;
	int theirs, mine;
	double t;

	if (n == 0 || rounds <= 0) {
		fprintf(stderr, "usage: floor BYTES ROUNDS\n");
		return 2;
	}
	buf = malloc(n);
	mine = connected(&theirs);
	if (fork() == 0) {
		for (long i = 0; i < rounds + rounds / 10; i++) {
			get(theirs, n);
			put(theirs, n);
		}
		_exit(0);
	}
	for (long i = 0; i < rounds / 10; i++) {
		put(mine, n);
		get(mine, n);
	}
	t = now();
	for (long i = 0; i < rounds; i++) {
		put(mine, n);
		get(mine, n);
	}
	printf("%.3f\n", (now() - t) / (double)rounds / 2);
	wait(NULL);
	return 0;
}
