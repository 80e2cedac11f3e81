/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error handlers (MPI 5.0 section 9.3). The engine lock guards them.
 */
#ifndef FTMPI_MPI_ERRHANDLER_H
#define FTMPI_MPI_ERRHANDLER_H

#include "mpi.h"
#include "mpi/handle/object.h"

struct comm;
struct session;

struct errhandler {
	struct object head;
	int handles;			  /* how many of head.refs the program owns */
	MPI_Comm_errhandler_function *fn; /* one of the four; none for a predefined one */
	MPI_Win_errhandler_function *win_fn;
	MPI_File_errhandler_function *file_fn;
	MPI_Session_errhandler_function *session_fn;
	MPI_Errhandler handle;
};

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_ERRHANDLER. */
int errhandler_lookup(MPI_Errhandler handle, struct errhandler **out);

/* MPI_ERRORS_ARE_FATAL, what every communicator begins with. */
struct errhandler *errhandler_fatal(void);

/* The caller owns one reference; NULL when out of memory. */
struct errhandler *errhandler_make(MPI_Comm_errhandler_function *fn);
struct errhandler *errhandler_make_win(MPI_Win_errhandler_function *fn);
struct errhandler *errhandler_make_file(MPI_File_errhandler_function *fn);
struct errhandler *errhandler_make_session(MPI_Session_errhandler_function *fn);

/* Give the program a handle of what was just made, and its reference; MPI_ERR_NO_MEM when that is
 * NULL. */
int errhandler_give(struct errhandler *made, MPI_Errhandler *handle);

/* MPI_ERR_ARG unless it may serve what kind says: "communicators", "windows", "files" or
 * "sessions". Predefined ones serve all. */
int errhandler_check_kind(const struct errhandler *e, const char *kind);

/* References; no-ops on predefined ones. */
void errhandler_hold(struct errhandler *e);
void errhandler_release(struct errhandler *e);

/* Give the program a handle, with its own reference; and take it back. */
int errhandler_export(struct errhandler *e, MPI_Errhandler *handle);
void errhandler_unexport(struct errhandler *e);

/* Put e on c, from where it takes the place of the one that was there. */
void errhandler_set(struct comm *c, struct errhandler *e);

/*
 * Raise error rc (not MPI_SUCCESS) of the call this thread is in. The engine lock is not held and
 * is taken for a moment. c, if there is one, is held or otherwise sure to last. Returns the error
 * the call shall return, which a user's handler may have changed; does not return from a fatal
 * handler.
 *
 * With c NULL the error belongs to no communicator: MPI_COMM_SELF's handler is asked when the
 * program set one there (section 9.3), otherwise MPI_COMM_WORLD's, which is where programs written
 * for MPI 3 and before set it. Outside MPI_Init ... MPI_Finalize every such error is fatal.
 *
 * A null argument (fail_null) is a mistake of the call: where c has the fatal handler that
 * communicators begin with, and nobody set it there, that too belongs to no communicator.
 */
int errhandler_raise(struct comm *c, int rc);

/* The same for an error of what is no object yet: e is asked, with a null handle. One for sessions
 * only that of what is to become one. */
int errhandler_raise_by(const struct errhandler *e, int rc);

/* The handler of the errors of a window. The engine lock guards it. */
struct errhandler_win {
	struct errhandler *errhandler;
	MPI_Win handle;
};

/* The same for the error of a window, which is not NULL. */
int errhandler_raise_win(const struct errhandler_win *w, int rc);

/* The same for the error of a session, or of one of its groups: e is its handler. */
int errhandler_raise_session(const struct errhandler *e, MPI_Session session, int rc);

/* The same for an error that belongs to MPI_FILE_NULL, whose handler is e. */
int errhandler_raise_file(struct errhandler *e, int rc);

#endif
