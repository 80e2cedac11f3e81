/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sender's log: messages of one pair of ranks that the receiver may need again (M1), in the order
 * of their numbers. Pure. It stays where it is from its first message to sender_log_free.
 */
#ifndef FTMPI_COORD_SENDER_LOG_H
#define FTMPI_COORD_SENDER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/log_memory.h"

/* What the receiver matches by, and what the transport has to know to send it again. */
struct logged_envelope {
	uint64_t context;
	int32_t tag;
	uint32_t flags; /* lib/mpi's */
};

struct logged_message {
	struct logged_message *next, *before;
	uint64_t number; /* of its pair, from 1 */
	uint64_t need; /* the sender's outcomes up to this one must be safe before it leaves (M2) */
	bool left;     /* the peer has it, or it is on its way to it */
	bool lent;     /* somebody else reads it: sender_log_back */
	bool dropped;  /* meanwhile */
	const char *call; /* that made it, for people; NULL: not known */
	struct logged_envelope envelope;
	size_t len;
	uint8_t bytes[];
};

/* What each message takes beside its contents, as long as it waits in the transport, too. */
enum { SENDER_LOG_EACH = 320 };

struct sender_log {
	struct logged_message *first, *last;
	uint64_t bytes; /* what it takes */
	struct log_memory memory;
};

/* With room for the contents, which the caller fills, and not in the log yet, to which it will be
 * added. NULL: no memory. */
struct logged_message *sender_log_message(
	struct sender_log *log, const struct logged_envelope *e, size_t len);

/* One that is not in the log. */
void sender_log_discard(struct logged_message *m);

/* Where its number says, which no other has. The log owns it. It is looked for from the end on. */
void sender_log_add(struct sender_log *log, struct logged_message *m);

/* The first with a higher number; NULL: there is none. */
struct logged_message *sender_log_after(const struct sender_log *log, uint64_t number);

/* From m on (NULL: there is none) the first that has not left. */
struct logged_message *sender_log_waiting(struct logged_message *m);

/* Those with numbers above `keep`, up to `covered`, go. One that is lent is freed when it comes
 * back. */
void sender_log_drop(struct sender_log *log, uint64_t keep, uint64_t covered);

/* One that was lent is not read any more. Also when its log is gone. */
void sender_log_back(struct logged_message *m);

void sender_log_free(struct sender_log *log);

#endif
