/* SPDX-License-Identifier: BSD-3-Clause */
/* Eventlog and tagging side by side: they must agree about every line. */
#include <stdio.h>
#include <string.h>

#include "coord/lines.h"

static void disagree(const struct coord *c, const struct line *l, const char *what)
{
	char text[128];

	snprintf(text, sizeof text, "line %u: eventlog and tagging disagree about %s", l->line,
		what);
	environment_fatal(c, text);
}

void compare_fate(const struct coord *c, const struct line *l, const struct coord_message *m,
	enum coord_fate tagging)
{
	enum coord_fate log = cut_fate(l->cut, m);

	if (log != COORD_OPEN && log != tagging)
		disagree(c, l, "a message that is on its way");
}

void compare_missing(const struct coord *c, const struct line *l, int peer)
{
	if (l->cut->peers[peer].missing != l->tag->missing[peer])
		disagree(c, l, "how many messages are on their way");
}

void compare_orphans(const struct coord *c, const struct line *l)
{
	struct orphans log = {0}, tag = {0};

	if (!cut_orphans(l->cut, &log) || !tag_cut_orphans(l->tag, &tag))
		environment_no_memory(c);
	if (log.n != tag.n || (log.n && memcmp(log.v, tag.v, log.n * sizeof *log.v) != 0))
		disagree(c, l, "orphans");
	if (l->cut->torn != l->tag->torn)
		disagree(c, l, "what crosses it");
	orphans_free(&log);
	orphans_free(&tag);
}
