/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of communicators: MPI 5.0 sections 7.4.3 and 11.10.4. */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/attr.h"
#include "mpi/p2p/request.h"

static int drop(MPI_Comm *comm, struct comm *c)
{
	int rc;

	if (handle_is_predefined(c->handle))
		return fail_with(MPI_ERR_COMM, "%s cannot be freed", comm_label(c));
	comm_hold(c);
	rc = attr_delete_all(comm_attrs(c));
	if (rc == MPI_SUCCESS) {
		comm_drop(c);
		*comm = MPI_COMM_NULL;
	}
	comm_release(c);
	return rc;
}

#pragma weak MPI_Comm_free = PMPI_Comm_free
int PMPI_Comm_free(MPI_Comm *comm)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_free");
	int rc = check_pointer(comm, "comm");
	if (rc == MPI_SUCCESS)
		rc = comm_lookup(*comm, &c);
	if (rc == MPI_SUCCESS)
		rc = drop(comm, c);
	return api_leave(rc == MPI_SUCCESS ? NULL : c, rc);
}

struct pending {
	const struct comm *c;
	struct request *any;
};

static void is_pending(struct request *r, void *arg)
{
	struct pending *p = arg;

	if (r->m.comm == p->c && !request_idle(r))
		p->any = r;
}

static bool nothing_pending(void *arg, int *expect)
{
	struct pending *p = arg;

	p->any = NULL;
	requests_each(is_pending, p);
	if (p->any)
		*expect = request_expects(p->any);
	return !p->any;
}

static int disconnect(MPI_Comm *comm, struct comm *c)
{
	struct pending p = {.c = c};

	if (handle_is_predefined(c->handle))
		return fail_with(MPI_ERR_COMM, "%s cannot be disconnected", comm_label(c));
	comm_hold(c);
	engine_wait(nothing_pending, &p);
	comm_release(c);
	return drop(comm, c);
}

#pragma weak MPI_Comm_disconnect = PMPI_Comm_disconnect
int PMPI_Comm_disconnect(MPI_Comm *comm)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_disconnect");
	int rc = check_pointer(comm, "comm");
	if (rc == MPI_SUCCESS)
		rc = comm_lookup(*comm, &c);
	if (rc == MPI_SUCCESS)
		rc = disconnect(comm, c);
	return api_leave(rc == MPI_SUCCESS ? NULL : c, rc);
}

/* No process is here because another one spawned it. */
#pragma weak MPI_Comm_get_parent = PMPI_Comm_get_parent
int PMPI_Comm_get_parent(MPI_Comm *parent)
{
	api_enter("MPI_Comm_get_parent");
	int rc = check_pointer(parent, "parent");
	if (rc == MPI_SUCCESS)
		*parent = MPI_COMM_NULL;
	return api_leave(NULL, rc);
}
