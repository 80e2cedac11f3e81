/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people write: numbers in the environment (lib/base/knob.c) and the arguments of a rank that
 * is started by hand. Names are not looked up and ports are not taken.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/knob.h"
#include "fuzz.h"
#include "launch/launch.h"
#include "launch/manual_start.h"

enum { WORDS = 1500 };

int __real_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
	struct addrinfo **found);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
	struct addrinfo **found);
int __wrap_bind(int fd, const struct sockaddr *addr, socklen_t len);
int __wrap_listen(int fd, int backlog);

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
	struct addrinfo **found)
{
	struct addrinfo numeric = *hints;

	FUZZ_CHECK(atoi(service) > 0 && atoi(service) < 65536, "port %s", service);
	numeric.ai_flags |= AI_NUMERICHOST | AI_NUMERICSERV;
	return __real_getaddrinfo(host, service, &numeric, found);
}

static int next_bind;

int __wrap_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	FUZZ_CHECK(len == (addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						       : sizeof(struct sockaddr_in)),
		"an address of %u bytes", len);
	errno = next_bind;
	return fd >= 0 && next_bind == 0 ? 0 : -1;
}

int __wrap_listen(int fd, int backlog)
{
	return fd >= 0 && backlog > 0 ? 0 : -1;
}

/* ---- knobs ---- */

static const struct {
	const char *name;
	int64_t value, least, most;
} knobs[KNOB_COUNT] = {
#define X(id, name, value, least, most, text) {name, value, least, most},
	KNOB_TABLE(X)
#undef X
};

/* A decimal number as strtoll takes it, of at most 18 digits. */
static bool plain_number(const char *text, int64_t *out)
{
	bool minus = *text == '-';
	size_t digits = strspn(text + minus, "0123456789");

	if (digits == 0 || digits > 18 || text[minus + digits])
		return false;
	*out = 0;
	for (const char *at = text + minus; *at; at++)
		*out = *out * 10 + (*at - '0');
	if (minus)
		*out = -*out;
	return true;
}

/* What strtol may be given: perhaps blanks and a sign, digits, and nothing behind them. */
static bool is_number(const char *text)
{
	text += strspn(text, " \t\n\v\f\r");
	text += *text == '-' || *text == '+';
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static void check_knob(int which, const char *text)
{
	char err[512] = "";
	int rc = knob_load(err, sizeof err);
	int64_t v;
	bool fits = plain_number(text, &v) && v >= knobs[which].least && v <= knobs[which].most;

	FUZZ_CHECK(!fits || (rc == 0 && knob_get((enum knob)which) == v), "%s was not taken", text);
	if (rc) {
		FUZZ_CHECK(rc == FT_EINVAL, "refused with %d", rc);
		fuzz_check_sentence(err, sizeof err);
		FUZZ_CHECK(strstr(err, knobs[which].name) && strstr(err, "or unset it"),
			"the sentence lacks its name or its end: %s", err);
		return;
	}
	FUZZ_CHECK(is_number(text), "%s was taken for a number", text);
	for (int k = 0; k < KNOB_COUNT; k++)
		FUZZ_CHECK(knob_get((enum knob)k) >= knobs[k].least &&
				   knob_get((enum knob)k) <= knobs[k].most,
			"%s is out of its range", knobs[k].name);
}

static void environment(struct script *in)
{
	int which = script_u8(in) % KNOB_COUNT;
	char *text = script_text(in, FUZZ_INPUT_MAX);

	setenv(knobs[which].name, text, 1);
	check_knob(which, text);
	unsetenv(knobs[which].name);
	free(text);
}

/* ---- arguments ---- */

/* Words are lines. */
static int split(char *text, char **words)
{
	int n = 0;

	words[n++] = (char *)"prog";
	for (char *word = strsep(&text, "\n"); word && n < WORDS; word = strsep(&text, "\n"))
		words[n++] = word;
	words[n] = NULL;
	return n;
}

static void name_secret(struct script *in)
{
	static const char *const files[] = {"/dev/zero", "/dev/null", "/", NULL};
	uint8_t which = script_u8(in);
	char *text;

	if (which < 252) {
		setenv("FTMPI_SECRET_FILE", "/dev/zero", 1);
	} else if (which < 255 && files[which - 252]) {
		setenv("FTMPI_SECRET_FILE", files[which - 252], 1);
	} else {
		text = script_text(in, 64);
		setenv("FTMPI_SECRET_FILE", text, 1);
		free(text);
	}
	if (which == 251)
		unsetenv("FTMPI_SECRET_FILE");
}

static void check_started(const struct launch *l, char **words, int at)
{
	char number[16];

	FUZZ_CHECK(l->size >= 1 && l->rank >= 0 && l->rank < l->size && l->listen_fd >= 0,
		"rank %d of %d", l->rank, l->size);
	FUZZ_CHECK(is_number(words[at + 2]) && atoi(words[at + 2]) == l->rank &&
			   is_number(words[at + 3]) && atoi(words[at + 3]) == l->size,
		"another rank or size");
	FUZZ_CHECK(strcmp(l->workdir, words[at + 1]) == 0, "another work directory");
	for (int i = 0; i < l->size; i++) {
		snprintf(number, sizeof number, "%d", i);
		FUZZ_CHECK(strcmp(l->hosts[i], words[at + 5 + 2 * i]) == 0, "another host");
		FUZZ_CHECK(l->addresses[i].len > 0 && l->node[i] >= 0 && l->node[i] <= i &&
				   l->cores[i] > 0,
			"rank %d", i);
	}
}

static void arguments(struct script *in)
{
	struct launch l = {.listen_fd = -1, .control_fd = -1};
	char err[512] = "", *words[WORDS + 1], *kept[WORDS + 1], **argv = words, *text;
	int argc, rc, at;

	name_secret(in);
	next_bind = script_u8(in) == 255 ? EADDRINUSE : 0;
	setenv("FTMPI_PORT_BASE", script_u8(in) == 255 ? "65000" : "2000", 1);
	text = script_text(in, FUZZ_INPUT_MAX);
	argc = split(text, words);
	FUZZ_CHECK(knob_load(err, sizeof err) == 0, "%s", err);
	if (manual_start_given(argc, argv)) {
		memcpy(kept, words, sizeof kept);
		rc = manual_start(&l, &argc, &argv, err, sizeof err);
		for (at = 1; strcmp(kept[at], "-ftmpi") != 0;)
			at++;
		if (rc)
			fuzz_check_sentence(err, sizeof err);
		else
			check_started(&l, kept, at);
		FUZZ_CHECK(rc || (argc == at && !argv[at]), "its arguments are still there");
		FUZZ_CHECK((rc == 0) == (l.listen_fd >= 0), "it listens, or does not");
		if (l.listen_fd >= 0)
			close(l.listen_fd);
	}
	unsetenv("FTMPI_PORT_BASE");
	launch_free(&l);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int ready = auth_init(), fd = fuzz_lowest_fd();

	FUZZ_CHECK(ready == 0, "no libsodium");
	(script_u8(&in) & 1 ? arguments : environment)(&in);
	FUZZ_CHECK(fuzz_lowest_fd() == fd, "a descriptor was left open");
	return 0;
}
