/* SPDX-License-Identifier: BSD-3-Clause */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

_Thread_local struct fail_thread fail_thread = {.call = "MPI"};

const char *fail_call(void)
{
	return fail_thread.call;
}

const char *fail_detail(void)
{
	return fail_thread.detail;
}

int fail_with(int errclass, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(fail_thread.detail, sizeof fail_thread.detail, fmt, args);
	va_end(args);
	fail_thread.is_null = false;
	return errclass;
}

int fail_null(const char *what)
{
	fail_with(MPI_ERR_ARG, "%s is a null pointer", what);
	fail_thread.is_null = true;
	return MPI_ERR_ARG;
}

bool fail_is_null(void)
{
	return fail_thread.is_null && fail_thread.detail[0] != '\0';
}
