/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs that make checkpoints share: a program goes on in steps; after each it may make
 * a line, say so, and wait to be killed where a test wants it.
 */
#ifndef FTMPI_PROGRAMS_STEPS_H
#define FTMPI_PROGRAMS_STEPS_H

#include <stdbool.h>

#include "prog.h"

struct steps {
	const struct prog *prog;
	long every;	  /* a line after every so many steps; 0: only when one is due */
	long hold, holds; /* in the first `holds` runs nobody goes beyond the step `hold` */
	const char *how;  /* ... but waits in this way */
	int trace, sure;
	int run; /* how often the job was restarted */
};

#define STEPS_DEFAULT                                                                              \
	{                                                                                          \
		.holds = 1, .how = "sleep"                                                         \
	}

#define STEPS_OPTIONS(s)                                                                           \
	{"-ckpt", "N", PROG_LONG, &(s).every, 0,                                                   \
		"checkpoint after every N steps (default 0: only when ftmpirun -ckpt-interval "    \
		"says)"},                                                                          \
		{"-sure", NULL, PROG_FLAG, &(s).sure, 0,                                           \
			"with -ckpt: go on when the line is committed"},                           \
		{"-trace", NULL, PROG_FLAG, &(s).trace, 0, "say each step"},                       \
		{"-hold", "N", PROG_LONG, &(s).hold, 1,                                            \
			"after step N wait for a failure and the restart"},                        \
		{"-holds", "K", PROG_LONG, &(s).holds, 0, "... in the first K runs (default 1)"},  \
	{                                                                                          \
		"-hold-in", "HOW", PROG_TEXT, &(s).how, 0,                                         \
			"... asleep (sleep), computing (compute), in a receive (receive) or a "    \
			"barrier (collective)"                                                     \
	}

/* After the options were read. */
void steps_begin(struct steps *s, const struct prog *prog);

/* Collective: shall a line be made after this step? The same on every rank. */
bool steps_line_wanted(const struct steps *s, long step);

/*
 * Rank 0 says (with -trace) that the state of this step was restored, or its line made or not: that
 * it was committed, with -sure. steps_line is collective with -ckpt: all ranks must have got the
 * same verdict. (A line that is due by time may be made at a step of its own on each rank.)
 */
void steps_restored(const struct steps *s, long step);
void steps_line(const struct steps *s, long step, int verdict);

/* The same, local: for ranks that make their part of a line at different steps. */
void steps_line_here(const struct steps *s, long step, int verdict);

/* The step and its line are done. */
void steps_done(const struct steps *s, long step);

#endif
