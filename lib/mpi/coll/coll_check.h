/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the arguments of collective calls: MPI_SUCCESS, or the standard's class with fail_with
 * said. Nothing has been sent by then. */
#ifndef FTMPI_MPI_COLL_CHECK_H
#define FTMPI_MPI_COLL_CHECK_H

#include "coll.h"

/* One side of a data movement, or a vector of a reduction, as the program describes it. */
struct coll_said {
	const char *name; /* of the buffer, for messages: "sendbuf" */
	const void *buf;
	MPI_Count count;
	MPI_Datatype datatype;
	bool irregular; /* counts and displs instead of count */
	struct sched_numbers counts, displs;
	const MPI_Datatype *types; /* one per block, instead of datatype: displs are bytes */
};

/* A side that counts on this rank, of so many blocks. MPI_IN_PLACE is wrong here. */
int coll_check_side(int blocks, const struct coll_said *said, struct coll_side *out);

/* Two sides that count, the same memory: not if blocks are in both. The first `blocks` are looked
 * at where there are displacements. */
int coll_check_apart(const struct coll_side *a, const struct coll_side *b, int blocks);

/* A side of one block, and the i-th of the other, which is the same data: not the same memory. */
int coll_check_own(const struct coll_side *own, const struct coll_side *other, int i);

/* A side that does not count on this rank: nothing of it is looked at. */
struct coll_side coll_check_no_side(const struct coll_said *said);

/* Both sides where both count: this rank's own, which may be MPI_IN_PLACE (then the rest of it does
 * not count), and the other. They may not be the same memory. */
int coll_check_both(int blocks, const struct coll_said *said_own, struct coll_side *own,
	const struct coll_said *said_other, struct coll_side *other);

/* A reduction as the program describes it. */
struct coll_said_reduction {
	const void *in;
	void *out;
	MPI_Count count;
	MPI_Datatype datatype;
	MPI_Op op;
	bool has_result; /* out counts on this rank, and in may be MPI_IN_PLACE */
	int blocks;	 /* in is so many times as long; 0: once */
};

int coll_check_reduction(const struct coll_said_reduction *said, struct coll_reduction *out);

/* Whether a block that is there but has no data, or data, may begin at this address: not at the
 * null pointer, unless the type has absolute addresses in it. */
int coll_check_buffer(const char *name, const void *buf, const struct type *t, bool empty);

/* No sum or product of such lengths overflows. */
int coll_check_bytes(const char *name, MPI_Count count, size_t blocks, const struct type *t);

/* n counts, none negative, and in *sum what they make together. */
int coll_check_counts(int n, const char *name, struct sched_numbers counts, MPI_Count *sum);

#endif
