/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's checkpoint as a cut through the messages that come to it (eventlog). Messages of an
 * envelope are numbered as they arrive. At the cut a rank has received D = {1..a} without those
 * that have arrived and were not received, and with the orphans to suppress that are to come. When
 * a peer has closed the line, s is known of each envelope: what it sent before its own checkpoint.
 * In transit is {1..s} without D, orphans are D without {1..s}: exactly, whatever the order of
 * receives. Pure.
 */
#ifndef FTMPI_COORD_CUT_H
#define FTMPI_COORD_CUT_H

#include "coord/coord.h"
#include "coord/suppress.h"
#include "coord/envelope_counters.h"

struct cut_span {
	size_t at, n;
};

struct cut_env {
	uint64_t context;
	int32_t tag;
	uint64_t a, s;
	struct cut_span waiting;  /* in cut.waiting: arrived and not received */
	struct cut_span suppress; /* in cut.suppress: numbers as messages have them */
};

struct cut_peer {
	struct cut_env *env; /* sorted by envelope_counters_order */
	uint32_t n;
	bool closed;
	uint64_t missing; /* when closed: sent before the line and not here; orphans to suppress,
			     too */
};

struct cut {
	int size;
	struct cut_peer *peers;
	uint64_t *waiting;
	struct orphan_range *suppress;
	uint64_t missing;
	bool torn; /* a message that must not be crosses it */
};

/* What a cut is made of: entries by peer (a, and s known so far), messages that have arrived and
 * were not received, sorted by cut_sort, and orphans to suppress. */
struct cut_state {
	int size;
	const struct envelope_counters *const *arrived; /* by peer */
	const struct coord_message *waiting;
	size_t nwaiting;
	const struct suppress *suppress;
};

/* By peer, context, tag, index. */
int cut_order(const struct coord_message *a, const struct coord_message *b);
void cut_sort(struct coord_message *m, size_t n);

/* NULL: no memory. */
struct cut *cut_new(const struct cut_state *s);
void cut_free(struct cut *c);

/* Peer has closed the line: s of its entries is final. false: no memory. */
bool cut_close(struct cut *c, int peer, const struct envelope_counters *arrived);

/* Fate of a message that was not received before the cut. */
enum coord_fate cut_fate(const struct cut *c, const struct coord_message *m);

/* A message has come, perhaps an orphan to suppress. */
void cut_arrived(struct cut *c, const struct coord_message *m);

/* When all are closed. false: no memory. */
bool cut_orphans(const struct cut *c, struct orphans *o);

#endif
