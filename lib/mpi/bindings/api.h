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
 * Functions below the API return MPI_SUCCESS or an MPI error class; whoever first knows the error
 * says it with api_fail, once. api_leave calls the error handler, after the lock is released.
 */
#ifndef FTMPI_MPI_API_H
#define FTMPI_MPI_API_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

struct comm;

/* Begin an MPI call: takes the engine lock. A call before MPI_Init or after MPI_Finalize, where there
 * is no session either, ends the process with a sentence (MPI 5.0 section 11.4.1 makes it
 * erroneous). `name` must be a literal. */
void api_enter(const char *name);

/* End an MPI call: releases the engine lock; if rc is not MPI_SUCCESS the error handler of c
 * (MPI_COMM_WORLD's when c is NULL) is called. Returns rc. */
int api_leave(struct comm *c, int rc);

/* The same, but e is asked: it need not be anybody's, and is not needed afterwards. */
struct errhandler;
int api_leave_by(const struct errhandler *e, int rc);

/* The same for calls that are legal before MPI_Init and after MPI_Finalize: no check, no lock. */
void api_enter_anytime(const char *name);
int api_leave_anytime(int rc);

/* For a call that makes MPI ready: in a child of a rank it ends the child with a sentence. */
void api_refuse_child(void);

/* Record, for this thread, what is wrong ("rank 9 is not in a communicator of 4"); returns
 * errclass. */
int api_fail(int errclass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a null pointer where the call needs an address: MPI_ERR_ARG. That is a mistake of the
 * call, not of its object; see errhandler_raise for who is told. */
int api_null(const char *what);

/* Is what was said last such a null pointer? */
bool api_said_null(void);

/* The text given to the last api_fail of this thread, "" when there is none. */
const char *api_detail(void);

/* Name of the MPI call that this thread is in. */
const char *api_name(void);

/* What an MPI function that this version does not have does: MPI_ERR_UNSUPPORTED_OPERATION through
 * MPI_COMM_WORLD's error handler. Takes no lock; may be called at any time. */
int api_unsupported(const char *name);
#define API_UNSUPPORTED "%s is not in this version of FTMPI"

/* The same for a function of files, through MPI_FILE_NULL's error handler, which returns until the
 * program sets another (api_file.c). Takes the lock; between MPI_Init and MPI_Finalize. */
int api_file_unsupported(const char *name);

/* Before saying why the process ends: the first thread goes on to say it and to api_die; others
 * that come here after it wait for the end. */
void api_last_words(void);

/* End the process because of an error that may not be survived: flushes stdio, tells the launcher,
 * which ends the other ranks, and exits with a status made of errclass. */
_Noreturn void api_die(int errclass);

/* For messages: this host's name and this process's rank in MPI_COMM_WORLD (0 before MPI_Init). */
const char *api_host(void);
int api_world_rank(void);

/* Around a call of a user's function (operator, attribute copy, error handler): the engine lock is
 * let go and taken again. Nothing looked up before it may be trusted after it unless it is held by
 * a reference. */
void api_pause(void);
void api_resume(void);

#endif
