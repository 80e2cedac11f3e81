/* SPDX-License-Identifier: BSD-3-Clause */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "comm.h"
#include "engine.h"
#include "errhandler.h"
#include "runtime.h"

/* What the thread is doing, and what went wrong in it. */
static _Thread_local const char *current = "MPI";
static _Thread_local char detail[512];

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
	return errclass;
}

static void check_running(void)
{
	enum runtime_state state = runtime_state();

	if (state == RUNTIME_RUNNING)
		return;
	log_error("%s was called %s: the program is ended", current,
		state == RUNTIME_BEFORE ? "before MPI_Init" : "after MPI_Finalize");
	api_die(MPI_ERR_OTHER);
}

void api_enter(const char *name)
{
	current = name;
	detail[0] = '\0';
	check_running();
	engine_enter();
}

int api_leave(struct comm *c, int rc)
{
	engine_leave();
	if (__builtin_expect(rc != MPI_SUCCESS, 0))
		rc = errhandler_raise(c, rc);
	return rc;
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
	return api_leave_anytime(api_fail(
		MPI_ERR_UNSUPPORTED_OPERATION, "%s is not in this version of FTMPI", name));
}

void api_pause(void)
{
	engine_unlock();
}

void api_resume(void)
{
	engine_lock();
}
