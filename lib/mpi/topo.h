/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cartesian grids (MPI 5.0 chapter 8): pure arithmetic. Ranks run row-major: the last coordinate
 * changes fastest. Arguments are checked by the caller unless said.
 */
#ifndef FTMPI_MPI_TOPO_H
#define FTMPI_MPI_TOPO_H

#include <stdbool.h>

struct topology {
	int ndims;
	int *dims, *periods, *coords; /* coords: of this process */
	int values[];		      /* the three arrays */
};

/* Number of places in a grid; -1 when a dimension is below 1 or the product does not fit an int. */
int topo_places(int ndims, const int *dims);

/* The grid as seen from rank, which is below topo_places. NULL when out of memory. */
struct topology *topo_new(int ndims, const int *dims, const int *periods, int rank);
struct topology *topo_copy(const struct topology *t);
void topo_free(struct topology *t); /* NULL is fine */

void topo_coords(const struct topology *t, int rank, int *coords);

/* The rank at coords, wrapped where the dimension is periodic. -1 and the dimension in *bad when it
 * is not periodic and the coordinate lies outside. */
int topo_rank(const struct topology *t, const int *coords, int *bad);

/* The ranks `disp` steps before and behind rank along dimension `direction`; MPI_PROC_NULL beyond
 * an end that is not periodic. */
void topo_shift(
	const struct topology *t, int rank, int direction, int disp, int *source, int *dest);

/* The grid of the kept dimensions, as seen from this process. NULL when out of memory. */
struct topology *topo_sub(const struct topology *t, const int *remain);

/* The rank in that grid, and a number that is equal for the processes of one such grid alone. */
void topo_sub_place(const struct topology *t, const int *remain, int *color, int *rank);

/*
 * MPI_Dims_create: replace the zeros in dims so that the product is nnodes. The new ones do not
 * increase, and are balanced: the largest is as small as can be, then the next, and so on. *bad is
 * the culprit's index, -1 when the product does not divide. false leaves dims as they were.
 */
bool dims_create(int nnodes, int ndims, int *dims, int *bad);

#endif
