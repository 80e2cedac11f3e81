/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing for the world outside (MPI 5.0 section 5.3): the same on every machine. */
#include "api.h"
#include "packing.h"

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
	rc = packing_pack(&p);
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
	rc = packing_unpack(&p);
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
	rc = packing_pack(&p);
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
	rc = packing_unpack(&p);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Pack_external_size = PMPI_Pack_external_size
int PMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
	struct packing p = {
		.external = true, .datarep = datarep, .count = incount, .datatype = datatype};
	MPI_Count length = 0;
	int rc;

	api_enter("MPI_Pack_external_size");
	rc = packing_length(&p, size ? &length : NULL);
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
	return api_leave(NULL, packing_length(&p, size));
}
