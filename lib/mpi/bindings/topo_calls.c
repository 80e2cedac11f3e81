/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo_calls.h"

#include "api.h"
#include "check.h"

static const char *kind_name(int kind)
{
	return kind == MPI_CART ? "Cartesian" : kind == MPI_GRAPH ? "graph" : "distributed graph";
}

int topo_lookup(MPI_Comm comm, int kind, struct comm **c)
{
	int rc = comm_lookup(comm, c);

	if (rc == MPI_SUCCESS && (!(*c)->topo || (*c)->topo->kind != kind))
		rc = fail_with(MPI_ERR_TOPOLOGY, "communicator %s of %d has no %s topology",
			comm_label(*c), (*c)->size, kind_name(kind));
	return rc;
}

int topo_lookup_plain(MPI_Comm comm, struct comm **c)
{
	int rc = comm_lookup(comm, c);

	if (rc == MPI_SUCCESS && (*c)->remote)
		rc = fail_with(MPI_ERR_COMM,
			"communicator %s is an intercommunicator, which has no topology",
			comm_label(*c));
	return rc;
}

int topo_check_array(int n, const void *array, const char *what)
{
	return n > 0 ? check_pointer(array, what) : MPI_SUCCESS;
}
