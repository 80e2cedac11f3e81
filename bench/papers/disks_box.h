/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hard disks in a box without walls (what leaves on one side comes in on the other), and the method
 * of Metropolis: a disk goes a little way in a random direction if there it overlaps no other.
 */
#ifndef FTMPI_PAPERS_DISKS_BOX_H
#define FTMPI_PAPERS_DISKS_BOX_H

#include <stdint.h>

#include "paper.h"

/* Lengths are in diameters of a disk. */
struct box {
	long edge, disks; /* along an edge of the lattice, and edge x edge */
	double width, height;
	long across, down; /* cells */
	int32_t *first;	   /* across x down: the first disk in the cell, -1: none */
	int32_t *next;	   /* disks: the next one in the same cell */
	double *x;	   /* 2 x disks: x and y of each */
};

/* Disks cover `fraction` of the area; edge is even and at least 4. */
void box_make(struct box *b, const struct paper *p, long edge, double fraction);
void box_free(struct box *b);

/* All places of a triangular lattice, into x. */
void box_lattice(const struct box *b, double *x);

/* The disks are here (2 x disks); false when two overlap. */
int box_fill(struct box *b, const double *x);

/* Each disk is tried once, so many times; `reach`: how far at most along x and y. Returns the
 * number of moves. */
int64_t box_sweep(struct box *b, long sweeps, double reach, uint64_t seed);

/* Pairs nearer than 1 + shell, into counts[0], and between that and 1 + 2 shell, counts[1]. */
void box_near(const struct box *b, double shell, int64_t counts[2]);

#endif
