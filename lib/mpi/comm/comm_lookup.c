/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program names: handles, and the two that it may name from MPI_Init to MPI_Finalize. */
#include "comm.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

struct comm *comm_named_world;
static struct comm *named_self; /* NULL: the program may not name it */

void comm_name_world(bool may)
{
	comm_named_world = may ? comm_world() : NULL;
	named_self = may ? comm_self() : NULL;
}

bool comm_world_is_named(void)
{
	return comm_named_world != NULL;
}

static int refuse(MPI_Comm handle)
{
	if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
		return fail_with(MPI_ERR_COMM, "%s is there from MPI_Init to MPI_Finalize alone",
			handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	if (handle == MPI_COMM_NULL)
		return fail_with(MPI_ERR_COMM, "MPI_COMM_NULL was given");
	return fail_with(MPI_ERR_COMM,
		"%p is not a communicator, or it was freed, or its session was finalized",
		(void *)handle);
}

int comm_lookup_other(MPI_Comm handle, struct comm **out)
{
	if (handle == MPI_COMM_SELF && named_self)
		*out = named_self;
	else if (handle_table_has(handle, OBJECT_COMM))
		*out = (struct comm *)(void *)handle;
	else
		return refuse(handle);
	return MPI_SUCCESS;
}

int comm_lookup_intra(MPI_Comm handle, struct comm **out)
{
	int rc = comm_lookup(handle, out);

	if (rc != MPI_SUCCESS || !(*out)->remote)
		return rc;
	return fail_with(MPI_ERR_COMM, "communicator %s of %d and %d is an intercommunicator",
		comm_label(*out), (*out)->size, (*out)->npeers);
}

int comm_lookup_inter(MPI_Comm handle, struct comm **out)
{
	int rc = comm_lookup(handle, out);

	if (rc != MPI_SUCCESS || (*out)->remote)
		return rc;
	return fail_with(MPI_ERR_COMM, "communicator %s of %d is not an intercommunicator",
		comm_label(*out), (*out)->size);
}

const char *comm_label(const struct comm *c)
{
	return c->name[0] ? c->name : "(unnamed)";
}

int comm_check_root(const struct comm *c, int root)
{
	if (root >= 0 && root < c->size)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_ROOT, "root %d is not in communicator %s of %d", root,
		comm_label(c), c->size);
}
