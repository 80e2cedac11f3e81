/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket to the agent that started this rank (doc/control.md). Messages: u32 length of
 * the body, u16 type, u16 version, body; little-endian.
 */
#ifndef FTMPI_LAUNCH_CONTROL_H
#define FTMPI_LAUNCH_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTROL_VERSION = 1, CONTROL_BODY_MAX = 16 << 20, CONTROL_HASH_BYTES = 16 };

enum control_type {
	CONTROL_START = 1,
	CONTROL_RESTART = 2,
	CONTROL_OBSERVE = 3,
	CONTROL_DUMP = 4,
	CONTROL_INITED = 16,
	CONTROL_FINALIZED = 17,
	CONTROL_ABORTED = 18,
	CONTROL_LOST = 19,
	CONTROL_RESTARTING = 20,
	CONTROL_SUSPECT = 21,
	CONTROL_LINE = 22,
	CONTROL_PROGRAM = 23,
	CONTROL_RESTORED = 24,
	CONTROL_HEARD = 25,
	CONTROL_RUNS = 27,
	CONTROL_LOADED = 28,
};

struct loop;

/*
 * control_commands.c. What the agent says while the job runs is obeyed on the loop's thread from
 * now on. A RESTART of a later epoch than `epoch`: RESTARTING is said, then restart is called,
 * which does not return; no byte behind it is read. An OBSERVE of this epoch: observe is called; a
 * DUMP: dump. The end of the socket, or anything else that comes, ends this process. fd stays the
 * caller's. Before loop_start. 0 or FT_ENOMEM.
 */
struct control_orders {
	void (*restart)(void), (*observe)(void), (*dump)(void);
};

int control_watch(struct loop *loop, int fd, uint32_t epoch, const struct control_orders *orders);
void control_unwatch(void);

/* Pure: an order on its way, in pieces of any size; all zeros: nothing of it has come. */
struct control_order {
	uint8_t bytes[12];
	size_t have;
	uint16_t type; /* CONTROL_RESTART, _OBSERVE or _DUMP, once it is whole */
};

/* So many bytes of it are to be read, and not one more; 0: it is whole, and *epoch is set;
 * FT_EPROTO: it is not one for a rank that runs. */
int control_order_needs(struct control_order *o, uint32_t *epoch);

/* Tell the agent. Any thread; without a launcher (fd -1) nothing happens. A launcher that is gone
 * is noticed elsewhere. */
void control_inited(int fd);
void control_finalized(int fd);
void control_aborted(int fd, uint32_t code, const char *text);
void control_lost(int fd, int peer, const char *why);
void control_program(int fd, bool uses_checkpoints);
void control_runs(int fd, const uint8_t hash[CONTROL_HASH_BYTES], const char *path);
void control_line(int fd, uint32_t line);
void control_restored(int fd, uint32_t line, const char *session);

/* The first word of a process image, before it knows of a control socket: that it was executed. In
 * a program that no agent has started nothing happens. */
void control_loaded(void);

/* The last word of this process image: a thread that wants to tell anything after it waits for the
 * end of the image. */
void control_restarting(int fd, uint32_t epoch);

/* Its heartbeats have not come for so long; they come again. Must not be held up, so what the agent
 * does not take is logged and dropped. */
void control_suspect(int fd, int peer, unsigned silent_ms, uint32_t progress);
void control_heard(int fd, int peer);

#endif
