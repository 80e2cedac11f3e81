/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the agent to a rank that runs (doc/control.md). */
#ifndef FTMPI_LAUNCH_CONTROL_COMMANDS_H
#define FTMPI_LAUNCH_CONTROL_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "control.h"

struct loop;

/*
 * From now on commands are carried out on the loop's thread. A RESTART of a later epoch than
 * `epoch`: RESTARTING is sent, then restart is called, which does not return; no byte behind the
 * command is read. An OBSERVE of this epoch: observe is called; a DUMP: dump; a SAVE: save, a
 * LEAVE: leave, a MOVED: moved, and a FAULT: fault, if there is one. The end of the socket, or
 * anything else that comes, ends this process. fd stays the caller's. Before loop_start. 0 or
 * FT_ENOMEM.
 */
struct control_moved {
	uint32_t rank;		       /* begins again alone, on another host */
	uint32_t incarnation;	       /* its new one */
	struct net_address data, beat; /* where it listens; beat: with port 0 for no heartbeats */
};

struct control_fault {
	enum control_fault_kind what;
	uint32_t peer; /* of a cut */
	uint32_t ms;
};

struct control_handlers {
	void (*restart)(void), (*observe)(void), (*dump)(void);
	void (*save)(uint32_t n, enum control_save_step step);
	void (*leave)(void);
	void (*moved)(const struct control_moved *m); /* m->rank is not checked */
	void (*fault)(const struct control_fault *f); /* f->peer is not checked */
};

int control_commands_watch(
	struct loop *loop, int fd, uint32_t epoch, const struct control_handlers *commands);

/* While the loop's thread does not run. Of a command that has come in part the rest is awaited by
 * the next watch, which is to be on the same socket. */
void control_commands_unwatch(void);

/* In a process that woke up from an image: the socket is another one, and a command that had come
 * in part is none any more. Before loop_free. */
void control_commands_forget(void);

/* Bytes of the body of a MOVED: without its address, and with the longest. */
enum { CONTROL_MOVED_LEAST = 3 * 4 + 4 + 2 * 2, CONTROL_MOVED_MOST = CONTROL_MOVED_LEAST + 63 };

/* Pure: a command that is being received, in pieces of any size; all zeros: nothing of it has come.
 * What follows `have` holds once the command is whole. */
struct control_command {
	uint8_t bytes[8 + CONTROL_MOVED_MOST];
	size_t have;
	uint16_t type; /* CONTROL_RESTART, _OBSERVE, _DUMP, _SAVE, _LEAVE, _MOVED or _FAULT */
	uint32_t epoch;
	uint32_t n; /* of a SAVE, as step */
	enum control_save_step step;
	struct control_moved moved;
	struct control_fault fault;
};

/* The number of bytes of it to be read next; 0: it is whole; FT_EPROTO: it is no command for a rank
 * that runs. */
int control_commands_needs(struct control_command *c);

#endif
