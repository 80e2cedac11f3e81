/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators from communicators (MPI 5.0 section 7.4.2). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/hints.h"
#include "mpi/comm/info.h"
#include "mpi/p2p/request.h"

/* Look comm up and check the place for the new one. */
static int begin(MPI_Comm comm, MPI_Comm *newcomm, struct comm **c)
{
	int rc = comm_lookup(comm, c);

	check_no_comm_yet(newcomm);
	return rc ? rc : check_pointer(newcomm, "newcomm");
}

/* Hand the new communicator to the program; there is none after an error, or here. */
static int finish(struct comm *parent, const struct comm *made, MPI_Comm *newcomm, int rc)
{
	if (rc == MPI_SUCCESS && made)
		*newcomm = made->handle;
	return api_leave(parent, rc);
}

/* The hints are looked at first, so that what is wrong with them is not found out when there is a
 * communicator already. */
static int dup(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	struct comm *c = NULL, *made = NULL;
	struct info *hints = NULL;
	int rc = begin(comm, newcomm, &c);

	if (rc == MPI_SUCCESS)
		rc = hints_set(&hints, hints_of_comm, info);
	if (rc == MPI_SUCCESS)
		rc = comm_make_dup(c, &made);
	if (rc == MPI_SUCCESS)
		made->hints = hints;
	else
		info_free(hints);
	return finish(c, made, newcomm, rc);
}

#pragma weak MPI_Comm_dup = PMPI_Comm_dup
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	api_enter("MPI_Comm_dup");
	return dup(comm, MPI_INFO_NULL, newcomm); /* the old one's are not taken over */
}

#pragma weak MPI_Comm_dup_with_info = PMPI_Comm_dup_with_info
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	api_enter("MPI_Comm_dup_with_info");
	return dup(comm, info, newcomm);
}

static int idup(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	struct comm *c = NULL, *made = NULL;
	struct request *r = NULL;
	struct info *hints = NULL;
	int rc = begin(comm, newcomm, &c);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = hints_set(&hints, hints_of_comm, info);
	if (rc == MPI_SUCCESS)
		rc = comm_idup(c, &made, &r);
	if (rc == MPI_SUCCESS) {
		made->hints = hints;
		*request = (MPI_Request)r;
	} else {
		info_free(hints);
	}
	return finish(c, made, newcomm, rc);
}

#pragma weak MPI_Comm_idup = PMPI_Comm_idup
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	api_enter("MPI_Comm_idup");
	return idup(comm, MPI_INFO_NULL, newcomm, request);
}

#pragma weak MPI_Comm_idup_with_info = PMPI_Comm_idup_with_info
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	api_enter("MPI_Comm_idup_with_info");
	return idup(comm, info, newcomm, request);
}

#pragma weak MPI_Comm_split = PMPI_Comm_split
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct comm *c = NULL, *made = NULL;

	api_enter("MPI_Comm_split");
	int rc = begin(comm, newcomm, &c);
	if (rc == MPI_SUCCESS && color < 0 && color != MPI_UNDEFINED)
		rc = fail_with(
			MPI_ERR_ARG, "color %d is neither MPI_UNDEFINED nor 0 or more", color);
	if (rc == MPI_SUCCESS)
		rc = comm_split(c, color, key, &made);
	return finish(c, made, newcomm, rc);
}

#pragma weak MPI_Comm_create = PMPI_Comm_create
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	struct comm *c = NULL, *made = NULL;
	struct group *g = NULL;

	api_enter("MPI_Comm_create");
	int rc = begin(comm, newcomm, &c);
	if (rc == MPI_SUCCESS)
		rc = group_lookup(group, &g);
	if (rc == MPI_SUCCESS)
		rc = comm_create(c, g, &made);
	return finish(c, made, newcomm, rc);
}

#pragma weak MPI_Comm_create_group = PMPI_Comm_create_group
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	struct comm *c = NULL, *made = NULL;
	struct group *g = NULL;

	api_enter("MPI_Comm_create_group");
	int rc = begin(comm, newcomm, &c);
	if (rc == MPI_SUCCESS)
		rc = comm_lookup_intra(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = group_lookup(group, &g);
	if (rc == MPI_SUCCESS && tag < 0)
		rc = fail_with(MPI_ERR_TAG, "tag %d is less than 0", tag);
	if (rc == MPI_SUCCESS)
		rc = comm_make_group(c, g, tag, &made);
	return finish(c, made, newcomm, rc);
}
