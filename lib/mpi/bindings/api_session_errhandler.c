/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers of sessions (MPI 5.0 section 9.3.4). Two of the calls are legal at any time. */
#include "api.h"
#include "check.h"
#include "mpi/comm/errhandler.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/errtext.h"
#include "mpi/init/session.h"

#pragma weak MPI_Session_create_errhandler = PMPI_Session_create_errhandler
int PMPI_Session_create_errhandler(
	MPI_Session_errhandler_function *session_errhandler_fn, MPI_Errhandler *errhandler)
{
	api_enter_anytime("MPI_Session_create_errhandler");
	engine_lock();
	int rc = session_errhandler_fn ? check_pointer(errhandler, "errhandler")
				       : fail_null("session_errhandler_fn");
	if (rc == MPI_SUCCESS)
		rc = errhandler_give(errhandler_make_session(session_errhandler_fn), errhandler);
	engine_unlock();
	return api_leave_anytime(rc);
}

#pragma weak MPI_Session_set_errhandler = PMPI_Session_set_errhandler
int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
	struct errhandler *e = NULL;
	struct session *s = NULL;

	api_enter("MPI_Session_set_errhandler");
	int rc = session_lookup(session, &s);
	if (rc == MPI_SUCCESS)
		rc = errhandler_lookup(errhandler, &e);
	if (rc == MPI_SUCCESS)
		rc = errhandler_check_kind(e, "sessions");
	if (rc == MPI_SUCCESS) {
		errhandler_hold(e);
		errhandler_release(s->errhandler);
		s->errhandler = e;
	}
	return api_leave_session(s ? s->number : 0, rc);
}

#pragma weak MPI_Session_get_errhandler = PMPI_Session_get_errhandler
int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
	struct session *s = NULL;

	api_enter("MPI_Session_get_errhandler");
	int rc = session_lookup(session, &s);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(errhandler, "errhandler");
	if (rc == MPI_SUCCESS)
		rc = errhandler_export(s->errhandler, errhandler);
	return api_leave_session(s ? s->number : 0, rc);
}

/* Where there is no session, there is none to be asked either. */
#pragma weak MPI_Session_call_errhandler = PMPI_Session_call_errhandler
int PMPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
	struct session *s = NULL;
	struct errhandler asked = {.handle = MPI_ERRHANDLER_NULL};

	api_enter_anytime("MPI_Session_call_errhandler");
	api_refuse_child();
	engine_lock();
	int rc = session_lookup(session, &s);
	if (rc == MPI_SUCCESS)
		asked = *s->errhandler;
	engine_unlock();
	if (rc != MPI_SUCCESS)
		return api_leave_anytime(rc);
	if (!errtext_is_code(errorcode))
		return errhandler_raise_session(&asked, session,
			fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode));
	(void)fail_with(errorcode, "the program raised it itself");
	(void)errhandler_raise_session(&asked, session, errorcode);
	return MPI_SUCCESS;
}
