/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of mpi_f08, TYPE(*), DIMENSION(..): what a call does with an array section that does not
 * lie in one piece. The standard's meaning is that of a contiguous copy. A blocking call gets one,
 * and what it received is copied back. A nonblocking call that sends or receives one message gets a
 * datatype that describes the section instead. Others are refused with MPI_ERR_BUFFER, which is why
 * MPI_SUBARRAYS_SUPPORTED is .FALSE.
 */
#ifndef FTMPI_FORTRAN_SECTION_H
#define FTMPI_FORTRAN_SECTION_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>

#include "glue.h"

enum ftn_use { FTN_READ, FTN_WRITTEN };

struct ftn_section {
	int error; /* an MPI error class: the call must not be made */
	void *address;
	/* a copy */
	CFI_cdesc_t *of;
	void *copy;
	bool back;
	/* a datatype: one element of it is the section */
	bool typed;
	int datatype, one;
	MPI_Count one_large;
};

struct ftn_section ftn_section_address(CFI_cdesc_t *d);
struct ftn_section ftn_section_copy(CFI_cdesc_t *d, enum ftn_use use);
struct ftn_section ftn_section_typed(CFI_cdesc_t *d, MPI_Count count, int datatype);
struct ftn_section ftn_section_refuse(CFI_cdesc_t *d);
void ftn_section_done(struct ftn_section *s);

static inline int ftn_first_error(int a, int b, int c)
{
	return a ? a : b ? b : c;
}

/* Raise what was wrong with a section, at the call's communicator; NULL: it has none. */
void ftn_refuse(const char *name, const int *comm, int errclass, int *ierror);

#endif
