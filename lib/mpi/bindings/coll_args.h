/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each collective call says, from the arguments of the MPI function: the same for the calls
 * that return at once and those that make a persistent request, with counts of either length.
 */
#ifndef FTMPI_MPI_COLL_ARGS_H
#define FTMPI_MPI_COLL_ARGS_H

#include "mpi/coll/coll_call.h"

/* Counts and displacements of a v variant. */
struct coll_lists {
	struct sched_numbers counts, displs;
};

static inline struct coll_lists coll_lists(const int *counts, const int *displs)
{
	return (struct coll_lists){coll_ints(counts), coll_ints(displs)};
}

static inline struct coll_lists coll_lists_c(const MPI_Count *counts, const MPI_Aint *displs)
{
	return (struct coll_lists){coll_counts(counts), coll_aints(displs)};
}

/* MPI_Neighbor_alltoallw's: displacements in bytes beside ordinary counts */
static inline struct coll_lists coll_lists_wide(const int *counts, const MPI_Aint *displs)
{
	return (struct coll_lists){coll_ints(counts), coll_aints(displs)};
}

static inline struct coll_said coll_listed(
	const char *name, const void *buf, struct coll_lists lists, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name,
		.buf = buf,
		.datatype = datatype,
		.irregular = true,
		.counts = lists.counts,
		.displs = lists.displs};
}

/* A barrier has nothing to say. */

static inline struct coll_call coll_args_bcast(
	void *buffer, MPI_Count count, MPI_Datatype datatype, int root)
{
	return (struct coll_call){
		.send = coll_regular("buffer", buffer, count, datatype), .root = root};
}

/* root: where there is one, else 0 */
static inline struct coll_call coll_args_blocks(const void *sendbuf, MPI_Count sendcount,
	MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root)
{
	return (struct coll_call){.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};
}

static inline struct coll_call coll_args_gatherv(const void *sendbuf, MPI_Count sendcount,
	MPI_Datatype sendtype, void *recvbuf, struct coll_lists recv, MPI_Datatype recvtype,
	int root)
{
	return (struct coll_call){.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_listed("recvbuf", recvbuf, recv, recvtype),
		.root = root};
}

static inline struct coll_call coll_args_scatterv(const void *sendbuf, struct coll_lists send,
	MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root)
{
	return (struct coll_call){.send = coll_listed("sendbuf", sendbuf, send, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};
}

static inline struct coll_call coll_args_alltoallv(const void *sendbuf, struct coll_lists send,
	MPI_Datatype sendtype, void *recvbuf, struct coll_lists recv, MPI_Datatype recvtype)
{
	return (struct coll_call){.send = coll_listed("sendbuf", sendbuf, send, sendtype),
		.recv = coll_listed("recvbuf", recvbuf, recv, recvtype)};
}

static inline struct coll_call coll_args_alltoallw(const void *sendbuf, struct coll_lists send,
	const MPI_Datatype *sendtypes, void *recvbuf, struct coll_lists recv,
	const MPI_Datatype *recvtypes)
{
	return (struct coll_call){
		.send = coll_each("sendbuf", sendbuf, send.counts, send.displs, sendtypes),
		.recv = coll_each("recvbuf", recvbuf, recv.counts, recv.displs, recvtypes)};
}

static inline struct coll_call coll_args_reduction(const void *sendbuf, void *recvbuf,
	MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root)
{
	return (struct coll_call){
		.r = coll_vector(sendbuf, recvbuf, count, datatype, op), .root = root};
}

static inline struct coll_call coll_args_reduce_scatter(const void *sendbuf, void *recvbuf,
	struct sched_numbers counts, MPI_Datatype datatype, MPI_Op op)
{
	return (struct coll_call){
		.r = coll_vector(sendbuf, recvbuf, 0, datatype, op), .counts = counts};
}

#endif
