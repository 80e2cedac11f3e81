/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators across a recovery line. Messages of the line name contexts, so a communicator that
 * the program makes again after a restore has to get the context that it had. Those that were made
 * before the restore have: they are made as in the first run. Of those that were made later the
 * line knows the processes: a rank that makes a communicator of the same processes, in the same
 * order, gets the first of these that is left. So all its members choose alike, and nobody has to
 * ask. What is not made again before the next line is forgotten.
 *
 * Under message logging a rank comes back alone, so nobody else makes them again: what this rank
 * asks for is taken from its checkpoint, without a message, as long as some are left there (alone).
 * Nothing is forgotten then: what the program does not make again is in its next checkpoint.
 * Under the engine lock.
 */
#ifndef FTMPI_MPI_COMM_AGAIN_H
#define FTMPI_MPI_COMM_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm.h"

/* The contents of CKPT_COMMUNICATORS: *out is malloc'ed. false: no memory. */
bool comm_again_capture(uint8_t **out, size_t *len);

/* What section_communicators_valid accepted is to be made again. false: no memory. */
bool comm_again_take(const uint8_t *bytes, size_t len);

/* All make something of these: if it is one of the line, with the contexts that it had. Not alone.
 */
void comm_again(struct comm_sides *s);

/* From now on alone. */
void comm_again_go_alone(void);

/* Some are left to be made again, alone: a call of which this rank gets none asks nobody. */
bool comm_again_is_alone(void);

/* What a rank knows by itself of the communicator that it asks for. */
enum comm_again_how {
	COMM_AGAIN_SAME, /* these groups */
	COMM_AGAIN_PART, /* a part of each */
	COMM_AGAIN_PEER, /* this group, and some other */
	COMM_AGAIN_BOTH, /* one group of both, either of them first */
};

struct comm_again_like {
	enum comm_again_how how;
	const struct group *group, *remote; /* remote: NULL without one */
};

/* Alone: the first that fits, made again of this parent into *out; *rc says whether that has
 * worked. false: there is none, so all make a new one. */
bool comm_again_alone(
	struct comm *parent, const struct comm_again_like *like, struct comm **out, int *rc);

/* Alone: is the first that has the groups of c a copy that was under way? Then it is now: the
 * caller makes it without contexts, and the operation that brings them goes on. */
bool comm_again_resumes(const struct comm *c);

/* The contexts of those that are left to be made again. */
void comm_again_each_waiting(void (*visit)(uint64_t context, void *arg), void *arg);

/* Has the program one that cannot be made again alone, made when there had been so many
 * (comm_made_ever)? */
bool comm_again_needs_others(uint64_t made);

void comm_again_fini(void);

#endif
