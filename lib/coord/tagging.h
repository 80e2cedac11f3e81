/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message Tagging: each message carries the interval of its sender, so what it is to a line is
 * known when it comes; counts by peer tell when no more will. A restore starts it anew. Pure.
 */
#ifndef FTMPI_COORD_TAGGING_H
#define FTMPI_COORD_TAGGING_H

#include "coord/coord.h"
#include "coord/suppress.h"

/* Messages that came from a later interval than the receiver's own. */
struct tagging {
	uint64_t *arrived; /* by peer: all */
	struct coord_message *early;
	size_t n, room;
	int size;
};

/* Orphans to suppress that were not come at the cut. */
struct tag_suppress {
	struct orphan_range range; /* counted from the cut, messages of later intervals not */
	uint64_t sent;		   /* after the cut come with a stamp not above the line */
};

struct tag_cut {
	uint32_t line;
	int size;
	uint64_t *missing; /* by peer: until it is closed, less what has come: modulo 2^64 */
	bool *closed;
	uint64_t left; /* the sum of it over the closed */
	bool torn;     /* a message that must not be crosses it */
	struct orphans orphans;
	struct tag_suppress *suppress;
	size_t nsuppress;
};

/* 0 or FT_ENOMEM. */
int tagging_init(struct tagging *t, int size);
void tagging_free(struct tagging *t);
void tagging_clear(struct tagging *t);

/* false: no memory. */
bool tagging_early(struct tagging *t, const struct coord_message *m);

/* A message has come, orphans to suppress included; `line`: how many lines the receiver has. false:
 * no memory. */
static inline bool tagging_arrived(struct tagging *t, uint32_t line, const struct coord_message *m)
{
	t->arrived[m->peer]++;
	return m->stamp <= line + 1 || tagging_early(t, m);
}

/* The cut for `line`; waiting as in struct cut_state. NULL: no memory. */
struct tag_cut *tag_cut_new(struct tagging *t, uint32_t line, const struct coord_message *waiting,
	size_t nwaiting, const struct suppress *suppress);
void tag_cut_free(struct tag_cut *c);

/* Peer has sent so many messages before its checkpoint. */
void tag_cut_close(struct tag_cut *c, int peer, uint64_t sent);

void tag_cut_arrived(struct tag_cut *c, const struct coord_message *m);

static inline enum coord_fate tag_cut_fate(const struct tag_cut *c, const struct coord_message *m)
{
	return m->stamp <= c->line ? COORD_IN : COORD_OUT;
}

/* When nothing is missing. false: no memory. */
bool tag_cut_orphans(const struct tag_cut *c, struct orphans *o);

#endif
