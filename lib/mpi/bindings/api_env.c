/* SPDX-License-Identifier: BSD-3-Clause */
/* Start, end, inquiry: MPI 5.0 chapters 9 and 11. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "base/clock.h"
#include "base/log.h"
#include "ftmpi.h"
#include "launch/control.h"
#include "mpi/init/world.h"

static int init(int *argc, char ***argv, int required, int *provided)
{
	api_refuse_child();
	if (!world_open(argc, argv, required))
		return api_leave_anytime(fail_with(MPI_ERR_OTHER, "MPI was initialized before"));
	if (provided)
		*provided = world_thread_level();
	return MPI_SUCCESS;
}

#pragma weak MPI_Init = PMPI_Init
int PMPI_Init(int *argc, char ***argv)
{
	api_enter_anytime("MPI_Init");
	return init(argc, argv, MPI_THREAD_SINGLE, NULL);
}

/* Every level up to the highest costs the same here: what is asked for is given. */
static int granted_level(int required)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED};

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (required <= levels[i])
			return levels[i];
	return MPI_THREAD_MULTIPLE;
}

#pragma weak MPI_Init_thread = PMPI_Init_thread
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	api_enter_anytime("MPI_Init_thread");
	return init(argc, argv, granted_level(required), provided);
}

#pragma weak MPI_Initialized = PMPI_Initialized
int PMPI_Initialized(int *flag)
{
	api_enter_anytime("MPI_Initialized");
	if (!flag)
		return api_leave_anytime(fail_null("flag"));
	*flag = world_state() >= WORLD_OPEN;
	return MPI_SUCCESS;
}

#pragma weak MPI_Finalized = PMPI_Finalized
int PMPI_Finalized(int *flag)
{
	api_enter_anytime("MPI_Finalized");
	if (!flag)
		return api_leave_anytime(fail_null("flag"));
	*flag = world_state() == WORLD_AFTER;
	return MPI_SUCCESS;
}

#pragma weak MPI_Finalize = PMPI_Finalize
int PMPI_Finalize(void)
{
	api_enter("MPI_Finalize");
	world_close();
	return MPI_SUCCESS;
}

#pragma weak MPI_Abort = PMPI_Abort
int PMPI_Abort(MPI_Comm comm, int errorcode)
{
	(void)comm; /* the whole job ends: a part of it cannot go on by itself */
	api_enter_anytime("MPI_Abort");
	process_last_words();
	log_error("MPI_Abort was called with error code %d", errorcode);
	process_die(errorcode);
}

#pragma weak MPI_Wtime = PMPI_Wtime
double PMPI_Wtime(void)
{
	return (double)clock_program_ns() * 1e-9;
}

#pragma weak MPI_Wtick = PMPI_Wtick
double PMPI_Wtick(void)
{
	struct timespec t;

	return clock_getres(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9
						      : 1e-9;
}

#pragma weak MPI_Get_version = PMPI_Get_version
int PMPI_Get_version(int *version, int *subversion)
{
	api_enter_anytime("MPI_Get_version");
	if (!version || !subversion)
		return api_leave_anytime(fail_null("version or subversion"));
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_library_version = PMPI_Get_library_version
int PMPI_Get_library_version(char *version, int *resultlen)
{
	api_enter_anytime("MPI_Get_library_version");
	if (!version || !resultlen)
		return api_leave_anytime(fail_null("version or resultlen"));
	*resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
		"FTMPI %s (MPI %d.%d ABI %d.%d)", FTMPI_VERSION, MPI_VERSION, MPI_SUBVERSION,
		MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_processor_name = PMPI_Get_processor_name
int PMPI_Get_processor_name(char *name, int *resultlen)
{
	int rc = MPI_SUCCESS;

	api_enter("MPI_Get_processor_name");
	if (!name || !resultlen)
		rc = fail_null("name or resultlen");
	else
		*resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "%.*s",
			MPI_MAX_PROCESSOR_NAME - 1, process_host());
	return api_leave(NULL, rc);
}

#pragma weak MPI_Query_thread = PMPI_Query_thread
int PMPI_Query_thread(int *provided)
{
	int rc = MPI_SUCCESS;

	api_enter("MPI_Query_thread");
	if (provided)
		*provided = world_thread_level();
	else
		rc = fail_null("provided");
	return api_leave(NULL, rc);
}

#pragma weak MPI_Is_thread_main = PMPI_Is_thread_main
int PMPI_Is_thread_main(int *flag)
{
	int rc = MPI_SUCCESS;

	api_enter("MPI_Is_thread_main");
	if (flag)
		*flag = world_is_main_thread();
	else
		rc = fail_null("flag");
	return api_leave(NULL, rc);
}

/* The level means nothing to this library (MPI 5.0 section 15.2.4); a tool may intercept it. */
#pragma weak MPI_Pcontrol = PMPI_Pcontrol
int PMPI_Pcontrol(const int level, ...)
{
	(void)level;
	return MPI_SUCCESS;
}
