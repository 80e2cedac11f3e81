/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some ranks, each a struct coord, joined by queues. The test says what happens and in which order:
 * messages of different envelopes and what protocols tell each other overtake at will.
 */
#ifndef FTMPI_TESTS_COORD_CLUSTER_H
#define FTMPI_TESTS_COORD_CLUSTER_H

#include "coord/coord.h"

enum { RANKS_MOST = 8, LINES_MOST = 8, MESSAGES_MOST = 64, CONTROL_MOST = 256 };

struct mail {
	int from, to;
	int32_t tag;
	uint32_t stamp;
	uint64_t index;
	int number; /* it is the N-th that the sender sent with this envelope, from 1 */
};

struct mails {
	struct mail v[MESSAGES_MOST];
	int n;
};

struct control {
	int from, to;
	uint8_t *bytes;
	size_t len;
};

/* What a rank was asked for one line. */
struct asked {
	bool captured, finished, over, committed;
	struct mails held; /* candidates; after finish: what the line has */
	char settled[64];  /* peers in this order */
	uint8_t *orphans;
	size_t orphans_len;
};

struct rank {
	struct coord c;
	int self;
	struct mails waiting; /* arrived and not received */
	struct asked lines[LINES_MOST];
	bool cannot_capture, cannot_write;
};

struct cluster {
	int size;
	struct rank ranks[RANKS_MOST];
	struct mails flying;
	struct control control[CONTROL_MOST];
	int ncontrol, nflown;
	bool slow; /* nobody says coord_written or coord_committed by himself */
	bool cannot_commit;
	bool hostile;		/* what is told comes cut, too, and twice: that must be refused */
	uint32_t committing;	/* slow: what rank 0 was asked to commit */
	uint32_t taken;		/* the line that is being restored */
	int lost;		/* messages thrown away as orphans sent again */
	struct cluster *before; /* what it is restored from */
	const char *fatal;	/* expected: what it is to say */
};

void cluster_begin(struct cluster *cl, int size, const char *protocol);
void cluster_end(struct cluster *cl);

/* The same job goes on from this line, in new ranks, or in these. */
void cluster_restore(
	struct cluster *cl, struct cluster *before, uint32_t line, const char *protocol);

void cluster_go_back(struct cluster *cl, struct cluster *before, uint32_t line);

void send_mail(struct cluster *cl, int from, int to, int32_t tag);

/* The oldest with this envelope. false: it was an orphan sent again. */
bool arrive(struct cluster *cl, int from, int to, int32_t tag);

/* The one with this number is received; where it waits. */
void receive(struct cluster *cl, int from, int to, int32_t tag, int number);

/* All three. */
void pass(struct cluster *cl, int from, int to, int32_t tag);

/* What the rank is told by a test itself is followed by what it asks for. */
void goes_on(struct cluster *cl, int rank);

/* The rank's next line; true: captured. */
bool checkpoint(struct cluster *cl, int rank);

/* Until the rank's lines are over; true: the latest was committed. */
bool wait_for_lines(struct cluster *cl, int rank);

/* Is a line due? */
bool due(struct cluster *cl, int rank, bool elapsed);

/* Its program ends. */
void close_rank(struct cluster *cl, int rank);

/* One message between protocols; all of them, until there are none. */
void deliver_one(struct cluster *cl, int from, int to);
void deliver_all(struct cluster *cl);

/* "1:7#2 0:7#1": sender, tag and number of the messages that a line of a rank has. */
const char *transit(struct cluster *cl, int rank, uint32_t line);

/* "1:7#2+3": peer, tag, first and count of its orphans. */
const char *orphans(struct cluster *cl, int rank, uint32_t line);

#endif
