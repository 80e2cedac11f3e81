/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_launch_calls.h"

#include "api.h"
#include "check.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/comm/info.h"

static int launch(struct comm *c, coll_planner *plan, struct coll_call *call, bool persistent,
	MPI_Request *request)
{
	struct coll_open *o = coll_open_new(c);
	struct request *r = NULL;
	int rc;

	if (!o)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an operation");
	o->plan = plan;
	o->call = *call;
	rc = coll_launch(o, plan(&o->run, c, call), persistent, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return rc;
}

int coll_call_launch(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call,
	MPI_Request *request)
{
	struct comm *c = NULL;
	int rc;

	api_enter(name);
	rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = launch(c, plan, call, false, request);
	return api_leave(c, rc);
}

int coll_call_init(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call,
	MPI_Info info, MPI_Request *request)
{
	struct info *hints;
	struct comm *c = NULL;
	int rc;

	api_enter(name);
	rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = info_lookup_hints(info, &hints);
	if (rc == MPI_SUCCESS)
		rc = launch(c, plan, call, true, request);
	return api_leave(c, rc);
}
