/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic int log_level;
static char log_who[96] = "ftmpi"; /* set while nobody logs */

void log_configure(int level, const char *who)
{
	snprintf(log_who, sizeof log_who, "%s", who);
	atomic_store(&log_level, level);
}

static void put_line(const char *fmt, va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof line, "%s: ", log_who);
	int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, args);

	if (m < 0)
		return;
	n += m;
	if ((size_t)n > sizeof line - 2)
		n = (int)sizeof line - 2;
	line[n] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n + 1) < 0)
		return; /* nowhere to complain */
}

void log_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_line(fmt, args);
	va_end(args);
}

void log_event(const char *fmt, ...)
{
	va_list args;

	if (atomic_load_explicit(&log_level, memory_order_relaxed) < 1)
		return;
	va_start(args, fmt);
	put_line(fmt, args);
	va_end(args);
}
