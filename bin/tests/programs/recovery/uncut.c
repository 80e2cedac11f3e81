/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without handlers makes one system call again and again, while lines are made: none ends
 * before all is done, or with EINTR.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../prog.h"

enum { BYTES = 4 << 20, PIPED = 128 << 10, TASTE = 4 << 10, SEVERAL = 100, MANY = 1500 };

static struct prog prog = {
	.name = "uncut", .text = "System calls that lines are not to be seen in: uncut CALL"};
static char bytes[BYTES];
static int from, to, channel[2], sockets[2], epoll, messages;
static atomic_bool over;

static const struct timespec moment = {0, 1000000};

/* ---- the calls: what they give, and what they are to give ---- */

struct call {
	const char *name;
	int rounds;
	long expected;
	long (*run)(void);
	void (*prepare)(void);
	void *(*other)(void *); /* on another thread, all the time */
};

static long by_getrandom(void)
{
	return getrandom(bytes, BYTES, 0);
}

static void open_zero(void)
{
	from = open("/dev/zero", O_RDONLY);
}

static long by_read(void)
{
	return read(from, bytes, BYTES);
}

static long by_readv(void)
{
	struct iovec v[2] = {{bytes, BYTES / 2}, {bytes + BYTES / 2, BYTES / 2}};

	return readv(from, v, 2);
}

static int file(void)
{
	char name[] = "uncut-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

static void fill_file(void)
{
	from = file();
	to = file();
	if (pwrite(from, bytes, BYTES, 0) != BYTES)
		prog_wrong(&prog, "a file cannot be written");
}

static long by_sendfile(void)
{
	off_t start = 0;

	return ftruncate(to, 0) + lseek(to, 0, SEEK_SET) + sendfile(to, from, &start, BYTES);
}

static void make_pipe(void)
{
	if (pipe(channel) != 0)
		prog_wrong(&prog, "no pipe");
}

static void *read_slowly(void *arg)
{
	static char taste[TASTE];

	while (read(channel[0], taste, sizeof taste) > 0)
		nanosleep(&moment, NULL);
	return arg;
}

static long by_write(void)
{
	return write(channel[1], bytes, PIPED);
}

static long by_writev(void)
{
	struct iovec v[2] = {{bytes, PIPED / 2}, {bytes + PIPED / 2, PIPED / 2}};

	return writev(channel[1], v, 2);
}

static long by_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &moment, NULL);
}

static void make_epoll(void)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
}

static long by_epoll(void)
{
	return epoll_pwait(epoll, &(struct epoll_event){0}, 1, 1, NULL);
}

static void make_messages(void)
{
	messages = msgget(IPC_PRIVATE, 0600);
}

static void *send_messages(void *arg)
{
	const long message[2] = {1, 0};

	while (!over) {
		nanosleep(&moment, NULL);
		if (msgsnd(messages, message, sizeof(long), IPC_NOWAIT) != 0 && errno != EAGAIN)
			break;
	}
	return arg;
}

static long by_msgrcv(void)
{
	long message[2];

	return msgrcv(messages, message, sizeof(long), 0, 0);
}

static void make_sockets(void)
{
	const struct timeval hour = {3600, 0};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
		prog_wrong(&prog, "no sockets");
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour);
}

static void *write_slowly(void *arg)
{
	while (!over) {
		nanosleep(&moment, NULL);
		if (send(sockets[1], bytes, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
			break;
	}
	return arg;
}

static long by_recv(void)
{
	return recv(sockets[0], bytes, 8, MSG_WAITALL);
}

static const struct call calls[] = {
	{"getrandom", SEVERAL, BYTES, by_getrandom, NULL, NULL},
	{"read", SEVERAL, BYTES, by_read, open_zero, NULL},
	{"readv", SEVERAL, BYTES, by_readv, open_zero, NULL},
	{"sendfile", SEVERAL, BYTES, by_sendfile, fill_file, NULL},
	{"write", SEVERAL / 4, PIPED, by_write, make_pipe, read_slowly},
	{"writev", SEVERAL / 4, PIPED, by_writev, make_pipe, read_slowly},
	{"pselect", MANY, 0, by_pselect, NULL, NULL},
	{"epoll_pwait", MANY, 0, by_epoll, make_epoll, NULL},
	{"msgrcv", MANY, sizeof(long), by_msgrcv, make_messages, send_messages},
	{"recv", MANY / 8, 8, by_recv, make_sockets, write_slowly},
};

/* ---- all of them ---- */

static const struct call *named(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	prog_wrong(&prog, "there is no %s", name);
}

/* What is not as it should be, of all rounds. */
static int run(const struct call *c)
{
	int wrong = 0;

	for (int i = 0; i < c->rounds; i++) {
		long got;

		errno = 0;
		got = c->run();
		if (got != c->expected && wrong++ == 0)
			fprintf(stderr, "uncut: %s gives %ld and not %ld (errno %d)\n", c->name,
				got, c->expected, errno);
	}
	return wrong;
}

static void finish(pthread_t thread)
{
	over = true;
	if (channel[1])
		close(channel[1]);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *name = "getrandom";
	const struct prog_option options[] = {{"CALL", NULL, PROG_TEXT, &name, 0, "which call"}};
	const struct call *c;
	pthread_t thread;
	int wrong, all, provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	prog.options = options;
	prog.count = 1;
	prog_begin(&prog, argc, argv);
	c = named(name);
	if (c->prepare)
		c->prepare();
	if (c->other && pthread_create(&thread, NULL, c->other, NULL) != 0)
		prog_wrong(&prog, "no thread");
	wrong = run(c);
	if (c->other)
		finish(thread);
	if (messages)
		msgctl(messages, IPC_RMID, NULL);
	MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("uncut: %d wrong, %s\n", all, name);
	MPI_Finalize();
	return 0;
}
