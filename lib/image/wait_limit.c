/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_limit.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { NO_REST = -1 };

/* Of a call with a limit: in which argument, and in which one the address for the rest. */
static const struct row {
	long number;
	enum wait_limit_kind kind;
	int argument, rest;
} rows[] = {
#ifdef SYS_poll /* which aarch64 does not have */
	{SYS_poll, WAIT_LIMIT_MS, 2, NO_REST},
	{SYS_select, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_epoll_wait, WAIT_LIMIT_MS, 3, NO_REST},
	{SYS_pause, WAIT_LIMIT_NONE, 0, NO_REST},
#endif
	{SYS_ppoll, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_pselect6, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_epoll_pwait, WAIT_LIMIT_MS, 3, NO_REST},
#ifdef SYS_epoll_pwait2 /* from Linux 5.11 on */
	{SYS_epoll_pwait2, WAIT_LIMIT_TIME, 3, NO_REST},
#endif
	{SYS_nanosleep, WAIT_LIMIT_TIME, 0, 1},
	{SYS_clock_nanosleep, WAIT_LIMIT_TIME, 2, 3},
	{SYS_futex, WAIT_LIMIT_TIME, 3, NO_REST},
	{SYS_rt_sigsuspend, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_rt_sigtimedwait, WAIT_LIMIT_TIME, 2, NO_REST},
	{SYS_semop, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_semtimedop, WAIT_LIMIT_TIME, 3, NO_REST},
	{SYS_msgrcv, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_msgsnd, WAIT_LIMIT_NONE, 0, NO_REST},
	{SYS_read, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_readv, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_recvfrom, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_recvmsg, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_accept, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_accept4, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_write, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_writev, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_sendto, WAIT_LIMIT_SOCKET, 0, NO_REST},
	{SYS_sendmsg, WAIT_LIMIT_SOCKET, 0, NO_REST},
};

static const struct row *row_of(long number)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

bool wait_limit_is_known(long number)
{
	return row_of(number) != NULL;
}

static bool writes(long number)
{
	return number == SYS_write || number == SYS_writev || number == SYS_sendto ||
	       number == SYS_sendmsg;
}

/* Does the argument say a point in time, or that there is no limit? */
static bool has_no_limit(const struct row *r, const uint64_t *argument)
{
	if (r->kind == WAIT_LIMIT_MS)
		return (int)argument[r->argument] < 0;
	if (r->kind != WAIT_LIMIT_TIME)
		return false;
	return argument[r->argument] == 0 ||
	       (r->number == SYS_clock_nanosleep && (argument[1] & TIMER_ABSTIME)) ||
	       (r->number == SYS_futex && (argument[1] & FUTEX_CMD_MASK) != FUTEX_WAIT);
}

struct wait_limit wait_limit_of(long number, const uint64_t argument[6])
{
	const struct row *r = row_of(number);

	if (!r)
		return (struct wait_limit){.kind = WAIT_LIMIT_UNKNOWN};
	if (has_no_limit(r, argument))
		return (struct wait_limit){.kind = WAIT_LIMIT_NONE};
	return (struct wait_limit){.kind = r->kind,
		.argument = (unsigned)r->argument,
		.rest = r->rest == NO_REST ? 0 : argument[r->rest],
		.option = r->kind != WAIT_LIMIT_SOCKET ? 0
			  : writes(number)	       ? SO_SNDTIMEO
						       : SO_RCVTIMEO};
}
