/* SPDX-License-Identifier: BSD-3-Clause */
#include "beats.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "unit.h"

enum { DEADLINE_MS = 60000 };

static int ears = -1; /* what is written to standard error */
static char heard[1 << 16];
static size_t nheard;

/* ---- what is said ---- */

static void keep_stderr(void)
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	ears = ends[0];
	fcntl(ears, F_SETFL, O_NONBLOCK);
	log_configure(1, "test");
}

static void listen_on(void)
{
	ssize_t n;

	while ((n = read(ears, heard + nheard, sizeof heard - 1 - nheard)) > 0)
		nheard += (size_t)n;
	heard[nheard] = '\0';
	ck_assert_msg(nheard < sizeof heard - 1, "too much is said: %.2000s", heard);
}

bool beats_has_said(const char *text)
{
	listen_on();
	return strstr(heard, text) != NULL;
}

static char *wait_for(const char *text)
{
	uint64_t deadline = clock_ns() + (uint64_t)DEADLINE_MS * 1000000;

	while (!beats_has_said(text)) {
		struct pollfd p = {.fd = ears, .events = POLLIN};

		ck_assert_msg(clock_ns() < deadline, "'%s' was not said, but: %s", text, heard);
		poll(&p, 1, 1000);
	}
	return strstr(heard, text) + strlen(text);
}

void beats_said(const char *text)
{
	char *end = wait_for(text);

	nheard -= (size_t)(end - heard);
	memmove(heard, end, nheard + 1);
}

void beats_said_both(const char *one, const char *other)
{
	wait_for(one);
	wait_for(other);
	beats_said(strstr(heard, one) > strstr(heard, other) ? one : other);
}

void beats_said_first(const char *text, const char *other)
{
	const char *at = wait_for(text), *before = strstr(heard, other);

	ck_assert_msg(!before || before > at, "'%s' was said before '%s': %s", other, text, heard);
	beats_said(text);
}

static void on_suspect(void *user, int peer, unsigned silent_ms, uint32_t progress)
{
	const struct hb_config *c = user;

	(void)silent_ms;
	(void)progress;
	log_error("suspect %d by %d.", peer, c->self);
}

static void on_heard(void *user, int peer)
{
	const struct hb_config *c = user;

	log_error("heard %d by %d.", peer, c->self);
}

static uint32_t progress(void *user)
{
	(void)user;
	return 5;
}

/* ---- ranks ---- */

static int listener(struct hb_address *a)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
	ck_assert_int_eq(listen(fd, 128), 0);
	*a = (struct hb_address){.len = sizeof a->addr};
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a->addr, &a->len), 0);
	return fd;
}

void beats_begin(struct beats *b, int size, unsigned period_ms, unsigned timeout_ms)
{
	*b = (struct beats){.c = {.size = size,
				    .period_ms = period_ms,
				    .timeout_ms = timeout_ms,
				    .epoch = BEATS_EPOCH,
				    .session = b->key.session,
				    .secret = b->key.secret,
				    .addresses = b->addresses,
				    .node = b->node,
				    .progress = progress,
				    .suspect = on_suspect,
				    .heard = on_heard}};
	ck_assert_int_eq(auth_init(), 0);
	auth_random(&b->key, sizeof b->key);
	for (int i = 0; i < size; i++) {
		b->node[i] = i;
		b->listener[i] = listener(&b->addresses[i]);
	}
	keep_stderr();
}

void beats_start(struct beats *b, int self)
{
	static struct hb_config given[BEATS_MAX];

	b->c.self = self;
	b->c.listen_fd = b->listener[self];
	b->c.user = &given[self];
	given[self] = b->c;
	ck_assert_int_eq(hb_start(&b->rank[self], &b->c), 0);
	b->listener[self] = -1;
}

void beats_stop(struct beats *b, int self, bool leaving)
{
	hb_stop(b->rank[self], leaving);
	b->rank[self] = NULL;
}

void beats_end(struct beats *b)
{
	for (int i = 0; i < b->c.size; i++) {
		beats_stop(b, i, false);
		if (b->listener[i] >= 0)
			close(b->listener[i]);
	}
	close(ears);
	close(STDERR_FILENO);
	ck_assert_int_eq(dup(STDOUT_FILENO), STDERR_FILENO);
}

pid_t beats_child(struct beats *b, int self)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log_configure(1, "child");
	beats_start(b, self);
	for (;;)
		pause();
}

/* ---- connections ---- */

int beats_connect(const struct beats *b, int to)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct hb_address *a = &b->addresses[to];

	ck_assert_int_ge(fd, 0);
	ck_assert_msg(connect(fd, (const struct sockaddr *)&a->addr, a->len) == 0, "connect: %s",
		strerror(errno));
	return fd;
}

static void await(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	ck_assert_msg(poll(&p, 1, DEADLINE_MS) == 1, "nothing came on a connection");
}

int beats_greeted(const struct beats *b, int to, uint8_t nonce[AUTH_NONCE_BYTES])
{
	uint8_t challenge[RECORD_CHALLENGE_BYTES];
	int fd = beats_connect(b, to);

	await(fd);
	ck_assert_int_eq(recv(fd, challenge, sizeof challenge, MSG_WAITALL), sizeof challenge);
	ck_assert_int_eq(record_take_challenge(challenge, nonce), 0);
	return fd;
}

void beats_closed(int fd)
{
	char byte;
	ssize_t n;

	do {
		await(fd);
		n = recv(fd, &byte, 1, 0);
	} while (n > 0);
	ck_assert_msg(n == 0 || errno == ECONNRESET, "not closed: %s", strerror(errno));
	close(fd);
}
