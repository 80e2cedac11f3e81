/* SPDX-License-Identifier: BSD-3-Clause */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local const char *current = "MPI";
static _Thread_local char detail[512];
static _Thread_local bool is_null;

void fail_begin(const char *call)
{
	current = call;
	detail[0] = '\0';
}

const char *fail_call(void)
{
	return current;
}

const char *fail_detail(void)
{
	return detail;
}

int fail_with(int errclass, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof detail, fmt, args);
	va_end(args);
	is_null = false;
	return errclass;
}

int fail_null(const char *what)
{
	fail_with(MPI_ERR_ARG, "%s is a null pointer", what);
	is_null = true;
	return MPI_ERR_ARG;
}

bool fail_is_null(void)
{
	return is_null && detail[0] != '\0';
}
