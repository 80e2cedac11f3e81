/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a collective call's arguments, as the program gives them, to a plan: they are checked, and
 * the operation is planned. After an error, with fail_with said, the operation has not begun.
 * The blocking calls run the plan, the others make a request of it.
 */
#ifndef FTMPI_MPI_COLL_CALL_H
#define FTMPI_MPI_COLL_CALL_H

#include "coll.h"
#include "coll_check.h"

/* The arguments of a collective call beside the communicator. */
struct coll_call {
	struct coll_said send, recv;  /* a movement's sides; a broadcast's is send */
	struct coll_said_reduction r; /* a reduction's */
	struct sched_numbers counts;  /* of MPI_Reduce_scatter */
	int root;
};

/* One of the functions below. */
typedef int coll_planner(struct coll_run *run, struct comm *c, struct coll_call *call);

coll_planner coll_call_barrier, coll_call_bcast, coll_call_gather, coll_call_scatter,
	coll_call_allgather, coll_call_alltoall, coll_typed_alltoallw;
coll_planner coll_neighbor_allgather, coll_neighbor_alltoall,
	coll_neighbor_alltoallw; /* the v variants, too */
coll_planner coll_call_reduce, coll_call_allreduce, coll_call_scan, coll_call_exscan,
	coll_call_reduce_scatter, coll_call_reduce_scatter_block;

/* To fill in a call. */
static inline struct sched_numbers coll_ints(const int *numbers)
{
	return (struct sched_numbers){.ints = numbers};
}

static inline struct sched_numbers coll_counts(const MPI_Count *numbers)
{
	return (struct sched_numbers){.large = numbers};
}

static inline struct sched_numbers coll_aints(const MPI_Aint *numbers)
{
	_Static_assert(sizeof(MPI_Aint) == sizeof(int64_t), "they are the same type");
	return (struct sched_numbers){.large = numbers};
}

static inline struct coll_said coll_regular(
	const char *name, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name, .buf = buf, .count = count, .datatype = datatype};
}

static inline struct coll_said coll_irregular(const char *name, const void *buf, const int *counts,
	const int *displs, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name,
		.buf = buf,
		.datatype = datatype,
		.irregular = true,
		.counts = coll_ints(counts),
		.displs = coll_ints(displs)};
}

static inline struct coll_said coll_irregular_c(const char *name, const void *buf,
	const MPI_Count *counts, const MPI_Aint *displs, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name,
		.buf = buf,
		.datatype = datatype,
		.irregular = true,
		.counts = coll_counts(counts),
		.displs = coll_aints(displs)};
}

/* blocks of their own datatypes */
static inline struct coll_said coll_each(const char *name, const void *buf,
	struct sched_numbers counts, struct sched_numbers displs, const MPI_Datatype *types)
{
	return (struct coll_said){.name = name,
		.buf = buf,
		.irregular = true,
		.counts = counts,
		.displs = displs,
		.types = types};
}

static inline struct coll_said_reduction coll_vector(
	const void *in, void *out, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
	return (struct coll_said_reduction){.in = in,
		.out = out,
		.count = count,
		.datatype = datatype,
		.op = op,
		.has_result = true};
}

#endif
