/* SPDX-License-Identifier: BSD-3-Clause */
/* The collective operations of mixed: how each is called, and what it must give. */
#ifndef FTMPI_PROGRAMS_MIXED_COLL_CALLS_H
#define FTMPI_PROGRAMS_MIXED_COLL_CALLS_H

#include <stdbool.h>

#include "mixed.h"

/* One call in one communicator. Members are numbered as there. */
struct mixed_call {
	const struct mixed *m;
	long step;
	MPI_Comm comm;
	enum mixed_comm which;
	int self, size, root;
	int n;		      /* words of a block; of member i's in the uneven ones counts[i] */
	int *counts, *displs; /* in the uneven ones, by member */
	int *heard, *places;  /* MPI_Alltoallv: the same of what comes */
	MPI_Op op;
	uint64_t (*fold)(uint64_t a, uint64_t b);
};

extern const struct mixed_kind {
	const char *name;
	/* what this rank gives: malloc'ed words, as many as *n says, or NULL */
	uint64_t *(*in)(const struct mixed_call *c, int *n);
	void (*run)(const struct mixed_call *c, const uint64_t *in, uint64_t *out);
	uint64_t *(*want)(const struct mixed_call *c, uint64_t *out); /* returns the end */
	bool in_place;	/* it may take what is given from out, */
	bool gives_out; /* or always does */
} mixed_kinds[];

/* The same calls, to be waited for and to be started. What they are given stays. */
extern const struct mixed_icoll {
	void (*begin)(
		const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r);
	void (*make)(const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r);
} mixed_icoll_calls[];

extern const int mixed_kind_count;

/* A call of this step: kind, communicator, root, length, operator, counts in memory that
 * free(c->counts) frees. Returns the kind. */
int mixed_call_plan(const struct mixed *m, long step, uint64_t *random, struct mixed_call *c);

/* Words for what any of them gives; MPI_Bcast's root has its own there, and so has who gives in
 * place. */
uint64_t *mixed_call_room(const struct mixed_call *c);

/* Ends the job when `got` is not what the call gives; what it adds to a sum, else. */
uint64_t mixed_call_verify(const struct mixed_call *c, int kind, const uint64_t *got);

/* The same, of the right result. */
uint64_t mixed_call_expect(const struct mixed_call *c, int kind);

#endif
