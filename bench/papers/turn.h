/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several jobs on one machine, of which one runs at a time: a word goes round among their ranks 0
 * through named pipes, and who has it works. So they can be compared although the machine becomes
 * faster and slower.
 */
#ifndef FTMPI_PAPERS_TURN_H
#define FTMPI_PAPERS_TURN_H

#include "prog.h"

struct turn {
	const char *from, *to; /* the pipes; NULL: there are no others */
	int in, out;
};

/* Collective, like all of these; nothing without pipes. It is our turn when this returns, and all
 * the others have come as far. */
void turn_begin(struct turn *t, const struct prog *prog);

/* It is the others' turn, and then ours again. */
void turn_next(struct turn *t, const struct prog *prog);

/* It is the others' turn, and ours no more. */
void turn_end(struct turn *t, const struct prog *prog);

#endif
