/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of datatypes share. */
#ifndef FTMPI_PROGRAMS_DATATYPES_H
#define FTMPI_PROGRAMS_DATATYPES_H

#include <mpi.h>

#include "prog.h"

enum { TAG = 7 };

extern struct prog prog;

/* Lines are made at any moment, which takes sends that wait for their receives. */
extern int lines;

/* End the job unless the two are equal. */
#define expect(what, want, got) expect_number(what, (long)(want), (long)(got))
void expect_number(const char *what, long want, long got);

/* The ranks that this one sends to and receives from. */
int next(void);
int previous(void);

/* A struct with holes, its type, and what the n-th of a rank holds. */
struct item {
	char c;
	double d[2];
	int i;
};

MPI_Datatype item_type(void);
struct item item_of(int rank, int n);
void check_item(const char *what, const struct item *got, int rank, int n);

/* Packing by hand, MPI_PACKED, and parts of elements. */
void packing(void);

/* Long messages that do not lie in one piece. */
void in_pieces(void);

#endif
