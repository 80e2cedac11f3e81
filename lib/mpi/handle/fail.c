/* SPDX-License-Identifier: BSD-3-Clause */
#include "fail.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local struct fail_thread fail_thread = {.call = "MPI"};

enum { DETAIL_BYTES = 512 };

/* What a thread says of its errors lies behind a key, and not beside fail_thread: a library that is
 * loaded late has a few hundred bytes there, and shares them with all others. */
static pthread_key_t details;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
	have_key = pthread_key_create(&details, free) == 0;
}

/* This thread's; NULL: no memory. */
static char *detail(void)
{
	char *text;

	pthread_once(&once, make_key);
	if (!have_key)
		return NULL;
	text = pthread_getspecific(details);
	if (text)
		return text;
	text = malloc(DETAIL_BYTES);
	if (!text || pthread_setspecific(details, text) == 0)
		return text;
	free(text);
	return NULL;
}

const char *fail_call(void)
{
	return fail_thread.call;
}

const char *fail_detail(void)
{
	const char *text = fail_thread.said ? detail() : "";

	return text ? text : "(there is no memory to say more)";
}

int fail_with(int errclass, const char *fmt, ...)
{
	char *text = detail();
	va_list args;

	va_start(args, fmt);
	if (text)
		vsnprintf(text, DETAIL_BYTES, fmt, args);
	va_end(args);
	fail_thread.said = true;
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
	return fail_thread.is_null && fail_thread.said;
}
