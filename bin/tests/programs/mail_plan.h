/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of mail's messages: what is sent at a step is a pure function of seed and step, known to
 * every rank. So each rank knows what it must still receive, and from whom, without being told.
 *
 * A message belongs to a queue of its receiver: those that the same receives may take. Whatever the
 * queue, messages of one source come out of it in the order in which they were sent.
 */
#ifndef FTMPI_PROGRAMS_MAIL_PLAN_H
#define FTMPI_PROGRAMS_MAIL_PLAN_H

#include <stddef.h>
#include <stdint.h>

/* How a queue is received. */
enum mail_way {
	MAIL_NAMED,	 /* source and tag given */
	MAIL_ANY_TAG,	 /* source given */
	MAIL_ANY_SOURCE, /* tag given */
	MAIL_ANY,	 /* neither */
	MAIL_PROBED,	 /* neither; asked for first, and never before it was sent */
	MAIL_WAYS
};

/* The communicators: one for each way; named messages also go through two more. */
enum { MAIL_DUP = MAIL_WAYS, MAIL_HALF, MAIL_COMMS };

enum { MAIL_TAGS = 3, MAIL_EARLY = 3, MAIL_LATE = 4, MAIL_LAG = 2 };

struct mail_plan {
	uint64_t seed;
	long steps; /* messages are sent at steps 1 .. steps */
	int size;   /* ranks */
	long most;  /* bytes */
};

struct mail_message {
	int source, dest, tag;
	enum mail_way way;
	int comm;
	long step, index; /* which one it is */
	long bytes;
	int synchronous; /* MPI_Issend */
	long post;	 /* at this step its receiver posts a receive for this queue */
};

/* Steps in which something may still have to be received. */
long mail_last_step(const struct mail_plan *plan);

/* Number of messages sent at this step, 0 outside 1 .. steps; and one of them. */
long mail_count(const struct mail_plan *plan, long step);
struct mail_message mail_message(const struct mail_plan *plan, long step, long index);

/* Queues of a receiver have numbers below mail_queues. */
int mail_queues(const struct mail_plan *plan);
int mail_queue(const struct mail_plan *plan, const struct mail_message *m);

/* A receive of a queue is waited for so many steps after its message was sent: 0 .. MAIL_LAG. */
int mail_lag(const struct mail_plan *plan, int queue);

/* Source (in the whole job; -1: any), tag (-1: any), communicator and way of a queue's receives. */
struct mail_message mail_receive(const struct mail_plan *plan, int queue);

/* The contents of a message; and a hash of contents that have come with a tag. */
void mail_fill(const struct mail_plan *plan, const struct mail_message *m, uint8_t *out);
uint64_t mail_hash(int tag, const uint8_t *data, long bytes);

/* A chain of hashes that depends on each of them and their order. */
uint64_t mail_chain(uint64_t chain, uint64_t hash);

/* A random number for this purpose. */
uint64_t mail_random(uint64_t seed, uint64_t a, uint64_t b);

#endif
