/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/shown.h"
#include "ftmpi.h"
#include "tool.h"

static const struct {
	const char *name;
	int (*run)(const struct options *o, const struct sessions *s);
} commands[] = {
	{"list", command_list},
	{"verify", command_verify},
	{"show", command_show},
	{"prune", command_prune},
	{"now", command_now},
};

static int run(const struct options *o)
{
	struct sessions found;
	int rc, unread;

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(commands[i].name, o->command) != 0)
			continue;
		unread = sessions_find(&found, o);
		rc = unread && found.n == 0 ? unread : commands[i].run(o, &found);
		rc = rc ? rc : unread;
		sessions_free(&found);
		return rc;
	}
	complain("unknown command %s; there are list, verify, show, prune and now",
		shown(o->command).text);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options o;
	int rc = options_read(&o, argc, argv);

	if (rc)
		return rc;
	if (o.help)
		options_help(stdout);
	else if (o.version)
		printf("ftmpi-ckpt %s\n", FTMPI_VERSION);
	else
		rc = run(&o);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return rc;
	complain("cannot write: %s", strerror(errno));
	return EXIT_DAMAGED;
}
