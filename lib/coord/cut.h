/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's checkpoint as a cut through the messages that come to it (eventlog). Messages of an
 * envelope are numbered as they arrive. At the cut a rank has received D = {1..a} without those
 * that have arrived and were not received, and with the orphans to suppress that are to come. When
 * a peer has closed the line, s is known of each envelope: what it sent before its own checkpoint.
 * In transit is {1..s} without D, orphans are D without {1..s}: exactly, whatever the order of
 * receives.
 *
 * The program waits while a cut is made, and a rank may have used any number of envelopes: a and s
 * are copied, one number for each entry of the counters, and nothing is sorted or looked up. The
 * number of an envelope is found in the counters themselves. Pure.
 */
#ifndef FTMPI_COORD_CUT_H
#define FTMPI_COORD_CUT_H

#include "coord/coord.h"
#include "coord/suppress.h"
#include "coord/envelope_counters.h"

struct cut_peer {
	const struct envelope_counters *seen;
	uint64_t *a, *s; /* by entry of seen; s: when closed. Entries that came later: 0 */
	uint32_t na, ns; /* how many there were */
	bool closed;
	uint64_t missing; /* when closed: sent before the line and not here; orphans to suppress,
			     too */
};

struct cut {
	int size;
	struct cut_peer *peers;
	struct coord_message *waiting; /* arrived and not received, by message_sort */
	size_t nwaiting;
	struct orphan_range *suppress; /* in the order of orphans; numbers as messages have them */
	size_t nsuppress;
	uint64_t missing;
	bool torn; /* a message that must not be crosses it */
};

/* What a cut is made of: entries by peer (a, and s known so far), messages that have arrived and
 * were not received, by message_sort, and orphans to suppress. */
struct cut_state {
	int size;
	const struct envelope_counters *const *arrived; /* by peer */
	const struct coord_message *waiting;
	size_t nwaiting;
	const struct suppress *suppress;
};

/* NULL: no memory. Until the cut is freed the counters stay where they are, and none is forgotten.
 */
struct cut *cut_new(const struct cut_state *s);
void cut_free(struct cut *c);

/* Peer has closed the line: s of its entries is final. false: no memory. */
bool cut_close(struct cut *c, int peer);

/* Fate of a message that was not received before the cut. */
enum coord_fate cut_fate(const struct cut *c, const struct coord_message *m);

/* A message has come, perhaps an orphan to suppress. */
void cut_arrived(struct cut *c, const struct coord_message *m);

/* When all are closed. false: no memory. */
bool cut_orphans(const struct cut *c, struct orphans *o);

#endif
