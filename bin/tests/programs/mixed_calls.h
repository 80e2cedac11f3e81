/* SPDX-License-Identifier: BSD-3-Clause */
/* The collective operations of mixed: how each is called, and what it must give. */
#ifndef FTMPI_PROGRAMS_MIXED_CALLS_H
#define FTMPI_PROGRAMS_MIXED_CALLS_H

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
	MPI_Op op;
	uint64_t (*fold)(uint64_t a, uint64_t b);
};

extern const struct mixed_kind {
	const char *name;
	void (*run)(const struct mixed_call *c, uint64_t *out);
	uint64_t *(*want)(const struct mixed_call *c, uint64_t *out); /* returns the end */
} mixed_kinds[];

extern const int mixed_kind_count;

#endif
