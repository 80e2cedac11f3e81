/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/shown.h"
#include "keeper/event_file.h"

enum { LIMIT_LEAST = 1 << 16, SECONDS_MOST = 86400, WAIT = 5 };

#define LIMIT_DEFAULT ((uint64_t)256 << 20)
#define LIMIT_MOST ((uint64_t)1 << 44)

static const char help[] =
	"usage: ftmpi-keeper -dir DIR -ranks N [OPTIONS]\n"
	"\n"
	"Keeps for the ranks of one job what must outlive a rank. ftmpirun starts it; it is of no "
	"use\n"
	"by itself.\n"
	"\n"
	"  -dir DIR       the folder of its files; it is made when it is not there\n"
	"  -ranks N       how many ranks the job has\n"
	"  -limit BYTES   how many bytes of outcomes it keeps at most (268435456)\n"
	"  -listen IP     the address of this host where ranks reach it (127.0.0.1); IP:PORT or\n"
	"                 [IP]:PORT for a port of one's own choice\n"
	"  -new           the job begins: no file has to be there. Without it a rank whose file "
	"is\n"
	"                 not there has lost what it told\n"
	"  -silence S     end when nothing comes on standard input for so many seconds, as who "
	"asks\n"
	"                 may be on another host, and lost; files are removed only when c has "
	"come\n"
	"  -wait S        how long a keeper that is there has to end (5; with -new 0)\n"
	"  -clear         remove the files when standard input ends: the job is over\n"
	"  -v             say who comes, and who is turned away\n"
	"  -h, -help      print this list\n"
	"\n"
	"Standard input, a pipe or a socket: the job's session (16 bytes), then its secret (32\n"
	"bytes). When it is closed the keeper ends. It prints a line when it listens: \"ready\n"
	"IP:PORT\", and before that \"incarnation RANK N\" for each rank that came to a keeper\n"
	"before it. Later a c on standard input asks for -clear; to each other byte the keeper\n"
	"answers with a line \"alive\". When -limit is reached it prints a line \"full\". Exit\n"
	"status: 0 it was ended, by its standard input, by -silence or by SIGTERM; 1 it cannot go\n"
	"on; 2 the command line is wrong.\n";

void options_help(FILE *out)
{
	fputs(help, out);
}

/* false, and a sentence: it is no whole number from `least` to `most`. */
static bool number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	*out = 0;
	if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 18)
		*out = strtoull(text, NULL, 10);
	if (*out >= least && *out <= most)
		return true;
	log_error("%s %s: give a whole number from %llu to %llu", name, shown(text).text,
		(unsigned long long)least, (unsigned long long)most);
	return false;
}

/* IP, IP:PORT or [IP]:PORT; an IP with colons is one of version 6. */
static bool address(const char *text, struct net_address *out)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&out->addr;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&out->addr;
	char ip[INET6_ADDRSTRLEN + 2] = "";
	const char *bracket = *text == '[' ? strchr(text, ']') : NULL, *port = NULL;
	uint64_t value = 0;

	if (bracket)
		port = bracket[1] ? bracket + 1 : NULL;
	else if (strchr(text, ':') == strrchr(text, ':'))
		port = strchr(text, ':');
	if (port && (*port != ':' || !number("-listen: port", port + 1, 1, 65535, &value)))
		return false;
	if (bracket)
		snprintf(ip, sizeof ip, "%.*s", (int)(bracket - text - 1), text + 1);
	else
		snprintf(ip, sizeof ip, "%.*s", port ? (int)(port - text) : (int)sizeof ip - 1,
			text);
	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, ip, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)value);
		out->len = sizeof *four;
		return true;
	}
	if (inet_pton(AF_INET6, ip, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)value);
		out->len = sizeof *six;
		return true;
	}
	log_error("-listen %s: give a numeric address of this host, as 10.0.0.1, 10.0.0.1:7000 or "
		  "[fe80::1]:7000",
		shown(text).text);
	return false;
}

static bool set(struct options *o, const char *name, const char *value)
{
	uint64_t n = 0;
	bool ok = true;

	if (strcmp(name, "-dir") == 0)
		o->folder = value;
	else if (strcmp(name, "-limit") == 0)
		ok = number(name, value, LIMIT_LEAST, LIMIT_MOST, &o->limit);
	else if (strcmp(name, "-listen") == 0)
		ok = address(value, &o->listen);
	else if (strcmp(name, "-silence") == 0) {
		ok = number(name, value, 1, SECONDS_MOST, &n);
		o->silence = (uint32_t)n;
	} else if (strcmp(name, "-wait") == 0) {
		ok = number(name, value, 0, SECONDS_MOST, &n);
		o->wait = (uint32_t)n;
		o->waits = true;
	} else {
		ok = number(name, value, 1, KEEPER_RANKS_MAX, &n);
		o->ranks = (uint32_t)n;
	}
	return ok;
}

static bool takes_value(const char *name)
{
	static const char *const names[] = {
		"-dir", "-limit", "-listen", "-ranks", "-silence", "-wait"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool flag(struct options *o, const char *name)
{
	if (strcmp(name, "-new") == 0)
		o->fresh = true;
	else if (strcmp(name, "-clear") == 0)
		o->clears = true;
	else if (strcmp(name, "-v") == 0)
		o->log = true;
	else if (strcmp(name, "-h") == 0 || strcmp(name, "-help") == 0)
		o->help = true;
	else
		return false;
	return true;
}

int options_read(struct options *o, int argc, char **argv)
{
	*o = (struct options){.limit = LIMIT_DEFAULT};
	address("127.0.0.1", &o->listen);
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + (argv[i][0] == '-' && argv[i][1] == '-');

		if (flag(o, name))
			continue;
		if (!takes_value(name)) {
			log_error(
				"%s is no option; ftmpi-keeper -h lists them", shown(argv[i]).text);
			return EXIT_USAGE;
		}
		if (++i == argc) {
			log_error("%s needs a value behind it", name);
			return EXIT_USAGE;
		}
		if (!set(o, name, argv[i]))
			return EXIT_USAGE;
	}
	if (o->help)
		return 0;
	if (!o->waits)
		o->wait = o->fresh ? 0 : WAIT;
	if (!o->folder || !*o->folder || strlen(o->folder) > EVENT_FOLDER_MAX)
		log_error("give the folder of its files with -dir DIR (at most %d bytes)",
			EVENT_FOLDER_MAX);
	else if (o->ranks == 0)
		log_error("give the number of ranks with -ranks N");
	else
		return 0;
	return EXIT_USAGE;
}
