/* SPDX-License-Identifier: BSD-3-Clause */
/* ftmpi-keeper: the process around a keeper (lib/keeper/server.h). */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/fault.h"
#include "base/log.h"
#include "keeper/event_file.h"
#include "keeper/folder.h"
#include "keeper/server.h"
#include "options.h"

/* How much longer than for a question a loop may take that turns no more: s. */
enum { STUCK = 10 };

static bool ended, job_over, clears;

/* ---- what it is told ---- */

/* false: standard input ended before. */
static bool read_input(void *out, size_t len)
{
	for (size_t have = 0; have < len;) {
		ssize_t n = read(STDIN_FILENO, (char *)out + have, len - have);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			have += (size_t)n;
	}
	return true;
}

/* Of anything else the end cannot be waited for. */
static bool input_is_stream(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return true;
	log_error("standard input must be a pipe or a socket: its end is the end of the keeper");
	return false;
}

/* The loop turns. A starter that does not read is not told more, as nobody may hold up the keeper:
   a pipe in which poll finds room takes PIPE_BUF bytes. */
static void say_alive(size_t times)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	while (times-- > 0)
		fputs("alive\n", stdout);
	fflush(stdout);
}

static size_t count_questions(const char *bytes, size_t n)
{
	size_t questions = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == 'c')
			clears = true;
		else
			questions++;
	}
	return questions;
}

/* Where nobody can kill a keeper that hangs, the kernel does. */
static void set_alarm(const struct options *o)
{
	if (o->silence)
		alarm(o->silence + STUCK);
}

/* Each byte but c asks whether the keeper is alive; the end is the end of the keeper. After a long
 * turn of the loop there may be something to read though the time is over. */
static void on_input(evutil_socket_t fd, short what, void *arg)
{
	const struct options *o = arg;
	char bytes[256];
	ssize_t n = read(fd, bytes, sizeof bytes);

	if (n > 0) {
		say_alive(count_questions(bytes, (size_t)n));
		set_alarm(o);
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		ended = job_over = true;
	} else if (what & EV_TIMEOUT) {
		log_error("nothing was heard of ftmpirun for %u s", (unsigned)o->silence);
		ended = true;
	}
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	ended = true;
}

static void on_limit(void)
{
	printf("full\n");
	fflush(stdout);
}

/* Who is stopped, and whose starter is gone, is to see that. */
static void follow_starter(void)
{
	prctl(PR_SET_PDEATHSIG, SIGCONT);
}

/* What is there and not its own stays, and the folder with it. */
static void clear_folder(const struct options *o)
{
	char path[EVENT_FOLDER_MAX + 64];

	for (uint32_t rank = 0; rank < o->ranks; rank++) {
		snprintf(path, sizeof path, "%s/rank-%05u.events", o->folder, (unsigned)rank);
		unlink(path);
		strcat(path, ".new");
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/lock", o->folder);
	unlink(path);
	rmdir(o->folder);
}

/* ---- where it listens ---- */

static int listen_at(const struct net_address *at)
{
	int fd = socket(at->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (const struct sockaddr *)&at->addr, at->len) == 0 &&
		listen(fd, SOMAXCONN) == 0)
		return fd;
	on = errno;
	close(fd);
	errno = on;
	return -1;
}

static bool any_came(const struct keeper_server *s, uint32_t ranks)
{
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (keeper_server_incarnation(s, rank))
			return true;
	return false;
}

/* Of ranks that have come to a keeper before this one: whoever starts them has to count on. */
static void say_incarnations(const struct keeper_server *s, uint32_t ranks)
{
	for (uint32_t rank = 0; rank < ranks; rank++) {
		unsigned incarnation = keeper_server_incarnation(s, rank);

		if (incarnation)
			printf("incarnation %u %u\n", (unsigned)rank, incarnation);
	}
}

/* false: nobody reads it. */
static bool say_ready(int fd)
{
	struct net_address at = {.len = sizeof at.addr};
	char host[64], port[16];
	const char *open = "", *close_it = "";

	if (getsockname(fd, (struct sockaddr *)&at.addr, &at.len) != 0 ||
		getnameinfo((const struct sockaddr *)&at.addr, at.len, host, sizeof host, port,
			sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return false;
	if (at.addr.ss_family == AF_INET6) {
		open = "[";
		close_it = "]";
	}
	printf("ready %s%s%s:%s\n", open, host, close_it, port);
	return fflush(stdout) == 0;
}

/* A file and a connection for each rank, and connections that are none of a rank's. */
static bool has_descriptors(uint32_t ranks)
{
	const unsigned needed = keeper_server_descriptors(ranks);
	struct rlimit limit;

	descriptors_raise(needed);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
		return true;
	log_error("%u ranks need %u descriptors; raise the limit (ulimit -n), which is %llu",
		(unsigned)ranks, needed, (unsigned long long)limit.rlim_cur);
	return false;
}

/* ---- from the beginning to the end ---- */

static struct keeper_server *begin(const struct options *o, struct keeper_config *config)
{
	char said[1024];
	struct keeper_server *s;

	if (!input_is_stream())
		return NULL;
	if (!read_input(config->job.session, sizeof config->job.session) ||
		!read_input(config->job.secret, sizeof config->job.secret)) {
		log_error("standard input ended before the session (16 bytes) and the secret (32 "
			  "bytes); ftmpi-keeper -h tells more");
		return NULL;
	}
	if (keeper_folder_lock(o->folder, (int)o->wait * 1000, o->fresh, said, sizeof said) < 0) {
		log_error("%s", said);
		return NULL;
	}
	config->listen_fd = listen_at(&o->listen);
	if (config->listen_fd < 0) {
		log_error("cannot listen: %s; give another address or port with -listen",
			strerror(errno));
		return NULL;
	}
	s = keeper_server_new(config, said, sizeof said);
	if (!s)
		log_error("%s", said);
	return s;
}

static int serve(struct keeper_server *s, struct options *o, int listen_fd)
{
	struct event_base *base = keeper_server_base(s);
	struct event *input = event_new(base, STDIN_FILENO, EV_READ | EV_PERSIST, on_input, o);
	const struct timeval silence = {.tv_sec = o->silence};
	struct event *term = evsignal_new(base, SIGTERM, on_signal, NULL);
	int status = EXIT_FAILS;

	set_alarm(o);
	say_incarnations(s, o->ranks);
	evutil_make_socket_nonblocking(STDIN_FILENO);
	if (!input || !term || event_add(term, NULL) != 0 ||
		event_add(input, o->silence ? &silence : NULL) != 0)
		log_error("there is no memory to begin");
	else if (!say_ready(listen_fd))
		log_error("cannot say where it listens: %s", strerror(errno));
	else
		status = 0;
	while (status == 0 && !ended)
		keeper_server_turn(s);
	if (input)
		event_free(input);
	if (term)
		event_free(term);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct keeper_config config = {.disk = &disk_posix};
	struct keeper_server *s;
	int rc;

	log_configure(0, "ftmpi-keeper");
	rc = options_read(&o, argc, argv);
	if (rc)
		return rc;
	if (o.help) {
		options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILS;
	}
	log_configure(o.log, "ftmpi-keeper");
	fault_configure(0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit of file lengths is an error as others are */
	if (auth_init() != 0 || !has_descriptors(o.ranks))
		return EXIT_FAILS;
	config.job.ranks = o.ranks;
	config.folder = o.folder;
	config.limit = o.limit;
	config.fresh = o.fresh;
	config.on_limit = on_limit;
	follow_starter();
	s = begin(&o, &config);
	auth_wipe(config.job.secret, sizeof config.job.secret);
	if (!s)
		return EXIT_FAILS;
	rc = serve(s, &o, config.listen_fd);
	if (!o.silence)
		clears = clears || o.clears || !any_came(s, o.ranks);
	keeper_server_free(s);
	if ((job_over && clears) || (rc && o.fresh))
		clear_folder(&o);
	return rc;
}
