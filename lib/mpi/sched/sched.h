/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules of collective operations: which rank sends which part of which buffer to which. A
 * schedule is a pure function of (algorithm, rank, size, root, lengths): it knows no communicator,
 * memory or datatype, so it is tested apart from the motion that runs it (coll_motion.c).
 *
 * A schedule is an array of steps cut into rounds. All sends and receives of a round are started
 * together and are waited for together; then the local steps of the round run in order. Rules that
 * every schedule keeps, and that test_sched.c checks:
 *
 *  - between two ranks the n-th send meets the n-th receive, with the same length in bytes;
 *  - it ends even if a send waits for its receive (a send of round k is met by a receive that is
 *    started before the sender's round k has to end);
 *  - within a round nothing that is received overlaps anything else that is sent or received;
 *  - SCHED_IN is never written.
 *
 * Lengths are in units, and each buffer has its own unit: an element of the user's datatype, or a
 * byte of packed data. What is one block to SCHED_IN (so many units) may be another number of units
 * to SCHED_OUT or SCHED_TMP; only the bytes are equal.
 */
#ifndef FTMPI_MPI_SCHED_H
#define FTMPI_MPI_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What each rank sends to which others in each operation, in which order: schedules, the choice
 * among them (coll_choose.c) and the plans made of them (coll_*.c). A recovery line may cut an
 * operation, so it names this number, and a library with another one refuses it then. A change of
 * any of these raises it; test_sched_version.c has a checksum of them for every version.
 */
enum { SCHED_VERSION = 5 };

/* The first two are the caller's buffers, or stand for them; the others are scratch. */
enum sched_buf { SCHED_IN, SCHED_OUT, SCHED_TMP, SCHED_AUX, SCHED_BUFS };

enum sched_kind {
	SCHED_SEND,   /* a to peer */
	SCHED_RECV,   /* a from peer */
	SCHED_COPY,   /* a = b */
	SCHED_REDUCE, /* a[i] = b[i] op a[i] */
};

/* n units of a buffer from `first` on (first may be negative in a caller's buffer) */
struct sched_span {
	enum sched_buf buf;
	int block; /* where each block of the buffer has a unit of its own: which one it is; `first`
		      then counts bytes */
	ptrdiff_t first;
	size_t n;
};

struct sched_step {
	enum sched_kind kind;
	int peer;
	bool local; /* peer is a rank of the local group (intercommunicators) */
	bool last;  /* of its round */
	struct sched_span a, b;
};

enum { SCHED_INLINE = 32 };

struct sched {
	struct sched_step *steps;
	size_t n, cap;
	size_t high[SCHED_BUFS]; /* units that the steps touch, counted from 0 */
	bool failed;		 /* out of memory: the steps are not complete */
	bool local;		 /* peers of what is added are ranks of the local group */
	struct sched_step few[SCHED_INLINE];
};

/* Where a rank stands. */
struct sched_place {
	int rank, size, root;
};

/* One number for each block, in the caller's own array, of ints or of large ones; neither: none. */
struct sched_numbers {
	const int *ints;
	const int64_t *large;
};

static inline bool sched_given(struct sched_numbers a)
{
	return a.ints || a.large;
}

static inline int64_t sched_number(struct sched_numbers a, int i)
{
	return a.large ? a.large[i] : a.ints[i];
}

/*
 * The blocks of a buffer, one per rank, in units: regular (block i is [i*n, (i+1)*n)), by counts
 * and displacements, one after the other at offsets[0..size], or each with its own unit, somewhere.
 * Blocks of the first and the third sort lie side by side.
 */
struct sched_blocks {
	size_t n;
	struct sched_numbers counts, displs;
	const size_t *offsets;
	const struct sched_span *spans;
};

static inline bool sched_side_by_side(const struct sched_blocks *b)
{
	return !b->spans && !sched_given(b->counts);
}

/*
 * A data movement. Where a rank gives only its own block (gather, allgather) that is in.n units of
 * SCHED_IN from 0 on; where it takes only one (scatter) that is out.n units of SCHED_OUT from 0 on.
 */
struct sched_layout {
	struct sched_blocks in, out;
	struct sched_blocks tmp; /* the same blocks, side by side in a scratch buffer */
	bool in_place; /* this rank's own block is where it shall end; or, all-to-all: what
			  is to be sent lies in SCHED_OUT, laid out as `out` */
	bool packed;   /* out is not laid out as plain bytes: gather in scratch */
};

/* n elements to be combined. All buffers have the same unit, an element. */
struct sched_reduction {
	size_t n;
	bool commutative;
	bool in_place; /* the contribution lies in SCHED_OUT */
};

/* Whom a rank receives from and sends to, in the order of its blocks; a negative rank is nobody,
 * whose block is left alone. */
struct sched_around {
	int nsources, ndestinations;
	int *sources, *destinations;
	bool grid; /* two entries for each dimension: down it, and up */
};

/* sched.c */
void sched_init(struct sched *s);
void sched_free(struct sched *s);
void sched_send(struct sched *s, int peer, struct sched_span a);
void sched_recv(struct sched *s, int peer, struct sched_span a);
/* The same, but nothing at all when the span is empty: both ends must know that it is. */
void sched_send_some(struct sched *s, int peer, struct sched_span a);
void sched_recv_some(struct sched *s, int peer, struct sched_span a);
void sched_copy(struct sched *s, struct sched_span to, struct sched_span from);
void sched_reduce(struct sched *s, struct sched_span inout, struct sched_span in);
/* End the round; nothing when it is empty. */
void sched_round(struct sched *s);

static inline struct sched_span sched_span(enum sched_buf buf, ptrdiff_t first, size_t n)
{
	return (struct sched_span){.buf = buf, .first = first, .n = n};
}

/* Units [first, first + n) of the i-th of `parts` nearly equal parts of `total` */
static inline struct sched_span sched_part(enum sched_buf buf, size_t total, int parts, int i)
{
	size_t each = total / (size_t)parts, rest = total % (size_t)parts, k = (size_t)i;
	size_t first = k * each + (k < rest ? k : rest);

	return sched_span(buf, (ptrdiff_t)first, each + (k < rest));
}

/* Blocks lo to hi-1 of a buffer whose blocks lie side by side; any one block of any buffer. */
struct sched_span sched_range(enum sched_buf buf, const struct sched_blocks *b, int lo, int hi);
struct sched_span sched_block_span(enum sched_buf buf, const struct sched_blocks *b, int i);

/* Rank counted from the root, and back. */
static inline int sched_vrank(const struct sched_place *at)
{
	return at->rank >= at->root ? at->rank - at->root : at->rank - at->root + at->size;
}

static inline int sched_rank(const struct sched_place *at, int vrank)
{
	return vrank < at->size - at->root ? vrank + at->root : vrank - (at->size - at->root);
}

/* (rank + by) and (rank - by) modulo size, for 0 <= by < size. */
static inline int sched_up(const struct sched_place *at, int by)
{
	return by < at->size - at->rank ? at->rank + by : by - (at->size - at->rank);
}

static inline int sched_down(const struct sched_place *at, int by)
{
	return by <= at->rank ? at->rank - by : at->rank - by + at->size;
}

/* Ranks in the binomial subtree that begins at vrank. */
static inline int sched_subtree(int vrank, int size)
{
	int low = vrank & -vrank;

	return vrank == 0 || low > size - vrank ? size - vrank : low;
}

/* All ranks in one part, or in two halves, each with its lowest rank as leader. The leaves of a leader
 * are the other ranks of its part; two leaders exchange what they know. 2(size-1) messages like a
 * tree, but no more than two or three of them one after another: where the cores are few and shared,
 * and a hop costs a change of process, that is the fastest there is up to some 16 ranks. */
struct sched_half {
	int leader, end; /* the part is leader .. end - 1 */
	int other;	 /* the other leader; the number of ranks: there is none */
	int other_end;
};

static inline struct sched_half sched_half(const struct sched_place *at, int leaders)
{
	int middle = at->size - at->size / 2;

	if (leaders == 1)
		return (struct sched_half){0, at->size, at->size, at->size};
	if (at->rank < middle)
		return (struct sched_half){0, middle, middle, at->size};
	return (struct sched_half){middle, at->size, 0, middle};
}

/* Below, `leaders` is 1 or 2: as sched_half. */

/* sched_tree.c: barriers, and broadcasts of one span */
void sched_barrier_dissemination(struct sched *s, const struct sched_place *at);
void sched_barrier_tree(struct sched *s, const struct sched_place *at);
void sched_barrier_leaders(struct sched *s, const struct sched_place *at, int leaders);
void sched_bcast_binomial(struct sched *s, const struct sched_place *at, struct sched_span a);
/* The root sends to each rank, to `window` of them at a time. */
void sched_bcast_star(
	struct sched *s, const struct sched_place *at, struct sched_span a, int window);
/* A chain of all ranks, in segments of seg units. */
void sched_bcast_chain(
	struct sched *s, const struct sched_place *at, struct sched_span a, size_t seg);
/* Binomial scatter of parts, then a ring. */
void sched_bcast_scatter(struct sched *s, const struct sched_place *at, struct sched_span a);

/* sched_gather.c. The binomial ones take regular blocks. */
void sched_gather_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_gather_linear(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window);
void sched_scatter_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_scatter_linear(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window);

/* sched_allgather.c. Tree, leaders and ring take any blocks, Bruck and doubling regular ones;
 * doubling needs a power of two. */
void sched_allgather_tree(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_allgather_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_layout *l, int leaders);
void sched_allgather_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_allgather_bruck(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_allgather_ring(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);

/* sched_alltoall.c. Only the windowed one (pairwise: window 1) takes irregular blocks. */
void sched_alltoall_tree(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_alltoall_leaders(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_alltoall_bruck(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l);
void sched_alltoall_window(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l, int window);

/*
 * sched_neighbor.c: every neighbour for itself, all at once. Of several edges from one rank to
 * another the n-th of the one is the n-th of the other; in a grid what is sent down a dimension is
 * what comes from above in it, also where both ways lead to the same rank. one: all destinations
 * get block 0 of SCHED_IN.
 */
void sched_neighbor(struct sched *s, const struct sched_place *at, const struct sched_around *n,
	const struct sched_layout *l, bool one);

/*
 * sched_reduce.c: trees and doubling. Right for operators that do not commute: contributions are
 * combined in rank order. At ranks that get no result SCHED_OUT is scratch.
 */
void sched_reduce_binomial(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
/* Each rank gives to the root, which takes them one after another. */
void sched_reduce_star(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_allreduce_tree(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_allreduce_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, int leaders);
void sched_allreduce_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
/* Rank i gets block i of the result at the start of SCHED_OUT. `in` lies side by side, r->n in all.
 */
void sched_reduce_scatter_tree(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in);
void sched_reduce_scatter_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in, int leaders);

/* sched_reduce_parts.c: each rank combines a part of the vector. Commutative operators only. */
void sched_reduce_rabenseifner(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_allreduce_rabenseifner(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_allreduce_ring(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_reduce_scatter_ring(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in);

/* sched_scan.c: in rank order. An exclusive scan leaves SCHED_OUT of rank 0 alone. */
void sched_scan_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_scan_chain(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_exscan_doubling(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);
void sched_exscan_chain(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r);

#endif
