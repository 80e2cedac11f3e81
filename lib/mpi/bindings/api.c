/* SPDX-License-Identifier: BSD-3-Clause */
#include "api.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/log.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/comm/errhandler.h"
#include "mpi/init/runtime.h"

/* What the thread is doing, and what went wrong in it. */
static _Thread_local const char *current = "MPI";
static _Thread_local char detail[512];
static _Thread_local bool said_null;

const char *api_name(void)
{
	return current;
}

const char *api_detail(void)
{
	return detail;
}

int api_fail(int errclass, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof detail, fmt, args);
	va_end(args);
	said_null = false;
	return errclass;
}

int api_null(const char *what)
{
	api_fail(MPI_ERR_ARG, "%s is a null pointer", what);
	said_null = true;
	return MPI_ERR_ARG;
}

bool api_said_null(void)
{
	return said_null && detail[0] != '\0';
}

void api_last_words(void)
{
	static _Atomic uintptr_t speaker;
	uintptr_t first = 0; /* becomes who was here before */

	if (atomic_compare_exchange_strong(&speaker, &first, lock_self()))
		return;
	while (first != lock_self())
		pause();
}

/* A child has a copy of the sockets and of a lock that may be taken for ever: only this can be
 * done in it. The launcher hears nothing, for the rank goes on. */
static _Noreturn void end_child(void)
{
	log_error("%s was called in a child process of the rank, which must not call MPI: the "
		  "child is ended",
		current);
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

/* Kept out of check_running, which then is two instructions of each call. */
static _Noreturn __attribute__((noinline, cold)) void not_running(enum runtime_state state)
{
	api_refuse_child();
	api_last_words();
	log_error("%s was called %s: the program is ended", current, when_not_running(state));
	api_die(MPI_ERR_OTHER);
}

static inline void check_running(void)
{
	enum runtime_state state = runtime_state();

	if (__builtin_expect(state != RUNTIME_RUNNING, false))
		not_running(state);
}

void api_enter(const char *name)
{
	current = name;
	detail[0] = '\0';
	check_running();
	engine_enter();
	check_running(); /* another thread may have been in MPI_Finalize */
}

int api_leave(struct comm *c, int rc)
{
	engine_leave();
	if (__builtin_expect(rc != MPI_SUCCESS, 0))
		rc = errhandler_raise(c, rc);
	return rc;
}

int api_leave_by(const struct errhandler *e, int rc)
{
	struct errhandler asked = *e;

	engine_leave();
	return rc == MPI_SUCCESS ? rc : errhandler_raise_by(&asked, rc);
}

void api_enter_anytime(const char *name)
{
	current = name;
	detail[0] = '\0';
}

int api_leave_anytime(int rc)
{
	return rc == MPI_SUCCESS ? rc : errhandler_raise(NULL, rc);
}

int api_unsupported(const char *name)
{
	api_enter_anytime(name);
	return api_leave_anytime(api_fail(MPI_ERR_UNSUPPORTED_OPERATION, API_UNSUPPORTED, name));
}

void api_pause(void)
{
	engine_unlock();
}

void api_resume(void)
{
	engine_lock();
}
