/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the test programs share: options, the rank's own words, the end. Options are read after
 * MPI_Init, so that the library has taken its own arguments out of argv.
 */
#ifndef FTMPI_PROGRAMS_PROG_H
#define FTMPI_PROGRAMS_PROG_H

#include <stddef.h>

enum prog_kind { PROG_FLAG, PROG_LONG, PROG_DOUBLE, PROG_TEXT };

/* One option: value points at an int (flag), long, double or const char *. */
struct prog_option {
	const char *name; /* "-loops"; a name without a dash is a positional argument */
	const char *arg;  /* "N", or NULL for a flag */
	enum prog_kind kind;
	void *value;
	long least; /* smallest value taken for PROG_LONG */
	const char *text;
};

struct prog {
	const char *name;
	const char *text; /* one line: what it does */
	const struct prog_option *options;
	size_t count;
	int rank, size;
};

/*
 * Fill in rank and size and read the options. For -h, or for an argument that is wrong, rank 0
 * prints the help or one sentence, MPI is finalized and the process ends with status 0 or 2; so all
 * ranks must call it, right after MPI_Init.
 */
void prog_begin(struct prog *prog, int argc, char **argv);

/* Print "NAME: rank R: WRONG: ..." to stderr and end the whole job with status 1. */
_Noreturn void prog_wrong(const struct prog *prog, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What a program of many cases can do. */
struct prog_case {
	const char *name;
	void (*run)(void);
};

/* The case of that name; when there is none the job ends with a sentence. */
const struct prog_case *prog_case_named(
	const struct prog *prog, const struct prog_case *cases, size_t count, const char *name);

/* malloc that ends the job with a sentence when there is no memory; size 0 gives a valid pointer.
 */
void *prog_alloc(const struct prog *prog, size_t bytes);

/* So many seconds; as many times more as the tests say that all is slower here (FTMPI_TEST_SLOW).
 */
unsigned prog_patience(unsigned seconds);

#endif
