/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_store [-trace] [SCHEDULES [FIRST_SEED]]: as many schedules, one for each seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { SCHEDULES = 20000, ENOUGH = 1000 };

static unsigned long number(const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-') {
		fprintf(stderr, "%s is no number: sim_store [-trace] [SCHEDULES [FIRST_SEED]]\n",
			text);
		exit(2);
	}
	return v;
}

/* A run in which something never happened proves nothing of it. (That a damaged line is passed over
 * takes a late commit, and so a rank that sees nothing of a later epoch: hardly ever.) */
static int report(unsigned long schedules, const struct seen *s)
{
	printf("sim_store: %lu schedules, %lu operations: %lu crashes, %lu deaths, %lu errors, %lu "
	       "epochs beside another, %lu late ranks, %lu files written beside something else, "
	       "%lu of lines given up; %lu lines committed, %lu refused, %lu times a damaged one "
	       "passed over; %lu epochs said that they began, %lu commits came after that\n",
		schedules, s->ops, s->crashes, s->deaths, s->errors, s->splits, s->lates,
		s->besides, s->given_up, s->commits, s->refused, s->passed_over, s->said,
		s->too_late);
	if (schedules < ENOUGH ||
		(s->crashes && s->deaths && s->errors && s->splits && s->lates && s->commits &&
			s->refused && s->besides && s->given_up && s->said && s->too_late))
		return 0;
	printf("sim_store: one of these never happened\n");
	return 1;
}

int main(int argc, char **argv)
{
	bool trace = argc > 1 && strcmp(argv[1], "-trace") == 0;
	unsigned long schedules, first;
	struct seen seen = {0};

	argv += trace;
	argc -= trace;
	schedules = argc > 1 ? number(argv[1]) : SCHEDULES;
	first = argc > 2 ? number(argv[2]) : 1;
	for (unsigned long i = 0; i < schedules; i++) {
		struct world w = {.seed = first + i, .trace = trace, .seen = &seen};

		world_run(&w);
	}
	return report(schedules, &seen);
}
