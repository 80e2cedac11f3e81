/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of Matrix Market files: "coordinate real|integer general|symmetric" for a sparse matrix,
 * "array real|integer general" with one column for a vector. Knows nothing of MPI.
 */
#ifndef FTMPI_PROGRAMS_MTX_H
#define FTMPI_PROGRAMS_MTX_H

#include <stddef.h>

/* Compressed rows, columns ascending within a row, both triangles there. */
struct mtx {
	int rows, cols;
	size_t *start; /* rows + 1: row r's entries are start[r] .. start[r + 1] */
	int *col;
	double *value;
};

/* Either returns 0, or -1 with one sentence (file, line, what is wrong) in error. On success the
 * caller owns what is pointed to: mtx_free, free. */
int mtx_read(const char *path, struct mtx *out, char *error, size_t error_size);
int mtx_read_vector(const char *path, int rows, double **out, char *error, size_t error_size);

void mtx_free(struct mtx *m);

#endif
