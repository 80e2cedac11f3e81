/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing for messages of a communicator (MPI 5.0 section 5.2). */
#include <limits.h>

#include "api.h"
#include "packing.h"

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
	rc = packing_pack(&p);
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
	rc = packing_unpack(&p);
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
	rc = packing_pack(&p);
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
	rc = packing_unpack(&p);
	return api_leave(p.c, rc);
}

#pragma weak MPI_Pack_size = PMPI_Pack_size
int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	struct packing p = {.count = incount, .datatype = datatype, .comm = comm};
	MPI_Count length = 0;
	int rc;

	api_enter("MPI_Pack_size");
	rc = packing_length(&p, size ? &length : NULL);
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
	rc = packing_length(&p, size);
	return api_leave(p.c, rc);
}
