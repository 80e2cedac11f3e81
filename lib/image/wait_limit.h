/* SPDX-License-Identifier: BSD-3-Clause */
/* Which system calls that wait end with EINTR where a handler has run, even with SA_RESTART
 * (signal(7)), and where they have their limit of time. Pure. */
#ifndef FTMPI_IMAGE_WAIT_LIMIT_H
#define FTMPI_IMAGE_WAIT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum wait_limit_kind {
	WAIT_LIMIT_UNKNOWN, /* it is no such call */
	WAIT_LIMIT_NONE,    /* begun again as it is it ends when it should: no limit, a point in
			       time, or one that the kernel shortens where it lies */
	WAIT_LIMIT_MS,	    /* milliseconds in the argument */
	WAIT_LIMIT_TIME,    /* the argument points to a timespec */
	WAIT_LIMIT_SOCKET   /* the argument is a socket, whose option has it */
};

struct wait_limit {
	enum wait_limit_kind kind;
	unsigned argument; /* 0 to 5 */
	uint64_t rest;	   /* where the kernel writes what is left of WAIT_LIMIT_TIME; 0: nowhere */
	int option;	   /* of WAIT_LIMIT_SOCKET: SO_RCVTIMEO or SO_SNDTIMEO */
};

/* Of the system call with this number and these arguments. */
struct wait_limit wait_limit_of(long number, const uint64_t argument[6]);

/* Is it a call that wait_limit_of knows? */
bool wait_limit_is_known(long number);

#endif
