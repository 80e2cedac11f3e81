/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the agent to a rank that runs (doc/control.md). */
#ifndef FTMPI_LAUNCH_CONTROL_COMMANDS_H
#define FTMPI_LAUNCH_CONTROL_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include "control.h"

struct loop;

/*
 * From now on commands are carried out on the loop's thread. A RESTART of a later epoch than
 * `epoch`: RESTARTING is sent, then restart is called, which does not return; no byte behind the
 * command is read. An OBSERVE of this epoch: observe is called; a DUMP: dump; a SAVE: save, and a
 * LEAVE: leave, if there is one. The end of the socket, or anything else that comes, ends this
 * process. fd stays the caller's. Before loop_start. 0 or FT_ENOMEM.
 */
struct control_handlers {
	void (*restart)(void), (*observe)(void), (*dump)(void);
	void (*save)(uint32_t n, enum control_save_step step);
	void (*leave)(void);
};

int control_commands_watch(
	struct loop *loop, int fd, uint32_t epoch, const struct control_handlers *commands);

/* While the loop's thread does not run. Of a command that has come in part the rest is awaited by
 * the next watch, which is to be on the same socket. */
void control_commands_unwatch(void);

/* In a process that woke up from an image: the socket is another one, and a command that had come
 * in part is none any more. Before loop_free. */
void control_commands_forget(void);

/* Pure: a command that is being received, in pieces of any size; all zeros: nothing of it has come.
 * What follows `have` holds once the command is whole. */
struct control_command {
	uint8_t bytes[20];
	size_t have;
	uint16_t type; /* CONTROL_RESTART, _OBSERVE, _DUMP, _SAVE or _LEAVE */
	uint32_t epoch;
	uint32_t n; /* of a SAVE, as step */
	enum control_save_step step;
};

/* The number of bytes of it to be read next; 0: it is whole; FT_EPROTO: it is no command for a rank
 * that runs. */
int control_commands_needs(struct control_command *c);

#endif
