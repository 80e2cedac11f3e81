/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers of files (MPI 5.0 sections 9.3.3 and 14.7). No file can be opened here, so the
 * only file there is one for is MPI_FILE_NULL. */
#include <stdbool.h>
#include <stddef.h>

#include "api.h"
#include "base/log.h"
#include "check.h"
#include "mpi/comm/errhandler.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/errtext.h"

/* NULL: MPI_ERRORS_RETURN, as at the start. */
static struct errhandler *chosen;

static int check_file(MPI_File file)
{
	return file == MPI_FILE_NULL ? MPI_SUCCESS
				     : fail_with(MPI_ERR_FILE, "%p is not a file", (void *)file);
}

static int current(struct errhandler **out)
{
	*out = chosen;
	return chosen ? MPI_SUCCESS : errhandler_lookup(MPI_ERRORS_RETURN, out);
}

static int raise_error(struct errhandler *e, int rc)
{
	errhandler_hold(e); /* its function may replace it */
	engine_unlock();
	rc = errhandler_raise_file(e, rc);
	engine_lock();
	errhandler_release(e);
	return rc;
}

/* The end of a call that names a file: its handler is told of an error, not a communicator's. */
static int leave(int rc)
{
	struct errhandler *e;

	if (rc != MPI_SUCCESS && current(&e) == MPI_SUCCESS)
		rc = raise_error(e, rc);
	(void)api_leave(NULL, MPI_SUCCESS);
	return rc;
}

/* Many programs look at no error of a file, and the handler returns: the user is told, once. */
int api_file_unsupported(const char *name)
{
	static bool told; /* guarded by the engine's lock */

	api_enter(name);
	if (!told)
		log_error("MPI-IO is not implemented: %s and all other calls that open, read or "
			  "write files fail with MPI_ERR_UNSUPPORTED_OPERATION",
			name);
	told = true;
	return leave(fail_with(MPI_ERR_UNSUPPORTED_OPERATION, API_UNSUPPORTED, name));
}

#pragma weak MPI_File_create_errhandler = PMPI_File_create_errhandler
int PMPI_File_create_errhandler(
	MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler)
{
	api_enter("MPI_File_create_errhandler");
	int rc = file_errhandler_fn ? check_pointer(errhandler, "errhandler")
				    : fail_null("file_errhandler_fn");
	if (rc == MPI_SUCCESS)
		rc = errhandler_give(errhandler_make_file(file_errhandler_fn), errhandler);
	return api_leave(NULL, rc);
}

static int set(struct errhandler *e)
{
	int rc = errhandler_check_kind(e, "files");

	if (rc != MPI_SUCCESS)
		return rc;
	errhandler_hold(e);
	if (chosen)
		errhandler_release(chosen);
	chosen = e;
	return MPI_SUCCESS;
}

#pragma weak MPI_File_set_errhandler = PMPI_File_set_errhandler
int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
	struct errhandler *e = NULL;

	api_enter("MPI_File_set_errhandler");
	int rc = check_file(file);
	if (rc == MPI_SUCCESS)
		rc = errhandler_lookup(errhandler, &e);
	if (rc == MPI_SUCCESS)
		rc = set(e);
	return leave(rc);
}

#pragma weak MPI_File_get_errhandler = PMPI_File_get_errhandler
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
	struct errhandler *e = NULL;

	api_enter("MPI_File_get_errhandler");
	int rc = check_file(file);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(errhandler, "errhandler");
	if (rc == MPI_SUCCESS)
		rc = current(&e);
	if (rc == MPI_SUCCESS)
		rc = errhandler_export(e, errhandler);
	return leave(rc);
}

#pragma weak MPI_File_call_errhandler = PMPI_File_call_errhandler
int PMPI_File_call_errhandler(MPI_File fh, int errorcode)
{
	struct errhandler *e = NULL;

	api_enter("MPI_File_call_errhandler");
	int rc = check_file(fh);
	if (rc == MPI_SUCCESS && !errtext_is_code(errorcode))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (rc == MPI_SUCCESS)
		rc = current(&e);
	if (rc == MPI_SUCCESS) {
		(void)fail_with(errorcode, "the program raised it itself");
		(void)raise_error(e, errorcode);
	}
	return leave(rc);
}
