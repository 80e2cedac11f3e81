/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that runs is asked for a recovery line now: by SIGUSR2 to its ftmpirun, as anybody can. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/shown.h"
#include "json.h"
#include "tool.h"

enum { STAT_FIELDS_TO_START = 19 }; /* behind the name, of /proc/PID/stat */

static bool read_line(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return true;
}

/* When the process began, in ticks after the boot; 0: it is gone, or only its parent knows of it.
 */
static uint64_t start_of(pid_t pid)
{
	char path[64], text[1024], *at;
	uint64_t start = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (!read_line(path, text, sizeof text) || !(at = strrchr(text, ')')))
		return 0;
	if (at[1] == ' ' && strchr("ZX", at[2]))
		return 0;
	for (int i = 0; i <= STAT_FIELDS_TO_START && at; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at + 1, "%" SCNu64, &start) == 1 ? start : 0;
}

/* The numbers of processes are given again: it is held, looked at, and then told. 0, ESRCH (it is
 * not here), or what kill(2) says. */
static int tell(const struct launcher *l)
{
	char boot[128];
	int fd, error = 0;

	if (!read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
		strcmp(boot, l->boot) != 0)
		return ESRCH;
	fd = (int)syscall(SYS_pidfd_open, l->pid, 0);
	if (fd < 0)
		return errno;
	if (start_of(l->pid) != l->start)
		error = ESRCH;
	else if (syscall(SYS_pidfd_send_signal, fd, SIGUSR2, NULL, 0) != 0)
		error = errno;
	close(fd);
	return error;
}

static void say(const struct options *o, const struct session *s, const struct launcher *l)
{
	if (!o->json) {
		printf("%s: ftmpirun, process %d, is asked for a recovery line (SIGUSR2)\n",
			shown(s->name).text, (int)l->pid);
		return;
	}
	json_open(NULL, '{');
	json_string("session", s->name);
	json_unsigned("pid", (uint64_t)l->pid);
	json_close('}');
}

/* Of a job that has not ended, as far as is known. */
static int ask(const struct options *o, const struct session *s)
{
	struct record r;
	int error = ESRCH;

	record_read(&r, s->path);
	if (r.there && !r.has_end && r.launcher.pid > 0)
		error = tell(&r.launcher);
	if (error == 0)
		say(o, s, &r.launcher);
	else if (error != ESRCH)
		complain("%s: ftmpirun, process %d: %s", shown(s->name).text, (int)r.launcher.pid,
			strerror(error));
	record_free(&r);
	return error;
}

int command_now(const struct options *o, const struct sessions *s)
{
	size_t asked = 0;
	bool failed = false;

	if (o->json)
		json_open(NULL, '[');
	for (size_t i = 0; i < s->n; i++) {
		int error = ask(o, &s->v[i]);

		asked += error == 0;
		failed |= error != 0 && error != ESRCH;
	}
	if (o->json)
		json_close(']');
	if (!asked && !failed)
		complain("%s: no job that has a recovery line runs there with its ftmpirun on this "
			 "host; SIGUSR2 to ftmpirun asks for the first one, too",
			shown(o->path).text);
	return asked && !failed ? EXIT_WELL : EXIT_DAMAGED;
}
