/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums of messages that may become orphans (E11): those that were received from a later
 * interval than the receiver's own, which are few. At a cut those of them that its line does not
 * see sent are its orphans; so are the orphans to suppress that are left, with the checksums that
 * they had in the line that was restored. Bounded: when one more is received than there is room
 * for, the lines to which it would be orphan are not made. Pure.
 */
#ifndef FTMPI_COORD_EARLY_H
#define FTMPI_COORD_EARLY_H

#include "coord/coord.h"
#include "coord/suppress.h"

struct early_message {
	struct coord_message m; /* first, for message_sort */
	struct orphan_sum sum;
};

struct early {
	struct early_message *v;
	size_t n, room;
	uint32_t lost; /* the highest stamp of those for which there was no room */
};

void early_free(struct early *e);
void early_clear(struct early *e);

/* It was received, with a stamp above the receiver's interval; or it stays in an image, and is told
 * again with each image, and when it is received: the cut unites these, so between two cuts there
 * is room for two of each. */
void early_received(struct early *e, const struct coord_message *m, const struct orphan_sum *sum);

/* One checksum, by envelope. */
struct early_sum {
	uint32_t peer;
	int32_t tag;
	uint64_t context;
	struct orphan_sum sum;
};

/* Those of one line: in the order of orphans; of an envelope what was received comes first, then
 * the orphans to suppress, of which some may have been sent again before the line by then. */
struct early_cut {
	struct early_sum *received, *suppress;
	size_t nreceived, nsuppress;
	bool lost; /* there are more orphans than checksums */
};

/* The cut for `line`; waiting as in struct cut_state. NULL: no memory. */
struct early_cut *early_cut_new(struct early *e, uint32_t line, const struct coord_message *waiting,
	size_t nwaiting, const struct suppress *suppress);
void early_cut_free(struct early_cut *c);

/* Give each of the line's orphans its checksum. false: no memory, or they do not fit, as one that
 * its sender has taken back came, but was not received. */
bool early_cut_sums(const struct early_cut *c, struct orphans *o);

#endif
