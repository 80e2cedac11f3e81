/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame around every MPI call:
 *
 *	#pragma weak MPI_Send = PMPI_Send
 *	int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, ..., MPI_Comm comm)
 *	{
 *		struct comm *c = NULL;
 *		api_enter("MPI_Send");
 *		int rc = comm_lookup(comm, &c);
 *		if (rc == MPI_SUCCESS)
 *			rc = ...;
 *		return api_leave(c, rc);
 *	}
 *
 * What goes wrong below is said with fail_with (handle/fail.h). api_leave calls the error handler,
 * after the lock is released.
 */
#ifndef FTMPI_MPI_API_H
#define FTMPI_MPI_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"

struct comm;

/* Begin an MPI call: takes the engine lock. A call before MPI_Init or after MPI_Finalize, where
 * there is no session either, ends the process with a sentence (MPI 5.0 section 11.4.1 makes it
 * erroneous). `name` must be a literal. */
void api_enter(const char *name);

/* End an MPI call: releases the engine lock; if rc is not MPI_SUCCESS the error handler of c
 * (MPI_COMM_WORLD's when c is NULL) is called. Returns rc. */
int api_raise(struct comm *c, int rc);

static inline int api_leave(struct comm *c, int rc)
{
	engine_leave();
	return __builtin_expect(rc == MPI_SUCCESS, true) ? rc : api_raise(c, rc);
}

/* The same, but e is asked: it need not be anybody's, and is not needed afterwards. */
struct errhandler;
int api_leave_by(const struct errhandler *e, int rc);

/* The same by a window's error handler (w NULL: as if with none), and by that of the session with
 * this number or, where that is not there any more, as for what belongs to no object. */
struct win;
int api_leave_win(struct win *w, int rc);
int api_leave_session(uint64_t session, int rc);

/* The same for calls that are legal before MPI_Init and after MPI_Finalize: no check, no lock. */
void api_enter_anytime(const char *name);
int api_leave_anytime(int rc);

/* For a call that makes MPI ready: in a child of a rank it ends the child with a sentence. */
void api_refuse_child(void);

/* What an MPI function that this version does not have does: MPI_ERR_UNSUPPORTED_OPERATION through
 * MPI_COMM_WORLD's error handler. Takes no lock; may be called at any time. */
int api_unsupported(const char *name);
#define API_UNSUPPORTED "%s is not in this version of FTMPI"

/* The same for a function of files, through MPI_FILE_NULL's error handler, which returns until the
 * program sets another (api_file.c). Takes the lock; between MPI_Init and MPI_Finalize. */
int api_file_unsupported(const char *name);

#endif
