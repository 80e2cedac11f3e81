/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of mixed share. mixed.c says what the program is for. */
#ifndef FTMPI_PROGRAMS_MIXED_H
#define FTMPI_PROGRAMS_MIXED_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "prog.h"

/* Nothing is open longer than so many steps. */
enum { MIXED_LAG = 6 };

/* The communicators; each part that receives from anybody has its own. */
enum mixed_comm {
	MIXED_WORLD,
	MIXED_DUP,
	MIXED_HALF,   /* every second rank */
	MIXED_TRIPLE, /* three neighbours */
	MIXED_OPEN,
	MIXED_ANY_SOURCE,
	MIXED_ANY_TAG,
	MIXED_ANY,
	MIXED_PROBED,
	MIXED_STANDING,
	MIXED_INTERCOMM_COMM, /* even and odd ranks are its two sides */
	MIXED_INTERCOLL_COMM, /* so they are here */
	MIXED_GRID,	      /* these have neighbours (mixed_topologies.c) */
	MIXED_RING,
	MIXED_GRAPH,
	MIXED_WEB,
	MIXED_MPROBE_COMM,
	MIXED_SEND_MODES_COMM,
	MIXED_PARTITIONED_COMM,
	MIXED_MAKER, /* what others are made from: all, a half, the two sides */
	MIXED_MAKER_HALF,
	MIXED_MAKER_SIDES,
	MIXED_COMMS
};

enum mixed_name {
	MIXED_BLOCKING,
	MIXED_COLL,
	MIXED_REQUESTS,
	MIXED_WILDCARDS,
	MIXED_PERSISTENT_P2P,
	MIXED_ICOLL,
	MIXED_INTERCOMM,
	MIXED_INTERCOLL,
	MIXED_NEIGHBORS,
	MIXED_MPROBE,
	MIXED_SEND_MODES,
	MIXED_PARTITIONED,
	MIXED_GREQUEST,
	MIXED_NEW_COMMS,
	MIXED_PARTS
};

struct mixed {
	const struct prog *prog;
	uint64_t seed;
	long steps;  /* messages are sent at steps 1 .. steps */
	long most;   /* bytes of a message */
	int stopped; /* all stand still when a line is made (blocking) */
	int alone;   /* each rank goes on from its own checkpoint (msglog) */
	long made;   /* communicators are made every so many steps; 0: never */
	int across;  /* copies of communicators are under way across lines */
	MPI_Comm comm[MIXED_COMMS];
	MPI_Datatype item; /* 12 bytes of data in 24 */
	struct mixed_state {
		int64_t moment; /* the next one: step * MIXED_PARTS + part */
		int64_t lines;	/* checkpoints taken */
		int64_t random; /* goes on at every moment */
		int64_t received;
		uint64_t sum[MIXED_PARTS]; /* of what a part received */
	} state;
};

/* One way to use MPI. At each step a part does what the plan says, which is a pure function of
 * seed, step and rank; it may leave something open until a later step. */
struct mixed_part {
	const char *name;

	/* Before the restore: protect its state. */
	void (*begin)(struct mixed *m);

	/* The state is that of a line: post again what was open. */
	void (*restored)(struct mixed *m);

	void (*step)(struct mixed *m, long step);

	/* What messages sent at this step add to the sum of this rank: from the plan alone. */
	uint64_t (*expect)(const struct mixed *m, long step);

	/* After the last step: wait for sends, free everything. */
	void (*end)(struct mixed *m);
};

extern const struct mixed_part mixed_blocking, mixed_coll, mixed_requests, mixed_wildcards,
	mixed_persistent, mixed_icoll, mixed_intercomm, mixed_intercoll, mixed_neighbors,
	mixed_mprobe, mixed_send_modes, mixed_partitioned, mixed_grequest, mixed_comms;

/* ---- the plan: random numbers, lengths, contents ---- */

/* The number of this name, for a step and whatever else it depends on. */
uint64_t mixed_random(const struct mixed *m, enum mixed_name part, long step, uint64_t which);

/* The next `range`th part of a random number, for small decisions one after the other. */
long mixed_decide(uint64_t *random, long range);

/* How many messages of a part a rank sends at a step, at most `most`. */
int mixed_letters(const struct mixed *m, enum mixed_name part, long step, int source, int most);

/* Mostly small, at most m->most, a multiple of `unit`. */
long mixed_bytes(const struct mixed *m, uint64_t *random, long unit);

/* Contents that depend on all of the key. */
void mixed_fill(uint64_t key, void *out, long bytes);

/* What a message adds to a sum; sums do not depend on the order. */
uint64_t mixed_worth(int source, int tag, const void *data, long bytes);
uint64_t mixed_worth_of(const struct mixed *m, int source, int tag, uint64_t key, long bytes);

/* A message was received: into the part's sum. */
void mixed_enter(
	struct mixed *m, enum mixed_name part, int source, int tag, const void *data, long bytes);

/* ... and it must be this one. */
void mixed_enter_known(struct mixed *m, enum mixed_name part, long step, const MPI_Status *status,
	int tag, uint64_t key, const void *data, long bytes);

/* ---- data with holes: items of m->item ---- */

enum { MIXED_ITEM = 12, MIXED_ITEM_EXTENT = 24 };

/* Bytes of contents to items in fresh memory, and back; the holes must be as they were. */
void *mixed_spread(const struct mixed *m, const void *data, long bytes);
void *mixed_blank(const struct mixed *m, long bytes);
void mixed_collect(const struct mixed *m, void *data, long bytes, const void *items);

/* The items of so many bytes of contents, of which the last comes first in memory: one element; it
 * is the caller's to free. And the items turned round, so that it does. */
MPI_Datatype mixed_backwards(const struct mixed *m, long bytes);
void mixed_turn(void *items, long bytes);

/* ---- sends that are open ---- */

struct mixed_sends {
	struct mixed_send {
		MPI_Request request;
		void *buffer;
	} * at;
	size_t count, room;
};

/* `buffer` goes over to the list, which frees it when the request it returns is done. */
MPI_Request *mixed_send_add(const struct mixed *m, struct mixed_sends *s, void *buffer);
void mixed_sends_test(struct mixed_sends *s);
void mixed_sends_end(struct mixed_sends *s);

/* Save this with every line; ids are the parts' names, and MIXED_PARTS of mixed_wildcards. */
void mixed_protect(const struct mixed *m, int id, void *addr, size_t bytes);

#endif
