/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "tool.h"

static const char help[] =
	"usage: ftmpi-ckpt COMMAND [OPTIONS] WORKDIR[/SESSION]\n"
	"\n"
	"  list     sessions and their recovery lines, or checkpoints of ranks\n"
	"  verify   read everything; name what is damaged\n"
	"  show     what is in a line, or in checkpoints of ranks\n"
	"  prune    keep only the newest whole lines of each session\n"
	"  now      ask the jobs that run for a recovery line\n"
	"\n"
	"  -session S   only this session\n"
	"  -line N      list, verify, show: only this line (show: the newest otherwise)\n"
	"  -keep N      prune: how many lines to keep in each session (2)\n"
	"  -json        for programs\n"
	"  -table       list: for programs, one line each with tabs, by the manifests alone\n"
	"  -h, -help    print this list\n"
	"  -version     print the version\n"
	"\n"
	"Exit status: 0 all is well, 1 something cannot be read or removed (verify, show: what\n"
	"they read is damaged, or there is none), 2 the command line is wrong.\n";

void options_help(FILE *out)
{
	fputs(help, out);
}

void complain(const char *fmt, ...)
{
	va_list args;

	fputs("ftmpi-ckpt: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

enum takes { NOTHING, A_NUMBER, A_WORD };

static const struct known {
	const char *name, *only; /* the command it belongs to */
	enum takes takes;
} known[] = {
	{"json", NULL, NOTHING},
	{"table", "list", NOTHING},
	{"h", NULL, NOTHING},
	{"help", NULL, NOTHING},
	{"version", NULL, NOTHING},
	{"session", NULL, A_WORD},
	{"line", NULL, A_NUMBER},
	{"keep", "prune", A_NUMBER},
};

static const struct known *find(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

static bool number(const char *text, uint32_t *out)
{
	char *end;
	unsigned long v;

	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
		return false;
	v = strtoul(text, &end, 10);
	*out = (uint32_t)v;
	return v > 0 && v <= UINT32_MAX;
}

static int set(struct options *o, const struct known *k, const char *value)
{
	uint32_t v = 0;

	if (k->takes == A_NUMBER && !number(value, &v)) {
		complain("-%s %s: give a whole number from 1 on", k->name, shown(value).text);
		return EXIT_USAGE;
	}
	if (strcmp(k->name, "json") == 0)
		o->json = true;
	else if (strcmp(k->name, "table") == 0)
		o->table = true;
	else if (strcmp(k->name, "version") == 0)
		o->version = true;
	else if (k->takes == NOTHING)
		o->help = true;
	else if (k->takes == A_WORD)
		o->session = value;
	else if (k->only) {
		o->keep = v;
		o->has_keep = true;
	} else {
		o->line = v;
		o->has_line = true;
	}
	return 0;
}

static int option(struct options *o, char ***at)
{
	const char *word = **at, *name = word + 1 + (word[1] == '-');
	const struct known *k = find(name);

	if (!k) {
		complain("unknown option %s; ftmpi-ckpt -h lists them", shown(word).text);
		return EXIT_USAGE;
	}
	if (k->takes != NOTHING && !*++*at) {
		complain("%s needs a %s behind it", word, k->takes == A_NUMBER ? "number" : "name");
		return EXIT_USAGE;
	}
	return set(o, k, **at);
}

static int check(const struct options *o)
{
	if (!o->command)
		complain("give a command: list, verify, show, prune or now; ftmpi-ckpt -h tells "
			 "more");
	else if (!o->path)
		complain("%s of what? give a work directory, or a session in it", o->command);
	else if (o->has_keep && strcmp(o->command, "prune") != 0)
		complain("-keep belongs to prune");
	else if (o->table && (strcmp(o->command, "list") != 0 || o->json))
		complain("-table belongs to list, without -json");
	else if (o->has_line && strcmp(o->command, "prune") == 0)
		complain("-line does not belong to prune: it keeps the newest lines; give -keep N");
	else if (o->has_line && strcmp(o->command, "now") == 0)
		complain("-line does not belong to now: the line that is made has a new number");
	else if (o->session && (strchr(o->session, '/') || *o->session == '\0'))
		complain("-session %s: give a name without slashes", shown(o->session).text);
	else
		return 0;
	return EXIT_USAGE;
}

int options_read(struct options *o, int argc, char **argv)
{
	int rc;

	(void)argc;
	*o = (struct options){.keep = 2};
	for (char **at = argv + 1; *at; at++) {
		if ((*at)[0] == '-' && (*at)[1]) {
			rc = option(o, &at);
			if (rc)
				return rc;
		} else if (!o->command) {
			o->command = *at;
		} else if (!o->path) {
			o->path = *at;
		} else {
			complain("%s: one directory at a time", shown(*at).text);
			return EXIT_USAGE;
		}
	}
	return o->help || o->version ? 0 : check(o);
}
