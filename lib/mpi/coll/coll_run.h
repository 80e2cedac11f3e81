/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One collective operation: a schedule and the memory of its buffers.
 *
 *	coll_run_use(run, SCHED_IN, ...);	the caller's buffers; the others become scratch
 *	sched_...(&run->s, ...);
 *
 * is what a plan does (coll.h). coll_motion.h runs it.
 */
#ifndef FTMPI_MPI_COLL_RUN_H
#define FTMPI_MPI_COLL_RUN_H

#include "coll.h"
#include "coll_check.h"
#include "mpi/sched/sched.h"

struct coll_buffer {
	uintptr_t base;	   /* of unit 0; a number, since MPI_BOTTOM plus a displacement is one */
	struct type *type; /* one element is a unit; NULL: scratch */
	struct coll_typed *typed; /* blocks of their own datatypes, type is that of bytes; NULL */
};

/* Blocks that have a datatype each: elements of types[i] at spans[i].first bytes. One allocation;
 * the run's, which frees it and lets the types go. */
struct coll_typed {
	int n;
	struct type **types;
	struct sched_span *spans;
};

enum { COLL_SMALL = 512 };

struct coll_run {
	struct comm *c;
	int tag, local_tag; /* the second one in c->local, if that is there */
	struct sched_place at;
	struct sched s;
	struct op *op;		   /* reductions */
	struct type *scratch_type; /* a unit of scratch: a byte unless set */
	struct coll_buffer buf[SCHED_BUFS];
	size_t *offsets; /* room for blocks' offsets (coll_run_prefix), or NULL */
	void *scratch;	 /* NULL, or what coll_scratch_take gave */
	size_t scratch_bytes;
	uint64_t *
		numbers; /* by step: of the message that it sends, where they were reserved; NULL */
	bool spoilt;	 /* a message was not as long as its place */
	_Alignas(64) char small[COLL_SMALL];
};

/* Nothing is planned, and the root is rank 0. */
void coll_run_begin(struct coll_run *run, struct comm *c);

static inline void coll_run_use(
	struct coll_run *run, enum sched_buf which, const void *buf, struct type *type)
{
	run->buf[which] = (struct coll_buffer){.base = (uintptr_t)buf, .type = type};
}

/* offsets[0..size]: the sums of counts[] times unit, kept until coll_run_free. MPI_ERR_NO_MEM. */
int coll_run_prefix(
	struct coll_run *run, struct sched_numbers counts, size_t unit, const size_t **offsets);

/* planned: what the plan returned. Afterwards every buffer has memory, and the steps may be run;
 * or an error, with fail_with said. coll_run_free in any case. */
int coll_run_ready(struct coll_run *run, int planned);

/* Take the number of the operation. */
void coll_run_number(struct coll_run *run);

/* Where a span lies, and the datatype of its units. */
static inline void *coll_run_span_at(const struct coll_run *run, struct sched_span a)
{
	const struct coll_buffer *b = &run->buf[a.buf];

	return (void *)(b->base + (uintptr_t)(a.first * b->type->extent));
}

static inline struct type *coll_run_span_type(const struct coll_run *run, struct sched_span a)
{
	const struct coll_buffer *b = &run->buf[a.buf];

	return b->typed ? b->typed->types[a.block] : b->type;
}

void coll_run_free(struct coll_run *run);

/* ---- coll_typed.c: blocks that have a datatype each ---- */

/* A buffer of n such blocks, which are checked: MPI_SUCCESS, or the class with fail_with said. */
int coll_typed_use(struct coll_run *run, enum sched_buf which, const struct coll_said *said, int n);
int coll_typed_check_apart(const struct coll_run *run);

/* The blocks of a buffer, as a layout has them. */
static inline struct sched_blocks coll_typed_blocks(
	const struct coll_run *run, enum sched_buf which)
{
	return (struct sched_blocks){.spans = run->buf[which].typed->spans};
}

/* ---- coll_plan.c, for other plans ---- */

/* Steps that take a span from the root to all of run->at, by the best way. */
void coll_plan_bcast_span(struct coll_run *run, struct sched_span a);

/* The blocks that a side describes, in elements. */
struct sched_blocks coll_plan_blocks(const struct coll_side *side);

/* ---- coll_scratch.c ---- */

/* Memory, aligned to 64, that is kept from one operation to the next. The engine lock guards it.
 * take: at least *bytes, or NULL; *bytes becomes the true length, which give takes. */
void *coll_scratch_take(size_t *bytes);
void coll_scratch_give(void *p, size_t bytes);

#endif
