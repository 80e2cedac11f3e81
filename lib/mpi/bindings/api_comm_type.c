/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators by resource (MPI 5.0 section 7.4.2). The kinds of hardware that the library knows
 * are hosts, whose processes share memory; the process sets are those of session.h.
 */
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/hints.h"
#include "mpi/comm/info.h"

#define RESOURCE_KEY "mpi_hw_resource_type"
#define RESOURCE_HOST "mpi_shared_memory"
#define PSET_KEY "mpi_pset_name"

/* What is not known gives no communicator. */
static int color_of_resource(const struct comm *c, const struct info *said)
{
	const char *resource = said ? info_find(said, RESOURCE_KEY) : NULL;

	return resource && strcmp(resource, RESOURCE_HOST) == 0 ? comm_hosts_node_of(c, c->rank)
								: MPI_UNDEFINED;
}

static int color_of_pset(const struct comm *c, const struct info *said)
{
	const char *pset = said ? info_find(said, PSET_KEY) : NULL;

	if (!pset)
		return color_of_resource(c, said);
	if (info_find(said, RESOURCE_KEY))
		return MPI_UNDEFINED; /* one of the two decides, or nobody */
	if (strcmp(pset, "mpi://WORLD") == 0)
		return 0;
	return strcmp(pset, "mpi://SELF") == 0 ? c->group->world[c->rank] : MPI_UNDEFINED;
}

/* The unguided split must give strictly smaller communicators, or none. */
static int color_of_type(const struct comm *c, int split_type, const struct info *said, int *color)
{
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED:
		*color = comm_hosts_node_of(c, c->rank);
		return MPI_SUCCESS;
	case MPI_COMM_TYPE_HW_UNGUIDED:
		*color = comm_hosts_several(c) ? comm_hosts_node_of(c, c->rank) : MPI_UNDEFINED;
		return MPI_SUCCESS;
	case MPI_COMM_TYPE_HW_GUIDED:
		*color = color_of_resource(c, said);
		return MPI_SUCCESS;
	case MPI_COMM_TYPE_RESOURCE_GUIDED:
		*color = color_of_pset(c, said);
		return MPI_SUCCESS;
	case MPI_UNDEFINED:
		*color = MPI_UNDEFINED;
		return MPI_SUCCESS;
	default:
		return fail_with(MPI_ERR_ARG, "%d is not a kind of split", split_type);
	}
}

/* The program is told by what the unguided split went. */
static int tell_resource(int split_type, MPI_Info info, const struct comm *made)
{
	struct info *said = NULL;
	int rc = MPI_SUCCESS;

	if (split_type == MPI_COMM_TYPE_HW_UNGUIDED && made)
		rc = info_lookup_hints(info, &said);
	return said ? info_put(said, RESOURCE_KEY, RESOURCE_HOST) : rc;
}

#pragma weak MPI_Comm_split_type = PMPI_Comm_split_type
int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
	struct comm *c = NULL, *made = NULL;
	struct info *said = NULL, *hints = NULL;
	int color = MPI_UNDEFINED;

	api_enter("MPI_Comm_split_type");
	check_no_comm_yet(newcomm);
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newcomm, "newcomm");
	if (rc == MPI_SUCCESS)
		rc = info_lookup_hints(info, &said);
	if (rc == MPI_SUCCESS)
		rc = hints_set(&hints, hints_of_comm, info);
	if (rc == MPI_SUCCESS)
		rc = color_of_type(c, split_type, said, &color);
	if (rc == MPI_SUCCESS)
		rc = comm_split(c, color, key, &made);
	if (rc == MPI_SUCCESS && made) {
		made->hints = hints;
		*newcomm = made->handle;
	} else {
		info_free(hints);
	}
	if (rc == MPI_SUCCESS)
		rc = tell_resource(split_type, info, made);
	return api_leave(c, rc);
}
