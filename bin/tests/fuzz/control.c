/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent says to a rank (the START message, as a body and as it comes through the socket
 * that the environment names; orders to one that runs), and what a rank says to its agent.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "launch/control.h"
#include "launch/control_commands.h"
#include "fuzz.h"
#include "launch/launch.h"

enum { HEAD = 8, TEXT_MOST = 1023 };

/* What the body says of one rank, read once more. */
static void check_rank(const struct launch *l, struct cursor *c, int rank)
{
	char host[LAUNCH_HOST_MAX], address[INET6_ADDRSTRLEN * 2];
	struct in6_addr bytes;
	const struct sockaddr_storage *a = &l->addresses[rank].addr;
	uint16_t port;

	cursor_string(c, host, sizeof host);
	cursor_string(c, address, sizeof address);
	port = cursor_u16(c);
	cursor_u16(c);
	FUZZ_CHECK(strcmp(host, l->hosts[rank]) == 0, "another host");
	FUZZ_CHECK(inet_pton(a->ss_family, address, &bytes) == 1, "no address: %s", address);
	if (a->ss_family == AF_INET)
		FUZZ_CHECK(((const struct sockaddr_in *)a)->sin_port == htons(port), "port");
	else
		FUZZ_CHECK(((const struct sockaddr_in6 *)a)->sin6_port == htons(port), "port");
	FUZZ_CHECK((uint32_t)l->node[rank] == cursor_u32(c) && l->node[rank] >= 0 &&
			   l->node[rank] < l->size,
		"node %d", l->node[rank]);
	FUZZ_CHECK((uint32_t)l->cores[rank] == cursor_u32(c) && l->cores[rank] > 0, "cores");
}

/* A setting: of that of incarnations each number is looked at, in the text that follows it. */
static void check_setting(const struct launch *l, struct cursor *c)
{
	static const char name[] = "incarnations=";
	uint32_t len = cursor_u32(c);
	const char *at = (const char *)c->at, *end;

	FUZZ_CHECK(!c->bad && len <= (size_t)(c->end - c->at), "a setting that is cut");
	end = at + len;
	c->at += len;
	if (len < sizeof name - 1 || memcmp(at, name, sizeof name - 1) != 0)
		return;
	at += sizeof name - 1;
	for (int i = 0; i < l->size; i++) {
		size_t digits = 0;

		while (at + digits < end && at[digits] >= '0' && at[digits] <= '9')
			digits++;
		FUZZ_CHECK(digits > 0 && digits <= 10, "no number of rank %d", i);
		at += digits;
		FUZZ_CHECK(i + 1 < l->size ? at < end && *at++ == ',' : at == end,
			"not one number for each rank");
	}
}

/* session 16, epoch, rank, size, secret 32, three numbers */
static void check_start(const struct launch *l, const uint8_t *body, size_t len)
{
	struct cursor c = cursor_over(body, len);
	char text[LAUNCH_PATH_MAX];

	FUZZ_CHECK(memcmp(l->session, body, 16) == 0 && memcmp(l->secret, body + 28, 32) == 0,
		"another session or secret");
	c.at += 16;
	FUZZ_CHECK(l->epoch == cursor_u32(&c), "epoch");
	FUZZ_CHECK((uint32_t)l->rank == cursor_u32(&c) && (uint32_t)l->size == cursor_u32(&c),
		"rank or size");
	FUZZ_CHECK(l->rank >= 0 && l->rank < l->size, "rank %d of %d", l->rank, l->size);
	c.at += 32 + 12;
	cursor_string(&c, text, sizeof text);
	FUZZ_CHECK(strcmp(text, l->workdir) == 0, "work directory");
	cursor_string(&c, text, sizeof text);
	FUZZ_CHECK(strcmp(text, l->session_name) == 0, "name");
	for (uint32_t n = cursor_u32(&c); n > 0; n--)
		check_setting(l, &c);
	FUZZ_CHECK(l->incarnations && strlen(l->settings.keeper) <= 80, "incarnations, keeper");
	for (int i = 0; i < l->size; i++)
		check_rank(l, &c, i);
	FUZZ_CHECK(cursor_done(&c), "not all of the body was looked at");
	FUZZ_CHECK(strcmp(l->host, l->hosts[l->rank]) == 0, "own host");
}

static void decode(const uint8_t *body, size_t len)
{
	struct launch l = {.rank = -7};
	int rc = control_decode_start(&l, body, len);

	if (rc == 0)
		check_start(&l, body, len);
	else
		FUZZ_CHECK(rc == FT_EPROTO && l.rank == -7 && !l.addresses && !l.hosts && !l.node &&
				   !l.cores && !l.incarnations,
			"refused with %d, and something is set", rc);
	launch_free(&l);
}

/* A value of FTMPI_CONTROL_FD or FTMPI_LISTEN_FD: mostly the descriptor's number. True: it is. */
static bool name_fd(struct script *in, const char *name, int fd)
{
	uint8_t how = script_u8(in);
	char *text, number[16];
	bool right;

	snprintf(number, sizeof number, "%d", fd);
	text = how & 1 ? script_text(in, how >> 1 & 31) : strdup(number);
	setenv(name, text, 1);
	right = *text && atoi(text) == fd;
	free(text);
	return right;
}

/* The end of the socket follows, so that nothing is waited for. */
static void feed(int fd, struct script *in)
{
	size_t len = (size_t)(in->end - in->at);

	FUZZ_CHECK(
		len == 0 || send(fd, in->at, len, MSG_NOSIGNAL) == (ssize_t)len, "it does not fit");
	shutdown(fd, SHUT_WR);
}

static int control[2], listener;

/* The control socket may be descriptor 0, which a careless reader of numbers finds in every text.
 * No descriptor here has a writer that is silent: nothing is waited for whichever is named. */
static void open_sockets(bool as_stdin)
{
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, control) == 0 && listener >= 0, "sockets");
	shutdown(control[1], SHUT_WR);
	if (as_stdin) {
		dup2(control[1], STDIN_FILENO);
		close(control[1]);
		control[1] = STDIN_FILENO;
	}
}

static void close_sockets(void)
{
	close(control[0]);
	close(control[1]);
	close(listener);
	if (control[1] == STDIN_FILENO)
		FUZZ_CHECK(open("/dev/null", O_RDONLY) == STDIN_FILENO, "no standard input");
}

static void start(struct script *in)
{
	struct launch l = {.control_fd = -1, .listen_fd = -1};
	char err[512] = "";
	bool named;
	int rc;

	open_sockets(script_u8(in) & 1);
	named = name_fd(in, "FTMPI_CONTROL_FD", control[1]);
	named &= name_fd(in, "FTMPI_LISTEN_FD", listener);
	FUZZ_CHECK(control_present(), "the environment says so");
	feed(control[0], in);
	rc = control_start(&l, err, sizeof err);
	FUZZ_CHECK(!control_present() && !getenv("FTMPI_LISTEN_FD"), "left in the environment");
	if (rc)
		fuzz_check_sentence(err, sizeof err);
	FUZZ_CHECK(rc || (named && l.control_fd == control[1] && l.listen_fd == listener),
		"%d and %d were taken", l.control_fd, l.listen_fd);
	launch_free(&l);
	close_sockets();
}

/* The one frame that is there, as doc/control.md says. */
static void check_told(int fd, uint16_t type, bool number, const char *text)
{
	uint8_t got[4096];
	ssize_t n = recv(fd, got, sizeof got, MSG_DONTWAIT);
	struct cursor c = cursor_over(got, n > 0 ? (size_t)n : 0);
	char said[TEXT_MOST + 1];

	FUZZ_CHECK(cursor_u32(&c) == (uint32_t)(n - HEAD), "length");
	FUZZ_CHECK(cursor_u16(&c) == type && cursor_u16(&c) == CONTROL_VERSION, "head");
	if (number)
		cursor_u32(&c);
	if (text) {
		cursor_string(&c, said, sizeof said);
		FUZZ_CHECK(strncmp(text, said, TEXT_MOST) == 0, "another text");
	}
	FUZZ_CHECK(cursor_done(&c), "bytes are left over");
}

static void told(struct script *in)
{
	uint32_t number = script_u16(in) * 65537u;
	char *text = script_text(in, FUZZ_INPUT_MAX);
	int fds[2];

	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0, "sockets");
	control_inited(fds[1]);
	check_told(fds[0], CONTROL_INITED, true, NULL);
	control_finalized(fds[1]);
	check_told(fds[0], CONTROL_FINALIZED, false, NULL);
	control_ending(fds[1]);
	check_told(fds[0], CONTROL_ENDING, false, NULL);
	control_aborted(fds[1], number, text);
	check_told(fds[0], CONTROL_ABORTED, true, text);
	control_lost(fds[1], (int)number, text);
	check_told(fds[0], CONTROL_LOST, true, text);
	control_program(fds[1], number & 1);
	check_told(fds[0], CONTROL_PROGRAM, true, NULL);
	control_line(fds[1], number);
	check_told(fds[0], CONTROL_LINE, true, NULL);
	control_heard(fds[1], (int)number);
	check_told(fds[0], CONTROL_HEARD, true, NULL);
	control_restored(fds[1], number, text);
	check_told(fds[0], CONTROL_RESTORED, true, text);
	control_held(fds[1], number, text);
	check_told(fds[0], CONTROL_HELD, true, text);
	close(fds[0]);
	close(fds[1]);
	free(text);
}

/* What is believed is what doc/control.md says. */
static void check_order(const struct control_command *o)
{
	bool save = o->type == CONTROL_SAVE, fault = o->type == CONTROL_FAULT;
	struct cursor c = cursor_over(o->bytes, o->have);

	if (o->type == CONTROL_MOVED)
		return;
	FUZZ_CHECK(o->have == (save	      ? 20
				      : fault ? 24
					      : 12) &&
			   cursor_u32(&c) == o->have - HEAD,
		"length");
	FUZZ_CHECK(o->type >= CONTROL_RESTART && o->type <= CONTROL_FAULT &&
			   cursor_u16(&c) == o->type && cursor_u16(&c) == CONTROL_VERSION,
		"head");
	FUZZ_CHECK(cursor_u32(&c) == o->epoch, "epoch");
	FUZZ_CHECK(!save || (cursor_u32(&c) == o->n && cursor_u32(&c) == o->step &&
				    o->step <= CONTROL_SAVE_RELEASE),
		"step");
	FUZZ_CHECK(!fault || (cursor_u32(&c) == o->fault.what && cursor_u32(&c) == o->fault.peer &&
				     cursor_u32(&c) == o->fault.ms),
		"injection");
	FUZZ_CHECK(cursor_done(&c), "bytes are left over");
}

/* In pieces, as they come; no more is asked for than an order has. */
static void order(struct script *in)
{
	struct control_command o = {.have = 0};
	int needs;

	while ((needs = control_commands_needs(&o)) > 0 && !script_ended(in)) {
		size_t piece = 1 + script_u8(in) % (unsigned)needs;

		FUZZ_CHECK((size_t)needs <= sizeof o.bytes - o.have, "%d more bytes", needs);
		for (; piece > 0; piece--)
			o.bytes[o.have++] = script_u8(in);
	}
	FUZZ_CHECK(needs >= 0 || needs == FT_EPROTO, "%d", needs);
	if (needs == 0)
		check_order(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int fd = fuzz_lowest_fd();

	switch (script_u8(&in) % 4) {
	case 0:
		start(&in);
		break;
	case 1:
		told(&in);
		break;
	case 3:
		order(&in);
		break;
	default:
		decode(in.at, (size_t)(in.end - in.at));
	}
	FUZZ_CHECK(fuzz_lowest_fd() == fd, "a descriptor was left open");
	return 0;
}
