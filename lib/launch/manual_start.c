/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A start by hand, one terminal a rank:
 *	PROG ARGS... -ftmpi WORKDIR RANK SIZE 0 HOST0 1 HOST1 ... [-ftmpirecover FILE]
 * Rank r listens on port FTMPI_PORT_BASE + r. All ranks read the same secret from the file that
 * FTMPI_SECRET_FILE names.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "base/knob.h"
#include "base/plural.h"
#include "base/shown.h"
#include "launch.h"
#include "manual_start.h"

enum { SECRET_LEAST = 16, SECRET_MOST = 4096, BACKLOG = 1024 };

static int find(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-ftmpi") == 0)
			return i;
	return -1;
}

bool manual_start_given(int argc, char **argv)
{
	return find(argc, argv) >= 0;
}

static int main_argc;
static char **main_argv;

void manual_start_keep(int argc, char **argv)
{
	main_argc = argv ? argc : 0;
	main_argv = argv;
}

char **manual_start_arguments(int *argc)
{
	char **argv = calloc((size_t)main_argc + 1, sizeof *argv);

	for (*argc = 0; argv && *argc < main_argc && main_argv[*argc]; ++*argc)
		argv[*argc] = main_argv[*argc];
	return argv;
}

void manual_start_take_out(int *argc, char **argv)
{
	int at = find(*argc, argv);

	if (at < 0)
		return;
	*argc = at;
	argv[at] = NULL;
}

static int bad(char *err, size_t errsize, const char *what, const char *got)
{
	snprintf(err, errsize,
		"-ftmpi: %s%s%s (usage: -ftmpi WORKDIR RANK SIZE 0 HOST0 1 HOST1 ...)", what,
		got ? ", not " : "", got ? shown(got).text : "");
	return FT_EINVAL;
}

static bool number(const char *text, int least, int most, int *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < least || v > most)
		return false;
	*out = (int)v;
	return true;
}

/* The key and the session's name are hashes of the shared secret. */
static int read_secret(struct launch *l, char *err, size_t errsize)
{
	static const uint8_t fixed[AUTH_KEY_BYTES] = "ftmpi started by hand";
	const char *path = getenv("FTMPI_SECRET_FILE");
	uint8_t text[SECRET_MOST], mac[AUTH_MAC_BYTES];
	size_t len;
	FILE *f;

	if (!path || !*path) {
		snprintf(err, errsize,
			"FTMPI_SECRET_FILE is not set: ranks started by hand need a file with a "
			"shared secret (umask 077; head -c 32 /dev/urandom >FILE)");
		return FT_EINVAL;
	}
	f = fopen(path, "rb");
	if (!f) {
		snprintf(err, errsize, "FTMPI_SECRET_FILE: cannot read %s: %s", shown(path).text,
			strerror(errno));
		return FT_ESYS;
	}
	len = fread(text, 1, sizeof text, f);
	fclose(f);
	if (len < SECRET_LEAST) {
		snprintf(err, errsize, "FTMPI_SECRET_FILE: %s has %zu byte%s: give at least %d",
			shown(path).text, len, plural(len), SECRET_LEAST);
		return FT_EINVAL;
	}
	auth_mac(fixed, text, len, l->secret);
	auth_wipe(text, sizeof text);
	auth_mac(l->secret, "session", 7, mac);
	memcpy(l->session, mac, sizeof l->session);
	return 0;
}

static int resolve(const char *host, int port, struct net_address *out, char *err, size_t errsize)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
	char service[16];
	int rc;

	snprintf(service, sizeof service, "%d", port);
	rc = getaddrinfo(host, service, &hints, &found);
	if (rc) {
		snprintf(err, errsize, "-ftmpi: host %s: %s", shown(host).text, gai_strerror(rc));
		return FT_EINVAL;
	}
	memcpy(&out->addr, found->ai_addr, found->ai_addrlen);
	out->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

/* On every address of the host: the host's name may mean another address here than on other hosts.
 * The handshake refuses connections without the key. */
static int listen_on(struct launch *l, int port, char *err, size_t errsize)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	bool six = l->addresses[l->rank].addr.ss_family == AF_INET6;
	int on = 1, fd = descriptor_past_streams(
			    socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));

	if (fd < 0)
		goto failed;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, six ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
		    six ? sizeof v6 : sizeof v4) ||
		listen(fd, BACKLOG))
		goto failed;
	l->listen_fd = fd;
	return 0;

failed:
	snprintf(err, errsize,
		"-ftmpi: rank %d cannot listen on port %d: %s (FTMPI_PORT_BASE chooses another)",
		l->rank, port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return FT_ESYS;
}

static int node_of(const struct launch *l, int rank)
{
	for (int i = 0; i < rank; i++)
		if (strcmp(l->hosts[i], l->hosts[rank]) == 0)
			return i;
	return rank;
}

/* pair: the rank, which must be i, and its host */
static int take_pair(struct launch *l, char **pair, int i, char *err, size_t errsize)
{
	int rank;

	if (!number(pair[0], i, i, &rank))
		return bad(err, errsize, "the ranks of the pairs must be 0, 1, 2, ...", pair[0]);
	if (snprintf(l->hosts[i], LAUNCH_HOST_MAX, "%s", pair[1]) >= LAUNCH_HOST_MAX)
		return bad(err, errsize, "a host's name has fewer than 256 characters", pair[1]);
	l->node[i] = node_of(l, i);
	l->cores[i] = 1 << 20; /* the number on other hosts is unknown, and all must choose alike */
	return resolve(
		l->hosts[i], (int)knob_get(KNOB_PORT_BASE) + i, &l->addresses[i], err, errsize);
}

/* args: RANK SIZE 0 HOST0 1 HOST1 ... */
static int parse(struct launch *l, char **args, int n, char *err, size_t errsize)
{
	int port = (int)knob_get(KNOB_PORT_BASE), size, rc;

	if (n < 2 || !number(args[1], 1, 4096, &size))
		return bad(err, errsize, "SIZE must be a number from 1 to 4096",
			n < 2 ? "missing" : args[1]);
	if (!number(args[0], 0, size - 1, &l->rank))
		return bad(err, errsize, "RANK must be a number below SIZE", args[0]);
	if (n != 2 + 2 * size)
		return bad(err, errsize, "give exactly SIZE pairs of a rank and its host", NULL);
	if (port + size - 1 > UINT16_MAX) {
		snprintf(err, errsize,
			"FTMPI_PORT_BASE=%d is too high for %d ranks: give at most %d", port, size,
			UINT16_MAX - size + 1);
		return FT_EINVAL;
	}
	rc = launch_alloc(l, size);
	for (int i = 0; rc == 0 && i < size; i++)
		rc = take_pair(l, args + 2 + 2 * i, i, err, errsize);
	if (rc)
		return rc;
	memcpy(l->host, l->hosts[l->rank], sizeof l->host);
	return listen_on(l, port + l->rank, err, errsize);
}

static int take_workdir(struct launch *l, const char *path, char *err, size_t errsize)
{
	bool fits = snprintf(l->workdir, sizeof l->workdir, "%s", path) < (int)sizeof l->workdir;

	if (fits && access(l->workdir, W_OK | X_OK) == 0)
		return 0;
	snprintf(err, errsize, "-ftmpi: work directory %s: %s", shown(path).text,
		strerror(fits ? errno : ENAMETOOLONG));
	return FT_EINVAL;
}

/* FILE is WORKDIR/SESSION/line-NNNNNNNN.manifest: the line to go on from. */
static int take_recovery(struct launch *l, const char *file, char *err, size_t errsize)
{
	const char *slash = file ? strrchr(file, '/') : NULL, *session = slash;
	unsigned line = 0;
	int used = 0;

	while (session && session > file && session[-1] != '/')
		session--;
	if (slash && sscanf(slash, "/line-%8u.manifest%n", &line, &used) == 1 && used > 0 &&
		!slash[used] && line > 0 && slash > session &&
		(size_t)(slash - session) < sizeof l->settings.restore) {
		memcpy(l->settings.restore, session, (size_t)(slash - session));
		l->settings.restore[slash - session] = '\0';
		l->settings.restore_line = line;
		return 0;
	}
	snprintf(err, errsize,
		"-ftmpirecover: %s is not WORKDIR/SESSION/line-NNNNNNNN.manifest; ftmpi-ckpt list "
		"shows what there is",
		file ? shown(file).text : "(nothing)");
	return FT_EINVAL;
}

int manual_start(struct launch *l, int *argc, char ***argv, char *err, size_t errsize)
{
	int at = find(*argc, *argv), end = at + 1, rc;
	char **args = *argv + at + 1;

	while (end < *argc && strcmp((*argv)[end], "-ftmpirecover") != 0)
		end++;
	if (end == at + 1)
		return bad(err, errsize, "WORKDIR is missing", NULL);
	settings_default(&l->settings);
	rc = take_workdir(l, args[0], err, errsize);
	if (rc == 0 && end < *argc)
		rc = take_recovery(l, end + 2 == *argc ? (*argv)[end + 1] : NULL, err, errsize);
	if (rc == 0)
		rc = read_secret(l, err, errsize);
	if (rc == 0)
		rc = parse(l, args + 1, end - at - 2, err, errsize);
	if (rc)
		return rc;
	manual_start_take_out(argc, *argv);
	return 0;
}
