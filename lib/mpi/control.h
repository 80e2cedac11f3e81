/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket to the agent that started this rank (doc/control.md). Messages: u32 length of
 * the body, u16 type, u16 version, body; little-endian.
 */
#ifndef FTMPI_MPI_CONTROL_H
#define FTMPI_MPI_CONTROL_H

#include <stdint.h>

enum { CONTROL_VERSION = 1, CONTROL_BODY_MAX = 16 << 20 };

enum control_type {
	CONTROL_START = 1,
	CONTROL_RESTART = 2,
	CONTROL_INITED = 16,
	CONTROL_FINALIZED = 17,
	CONTROL_ABORTED = 18,
	CONTROL_LOST = 19,
	CONTROL_RESTARTING = 20,
	CONTROL_SUSPECT = 21,
	CONTROL_LINE = 22,
	CONTROL_PROGRAM = 23,
	CONTROL_RESTORED = 24,
};

struct loop;

/* From now on the end of the socket ends this process. fd stays the caller's. Before loop_start. */
int control_watch(struct loop *loop, int fd);
void control_unwatch(void);

/* Tell the agent. Any thread; without a launcher (fd -1) nothing happens. A launcher that is gone
 * is noticed elsewhere. */
void control_inited(int fd);
void control_finalized(int fd);
void control_aborted(int fd, uint32_t code, const char *text);
void control_lost(int fd, int peer, const char *why);

#endif
