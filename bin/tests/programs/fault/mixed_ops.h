/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations of mixed that are waited for at once, at a later step, or stand all the
 * time; what they are is a family's affair (mixed_intercoll.c, mixed_neighbors.c).
 */
#ifndef FTMPI_PROGRAMS_MIXED_OPS_H
#define FTMPI_PROGRAMS_MIXED_OPS_H

#include <stdbool.h>

#include "mixed.h"

enum mixed_way { MIXED_NOW, MIXED_OPEN_LATER, MIXED_PERSISTENT, MIXED_WAYS };

enum { MIXED_OPS_OPEN = 16, MIXED_OPS_STANDING = 3 };

/* One operation. The plan is the same on all ranks. */
struct mixed_deal {
	const struct mixed *m;
	enum mixed_name part;
	long step, number; /* which it is */
	enum mixed_way way;
	long lag;    /* steps that it may be open */
	bool tested; /* sooner finished if it is done */
	/* the family's */
	int kind, which, root, side;
	long n;
};

struct mixed_op {
	struct mixed_deal deal;
	MPI_Request request;
	uint64_t *in, *out;
	void *lists; /* malloc'ed: counts and the like, which stay until it is over; NULL */
};

struct mixed_family {
	enum mixed_name part;
	long most; /* operations that are begun at a step */
	long room; /* words that one gives or gets, at most */

	/* The family's part of a deal. */
	void (*choose)(struct mixed_deal *d, uint64_t *random);

	/* What this rank gives, and what it gets where nothing else is written; the words that
	 * count. */
	long (*give)(const struct mixed_deal *d, uint64_t *in);
	long (*want)(const struct mixed_deal *d, uint64_t *out);

	/* The call, in the deal's way. Sets request, unless the way is MIXED_NOW, and lists. */
	void (*call)(struct mixed_op *o);

	/* ---- mixed_ops.c's ---- */
	struct mixed_ops_state {
		int64_t begun[MIXED_OPS_OPEN]; /* the step, in order; 0: none */
		int64_t number[MIXED_OPS_OPEN];
		int64_t started; /* those that stand, at this step; 0: they are not */
	} state;
	struct mixed_op open[MIXED_OPS_OPEN], standing[MIXED_OPS_STANDING];
};

void mixed_ops_begin(struct mixed_family *f, struct mixed *m);
void mixed_ops_restored(struct mixed_family *f, struct mixed *m);
void mixed_ops_step(struct mixed_family *f, struct mixed *m, long step);
uint64_t mixed_ops_expect(const struct mixed_family *f, const struct mixed *m, long step);
void mixed_ops_end(struct mixed_family *f);

/* Words number 0 to n - 1 that `from` gives `to`, each followed by stride - 1 others, which stay.
 */
enum { MIXED_ALL = 1000 }; /* everybody */
void mixed_ops_words(
	const struct mixed_deal *d, int from, int to, long n, int stride, uint64_t *out);
uint64_t mixed_ops_word(const struct mixed_deal *d, int from, int to, long i);

#endif
