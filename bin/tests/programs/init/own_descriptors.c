/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library says that it has open (physical_descriptors) is what /proc shows, without what
 * was open before MPI_Init and what the program has opened: at once, with connections that have not
 * proved themselves, while a connection is made and memory is offered, and after messages between
 * all pairs. Linked with the objects of the library, whose own names are not to be seen from
 * outside. Ranks meet by files in the folder DIR.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftmpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "mpi/engine/engine.h"
#include "mpi/init/physical.h"
#include "prog.h"
#include "transport/handshake.h"

enum { DESCRIPTORS = 1024, DEADLINE_S = 60, TAG = 1 };

static struct prog prog;
static const char *folder;
static bool programs[DESCRIPTORS]; /* by number: the program has it open */
static const char *when = "";	   /* the moment that is looked at */
static void (*in_hook)(void);
static size_t most; /* descriptors of the library at a time */

static _Noreturn void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "own_descriptors: rank %d: WRONG: ", prog.rank);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	_exit(1);
}

#define MUST(holds)                                                                                \
	do {                                                                                       \
		if (!(holds))                                                                      \
			die("line %d: not %s", __LINE__, #holds);                                  \
	} while (0)

/* Between two looks, to the library's threads, until the deadline. */
static void leave_processor(void)
{
	poll(NULL, 0, 1);
}

static void on_deadline(int sig)
{
	(void)sig;
	die("after \"%s\": the deadline is over", when);
}

/* ---- what is open ---- */

static void see_open(bool open[DESCRIPTORS])
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	MUST(dir);
	memset(open, 0, DESCRIPTORS * sizeof *open);
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		MUST(fd < DESCRIPTORS);
		open[fd] = true;
	}
	closedir(dir);
}

static int mine(int fd)
{
	MUST(fd >= 0 && fd < DESCRIPTORS);
	programs[fd] = true;
	return fd;
}

/* One of each kind that the library has, too. */
static void open_some(void)
{
	int two[2];

	mine(eventfd(0, EFD_CLOEXEC));
	mine(epoll_create1(EPOLL_CLOEXEC));
	mine(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	mine(memfd_create("ftmpi-rings-of-the-program", MFD_CLOEXEC));
	mine(open("/dev/null", O_RDONLY | O_CLOEXEC));
	MUST(pipe2(two, O_CLOEXEC | O_NONBLOCK) == 0);
	mine(two[0]);
	mine(two[1]);
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two) == 0);
	mine(two[0]);
	mine(two[1]);
}

/* The library's own are to lie among the program's. */
static void leave_holes(void)
{
	enum { HOLES = 6 };
	int hole[HOLES];

	for (int i = 0; i < HOLES; i++) {
		hole[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		mine(open("/dev/null", O_RDONLY | O_CLOEXEC));
	}
	for (int i = 0; i < HOLES; i++)
		MUST(hole[i] >= 0 && close(hole[i]) == 0);
}

/* What the agent has given is the library's. */
static void not_mine(const char *name)
{
	const char *number = getenv(name);

	if (number)
		programs[atoi(number)] = false;
}

static void see_programs(void)
{
	see_open(programs);
	not_mine("FTMPI_CONTROL_FD");
	not_mine("FTMPI_LISTEN_FD");
	not_mine("FTMPI_BEAT_FD");
}

static void what_it_is(int fd, char link[128])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = readlink(path, link, 127);
	link[n < 0 ? 0 : n] = '\0';
}

/* ---- what the library says ---- */

static void compare(void)
{
	struct descriptor_list own = {0};
	bool open[DESCRIPTORS], said[DESCRIPTORS] = {false};
	char link[128];

	MUST(physical_descriptors(&own));
	see_open(open);
	for (size_t i = 0; i < own.n; i++) {
		int fd = own.v[i];

		if (fd < 0 || fd >= DESCRIPTORS || !open[fd])
			die("%s: %d is not open", when, fd);
		if (said[fd])
			die("%s: %d is said twice", when, fd);
		said[fd] = true;
	}
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		what_it_is(fd, link);
		if (said[fd] && programs[fd])
			die("%s: %d, %s, is the program's", when, fd, link);
		if (open[fd] && !programs[fd] && !said[fd])
			die("%s: %d, %s, is left out", when, fd, link);
	}
	most = own.n > most ? own.n : most;
	descriptor_list_free(&own);
}

/* At a safe point, and while the library has no threads. */
static void hook(bool begins)
{
	uint64_t until = clock_ns() + prog_patience(DEADLINE_S) * 1000000000ull;

	(void)begins;
	if (!in_hook)
		return;
	engine_unlock();
	MUST(physical_pause(until) == 0);
	engine_lock();
	in_hook();
	in_hook = NULL;
	engine_unlock();
	MUST(physical_go_on() == 0);
	engine_lock();
}

static void look_at(const char *moment, void (*look)(void))
{
	int flag;

	when = moment;
	in_hook = look;
	engine_lock();
	engine_on_safe_point(hook);
	engine_unlock();
	engine_want_safe_point(true);
	MPI_Iprobe(MPI_ANY_SOURCE, TAG + 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	engine_want_safe_point(false);
	MUST(!in_hook);
}

/* ---- connections that prove nothing ---- */

static int port_of(const struct sockaddr_storage *a)
{
	return ((const struct sockaddr_in *)(const void *)a)
		->sin_port; /* at the same place in IPv6 */
}

/* Until the library has a socket whose other end has this port. */
static void wait_for_peer(int port)
{
	for (;; leave_processor())
		for (int fd = 0; fd < DESCRIPTORS; fd++) {
			struct sockaddr_storage to;
			socklen_t len = sizeof to;

			if (!programs[fd] && getpeername(fd, (struct sockaddr *)&to, &len) == 0 &&
				(to.ss_family == AF_INET || to.ss_family == AF_INET6) &&
				port_of(&to) == port)
				return;
		}
}

static int stranger(const struct net_address *to)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof from;
	int fd = mine(socket(to->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));

	MUST(connect(fd, (const struct sockaddr *)&to->addr, to->len) == 0);
	MUST(getsockname(fd, (struct sockaddr *)&from, &len) == 0);
	wait_for_peer(port_of(&from));
	return fd;
}

static void end_stranger(int fd)
{
	programs[fd] = false;
	MUST(close(fd) == 0);
}

/* One that says hello as another rank, and no more. */
static int greeter(const struct launch *l)
{
	struct handshake_job job = {.epoch = l->epoch,
		.self = (uint32_t)((l->rank + 1) % l->size),
		.size = (uint32_t)l->size};
	struct wire_challenge challenge;
	struct handshake h;
	int fd = stranger(&l->addresses[l->rank]);

	memcpy(job.session, l->session, sizeof job.session);
	memcpy(job.secret, l->secret, sizeof job.secret);
	handshake_hello(&h, &job, &(struct handshake_peer){.rank = (uint32_t)l->rank});
	MUST(send(fd, &h.hello, sizeof h.hello, MSG_NOSIGNAL) == sizeof h.hello);
	MUST(recv(fd, &challenge, sizeof challenge, MSG_WAITALL) == sizeof challenge);
	return fd;
}

static void strangers(void)
{
	const struct launch *l = physical_launch();
	int fd[3] = {stranger(&l->addresses[l->rank]), -1, -1};

	if (l->size > 1)
		fd[1] = greeter(l);
	if (l->size > 1 && l->settings.beat_ms > 0)
		fd[2] = stranger(&l->beat[l->rank]);
	look_at("with strangers", compare);
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			end_stranger(fd[i]);
}

/* ---- a connection that is made ---- */

static void path_of(const char *what, char path[4096])
{
	snprintf(path, 4096, "%s/%s", folder, what);
}

static void tell(const char *what)
{
	char path[4096];

	path_of(what, path);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	MUST(access(path, F_OK) == 0);
}

static void await(const char *what)
{
	char path[4096];

	path_of(what, path);
	while (access(path, F_OK) != 0)
		leave_processor();
}

static void be_silent(void)
{
	tell("silent");
	await("connects");
}

static void wait_for_memory(void)
{
	for (;; leave_processor())
		for (int fd = 0; fd < DESCRIPTORS; fd++) {
			char link[128];

			what_it_is(fd, link);
			if (!programs[fd] && strstr(link, "memfd:ftmpi-rings-"))
				return;
		}
}

/* Rank 1 does not answer, and then its program is in no call. */
static void half_way(void)
{
	const struct launch *l = physical_launch();
	int v = 7;
	MPI_Request r;

	if (prog.rank == 1) {
		look_at("in silence", be_silent);
		await("offered");
		MPI_Recv(&v, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MUST(v == 7);
	} else if (prog.rank == 0) {
		await("silent");
		MPI_Isend(&v, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r);
		wait_for_peer(port_of(&l->addresses[1].addr));
		look_at("while it connects", compare);
		tell("connects");
		if (!l->settings.tcp_only) {
			wait_for_memory();
			look_at("while memory is offered", compare);
		}
		tell("offered");
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

/* ---- all pairs ---- */

static void all_pairs(void)
{
	int *to = prog_alloc(&prog, (size_t)prog.size * sizeof *to);
	int *from = prog_alloc(&prog, (size_t)prog.size * sizeof *from);

	for (int i = 0; i < prog.size; i++)
		to[i] = 100 * prog.rank + i;
	MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < prog.size; i++) {
		MUST(from[i] == 100 * i + prog.rank);
		MPI_Sendrecv(&to[i], 1, MPI_INT, i, TAG, &from[i], 1, MPI_INT, i, TAG,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MUST(from[i] == 100 * i + prog.rank);
	}
	free(to);
	free(from);
	look_at("after messages", compare);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Every period each rank may make connections for heartbeats. */
static void heartbeats(void)
{
	const struct launch *l = physical_launch();

	if (l->size == 1 || l->settings.beat_ms == 0)
		return;
	for (int i = 0; i < l->size && l->size == 2; i++)
		if (i != l->rank)
			wait_for_peer(port_of(&l->beat[i].addr));
	look_at("with heartbeats", compare);
}

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"DIR", NULL, PROG_TEXT, &folder, 0, "where the ranks meet"}};

	signal(SIGALRM, on_deadline);
	alarm(prog_patience(DEADLINE_S));
	open_some();
	leave_holes();
	see_programs();
	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "own_descriptors",
		.text = "The library knows what it has open.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	look_at("at once", compare);
	open_some();
	strangers();
	if (prog.size > 1)
		half_way();
	heartbeats();
	all_pairs();
	MPI_Finalize();
	printf("own_descriptors: rank %d: right, %zu\n", prog.rank, most);
	return 0;
}
