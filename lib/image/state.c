/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "raw_call.h"

enum { MASK_BYTES = 8 };

void image_state_timer_due(uint64_t timer[4], int which, bool pending)
{
	enum { INTERVAL = 0, VALUE = 2, MICROSECONDS = 1 };
	bool again = which == ITIMER_REAL && (timer[INTERVAL] || timer[INTERVAL + MICROSECONDS]);

	if (timer[VALUE] || timer[VALUE + MICROSECONDS] || (!pending && !again))
		return;
	timer[VALUE + MICROSECONDS] = 1;
	/* the others keep their former interval when they are stopped */
	if (!again)
		timer[INTERVAL] = timer[INTERVAL + MICROSECONDS] = 0;
}

/* Signals last: what goes off in between still runs for the one, or is pending for the other. */
void image_state_timers(struct image_state *s)
{
	static const int signals[IMAGE_TIMERS] = {
		[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};
	uint64_t pending = 0;

	for (int i = 0; i < IMAGE_TIMERS; i++)
		raw_call(SYS_getitimer, i, (long)s->timer[i], 0);
	raw_call(SYS_rt_sigpending, (long)&pending, MASK_BYTES, 0);
	for (int i = 0; i < IMAGE_TIMERS; i++)
		image_state_timer_due(s->timer[i], i, pending >> (signals[i] - 1) & 1);
}

/* The beginning of a file; how many bytes, 0 or less: none. */
static long read_some(const char *path, char *out, size_t size)
{
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long n = fd;

	if (fd >= 0) {
		n = raw_call(SYS_read, fd, (long)out, (long)size);
		raw_call(SYS_close, fd, 0, 0);
	}
	return n;
}

bool image_state_has_more_timers(void)
{
	char first;

	return read_some("/proc/self/timers", &first, 1) > 0;
}

/* The sixth number of proc_pid_statm(5). */
uint64_t image_state_private(void)
{
	enum { BEFORE = 5 };
	char text[160];
	long n = read_some("/proc/self/statm", text, sizeof text);
	uint64_t pages = 0;
	int blanks = 0;

	for (long i = 0; i < n && blanks <= BEFORE; i++)
		if (text[i] == ' ')
			blanks++;
		else if (blanks == BEFORE)
			pages = 10 * pages + (uint64_t)(text[i] - '0');
	return pages;
}

void image_state_limits(uint64_t soft[IMAGE_LIMITS])
{
	struct rlimit64 limit;

	for (int i = 0; i < IMAGE_LIMITS; i++) {
		limit.rlim_cur = RLIM64_INFINITY;
		raw_call6(SYS_prlimit64, 0, i, 0, (long)&limit, 0, 0);
		soft[i] = limit.rlim_cur;
	}
}

void image_state_limits_set(const uint64_t soft[IMAGE_LIMITS])
{
	struct rlimit64 limit;

	for (int i = 0; i < IMAGE_LIMITS; i++) {
		if (raw_call6(SYS_prlimit64, 0, i, 0, (long)&limit, 0, 0) < 0)
			continue;
		limit.rlim_cur = soft[i] < limit.rlim_max ? soft[i] : limit.rlim_max;
		raw_call6(SYS_prlimit64, 0, i, (long)&limit, 0, 0, 0);
	}
}

int image_state_read(struct image_state *s)
{
	long n;

	for (int i = 0; i < IMAGE_SIGNALS; i++)
		raw_call6(SYS_rt_sigaction, i + 1, 0, (long)&s->signal[i], MASK_BYTES, 0, 0);
	s->umask = (uint64_t)raw_call(SYS_umask, 0, 0, 0);
	raw_call(SYS_umask, (long)s->umask, 0, 0);
	n = raw_call(SYS_getcwd, (long)s->folder, sizeof s->folder, 0);
	/* "(unreachable)/...": it lies outside of this process's file system */
	return n < 0 ? (int)n : s->folder[0] == '/' ? 0 : -ENOENT;
}

static bool is_fixed(int signal)
{
	return signal == SIGKILL || signal == SIGSTOP;
}

const char *image_state_set(const struct image_state *s)
{
	if (raw_call(SYS_chdir, (long)s->folder, 0, 0) < 0)
		return "the current folder of the process image is not here";
	raw_call(SYS_umask, (long)s->umask, 0, 0);
	for (int i = 0; i < IMAGE_SIGNALS; i++)
		if (!is_fixed(i + 1) && raw_call6(SYS_rt_sigaction, i + 1, (long)&s->signal[i], 0,
						MASK_BYTES, 0, 0) < 0)
			return "a signal's handler of the process image cannot be set";
	for (int i = 0; i < IMAGE_TIMERS; i++)
		raw_call(SYS_setitimer, i, (long)s->timer[i], 0);
	return NULL;
}

uint64_t image_state_block(void)
{
	uint64_t all = ~0ull, before = 0;

	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, MASK_BYTES, 0, 0);
	return before;
}

void image_state_unblock(uint64_t blocked)
{
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&blocked, 0, MASK_BYTES, 0, 0);
}

bool image_state_memory_is_limited(void)
{
	uint64_t limit[2] = {UINT64_MAX, UINT64_MAX};

	raw_call6(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)limit, 0, 0);
	return limit[0] != UINT64_MAX;
}
