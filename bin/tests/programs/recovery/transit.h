/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cases of transit share. */
#ifndef FTMPI_PROGRAMS_TRANSIT_H
#define FTMPI_PROGRAMS_TRANSIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "prog.h"

enum { TRANSIT_LONG = 300000, TRANSIT_SHORT = 100, TRANSIT_COUNT = 20 };

/* What a rank does before the line, and after it or its restore. */
struct transit_case {
	void (*before)(void), (*after)(void);
};

/* transit_unexpected.c: messages that no receive is posted for */
extern const struct transit_case transit_short, transit_long, transit_self, transit_any,
	transit_buffered, transit_cut;

/* transit_posted.c: those of receives that are open, and those that were found */
extern const struct transit_case transit_open, transit_holes, transit_rake, transit_found;

extern struct prog transit;
extern bool transit_restored;
extern MPI_Comm transit_half;	  /* ranks 0 and 1; the others among themselves */
extern MPI_Datatype transit_comb; /* 4 bytes of 8, so many times */

/* Contents that depend on everything. */
uint8_t transit_byte(int source, int tag, size_t i);
uint8_t *transit_made(int source, int tag, size_t len);
void transit_check(const char *what, const uint8_t *p, int source, int tag, size_t len);

void transit_get(const char *what, int source, int tag, size_t len, MPI_Comm comm);

/* Sends stay open until the end: a message may have to wait for its receive. */
void transit_put(int dest, int tag, size_t len, MPI_Comm comm);

#endif
