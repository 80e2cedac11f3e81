/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank without a program: it tells its keeper records, and says what it hears.
 *
 *	keeper_rank RANK INCARNATION COVERED [EVERY]
 *
 * On standard input: session and secret (96 hexadecimal digits), then
 *	at PORT		the keeper is there, on this host
 *	until N		there shall be so many records
 *	alone N		N more, each when the one before is acknowledged
 * On standard output, a line each:
 *	ready LAST GIVEN	its records of before have come, and are right
 *	acked N, lost N, refused TEXT
 *	alone NS		these are acknowledged, after so many nanoseconds
 *	covered N		before the keeper is told; with EVERY, each time so many more are
 *				acked
 *	away			there is no connection
 *	wrong N			record N is not what was told
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "keeper/client.h"
#include "keeper/peer.h"

enum { AHEAD = 3000, PIECE = 64, BEHIND = 20 };

static struct keeper_client client;
static int fd = -1;
static uint64_t wanted, every, given;
static uint64_t alone;	     /* the last of those that are told one at a time, or 0 */
static long long alone_from; /* when they began */

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fill(void *ctx, uint64_t first, uint32_t count, uint8_t *out)
{
	(void)ctx;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t v[2] = {client.c.rank, (first + i) * 0x9e3779b97f4a7c15u};

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, v, sizeof v);
	}
}

static void check(const struct keeper_client_event *e)
{
	static uint8_t want[KEEPER_WINDOW * KEEPER_RECORD_BYTES];

	fill(NULL, e->number, e->count, want);
	if (memcmp(want, e->records, (size_t)e->count * KEEPER_RECORD_BYTES) != 0)
		printf("wrong %llu\n", (unsigned long long)e->number);
	given += e->count;
}

static void hang_up(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	keeper_client_lost(&client);
	puts("away");
}

static void come(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (fd >= 0)
		close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
		hang_up();
	else
		keeper_client_connected(&client);
}

static void acknowledged(uint64_t number)
{
	if (!alone) {
		printf("acked %llu\n", (unsigned long long)number);
	} else if (number >= alone) {
		printf("alone %lld\n", now() - alone_from);
		alone = 0;
	}
}

static void hear(void)
{
	struct keeper_client_event e;

	while (fd >= 0 && keeper_client_next(&client, &e)) {
		switch (e.what) {
		case CLIENT_RECORDS:
			check(&e);
			break;
		case CLIENT_READY:
			printf("ready %llu %llu\n", (unsigned long long)e.number,
				(unsigned long long)given);
			break;
		case CLIENT_ACKNOWLEDGED:
			acknowledged(e.number);
			break;
		case CLIENT_LOST:
			printf("lost %llu\n", (unsigned long long)e.number);
			break;
		case CLIENT_IS_REFUSED:
			printf("refused %s\n", keeper_refusal_text(e.reason));
			hang_up();
			break;
		default:
			hang_up();
		}
	}
}

/* More records, a few at a time, so that there are many commits; and a checkpoint now and then. */
static void live(void)
{
	uint64_t most = client.acknowledged + (alone ? 1 : AHEAD);

	if (!client.begun)
		return;
	most = most < client.told + PIECE ? most : client.told + PIECE;
	most = most < wanted ? most : wanted;
	if (most > client.last)
		keeper_client_tell(&client, most);
	if (every && client.acknowledged >= client.covered + every) {
		printf("covered %llu\n", (unsigned long long)(client.acknowledged - BEHIND));
		keeper_client_cover(&client, client.acknowledged - BEHIND);
	}
}

/* false: the socket takes no more now. */
static bool speak(void)
{
	size_t n;
	const uint8_t *bytes;

	while (live(), bytes = keeper_client_out(&client, &n)) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			return false;
		if (sent < 0) {
			hang_up();
			return true;
		}
		keeper_client_sent(&client, (size_t)sent);
	}
	return true;
}

static void listen_to(void)
{
	size_t room;
	uint8_t *place = keeper_client_room(&client, &room);
	ssize_t n = recv(fd, place, room, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		hang_up();
		return;
	}
	if (n > 0)
		keeper_client_came(&client, (size_t)n);
	hear();
}

static void begin_alone(uint64_t n)
{
	wanted = alone = client.last + n;
	alone_from = now();
}

static void obey(void)
{
	char line[128];
	unsigned long long n;

	if (!fgets(line, sizeof line, stdin))
		exit(0);
	if (sscanf(line, "at %llu", &n) == 1)
		come((unsigned)n);
	else if (sscanf(line, "until %llu", &n) == 1)
		wanted = n;
	else if (sscanf(line, "alone %llu", &n) == 1)
		begin_alone(n);
	else
		exit(2);
}

static void read_secret(struct keeper_job *job)
{
	char line[128];
	unsigned byte;

	if (!fgets(line, sizeof line, stdin) || strlen(line) < 96)
		exit(2);
	for (int i = 0; i < 48; i++) {
		if (sscanf(line + 2 * i, "%2x", &byte) != 1)
			exit(2);
		if (i < SESSION_BYTES)
			job->session[i] = (uint8_t)byte;
		else
			job->secret[i - SESSION_BYTES] = (uint8_t)byte;
	}
}

int main(int argc, char **argv)
{
	static struct keeper_client_job job;

	if (argc < 4 || auth_init() != 0)
		return 2;
	setvbuf(stdin, NULL, _IONBF, 0); /* or poll would not see what was read ahead */
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_secret(&job.job);
	job.rank = (uint32_t)strtoul(argv[1], NULL, 10);
	job.incarnation = (uint32_t)strtoul(argv[2], NULL, 10);
	job.covered = strtoull(argv[3], NULL, 10);
	every = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	job.read = fill;
	keeper_client_init(&client, &job);
	for (;;) {
		bool all = fd < 0 || speak();
		struct pollfd p[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
			{.fd = fd, .events = (short)(POLLIN | (all ? 0 : POLLOUT))}};

		poll(p, fd < 0 ? 1 : 2, -1);
		if (fd >= 0 && p[1].revents & (POLLIN | POLLHUP | POLLERR))
			listen_to();
		if (p[0].revents)
			obey();
	}
}
