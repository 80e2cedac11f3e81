/* SPDX-License-Identifier: BSD-3-Clause */
#include "packing.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "api_type.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type_external.h"

static int check_datarep(const char *datarep)
{
	int rc = check_pointer(datarep, "datarep");

	if (rc == MPI_SUCCESS && strcmp(datarep, "external32") != 0)
		return fail_with(MPI_ERR_UNSUPPORTED_DATAREP,
			"the data representation is \"%.40s\"; only \"external32\" is there",
			datarep);
	return rc;
}

/* What packed data will be, and how long. */
static int check_data(struct packing *p)
{
	MPI_Count length;
	int rc = p->external ? check_datarep(p->datarep) : comm_lookup(p->comm, &p->c);

	if (rc == MPI_SUCCESS)
		rc = type_need_count(p->count);
	if (rc == MPI_SUCCESS)
		rc = type_lookup_for(p->datatype, p->count, &p->t);
	if (rc != MPI_SUCCESS)
		return rc;
	if (__builtin_mul_overflow(p->count, p->external ? p->t->external : p->t->size, &length))
		return fail_with(MPI_ERR_COUNT, "%lld elements are more than the address space",
			(long long)p->count);
	p->length = (size_t)length;
	return MPI_SUCCESS;
}

static int check_packed(const struct packing *p)
{
	MPI_Count at;
	int rc = check_pointer(p->position, "position");

	if (rc != MPI_SUCCESS)
		return rc;
	at = *p->position;
	if (at < 0 || at > p->size)
		return fail_with(MPI_ERR_ARG, "the position is %lld, in a buffer of %lld bytes",
			(long long)at, (long long)p->size);
	if ((MPI_Count)p->length > p->size - at)
		return fail_with(MPI_ERR_TRUNCATE,
			"%zu bytes of packed data do not fit behind position %lld of a buffer of "
			"%lld bytes",
			p->length, (long long)at, (long long)p->size);
	if (p->length > 0 && !p->bytes)
		return fail_with(MPI_ERR_BUFFER, "the packed buffer is a null pointer");
	if (p->length > 0 && !p->user && p->t->contiguous)
		return fail_with(MPI_ERR_BUFFER, "the buffer is a null pointer and count is %lld",
			(long long)p->count);
	return MPI_SUCCESS;
}

static int check(struct packing *p)
{
	int rc = check_data(p);

	return rc == MPI_SUCCESS ? check_packed(p) : rc;
}

/* For external data: what lies between it and the program's. */
static int make_room(const struct packing *p, void **out)
{
	*out = malloc((size_t)p->count * p->t->size);
	return *out ? MPI_SUCCESS
		    : fail_with(MPI_ERR_NO_MEM, "no memory to convert %zu bytes", p->length);
}

static int pack_external(const struct packing *p, char *to)
{
	void *here = NULL;
	int rc = make_room(p, &here);

	if (rc != MPI_SUCCESS)
		return rc;
	type_pack(p->t, p->user, (size_t)p->count, here);
	rc = type_external_write(p->t, (size_t)p->count, here, to);
	free(here);
	return rc;
}

static int unpack_external(const struct packing *p, const char *from)
{
	void *here = NULL;
	size_t n = (size_t)p->count;
	int rc = make_room(p, &here);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = type_external_read(p->t, n, from, here);
	if (rc == MPI_SUCCESS)
		type_unpack(p->t, (void *)(uintptr_t)p->user, n, here, n * p->t->size);
	free(here);
	return rc;
}

int packing_pack(struct packing *p)
{
	char *to;
	int rc = check(p);

	if (rc != MPI_SUCCESS || p->length == 0)
		return rc;
	to = (char *)(uintptr_t)p->bytes + *p->position;
	if (p->external)
		rc = pack_external(p, to);
	else
		type_pack(p->t, p->user, (size_t)p->count, to);
	if (rc == MPI_SUCCESS)
		*p->position += (MPI_Count)p->length;
	return rc;
}

int packing_unpack(struct packing *p)
{
	const char *from;
	int rc = check(p);

	if (rc != MPI_SUCCESS || p->length == 0)
		return rc;
	from = (const char *)p->bytes + *p->position;
	if (p->external)
		rc = unpack_external(p, from);
	else
		type_unpack(p->t, (void *)(uintptr_t)p->user, (size_t)p->count, from, p->length);
	if (rc == MPI_SUCCESS)
		*p->position += (MPI_Count)p->length;
	return rc;
}

int packing_length(struct packing *p, MPI_Count *size)
{
	int rc = check_data(p);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(size, "size");
	if (rc == MPI_SUCCESS)
		*size = (MPI_Count)p->length;
	return rc;
}
