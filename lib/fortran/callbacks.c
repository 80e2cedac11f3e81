/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran functions that C calls: operators, error handlers, generalized requests. */
#include <pthread.h>
#include <stdlib.h>

#include "by_hand.h"
#include "pool.h"

struct pool {
	ftn_function *known[FTN_POOL];
	int n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool ops, ops_c, comms, files, sessions, wins;

/* The number of fn in its pool, -1 when that is full. */
static int number(struct pool *pool, ftn_function *fn)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < pool->n && pool->known[i] != fn; i++)
		;
	if (i == pool->n && pool->n < FTN_POOL)
		pool->known[pool->n++] = fn;
	pthread_mutex_unlock(&lock);
	return i < FTN_POOL ? i : -1;
}

static int full(const char *name)
{
	return ftn_fail(
		name, MPI_ERR_NO_MEM, "more than 128 different Fortran functions of this kind");
}

/* ---- operators ---- */

typedef void(fortran_op)(void *in, void *inout, int *len, int *datatype);
typedef void(fortran_op_c)(void *in, void *inout, MPI_Count *len, int *datatype);

void ftn_call_op(int i, void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	int type = PMPI_Type_toint(*datatype);

	((fortran_op *)ops.known[i])(in, inout, len, &type);
}

void ftn_call_op_c(int i, void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype)
{
	int type = PMPI_Type_toint(*datatype);

	((fortran_op_c *)ops_c.known[i])(in, inout, len, &type);
}

void ftn_op_create(ftn_function *user_fn, const int *commute, int *op, int *ierror)
{
	int i = number(&ops, user_fn);
	MPI_Op made;
	int rc = i < 0 ? full("MPI_Op_create")
		       : PMPI_Op_create(ftn_pool_op[i], ftn_true(*commute), &made);

	if (rc == MPI_SUCCESS)
		*op = PMPI_Op_toint(made);
	ftn_error_out(ierror, rc);
}

void ftn_op_create_c(ftn_function *user_fn, const int *commute, int *op, int *ierror)
{
	int i = number(&ops_c, user_fn);
	MPI_Op made;
	int rc = i < 0 ? full("MPI_Op_create_c")
		       : PMPI_Op_create_c(ftn_pool_op_c[i], ftn_true(*commute), &made);

	if (rc == MPI_SUCCESS)
		*op = PMPI_Op_toint(made);
	ftn_error_out(ierror, rc);
}

/* ---- error handlers ---- */

typedef void(fortran_handler)(int *object, int *code);

static void call_handler(const struct pool *pool, int i, int object, int *code)
{
	((fortran_handler *)pool->known[i])(&object, code);
}

void ftn_call_comm(int i, MPI_Comm *comm, int *code)
{
	call_handler(&comms, i, PMPI_Comm_toint(*comm), code);
}

void ftn_call_file(int i, MPI_File *file, int *code)
{
	call_handler(&files, i, PMPI_File_toint(*file), code);
}

void ftn_call_session(int i, MPI_Session *session, int *code)
{
	call_handler(&sessions, i, PMPI_Session_toint(*session), code);
}

void ftn_call_win(int i, MPI_Win *win, int *code)
{
	call_handler(&wins, i, PMPI_Win_toint(*win), code);
}

static void made_handler(MPI_Errhandler made, int rc, int *errhandler, int *ierror)
{
	if (rc == MPI_SUCCESS)
		*errhandler = PMPI_Errhandler_toint(made);
	ftn_error_out(ierror, rc);
}

void ftn_comm_create_errhandler(ftn_function *comm_errhandler_fn, int *errhandler, int *ierror)
{
	int i = number(&comms, comm_errhandler_fn);
	MPI_Errhandler made = MPI_ERRHANDLER_NULL;
	int rc = i < 0 ? full("MPI_Comm_create_errhandler")
		       : PMPI_Comm_create_errhandler(ftn_pool_comm[i], &made);

	made_handler(made, rc, errhandler, ierror);
}

void ftn_file_create_errhandler(ftn_function *file_errhandler_fn, int *errhandler, int *ierror)
{
	int i = number(&files, file_errhandler_fn);
	MPI_Errhandler made = MPI_ERRHANDLER_NULL;
	int rc = i < 0 ? full("MPI_File_create_errhandler")
		       : PMPI_File_create_errhandler(ftn_pool_file[i], &made);

	made_handler(made, rc, errhandler, ierror);
}

void ftn_session_create_errhandler(
	ftn_function *session_errhandler_fn, int *errhandler, int *ierror)
{
	int i = number(&sessions, session_errhandler_fn);
	MPI_Errhandler made = MPI_ERRHANDLER_NULL;
	int rc = i < 0 ? full("MPI_Session_create_errhandler")
		       : PMPI_Session_create_errhandler(ftn_pool_session[i], &made);

	made_handler(made, rc, errhandler, ierror);
}

void ftn_win_create_errhandler(ftn_function *win_errhandler_fn, int *errhandler, int *ierror)
{
	int i = number(&wins, win_errhandler_fn);
	MPI_Errhandler made = MPI_ERRHANDLER_NULL;
	int rc = i < 0 ? full("MPI_Win_create_errhandler")
		       : PMPI_Win_create_errhandler(ftn_pool_win[i], &made);

	made_handler(made, rc, errhandler, ierror);
}

/* ---- generalized requests ---- */

typedef void(fortran_query)(MPI_Aint *extra_state, MPI_Status *status, int *ierror);
typedef void(fortran_free)(MPI_Aint *extra_state, int *ierror);
typedef void(fortran_cancel)(MPI_Aint *extra_state, int *complete, int *ierror);

/* The program's functions are given the program's own variable, and may change it. */
struct generalized {
	ftn_function *query, *free, *cancel;
	MPI_Aint *extra_state;
};

static int query(void *extra_state, MPI_Status *status)
{
	struct generalized *g = extra_state;
	int rc = MPI_SUCCESS;

	((fortran_query *)g->query)(g->extra_state, status, &rc);
	return rc;
}

/* the last call for it */
static int free_it(void *extra_state)
{
	struct generalized *g = extra_state;
	int rc = MPI_SUCCESS;

	((fortran_free *)g->free)(g->extra_state, &rc);
	free(g);
	return rc;
}

static int cancel(void *extra_state, int complete)
{
	struct generalized *g = extra_state;
	int rc = MPI_SUCCESS, done = complete != 0;

	((fortran_cancel *)g->cancel)(g->extra_state, &done, &rc);
	return rc;
}

void ftn_grequest_start(ftn_function *query_fn, ftn_function *free_fn, ftn_function *cancel_fn,
	const MPI_Aint *extra_state, int *request, int *ierror)
{
	struct generalized *g = malloc(sizeof *g);
	MPI_Request made;
	int rc;

	if (!g) {
		ftn_error_out(ierror, ftn_no_memory("MPI_Grequest_start"));
		return;
	}
	*g = (struct generalized){query_fn, free_fn, cancel_fn, (MPI_Aint *)(uintptr_t)extra_state};
	rc = PMPI_Grequest_start(query, free_it, cancel, g, &made);
	if (rc == MPI_SUCCESS)
		*request = PMPI_Request_toint(made);
	else
		free(g);
	ftn_error_out(ierror, rc);
}
