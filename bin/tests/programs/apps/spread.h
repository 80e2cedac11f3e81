/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sparse square matrix spread over the ranks of MPI_COMM_WORLD in blocks of rows, and its product
 * with a vector spread in the same way. Any number of ranks, also more than rows.
 */
#ifndef FTMPI_PROGRAMS_SPREAD_H
#define FTMPI_PROGRAMS_SPREAD_H

#include <mpi.h>

#include "mtx.h"
#include "prog.h"

struct spread {
	int n;	      /* rows of the whole matrix */
	int *first;   /* size + 1: rank r has rows first[r] .. first[r + 1] */
	int *rows_of; /* size: number of rows of each rank */
	int rows;     /* of this rank */
	int *start;   /* rows + 1 */
	int *col;     /* below `rows`: an entry of this rank's part; else one of the ghosts */
	double *value;
	double *diagonal; /* rows; 0 where the matrix has none */
	int ghosts;	  /* entries of the vector that other ranks have and this one needs */
	double *x;	  /* rows + ghosts: the vector in hand */
	int leaving;	  /* entries of this rank that others need, counted once for each */
	int *leaving_row;
	double *leaving_value;
	int transfers;
	MPI_Request *transfer; /* persistent: ghosts in, leaving out */
};

/* Collective. Rank 0 gives the matrix; the others NULL. */
struct spread *spread_make(const struct prog *prog, const struct mtx *whole);

/* Collective: out = A * in, each rank its rows. */
void spread_multiply(struct spread *s, const double *in, double *out);

/* Collective: between a whole vector at rank 0 (NULL elsewhere) and the ranks' parts. */
void spread_scatter(const struct spread *s, const double *whole, double *part);
void spread_gather(const struct spread *s, const double *part, double *whole);

void spread_free(struct spread *s);

#endif
