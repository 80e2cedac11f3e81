/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coordination of checkpoints: which messages a recovery line has to hold, and how the ranks come
 * to one. A protocol is chosen at launch by its name; a program needs no change for it.
 *
 * lib/mpi tells the protocol of every message of the program (coord_sent, coord_arrived; the
 * protocol's own messages are not told), and does what it asks for through struct coord_env. Who
 * calls holds the lock that guards messages.
 */
#ifndef FTMPI_COORD_COORD_H
#define FTMPI_COORD_COORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coord;

/* What a protocol asks of lib/mpi. Those that speak with other ranks are collective. */
struct coord_env {
	/* sent[q]: messages sent to rank q so far. *mine: what all ranks have sent to this one. */
	void (*exchange)(void *user, const uint64_t *sent, uint64_t *mine);

	/* Let messages come until done says that it is enough. */
	void (*wait)(void *user, bool (*done)(void *arg), void *arg);

	/* Bring every message that was sent and not received by the program into this process's
	 * memory, contents and all. false: no memory. */
	bool (*secure)(void *user);

	/* Throw away all messages that were not received. After secure. */
	void (*forget)(void *user);

	/* Write this rank's part of the line durably. false: it could not; the reason was said. */
	bool (*save)(void *user);

	/* Commit the line if every rank is ready, else give it up: the same answer everywhere. */
	bool (*conclude)(void *user, bool ready);

	/* Agree on the line to go back to. false: there is none. */
	bool (*find)(void *user);

	/* Take everything from it, its messages too; when this returns, all ranks have. */
	void (*take)(void *user);
};

struct coord_protocol {
	const char *name;
	bool (*checkpoint)(struct coord *c);
	bool (*restore)(struct coord *c);
};

struct coord {
	const struct coord_protocol *protocol;
	const struct coord_env *env;
	void *user;
	int size;
	uint64_t *sent;	  /* by rank: messages of the program to it */
	uint64_t arrived; /* messages of the program that have come here, received or not */
};

/* 0, FT_EINVAL (no protocol of that name; coord_names tells them) or FT_ENOMEM. */
int coord_init(
	struct coord *c, const char *name, int size, const struct coord_env *env, void *user);
void coord_fini(struct coord *c);

/* The names of all protocols, separated by ", ". */
const char *coord_names(void);

static inline void coord_sent(struct coord *c, int peer)
{
	c->sent[peer]++;
}

static inline void coord_arrived(struct coord *c)
{
	c->arrived++;
}

/* Make a line; true: it is committed. Take the latest one; true: it was taken. Collective. */
bool coord_checkpoint(struct coord *c);
bool coord_restore(struct coord *c);

extern const struct coord_protocol coord_blocking;

#endif
