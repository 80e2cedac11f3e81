/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers of communicators (MPI 5.0 section 9.3). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/errtext.h"

#pragma weak MPI_Comm_create_errhandler = PMPI_Comm_create_errhandler
int PMPI_Comm_create_errhandler(
	MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler)
{
	api_enter("MPI_Comm_create_errhandler");
	int rc = comm_errhandler_fn ? check_pointer(errhandler, "errhandler")
				    : fail_null("comm_errhandler_fn");
	if (rc == MPI_SUCCESS)
		rc = errhandler_give(errhandler_make(comm_errhandler_fn), errhandler);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Comm_set_errhandler = PMPI_Comm_set_errhandler
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	struct errhandler *e = NULL;
	struct comm *c = NULL;

	api_enter("MPI_Comm_set_errhandler");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = errhandler_lookup(errhandler, &e);
	if (rc == MPI_SUCCESS)
		rc = errhandler_check_kind(e, "communicators");
	if (rc == MPI_SUCCESS)
		errhandler_set(c, e);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_get_errhandler = PMPI_Comm_get_errhandler
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_get_errhandler");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(errhandler, "errhandler");
	if (rc == MPI_SUCCESS)
		rc = errhandler_export(c->errhandler, errhandler);
	return api_leave(c, rc);
}

#pragma weak MPI_Errhandler_free = PMPI_Errhandler_free
int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
	struct errhandler *e = NULL;

	api_enter_anytime("MPI_Errhandler_free");
	engine_lock();
	int rc = check_pointer(errhandler, "errhandler");
	if (rc == MPI_SUCCESS)
		rc = errhandler_lookup(*errhandler, &e);
	if (rc == MPI_SUCCESS) {
		errhandler_unexport(e);
		*errhandler = MPI_ERRHANDLER_NULL;
	}
	engine_unlock();
	return api_leave_anytime(rc);
}

#pragma weak MPI_Comm_call_errhandler = PMPI_Comm_call_errhandler
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_call_errhandler");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS && !errtext_is_code(errorcode))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (rc == MPI_SUCCESS) {
		(void)fail_with(errorcode, "the program raised it itself");
		comm_hold(c);
		engine_unlock();
		(void)errhandler_raise(c, errorcode);
		engine_lock_again();
		comm_release(c);
		c = NULL; /* the handler may have freed it */
	}
	return api_leave(c, rc);
}
