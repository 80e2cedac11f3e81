/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which descriptors libevent has opened for an event base: it does not tell. They are those that
 * are open after the base was made and were not before: an epoll that waits for a descriptor of the
 * base's events, and the two ends of a pipe, or two Unix sockets, for signals. A thread of the
 * program's may open the like at the same moment. Then nothing is known, rather than a wrong
 * number.
 */
#ifndef FTMPI_BASE_LOOP_OPENED_H
#define FTMPI_BASE_LOOP_OPENED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LOOP_OPENED = 3 };

struct loop_opened_file {
	int fd;
	dev_t device;
	ino_t inode;
};

/* What is open at a moment. */
struct loop_opened {
	struct loop_opened_file *v;
	size_t n, room;
};

/* Before the base is made: all zeros to what is open now. False: nobody knows (no memory, no
 * descriptor, no /proc). To be freed in any case. */
bool loop_opened_before(struct loop_opened *o);
void loop_opened_free(struct loop_opened *o);

/* Afterwards, when the base waits for `watched`, which was opened after the one before: the
 * numbers. False: not for sure. */
bool loop_opened_find(const struct loop_opened *before, int watched, int fds[LOOP_OPENED]);

#endif
