/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing by hand (MPI 5.0 sections 5.2 and 5.3). Packed data is what messages carry, without a
 * header, so MPI_PACKED can be received as any type and the other way round. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "api_type.h"
#include "comm.h"
#include "type_external.h"

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

static int check_datarep(const char *datarep)
{
	int rc = check_pointer(datarep, "datarep");

	if (rc == MPI_SUCCESS && strcmp(datarep, "external32") != 0)
		return api_fail(MPI_ERR_UNSUPPORTED_DATAREP,
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
		rc = type_lookup_committed(p->datatype, &p->t);
	if (rc != MPI_SUCCESS)
		return rc;
	if (__builtin_mul_overflow(p->count, p->external ? p->t->external : p->t->size, &length))
		return api_fail(MPI_ERR_COUNT, "%lld elements are more than the address space",
			(long long)p->count);
	p->length = (size_t)length;
	return MPI_SUCCESS;
}

static int check_buffers(const struct packing *p)
{
	MPI_Count at;
	int rc = check_pointer(p->position, "position");

	if (rc != MPI_SUCCESS)
		return rc;
	at = *p->position;
	if (at < 0 || at > p->size)
		return api_fail(MPI_ERR_ARG, "the position is %lld, in a buffer of %lld bytes",
			(long long)at, (long long)p->size);
	if ((MPI_Count)p->length > p->size - at)
		return api_fail(MPI_ERR_TRUNCATE,
			"%zu bytes of packed data do not fit behind position %lld of a buffer of "
			"%lld bytes",
			p->length, (long long)at, (long long)p->size);
	if (p->length > 0 && !p->bytes)
		return api_fail(MPI_ERR_BUFFER, "the packed buffer is a null pointer");
	if (p->length > 0 && !p->user && p->t->contiguous)
		return api_fail(MPI_ERR_BUFFER, "the buffer is a null pointer and count is %lld",
			(long long)p->count);
	return MPI_SUCCESS;
}

static int check(struct packing *p)
{
	int rc = check_data(p);

	return rc == MPI_SUCCESS ? check_buffers(p) : rc;
}

/* For external data: what lies between it and the program's. */
static int make_room(const struct packing *p, void **out)
{
	*out = malloc((size_t)p->count * p->t->size);
	return *out ? MPI_SUCCESS
		    : api_fail(MPI_ERR_NO_MEM, "no memory to convert %zu bytes", p->length);
}

static int pack_external(const struct packing *p, char *to)
{
	void *here = NULL;
	int rc = make_room(p, &here);

	if (rc != MPI_SUCCESS)
		return rc;
	type_pack(p->t, p->user, (size_t)p->count, here);
	rc = external_write(p->t, (size_t)p->count, here, to);
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
	rc = external_read(p->t, n, from, here);
	if (rc == MPI_SUCCESS)
		type_unpack(p->t, (void *)(uintptr_t)p->user, n, here, n * p->t->size);
	free(here);
	return rc;
}

static int pack(struct packing *p)
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

static int unpack(struct packing *p)
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

static int length_of(struct packing *p, MPI_Count *size)
{
	int rc = check_data(p);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(size, "size");
	if (rc == MPI_SUCCESS)
		*size = (MPI_Count)p->length;
	return rc;
}

#pragma weak MPI_Pack = PMPI_Pack
int PMPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
	int *position, MPI_Comm comm)
{
	MPI_Count at = position ? (MPI_Count)*position : 0;
	struct packing p = {.user = inbuf,
		.count = incount,
		.datatype = datatype,
		.bytes = outbuf,
		.size = outsize,
		.comm = comm,
		.position = position ? &at : NULL};
	int rc;

	api_enter("MPI_Pack");
	rc = pack(&p);
	if (rc == MPI_SUCCESS)
		*position = (int)at;
	return api_leave(p.c, rc);
}

#pragma weak MPI_Unpack = PMPI_Unpack
int PMPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	MPI_Datatype datatype, MPI_Comm comm)
{
	MPI_Count at = position ? (MPI_Count)*position : 0;
	struct packing p = {.user = outbuf,
		.count = outcount,
		.datatype = datatype,
		.bytes = inbuf,
		.size = insize,
		.comm = comm,
		.position = position ? &at : NULL};
	int rc;

	api_enter("MPI_Unpack");
	rc = unpack(&p);
	if (rc == MPI_SUCCESS)
		*position = (int)at;
	return api_leave(p.c, rc);
}

#pragma weak MPI_Pack_c = PMPI_Pack_c
int PMPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
	MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
	struct packing p = {.user = inbuf,
		.count = incount,
		.datatype = datatype,
		.bytes = outbuf,
		.size = outsize,
		.comm = comm,
		.position = position};
	int rc;

	api_enter("MPI_Pack_c");
	rc = pack(&p);
	return api_leave(p.c, rc);
}

#pragma weak MPI_Unpack_c = PMPI_Unpack_c
int PMPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
	MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	struct packing p = {.user = outbuf,
		.count = outcount,
		.datatype = datatype,
		.bytes = inbuf,
		.size = insize,
		.comm = comm,
		.position = position};
	int rc;

	api_enter("MPI_Unpack_c");
	rc = unpack(&p);
	return api_leave(p.c, rc);
}

#pragma weak MPI_Pack_external = PMPI_Pack_external
int PMPI_Pack_external(const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype,
	void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
	MPI_Count at = position ? (MPI_Count)*position : 0;
	struct packing p = {.external = true,
		.datarep = datarep,
		.user = inbuf,
		.count = incount,
		.datatype = datatype,
		.bytes = outbuf,
		.size = outsize,
		.position = position ? &at : NULL};
	int rc;

	api_enter("MPI_Pack_external");
	rc = pack(&p);
	if (rc == MPI_SUCCESS)
		*position = (MPI_Aint)at;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Unpack_external = PMPI_Unpack_external
int PMPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
	MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
	MPI_Count at = position ? (MPI_Count)*position : 0;
	struct packing p = {.external = true,
		.datarep = datarep,
		.user = outbuf,
		.count = outcount,
		.datatype = datatype,
		.bytes = inbuf,
		.size = insize,
		.position = position ? &at : NULL};
	int rc;

	api_enter("MPI_Unpack_external");
	rc = unpack(&p);
	if (rc == MPI_SUCCESS)
		*position = (MPI_Aint)at;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Pack_external_c = PMPI_Pack_external_c
int PMPI_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount,
	MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
	struct packing p = {.external = true,
		.datarep = datarep,
		.user = inbuf,
		.count = incount,
		.datatype = datatype,
		.bytes = outbuf,
		.size = outsize,
		.position = position};
	int rc;

	api_enter("MPI_Pack_external_c");
	rc = pack(&p);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Unpack_external_c = PMPI_Unpack_external_c
int PMPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize,
	MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype)
{
	struct packing p = {.external = true,
		.datarep = datarep,
		.user = outbuf,
		.count = outcount,
		.datatype = datatype,
		.bytes = inbuf,
		.size = insize,
		.position = position};
	int rc;

	api_enter("MPI_Unpack_external_c");
	rc = unpack(&p);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Pack_size = PMPI_Pack_size
int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	struct packing p = {.count = incount, .datatype = datatype, .comm = comm};
	MPI_Count length = 0;
	int rc;

	api_enter("MPI_Pack_size");
	rc = length_of(&p, size ? &length : NULL);
	if (rc == MPI_SUCCESS) /* the standard's word for more than an int can say */
		*size = length > INT_MAX ? MPI_UNDEFINED : (int)length;
	return api_leave(p.c, rc);
}

#pragma weak MPI_Pack_size_c = PMPI_Pack_size_c
int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
	struct packing p = {.count = incount, .datatype = datatype, .comm = comm};
	int rc;

	api_enter("MPI_Pack_size_c");
	rc = length_of(&p, size);
	return api_leave(p.c, rc);
}

#pragma weak MPI_Pack_external_size = PMPI_Pack_external_size
int PMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
	struct packing p = {
		.external = true, .datarep = datarep, .count = incount, .datatype = datatype};
	MPI_Count length = 0;
	int rc;

	api_enter("MPI_Pack_external_size");
	rc = length_of(&p, size ? &length : NULL);
	if (rc == MPI_SUCCESS)
		*size = (MPI_Aint)length;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Pack_external_size_c = PMPI_Pack_external_size_c
int PMPI_Pack_external_size_c(
	const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size)
{
	struct packing p = {
		.external = true, .datarep = datarep, .count = incount, .datatype = datatype};

	api_enter("MPI_Pack_external_size_c");
	return api_leave(NULL, length_of(&p, size));
}
