/* SPDX-License-Identifier: BSD-3-Clause */
#include "section.h"

#include <stdlib.h>
#include <string.h>

#include "sentinels.h"

/* An array that ends nowhere (a dummy argument with *) lies in one piece, whatever its last extent
 * is. */
static bool in_one_piece(const CFI_cdesc_t *d)
{
	CFI_index_t step = (CFI_index_t)d->elem_len;

	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 0)
			return true;
		if (d->dim[i].extent != 1 && d->dim[i].sm != step)
			return false;
		step *= d->dim[i].extent;
	}
	return true;
}

static size_t elements(const CFI_cdesc_t *d, int dims)
{
	size_t n = 1;

	for (int i = 0; i < dims; i++)
		n *= (size_t)d->dim[i].extent;
	return n;
}

struct ftn_section ftn_section_address(CFI_cdesc_t *d)
{
	return (struct ftn_section){.address = d->base_addr, .one = 1, .one_large = 1};
}

struct ftn_section ftn_section_refuse(CFI_cdesc_t *d)
{
	struct ftn_section s = ftn_section_address(d);

	if (!in_one_piece(d))
		s.error = MPI_ERR_BUFFER;
	return s;
}

/* ---- a copy ---- */

static void move(const CFI_cdesc_t *d, char *section, char **copy, int dim, bool back)
{
	if (dim < 0) {
		memcpy(back ? section : *copy, back ? *copy : section, d->elem_len);
		*copy += d->elem_len;
		return;
	}
	for (CFI_index_t i = 0; i < d->dim[dim].extent; i++)
		move(d, section + i * d->dim[dim].sm, copy, dim - 1, back);
}

struct ftn_section ftn_section_copy(CFI_cdesc_t *d, enum ftn_use use)
{
	struct ftn_section s = ftn_section_address(d);
	char *at;

	if (in_one_piece(d))
		return s;
	at = s.address = s.copy = malloc(elements(d, d->rank) * d->elem_len);
	if (!at) {
		s.error = MPI_ERR_NO_MEM;
		return s;
	}
	s.of = d;
	s.back = use == FTN_WRITTEN;
	/* what the call does not write must be there again, too */
	move(d, d->base_addr, &at, d->rank - 1, false);
	return s;
}

void ftn_section_done(struct ftn_section *s)
{
	if (s->copy && s->back) {
		char *at = s->copy;

		move(s->of, s->of->base_addr, &at, s->of->rank - 1, true);
	}
	free(s->copy);
	if (s->typed) {
		MPI_Datatype t = PMPI_Type_fromint(s->datatype);

		(void)PMPI_Type_free(&t);
	}
}

/* ---- a datatype ---- */

/* The first n elements of the first `dim` + 1 dimensions, in the order of the array; element is one
 * of them. *out is not committed. */
static int prefix(const CFI_cdesc_t *d, int dim, size_t n, MPI_Datatype element, MPI_Datatype *out)
{
	size_t row = dim < 0 ? 1 : elements(d, dim);
	MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
	MPI_Aint at[2] = {0, 0};
	int one[2] = {1, 1}, nparts = 0, rc;

	if (dim < 0)
		return PMPI_Type_dup(element, out);
	if (n >= row) {
		MPI_Datatype inner;

		rc = prefix(d, dim - 1, row, element, &inner);
		if (rc != MPI_SUCCESS)
			return rc;
		rc = PMPI_Type_create_hvector(
			(int)(n / row), 1, d->dim[dim].sm, inner, &parts[nparts++]);
		(void)PMPI_Type_free(&inner);
		if (rc != MPI_SUCCESS)
			return rc;
	}
	if (n % row != 0) {
		at[nparts] = (MPI_Aint)(n / row) * d->dim[dim].sm;
		rc = prefix(d, dim - 1, n % row, element, &parts[nparts]);
		nparts += rc == MPI_SUCCESS;
	}
	rc = PMPI_Type_create_struct(nparts, one, at, parts, out);
	while (nparts > 0)
		(void)PMPI_Type_free(&parts[--nparts]);
	return rc;
}

static int describe(CFI_cdesc_t *d, MPI_Count count, MPI_Datatype datatype, MPI_Datatype *out)
{
	MPI_Datatype element;
	int size = 0, rc;

	/* where the bytes of another lie in memory is not known here */
	if ((size_t)datatype >= 4096)
		return MPI_ERR_TYPE;
	rc = PMPI_Type_size(datatype, &size);
	if (rc != MPI_SUCCESS || size <= 0)
		return MPI_ERR_TYPE;
	if (count < 0 || d->elem_len % (size_t)size != 0 ||
		(size_t)count * (size_t)size % d->elem_len != 0)
		return MPI_ERR_COUNT;
	if ((size_t)count * (size_t)size > elements(d, d->rank) * d->elem_len)
		return MPI_ERR_COUNT;
	rc = PMPI_Type_contiguous((int)(d->elem_len / (size_t)size), datatype, &element);
	if (rc != MPI_SUCCESS)
		return rc;
	rc = prefix(d, d->rank - 1, (size_t)count * (size_t)size / d->elem_len, element, out);
	(void)PMPI_Type_free(&element);
	return rc == MPI_SUCCESS ? PMPI_Type_commit(out) : rc;
}

struct ftn_section ftn_section_typed(CFI_cdesc_t *d, MPI_Count count, int datatype)
{
	struct ftn_section s = ftn_section_address(d);
	MPI_Datatype t = MPI_DATATYPE_NULL;

	if (in_one_piece(d))
		return s;
	s.error = describe(d, count, PMPI_Type_fromint(datatype), &t);
	s.typed = s.error == MPI_SUCCESS;
	if (s.typed)
		s.datatype = PMPI_Type_toint(t);
	return s;
}

/* ---- errors ---- */

static const char *sentence(int errclass)
{
	switch (errclass) {
	case MPI_ERR_NO_MEM:
		return "no memory for a contiguous copy of an array section";
	case MPI_ERR_TYPE:
		return "the buffer is an array section that is not contiguous, which a call that "
		       "does not "
		       "wait takes with a predefined datatype only: copy it into an array first";
	case MPI_ERR_COUNT:
		return "the buffer is an array section that is not contiguous, and the count is "
		       "not a number of "
		       "whole elements of it, or larger than it is";
	default:
		return "the buffer is an array section that is not contiguous, which this call "
		       "does not take: "
		       "copy it into an array first";
	}
}

void ftn_refuse(const char *name, const int *comm, int errclass, int *ierror)
{
	MPI_Comm c = comm ? PMPI_Comm_fromint(*comm) : NULL;

	ftn_error_out(ierror, FTMPI_Fortran_error(name, c, errclass, sentence(errclass)));
}
