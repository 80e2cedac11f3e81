/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing by hand (MPI 5.0 sections 5.2 and 5.3), whichever call asks for it. Packed data is what
 * messages carry, without a header, so MPI_PACKED can be received as any type and the other way
 * round. Needs the engine lock; errors have been said with fail_with.
 */
#ifndef FTMPI_MPI_PACKING_H
#define FTMPI_MPI_PACKING_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

struct comm;
struct type;

/* The arguments of any of these calls. */
struct packing {
	bool external;
	const char *datarep; /* external */
	const void *user;    /* the typed buffer: written by unpacking */
	MPI_Count count;
	MPI_Datatype datatype;
	const void *bytes; /* the packed one: written by packing */
	MPI_Count size;	   /* of that, and where to begin in it */
	MPI_Count *position;
	MPI_Comm comm; /* not external */
	/* found out */
	struct comm *c;
	struct type *t;
	size_t length; /* of the packed data */
};

/* From the typed buffer into the packed one, and back; *position moves on. */
int packing_pack(struct packing *p);
int packing_unpack(struct packing *p);

/* How long the packed data of p->count elements is. */
int packing_length(struct packing *p, MPI_Count *size);

#endif
