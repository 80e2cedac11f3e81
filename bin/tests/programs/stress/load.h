/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cases of the load test share. */
#ifndef FTMPI_PROGRAMS_LOAD_H
#define FTMPI_PROGRAMS_LOAD_H

#include <stddef.h>

#include "memory.h"
#include "prog.h"

struct load {
	struct prog prog;
	const char *what; /* name of the case */
	long messages, bytes, rounds, kib;
	const char *file; /* a FIFO, or a file that ends the case */
};

struct load_case {
	const char *name;
	void (*run)(struct load *l);
	int ranks; /* fewest */
};

/* Each ends with a NULL name. */
extern const struct load_case load_many_cases[], load_flood_cases[], load_absent_cases[],
	load_large_cases[], load_memory_cases[];

/* load_absent.c: the case `late` has a rank that does not call MPI_Init for long. */
void load_absent_before_init(int argc, char **argv);

/* Ends the job unless what was measured is at most `most`. */
void load_bound(const struct load *l, const char *what, size_t measured, size_t most);

#endif
