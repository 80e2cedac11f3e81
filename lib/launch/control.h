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
	CONTROL_SAVE = 5,
	CONTROL_LEAVE = 6,
	CONTROL_MOVED = 7,
	CONTROL_FAULT = 8,
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
	CONTROL_LOGS = 26,
	CONTROL_RUNS = 27,
	CONTROL_LOADED = 28,
	CONTROL_HELD = 29,
	CONTROL_SAVED = 30,
	CONTROL_ENDING = 31,
	CONTROL_COST = 88,
	CONTROL_SIZE = 89,
	CONTROL_PROGRESS = 90,
	CONTROL_REFUSED = 91,
	CONTROL_TRAFFIC = 93,
	CONTROL_INPUT = 94,
};

/* What SAVE asks for: to come to a safe point and stay there, to make the line, to go on without
 * it.
 */
enum control_save_step { CONTROL_SAVE_HOLD, CONTROL_SAVE_GO, CONTROL_SAVE_RELEASE };

/* What FAULT asks for, to practise failures (doc/practice.md): writes of recovery lines fail for
 * so many ms; the connection to that peer is cut for so long. */
enum control_fault_kind { CONTROL_FAULT_DISK_FULL = 1, CONTROL_FAULT_CUT = 2 };

struct launch;
struct net_address;

/* "1.2.3.4" or "fd00::1", and a port. 0 or FT_EPROTO. Pure. */
int control_parse_address(const char *text, uint16_t port, struct net_address *out);

/* Was this process started by the launcher (FTMPI_CONTROL_FD is set, or was, until control_early)?
 */
bool control_present(void);

/* Is it a rank of a job whose recovery lines are images of processes (FTMPI_IMAGE is set)? */
bool control_of_images(void);

/*
 * Before main: what control_start does at first, for all calls of that to come; its body, in memory
 * that stays until control_early_end. As control_start.
 */
int control_early(const void **body, size_t *len, char *err, size_t errsize);

/* No control_start is to come: the body is wiped. Nothing happens where there was no control_early.
 */
void control_early_end(void);

/* Waits for the launcher's START message. 0, or an error with a sentence in err. */
int control_start(struct launch *l, char *err, size_t errsize);

/* Pure: the body of a START message. 0, FT_EPROTO or FT_ENOMEM. l->rank and tables are set only on
 * success. */
int control_decode_start(struct launch *l, const void *body, size_t len);

/* Tell the agent. Any thread; without a launcher (fd -1) nothing happens. A launcher that is gone
 * is noticed elsewhere. */
void control_inited(int fd);
void control_finalized(int fd);
/* Under message logging: MPI_Finalize was called, and waits for LEAVE. */
void control_ending(int fd);
void control_aborted(int fd, uint32_t code, const char *text);
/* Its text when no rank is to blame: all looked for a recovery line together, and none fits. */
#define CONTROL_NO_LINE "the search of all ranks for a recovery line"
void control_lost(int fd, int peer, const char *why);
void control_program(int fd, bool uses_checkpoints);
void control_runs(int fd, const uint8_t hash[CONTROL_HASH_BYTES], const char *path);
void control_line(int fd, uint32_t line);
void control_restored(int fd, uint32_t line, const char *session);

/* The answer to SAVE n, CONTROL_SAVE_HOLD. why: "", this rank stands at a safe point; else a
 * sentence of why it cannot, of which the agent gets 1023 bytes. */
void control_held(int fd, uint32_t n, const char *why);

/* Of rank 0: the line of SAVE n is over, committed or given up. Under message logging of each rank:
 * its checkpoint is. */
void control_saved(int fd, uint32_t n, bool committed);

/* Of rank 0, before the line is told of: the image for that line, or checkpoint of its own, has
 * read so much of its standard input. Of line 0: this process goes on from there; before
 * control_inited. ~0: not known. */
void control_input(int fd, uint32_t line, uint64_t bytes);

/* The first message of a program that was executed, before it has its START. In a program that no
 * agent has started nothing happens. */
void control_loaded(void);

/* Under message logging: what the log of this rank takes, and the messages to the peer that has
 * most of it. Does not wait, as control_suspect. */
void control_logs(int fd, uint64_t bytes, int peer, uint64_t of_peer);

/* So many lines, made or not, for which the program stood still so long, and for one of them so
 * long. Does not wait, as control_suspect; nor do the two below. */
void control_cost(int fd, uint32_t lines, uint64_t stood_ns, uint64_t longest_ns);

/* The bytes of all parts of the line that is committed next; under message logging, of the
 * checkpoint of this rank that control_saved will tell of. */
void control_size(int fd, uint32_t n, uint64_t bytes);

/* How far the program says that it is: in millionths, and in words, of which 63 bytes are told. */
void control_progress(int fd, uint32_t millionths, const char *text);

/* Why there is no line, or no checkpoint of this rank, of that number; 511 bytes are told. */
void control_refused(int fd, uint32_t n, const char *why);

/* What this rank has sent to the ranks of one block: these are `block` ranks that follow each
 * other, and all ranks are at most CONTROL_BLOCKS_MAX of these. */
enum { CONTROL_BLOCKS_MAX = 128 };

struct control_sent {
	uint32_t block; /* its number, from 0 */
	uint64_t messages, bytes;
};

struct control_traffic {
	uint32_t epoch;
	uint32_t line;	/* it was sent before that line, or checkpoint of this rank; */
	bool all;	/* or that is all */
	uint32_t ranks; /* in a block */
	struct control_sent sent[CONTROL_BLOCKS_MAX]; /* with ascending numbers */
	int n;
};

/* How many ranks a block has in a job of this size. */
uint32_t control_block_of(int size);

/* All that this rank has sent since its process began. With `all` the agent gets it; else this does
 * not wait, as control_suspect. */
void control_traffic(int fd, const struct control_traffic *t);

/* The last message before the program is executed again: a thread that sends anything after it
 * waits until that is so. */
void control_restarting(int fd, uint32_t epoch);

/* In a process that woke up from an image: whoever was sending is not there any more, nor is the
 * agent that was told of a restart. While no other thread calls anything here. */
void control_forget(void);

/* The peer's heartbeats have not come for so long; they come again. These calls must not wait, so a
 * message that the agent does not take is logged and dropped. */
void control_suspect(int fd, int peer, unsigned silent_ms, uint32_t progress);
void control_heard(int fd, int peer);

#endif
