/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What unit tests of lib/mpi need of api.h when there is no engine: errors keep their text and go
 * back to the caller, nothing is locked. fake_api_pauses counts how often a user's function ran.
 */
#include <stdarg.h>
#include <stdio.h>

#include "mpi/bindings/api.h"
#include "mpi/init/session.h"

extern int fake_api_pauses;
int fake_api_pauses;

static char detail[512];
static const char *current = "MPI";

void api_enter(const char *name)
{
	current = name;
}

int api_leave(struct comm *c, int rc)
{
	(void)c;
	return rc;
}

int session_leave(uint64_t number, int rc)
{
	(void)number;
	return rc;
}

void api_enter_anytime(const char *name)
{
	current = name;
}

int api_leave_anytime(int rc)
{
	return rc;
}

const char *api_name(void)
{
	return current;
}

int api_fail(int errclass, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	return errclass;
}

int api_null(const char *what)
{
	return api_fail(MPI_ERR_ARG, "%s is a null pointer", what);
}

bool api_said_null(void)
{
	return false;
}

const char *api_detail(void)
{
	return detail;
}

void api_pause(void)
{
	fake_api_pauses++;
}

void api_resume(void)
{
}
