/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on an intracommunicator (coll_inter.h has those of the others). All need
 * the engine lock, all take checked arguments (handles looked up, counts >= 0, root in range), all
 * handle MPI_IN_PLACE where the standard allows it. They return an MPI error class. Collectives of
 * one communicator are called in the same order on all ranks (MPI 5.0 section 6.1); messages of
 * operation n carry n as their tag.
 *
 * A call that is refused, for its arguments or for want of memory, has not begun: it takes no
 * number and sends nothing, so it can be made again, and the others' messages wait for it.
 */
#ifndef FTMPI_MPI_COLL_H
#define FTMPI_MPI_COLL_H

#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/sched/sched.h"
#include "mpi/type/op.h"
#include "mpi/type/type.h"

/*
 * `count` elements of `type` at buf: one rank's side of a data movement. A side that does not count
 * on this rank (the receiving one of a gather beside the root) is not looked at, except that
 * `irregular` says on every rank whether it is the v variant.
 */
struct coll_side {
	void *buf;		     /* a send side is never written */
	size_t count;		     /* per rank; unused when irregular */
	bool irregular;		     /* v variants: the next two, one per rank */
	struct sched_numbers counts; /* not negative */
	struct sched_numbers displs; /* in extents of type */
	struct type *type;
	bool empty; /* no data at all */
};

/* in may be MPI_IN_PLACE; out of reduce counts at the root only */
struct coll_reduction {
	const void *in;
	void *out;
	size_t count;
	struct type *type;
	struct op *op;
};

/*
 * Plans: what this rank does in the operation, put into *run, which coll_run_begin has made (
 * coll_motion.h), and which coll_motion_end runs or coll_launch makes a request of.
 */
struct coll_run;

int coll_plan_barrier(struct coll_run *run, struct comm *c);
int coll_plan_bcast(struct coll_run *run, struct comm *c, const struct coll_side *side, int root);
int coll_plan_gather(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv, int root);
int coll_plan_scatter(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv, int root);
int coll_plan_allgather(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv);
int coll_plan_alltoall(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv);
int coll_plan_reduce(
	struct coll_run *run, struct comm *c, const struct coll_reduction *r, int root);
int coll_plan_allreduce(struct coll_run *run, struct comm *c, const struct coll_reduction *r);
int coll_plan_scan(struct coll_run *run, struct comm *c, const struct coll_reduction *r);
int coll_plan_exscan(struct coll_run *run, struct comm *c, const struct coll_reduction *r);

/* Blocks of counts[rank] elements, or, where none are given, of r->count each. */
int coll_plan_reduce_scatter(struct coll_run *run, struct comm *c, const struct coll_reduction *r,
	struct sched_numbers counts);

/* On an intercommunicator: bytes of rank 0 of each side go to all ranks of the other side. Both
 * sides know the lengths. */
struct coll_swap {
	const void *mine; /* counts at rank 0 */
	size_t my_bytes;
	void *theirs;
	size_t their_bytes;
};

int coll_own_swap(struct coll_run *run, struct comm *c, const struct coll_swap *w);

/* The library's own: planned and run (coll_now.c). */
int coll_now_bcast(struct comm *c, void *buf, size_t bytes, int root);
int coll_now_swap(struct comm *c, const struct coll_swap *w);
int coll_now_agree(struct comm *c, void *both, size_t bytes); /* coll_own_agree */
int coll_now_allgather(struct comm *c, const void *mine, size_t bytes, void *all);
int coll_now_alltoall(struct comm *c, const void *mine, size_t bytes, void *all);
int coll_now_gather(struct comm *c, const void *mine, size_t bytes, void *all, int root);
int coll_now_allreduce(struct comm *c, const struct coll_reduction *r);
int coll_now_reduce_scatter(struct comm *c, const struct coll_reduction *r); /* r->count each */

#endif
