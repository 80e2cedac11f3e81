/* SPDX-License-Identifier: BSD-3-Clause */
#include "api.h"

#include <stdint.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/engine/engine.h"
#include "mpi/init/runtime.h"
#include "mpi/init/session.h"
#include "mpi/rma/win.h"

/* A child has a copy of the sockets and of a lock that may be taken for ever: only this can be
 * done in it. The launcher hears nothing, for the rank goes on. */
static _Noreturn void end_child(void)
{
	log_error("%s was called in a child process of the rank, which must not call MPI: the "
		  "child is ended",
		fail_call());
	_exit(1);
}

void api_refuse_child(void)
{
	if (runtime_state() == RUNTIME_FORKED)
		end_child();
}

static const char *when_not_running(enum runtime_state state)
{
	switch (state) {
	case RUNTIME_BEFORE:
		return "before MPI_Init";
	case RUNTIME_IDLE:
		return "when every session and the world were finalized";
	default:
		return "after MPI_Finalize";
	}
}

/* Kept out of api_enter, where the question is two instructions then. */
static _Noreturn __attribute__((noinline, cold)) void not_running(enum runtime_state state)
{
	api_refuse_child();
	process_last_words();
	log_error("%s was called %s: the program is ended", fail_call(), when_not_running(state));
	process_die(MPI_ERR_OTHER);
}

void api_enter(const char *name)
{
	enum runtime_state state = runtime_state();

	fail_begin(name);
	if (__builtin_expect(state != RUNTIME_RUNNING, false))
		not_running(state);
	engine_enter();
	/* another thread may have been in MPI_Finalize */
	state = runtime_state();
	if (__builtin_expect(state != RUNTIME_RUNNING, false))
		not_running(state);
}

int api_raise(struct comm *c, int rc)
{
	return errhandler_raise(c, rc);
}

int api_leave_by(const struct errhandler *e, int rc)
{
	struct errhandler asked = *e;

	engine_leave();
	return rc == MPI_SUCCESS ? rc : errhandler_raise_by(&asked, rc);
}

int api_leave_win(struct win *w, int rc)
{
	if (!w)
		return api_leave(NULL, rc);
	engine_leave();
	if (__builtin_expect(rc != MPI_SUCCESS, 0))
		rc = errhandler_raise_win(&w->errors, rc);
	return rc;
}

int api_leave_session(uint64_t session, int rc)
{
	struct session *s = rc == MPI_SUCCESS ? NULL : session_of(session);
	struct errhandler asked;
	MPI_Session handle;

	if (!s)
		return api_leave(NULL, rc);
	asked = *s->errhandler;
	handle = s->handle;
	engine_leave();
	return errhandler_raise_session(&asked, handle, rc);
}

void api_enter_anytime(const char *name)
{
	fail_begin(name);
}

int api_leave_anytime(int rc)
{
	return rc == MPI_SUCCESS ? rc : errhandler_raise(NULL, rc);
}

int api_unsupported(const char *name)
{
	api_enter_anytime(name);
	return api_leave_anytime(fail_with(MPI_ERR_UNSUPPORTED_OPERATION, API_UNSUPPORTED, name));
}
