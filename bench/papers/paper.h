/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder share. They are of the five kinds with which Event Logging was
 * measured by those who thought of it (see ../README.md), written anew: each goes on in steps,
 * makes a checkpoint after every so many of them when it is told to (without that it calls nothing
 * but MPI), and prints an answer that does not depend on the number of ranks.
 */
#ifndef FTMPI_PAPERS_PAPER_H
#define FTMPI_PAPERS_PAPER_H

#include <stddef.h>
#include <stdint.h>

#include <ftmpi.h>

#include "prog.h"
#include "steps.h"
#include "turn.h"

enum { PAPER_PIECES = 50 };

#define PAPER_STEPS_MOST 1000000000000

/* Seconds since paper_start, and of each piece of the run. */
struct paper_clock {
	double total, begin; /* of what is not yet in the total */
	double piece[PAPER_PIECES];
};

struct paper {
	struct prog prog;
	struct steps steps;
	int clock;
	long total;   /* steps of a run */
	int64_t step; /* done; a restore sets it */
	struct paper_clock wall, cpu;
	struct turn turn;
	long piece_end; /* the step that ends the piece */
	int pieces;	/* done */
	int line_begun; /* in this piece */
};

/* The options that all of them have. */
#define PAPER_OPTIONS(p)                                                                           \
	{"-clock", NULL, PROG_FLAG, &(p).clock, 0,                                                 \
		"say the time, that of the processors too, and that of each piece of the run"},    \
		{"-turn-from", "PIPE", PROG_TEXT, &(p).turn.from, 0,                               \
			"take turns with other jobs: a word comes from here ..."},                 \
		{"-turn-to", "PIPE", PROG_TEXT, &(p).turn.to, 0, "... and goes there"},            \
		STEPS_OPTIONS((p).steps)

/*
 * First of all, after MPI_Init: read the options. p->prog has them, and the name.
 */
void paper_begin(struct paper *p, int argc, char **argv);

/* For an argument that makes no sense: rank 0 says the sentence, and all ranks end with status 2;
 * so all must call it. */
_Noreturn void paper_refuse(const struct paper *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* An argument that is larger than that is refused. */
void paper_at_most(const struct paper *p, const char *what, long value, long most);

/* Zeroed; without overflow: without memory the job is ended with a sentence. */
void *paper_array(const struct paper *p, size_t count, size_t each);

/* This is part of the state, under an id from 1. Nothing without checkpoints. */
void paper_protect(const struct paper *p, int id, void *addr, size_t count, MPI_Datatype type);

/* All of the state is named: begin, or go on where the latest line was made: p->step steps of
 * `total` are done. The clocks start. */
void paper_start(struct paper *p, long total);

/* A step is done; a line may be made now. */
void paper_step(struct paper *p);

/* All steps are done: the clocks stop. Collective. */
void paper_stop(struct paper *p);

/* The answer is right: rank 0 prints "NAME: right, ..., N ranks", what times there are first. */
void paper_right(struct paper *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A random number, all of its bits; of the same x always the same. */
uint64_t paper_mix(uint64_t x);

/* From 64 random bits to [0, 1). */
double paper_unit(uint64_t bits);

/* The greater one, or what is no number: that stays. */
double paper_worst(double so_far, double x);

/* Of the bits of n numbers, the first of which is the number `first` of all; the sum of those of
 * parts is that of the whole. */
uint64_t paper_print_of(const double *x, size_t n, uint64_t first);

/* The sum over ranks. Collective. */
uint64_t paper_sum(uint64_t mine);

#endif
