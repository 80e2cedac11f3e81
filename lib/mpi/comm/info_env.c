/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_INFO_ENV says (MPI 5.0 section 11.5): how this process was started, as far as it is
 * known. It is the same before MPI_Init and after it, and in every process image of a rank. What
 * would not fit into a value is left out rather than cut. Nobody asks here for a soft number of
 * processes, a file or a thread level, so these keys are not there.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "info.h"

/* The directory that the process was started in, before the program can leave it. */
static char started_in[PATH_MAX];

void info_env_keep(void)
{
	if (!getcwd(started_in, sizeof started_in))
		started_in[0] = '\0';
}

static bool put(struct info *i, const char *key, const char *value)
{
	if (!value || !value[0] || strlen(value) >= MPI_MAX_INFO_VAL)
		return true;
	return info_put(i, key, value) == MPI_SUCCESS;
}

/* The words of argv behind the first, a blank between each two. */
static bool put_words(struct info *i, int argc, char *const *argv)
{
	char text[MPI_MAX_INFO_VAL] = "";
	size_t at = 0;

	for (int n = 1; n < argc && argv[n]; n++) {
		int len = snprintf(text + at, sizeof text - at, "%s%s", n > 1 ? " " : "", argv[n]);

		at += (size_t)len;
		if (at >= sizeof text)
			return true;
	}
	return put(i, "argv", text);
}

static bool put_command(struct info *i, int argc, char *const *argv)
{
	if (argc < 1 || !argv || !argv[0])
		return true;
	return put(i, "command", argv[0]) && put_words(i, argc, argv);
}

/* The same from the kernel, for a call that was not given main's arguments. */
static bool put_own_command(struct info *i)
{
	enum { WORDS_MAX = MPI_MAX_INFO_VAL };
	char text[2 * MPI_MAX_INFO_VAL], *argv[WORDS_MAX + 1];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC), argc = 0;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true;
	text[n] = '\0';
	for (char *at = text; at < text + n && argc < WORDS_MAX; at += strlen(at) + 1)
		argv[argc++] = at;
	argv[argc] = NULL;
	return put_command(i, argc, argv);
}

static bool put_machine(struct info *i)
{
	struct utsname u;

	if (uname(&u) != 0)
		return true;
	return put(i, "host", u.nodename) && put(i, "arch", u.machine);
}

struct info *info_env(int argc, char *const *argv)
{
	const char *part = getenv("FTMPI_PART_SIZE"); /* where the job has several parts */
	struct info *i = info_new();

	if (!i)
		return NULL;
	if ((argc > 0 && argv ? put_command(i, argc, argv) : put_own_command(i)) &&
		put(i, "maxprocs", part ? part : getenv("FTMPI_SIZE")) && put_machine(i) &&
		put(i, "wdir", started_in))
		return i;
	info_free(i);
	return NULL;
}
