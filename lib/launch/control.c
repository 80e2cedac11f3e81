/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/log.h"
#include "launch.h"

/* The START message is on its way when the rank is started: it takes this long only when something
 * is wrong. */
enum { START_MS = 60000, HEAD_BYTES = 8 };

static const char env_control[] = "FTMPI_CONTROL_FD", env_listen[] = "FTMPI_LISTEN_FD",
		  env_beat[] = "FTMPI_BEAT_FD";

/* What was read before main: the sockets, and the body of START. */
static struct {
	bool there;
	int control_fd, listen_fd, beat_fd;
	uint8_t *body;
	size_t len;
} early;

bool control_present(void)
{
	return early.there || getenv(env_control) != NULL;
}

bool control_of_images(void)
{
	return getenv("FTMPI_IMAGE") != NULL;
}

/* A descriptor number from the environment that is an open socket, or -1. */
static int find_fd(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long fd = text ? strtol(text, &end, 10) : -1;
	int type;
	socklen_t len = sizeof type;

	if (fd < 0 || fd > 1 << 20 || end == text || *end ||
		getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
		return -1;
	return (int)fd;
}

/* The same, taken out of the environment and closed on exec, so that programs this one starts are
 * jobs of their own. */
static int take_fd(const char *name)
{
	int fd = find_fd(name);

	unsetenv(name);
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Held while a message is sent, and for good after RESTARTING. */
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

void control_forget(void)
{
	pthread_mutex_init(&sending, NULL);
}

/* A message of which only a part went out would spoil all messages behind it, and a signal of the
 * program may interrupt the call anywhere. */
static bool send_all(int fd, const uint8_t *at, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

enum { MESSAGE_BYTES = 1200 };

/* Messages are small: the socket's buffer takes them whole, so the call does not wait. The body is
 * in out, behind the head, and ends at w. */
static void post(int fd, enum control_type type, uint8_t *out, const struct writer *w)
{
	struct writer head = writer_over(out, HEAD_BYTES);
	size_t len = (size_t)(w->at - out);

	writer_u32(&head, (uint32_t)(len - HEAD_BYTES));
	writer_u16(&head, (uint16_t)type);
	writer_u16(&head, CONTROL_VERSION);
	if (!send_all(fd, out, len))
		log_event("the launcher does not take messages any more");
}

static void write_text(struct writer *w, const char *text)
{
	char brief[1024];

	snprintf(brief, sizeof brief, "%s", text);
	writer_string(w, brief);
}

static void send_number(int fd, enum control_type type, uint32_t number, const char *text)
{
	uint8_t out[MESSAGE_BYTES];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	if (fd < 0)
		return;
	if (type != CONTROL_FINALIZED && type != CONTROL_ENDING)
		writer_u32(&w, number);
	if (text)
		write_text(&w, text);
	post(fd, type, out, &w);
}

static void send_locked(int fd, enum control_type type, uint32_t number, const char *text)
{
	pthread_mutex_lock(&sending);
	send_number(fd, type, number, text);
	pthread_mutex_unlock(&sending);
}

/* 0, FT_EGONE at the end of the stream, FT_ETIME */
static int read_all(int fd, void *out, size_t len, uint64_t deadline)
{
	uint8_t *at = out;

	while (len > 0) {
		uint64_t now = clock_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (now >= deadline)
			return FT_ETIME;
		if (poll(&p, 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			continue;
		n = recv(fd, at, len, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return FT_EGONE;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int control_parse_address(const char *text, uint16_t port, struct net_address *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out->addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->addr;

	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		out->len = sizeof *v4;
		return 0;
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		out->len = sizeof *v6;
		return 0;
	}
	return FT_EPROTO;
}

static int decode_rank(struct launch *l, struct cursor *c, int rank)
{
	char address[64];
	uint16_t port, beat;
	uint32_t node, cores;

	cursor_string(c, l->hosts[rank], LAUNCH_HOST_MAX);
	cursor_string(c, address, sizeof address);
	port = cursor_u16(c);
	beat = cursor_u16(c);
	node = cursor_u32(c);
	cores = cursor_u32(c);
	if (c->bad || node >= (uint32_t)l->size || cores == 0 || cores > 1 << 20 ||
		control_parse_address(address, port, &l->addresses[rank]) != 0 ||
		control_parse_address(address, beat, &l->beat[rank]) != 0)
		return FT_EPROTO;
	l->node[rank] = (int)node;
	l->cores[rank] = (int)cores;
	return 0;
}

/* One setting; err is a sentence, or stays empty for what is damaged. */
static int decode_setting(struct launch *l, struct cursor *c, char *err, size_t errsize)
{
	struct cursor in = *c;
	size_t len = cursor_u32(&in);
	const char *text = (const char *)in.at;
	char word[512];

	if (in.bad || len > (size_t)(in.end - in.at))
		return FT_EPROTO;
	if (settings_is_incarnations(text, len)) {
		c->at = in.at + len;
		return settings_take_incarnations(
			l->incarnations, (uint32_t)l->size, text, len, err, errsize);
	}
	cursor_string(c, word, sizeof word);
	return c->bad ? FT_EPROTO : settings_take(&l->settings, word, err, errsize);
}

static int decode_settings(struct launch *l, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	char err[256] = "";
	int rc = c->bad ? FT_EPROTO : 0;

	settings_default(&l->settings);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = decode_setting(l, c, err, sizeof err);
	if (*err)
		log_error("%s", err);
	return rc;
}

int control_decode_start(struct launch *l, const void *body, size_t len)
{
	struct cursor c = cursor_over(body, len);
	uint32_t rank, size;
	int rc;

	cursor_bytes(&c, l->session, sizeof l->session);
	l->epoch = cursor_u32(&c);
	rank = cursor_u32(&c);
	size = cursor_u32(&c);
	cursor_bytes(&c, l->secret, sizeof l->secret);
	cursor_u32(&c); /* local rank and size: the environment has them */
	cursor_u32(&c);
	l->verbosity = (int)cursor_u32(&c);
	cursor_string(&c, l->workdir, sizeof l->workdir);
	cursor_string(&c, l->session_name, sizeof l->session_name);
	if (c.bad || size == 0 || size > LAUNCH_SIZE_MAX || rank >= size || size > len)
		return FT_EPROTO;
	rc = launch_alloc(l, (int)size);
	if (rc == 0)
		rc = decode_settings(l, &c);
	for (uint32_t i = 0; rc == 0 && i < size; i++)
		rc = decode_rank(l, &c, (int)i);
	if (rc == 0 && !cursor_done(&c))
		rc = FT_EPROTO;
	if (rc) {
		launch_free(l);
		return rc;
	}
	l->rank = (int)rank;
	memcpy(l->host, l->hosts[rank], sizeof l->host);
	return 0;
}

/* of a frame that begins with these bytes */
static int parse_head(const uint8_t head[HEAD_BYTES], uint16_t *type, uint32_t *len)
{
	struct cursor c = cursor_over(head, HEAD_BYTES);

	*len = cursor_u32(&c);
	*type = cursor_u16(&c);
	return cursor_u16(&c) == CONTROL_VERSION && *len <= CONTROL_BODY_MAX ? 0 : FT_EPROTO;
}

/* Nothing of the program has run yet that could begin again. */
static int pass_restart(int fd, uint32_t len, uint64_t deadline)
{
	uint8_t body[4];
	struct cursor c = cursor_over(body, sizeof body);
	int rc = len == sizeof body ? read_all(fd, body, sizeof body, deadline) : FT_EPROTO;

	if (rc == 0)
		send_locked(fd, CONTROL_RESTARTING, cursor_u32(&c), NULL);
	return rc;
}

/* Malloc'ed. */
static int read_start_body(int fd, uint8_t **body, uint32_t len, uint64_t deadline)
{
	int rc;

	*body = malloc(len ? len : 1);
	if (!*body)
		return FT_ENOMEM;
	rc = read_all(fd, *body, len, deadline);
	if (rc) {
		free(*body);
		*body = NULL;
	}
	return rc;
}

/* What follows START stays in the socket. */
static int read_start(int fd, uint8_t **body, uint32_t *len)
{
	uint64_t deadline = clock_ns() + (uint64_t)START_MS * 1000000;
	uint8_t head[HEAD_BYTES];
	uint16_t type;
	int rc;

	do {
		rc = read_all(fd, head, sizeof head, deadline);
		if (rc == 0)
			rc = parse_head(head, &type, len);
		if (rc == 0 && type == CONTROL_RESTART)
			rc = pass_restart(fd, *len, deadline);
	} while (rc == 0 && type == CONTROL_RESTART);
	if (rc)
		return rc;
	return type == CONTROL_START ? read_start_body(fd, body, *len, deadline) : FT_EPROTO;
}

static int say_start(int rc, char *err, size_t errsize)
{
	if (rc == FT_ETIME)
		snprintf(err, errsize,
			"the launcher did not say which rank this is (one rank can run one MPI "
			"program only)");
	else if (rc)
		snprintf(err, errsize, "the launcher's start message could not be read: %s",
			ft_error_text(rc));
	return rc;
}

int control_early(const void **body, size_t *len, char *err, size_t errsize)
{
	uint32_t n = 0;
	int rc;

	early.control_fd = take_fd(env_control);
	early.listen_fd = take_fd(env_listen);
	early.beat_fd = take_fd(env_beat);
	if (early.control_fd < 0 || early.listen_fd < 0) {
		snprintf(err, errsize,
			"%s or %s names no open socket: start the program with ftmpirun, or unset "
			"both",
			env_control, env_listen);
		return FT_EINVAL;
	}
	rc = read_start(early.control_fd, &early.body, &n);
	early.there = rc == 0;
	early.len = n;
	*body = early.body;
	*len = n;
	return say_start(rc, err, errsize);
}

void control_early_end(void)
{
	if (!early.there)
		return;
	auth_wipe(early.body, early.len);
	free(early.body);
	early.there = false;
	early.body = NULL;
}

int control_start(struct launch *l, char *err, size_t errsize)
{
	bool at_once = !early.there;
	const void *body;
	size_t len;
	int rc = at_once ? control_early(&body, &len, err, errsize) : 0;

	l->control_fd = early.control_fd;
	l->listen_fd = early.listen_fd;
	l->beat_fd = early.beat_fd;
	if (rc)
		return rc;
	rc = say_start(control_decode_start(l, early.body, early.len), err, errsize);
	if (at_once)
		control_early_end();
	return rc;
}

/* ---- messages to the agent ---- */

void control_inited(int fd)
{
	send_locked(fd, CONTROL_INITED, (uint32_t)getpid(), NULL);
}

void control_finalized(int fd)
{
	send_locked(fd, CONTROL_FINALIZED, 0, NULL);
}

void control_ending(int fd)
{
	send_locked(fd, CONTROL_ENDING, 0, NULL);
}

void control_aborted(int fd, uint32_t code, const char *text)
{
	send_locked(fd, CONTROL_ABORTED, code, text);
}

void control_lost(int fd, int peer, const char *why)
{
	send_locked(fd, CONTROL_LOST, (uint32_t)peer, why);
}

/* Whole, or not at all: who sends must not wait for an agent that reads nothing, which is noticed
 * elsewhere. out: with room for the head. */
static bool post_at_once(int fd, enum control_type type, uint8_t *out, size_t len)
{
	struct writer w = writer_over(out, HEAD_BYTES);
	bool sent;

	writer_u32(&w, (uint32_t)len);
	writer_u16(&w, (uint16_t)type);
	writer_u16(&w, CONTROL_VERSION);
	pthread_mutex_lock(&sending);
	sent = fd < 0 || send(fd, out, HEAD_BYTES + len, MSG_NOSIGNAL | MSG_DONTWAIT) ==
				 (ssize_t)(HEAD_BYTES + len);
	pthread_mutex_unlock(&sending);
	return sent;
}

static bool send_at_once(int fd, enum control_type type, const uint32_t *numbers, int count)
{
	uint8_t out[HEAD_BYTES + 12];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	for (int i = 0; i < count; i++)
		writer_u32(&w, numbers[i]);
	return post_at_once(fd, type, out, 4 * (size_t)count);
}

static void not_told(uint32_t peer)
{
	log_event("what was noticed of rank %u could not be told", peer);
}

void control_suspect(int fd, int peer, unsigned silent_ms, uint32_t progress)
{
	uint32_t numbers[] = {(uint32_t)peer, silent_ms, progress};

	if (!send_at_once(fd, CONTROL_SUSPECT, numbers, 3))
		not_told(numbers[0]);
}

void control_heard(int fd, int peer)
{
	uint32_t number = (uint32_t)peer;

	if (!send_at_once(fd, CONTROL_HEARD, &number, 1))
		not_told(number);
}

void control_program(int fd, bool uses_checkpoints)
{
	send_locked(fd, CONTROL_PROGRAM, uses_checkpoints, NULL);
}

void control_runs(int fd, const uint8_t hash[CONTROL_HASH_BYTES], const char *path)
{
	uint8_t out[MESSAGE_BYTES];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	if (fd < 0)
		return;
	writer_bytes(&w, hash, CONTROL_HASH_BYTES);
	write_text(&w, path);
	pthread_mutex_lock(&sending);
	post(fd, CONTROL_RUNS, out, &w);
	pthread_mutex_unlock(&sending);
}

void control_loaded(void)
{
	send_locked(find_fd(env_control), CONTROL_LOADED, (uint32_t)getpid(), NULL);
}

void control_line(int fd, uint32_t line)
{
	send_locked(fd, CONTROL_LINE, line, NULL);
}

void control_restored(int fd, uint32_t line, const char *session)
{
	send_locked(fd, CONTROL_RESTORED, line, session);
}

static void write_u64(struct writer *w, uint64_t v)
{
	writer_u32(w, (uint32_t)v);
	writer_u32(w, (uint32_t)(v >> 32));
}

void control_input(int fd, uint32_t line, uint64_t bytes)
{
	uint8_t out[HEAD_BYTES + 12];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	if (fd < 0)
		return;
	writer_u32(&w, line);
	write_u64(&w, bytes);
	pthread_mutex_lock(&sending);
	post(fd, CONTROL_INPUT, out, &w);
	pthread_mutex_unlock(&sending);
}

void control_held(int fd, uint32_t n, const char *why)
{
	send_locked(fd, CONTROL_HELD, n, why);
}

static uint32_t kib(uint64_t bytes)
{
	return bytes >> 10 < UINT32_MAX ? (uint32_t)(bytes >> 10) : UINT32_MAX;
}

void control_logs(int fd, uint64_t bytes, int peer, uint64_t of_peer)
{
	uint32_t numbers[] = {(uint32_t)peer, kib(bytes), kib(of_peer)};

	if (!send_at_once(fd, CONTROL_LOGS, numbers, 3))
		not_told(numbers[0]);
}

static uint32_t microseconds(uint64_t ns)
{
	return ns / 1000 < UINT32_MAX ? (uint32_t)(ns / 1000) : UINT32_MAX;
}

void control_cost(int fd, uint32_t lines, uint64_t stood_ns, uint64_t longest_ns)
{
	uint32_t numbers[] = {lines, microseconds(stood_ns), microseconds(longest_ns)};

	send_at_once(fd, CONTROL_COST, numbers, 3);
}

void control_size(int fd, uint32_t n, uint64_t bytes)
{
	uint32_t numbers[] = {n, (uint32_t)bytes, (uint32_t)(bytes >> 32)};

	send_at_once(fd, CONTROL_SIZE, numbers, 3);
}

uint32_t control_block_of(int size)
{
	return ((uint32_t)size + CONTROL_BLOCKS_MAX - 1) / CONTROL_BLOCKS_MAX;
}

void control_traffic(int fd, const struct control_traffic *t)
{
	uint8_t out[HEAD_BYTES + 20 + 20 * CONTROL_BLOCKS_MAX];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	if (fd < 0)
		return;
	writer_u32(&w, t->epoch);
	writer_u32(&w, t->all ? UINT32_MAX : t->line);
	writer_u32(&w, t->ranks);
	writer_u32(&w, (uint32_t)t->n);
	for (int i = 0; i < t->n; i++)
		writer_u32(&w, t->sent[i].block);
	writer_u32(&w, 4 * (uint32_t)t->n);
	for (int i = 0; i < t->n; i++) {
		write_u64(&w, t->sent[i].messages);
		write_u64(&w, t->sent[i].bytes);
	}
	if (!t->all) {
		post_at_once(fd, CONTROL_TRAFFIC, out, (size_t)(w.at - out) - HEAD_BYTES);
		return;
	}
	pthread_mutex_lock(&sending);
	post(fd, CONTROL_TRAFFIC, out, &w);
	pthread_mutex_unlock(&sending);
}

/* size: of what is told of the text, with a NUL. */
static void send_text_at_once(
	int fd, enum control_type type, uint32_t number, const char *text, size_t size)
{
	char brief[512];
	uint8_t out[HEAD_BYTES + 8 + sizeof brief];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	snprintf(brief, size, "%s", text);
	writer_u32(&w, number);
	writer_string(&w, brief);
	post_at_once(fd, type, out, 8 + strlen(brief));
}

void control_progress(int fd, uint32_t millionths, const char *text)
{
	send_text_at_once(fd, CONTROL_PROGRESS, millionths, text, 64);
}

void control_refused(int fd, uint32_t n, const char *why)
{
	send_text_at_once(fd, CONTROL_REFUSED, n, why, 512);
}

void control_saved(int fd, uint32_t n, bool committed)
{
	uint8_t out[HEAD_BYTES + 8];
	struct writer w = writer_over(out + HEAD_BYTES, sizeof out - HEAD_BYTES);

	if (fd < 0)
		return;
	writer_u32(&w, n);
	writer_u32(&w, committed);
	pthread_mutex_lock(&sending);
	post(fd, CONTROL_SAVED, out, &w);
	pthread_mutex_unlock(&sending);
}

void control_restarting(int fd, uint32_t epoch)
{
	pthread_mutex_lock(&sending);
	send_number(fd, CONTROL_RESTARTING, epoch, NULL);
}
