/* SPDX-License-Identifier: BSD-3-Clause */
#include "errhandler.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/errtext.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "mpi/handle/process.h"

static struct errhandler predefined[] = {
	{.head = {OBJECT_ERRHANDLER, 1}, .handle = MPI_ERRORS_ARE_FATAL},
	{.head = {OBJECT_ERRHANDLER, 1}, .handle = MPI_ERRORS_ABORT},
	{.head = {OBJECT_ERRHANDLER, 1}, .handle = MPI_ERRORS_RETURN},
};

struct errhandler *errhandler_fatal(void)
{
	return &predefined[0];
}

int errhandler_lookup(MPI_Errhandler handle, struct errhandler **out)
{
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		if (predefined[i].handle == handle) {
			*out = &predefined[i];
			return MPI_SUCCESS;
		}
	}
	if (handle_table_has(handle, OBJECT_ERRHANDLER)) {
		*out = (struct errhandler *)(void *)handle;
		return MPI_SUCCESS;
	}
	if (handle == MPI_ERRHANDLER_NULL)
		return fail_with(MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL was given");
	return fail_with(
		MPI_ERR_ERRHANDLER, "%p is not an error handler, or it was freed", (void *)handle);
}

/* What it was made for; NULL: a predefined one. */
static const char *kind_of(const struct errhandler *e)
{
	if (e->fn)
		return "communicators";
	if (e->win_fn)
		return "windows";
	if (e->file_fn)
		return "files";
	return e->session_fn ? "sessions" : NULL;
}

static bool is_made(const struct errhandler *e)
{
	return kind_of(e) != NULL;
}

int errhandler_check_kind(const struct errhandler *e, const char *kind)
{
	const char *made_for = kind_of(e);

	if (!made_for || strcmp(made_for, kind) == 0)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_ARG, "this error handler is one for %s", made_for);
}

static struct errhandler *make(struct errhandler like)
{
	struct errhandler *e = malloc(sizeof(*e));

	if (!e)
		return NULL;
	*e = like;
	e->head = (struct object){.kind = OBJECT_ERRHANDLER, .refs = 1};
	e->handle = (MPI_Errhandler)(void *)e;
	return e;
}

struct errhandler *errhandler_make(MPI_Comm_errhandler_function *fn)
{
	return make((struct errhandler){.fn = fn});
}

struct errhandler *errhandler_make_win(MPI_Win_errhandler_function *fn)
{
	return make((struct errhandler){.win_fn = fn});
}

struct errhandler *errhandler_make_file(MPI_File_errhandler_function *fn)
{
	return make((struct errhandler){.file_fn = fn});
}

struct errhandler *errhandler_make_session(MPI_Session_errhandler_function *fn)
{
	return make((struct errhandler){.session_fn = fn});
}

int errhandler_give(struct errhandler *made, MPI_Errhandler *handle)
{
	int rc;

	if (!made)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an error handler");
	rc = errhandler_export(made, handle);
	errhandler_release(made);
	return rc;
}

void errhandler_hold(struct errhandler *e)
{
	if (is_made(e))
		e->head.refs++;
}

void errhandler_release(struct errhandler *e)
{
	if (!is_made(e) || --e->head.refs > 0)
		return;
	e->head.kind = OBJECT_FREED;
	free(e);
}

int errhandler_export(struct errhandler *e, MPI_Errhandler *handle)
{
	if (is_made(e) && e->handles == 0) {
		int rc = handle_table_add(&e->head);

		if (rc != MPI_SUCCESS)
			return rc;
	}
	if (is_made(e))
		e->handles++;
	errhandler_hold(e);
	*handle = e->handle;
	return MPI_SUCCESS;
}

void errhandler_unexport(struct errhandler *e)
{
	if (is_made(e) && --e->handles == 0)
		handle_table_remove(&e->head);
	errhandler_release(e);
}

void errhandler_set(struct comm *c, struct errhandler *e)
{
	errhandler_hold(e);
	errhandler_release(c->errhandler);
	c->errhandler = e;
	c->errhandler_chosen = true;
}

_Noreturn static void die(int rc)
{
	const char *detail = fail_detail();
	char what[MPI_MAX_ERROR_STRING];

	process_last_words();
	if (detail[0] && rc <= MPI_ERR_LASTCODE)
		snprintf(what, sizeof(what), "%s: %s", errtext_name(rc), detail);
	else if (detail[0])
		snprintf(what, sizeof(what), "error code %d: %s", rc, detail);
	else
		errtext_get(rc, what, sizeof(what));
	fprintf(stderr, "rank %d on %s: %s: %s\n", process_rank(), process_host(), fail_call(),
		what);
	process_die(errtext_class_of(rc));
}

/* Errors there end the job, and nobody asked for that: it is what communicators begin with. */
static bool fatal_by_default(const struct comm *c)
{
	return c->errhandler == errhandler_fatal() && !c->errhandler_chosen && !c->window;
}

/* The communicator whose handler is asked. */
static struct comm *answerable(struct comm *c)
{
	if (c && fail_is_null() && fatal_by_default(c))
		c = NULL;
	if (c || !comm_world_is_named())
		return c;
	return comm_self()->errhandler_chosen ? comm_self() : comm_world();
}

int errhandler_raise(struct comm *c, int rc)
{
	MPI_Errhandler kind = MPI_ERRORS_ARE_FATAL;
	MPI_Comm_errhandler_function *fn = NULL;
	MPI_Comm comm = MPI_COMM_NULL;

	if (!c && !comm_world_is_named())
		die(rc);
	/* the handler may be replaced or freed by its own function or by another thread: nothing
	 * of it is needed behind this */
	engine_lock();
	c = answerable(c);
	if (c && c->window) {
		engine_unlock();
		return errhandler_raise_win(c->window, rc);
	}
	if (c) {
		kind = c->errhandler->handle;
		fn = c->errhandler->fn;
		comm = c->handle;
	}
	engine_unlock();
	if (fn)
		fn(&comm, &rc);
	else if (kind != MPI_ERRORS_RETURN)
		die(rc);
	return rc;
}

int errhandler_raise_by(const struct errhandler *e, int rc)
{
	MPI_Comm nobody = MPI_COMM_NULL;

	if (e->fn)
		e->fn(&nobody, &rc);
	else if (e->handle != MPI_ERRORS_RETURN)
		die(rc);
	return rc;
}

int errhandler_raise_session(const struct errhandler *e, MPI_Session session, int rc)
{
	if (e->session_fn)
		e->session_fn(&session, &rc);
	else if (e->handle != MPI_ERRORS_RETURN)
		die(rc);
	return rc;
}

int errhandler_raise_win(const struct errhandler_win *w, int rc)
{
	MPI_Win_errhandler_function *fn;
	MPI_Errhandler kind;
	MPI_Win win;

	engine_lock();
	kind = w->errhandler->handle;
	fn = w->errhandler->win_fn;
	win = w->handle;
	engine_unlock();
	if (fn)
		fn(&win, &rc);
	else if (kind != MPI_ERRORS_RETURN)
		die(rc);
	return rc;
}

int errhandler_raise_file(struct errhandler *e, int rc)
{
	MPI_File_errhandler_function *fn = e->file_fn;
	MPI_Errhandler kind = e->handle;
	MPI_File file = MPI_FILE_NULL;

	if (fn)
		fn(&file, &rc);
	else if (kind != MPI_ERRORS_RETURN)
		die(rc);
	return rc;
}
