/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/sentence.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"

static const struct {
	int error;
	const char *advice;
} advices[] = {
	{ENOSPC, "make room there, or give another work directory"},
	{EDQUOT, "make room there, or give another work directory"},
	{EFBIG, "raise the limit of file sizes (ulimit -f)"},
	{EACCES, "allow it, or give another work directory"},
	{EPERM, "allow it, or give another work directory (its file system must have hard links)"},
	{EROFS, "give another work directory"},
	{EMFILE, "raise the limit of open files (ulimit -n)"},
	{ENOMEM, "make memory free there, or run fewer ranks on that host"},
	{ENOENT, "is the work directory there, and the same on every host?"},
	{EINVAL, "something else than a file has that name: move it away"},
	{ELOOP, "a symbolic link has that name: move it away"},
	{ENAMETOOLONG, "give another work directory"},
};

static const char *advice(int error)
{
	for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
		if (advices[i].error == error)
			return advices[i].advice;
	return "mend that, or give another work directory";
}

/* Of a long path the end says more than the beginning. */
static struct shown path_shown(const char *path)
{
	size_t len = strlen(path);

	return shown(len > SHOWN_MOST ? path + len - SHOWN_MOST : path);
}

int ckpt_failed(struct ckpt_err e, const char *verb, const char *path, int rc)
{
	char why[128];

	snprintf(e.text, e.size, "cannot %s %s: %s; %s", verb, path_shown(path).text,
		strerror_r(-rc, why, sizeof why), advice(-rc));
	return rc == -ENOMEM ? FT_ENOMEM : FT_ESYS;
}

int ckpt_unreadable(struct ckpt_err e, const char *path, int rc)
{
	int code = ckpt_failed(e, "read", path, rc);

	if (rc == -EMFILE || rc == -ENFILE)
		return FT_ENOMEM;
	if (rc == -ENOENT)
		return FT_ENONE;
	return rc == -EINVAL || rc == -ELOOP ? FT_EDAMAGED : code;
}

int ckpt_says(struct ckpt_err e, int code, const char *path, const char *fmt, ...)
{
	int n = snprintf(e.text, e.size, "%s: ", path_shown(path).text);
	va_list args;

	if (n < 0 || (size_t)n >= e.size)
		return code;
	va_start(args, fmt);
	vsnprintf(e.text + n, e.size - (size_t)n, fmt, args);
	va_end(args);
	return code;
}
