/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions and scans: MPI 5.0 sections 6.9 to 6.11. */
#include "api_coll.h"

#pragma weak MPI_Reduce = PMPI_Reduce
int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm)
{
	struct coll_call call = {
		.r = coll_vector(sendbuf, recvbuf, count, datatype, op), .root = root};

	return api_coll("MPI_Reduce", comm, coll_call_reduce, &call);
}

#pragma weak MPI_Allreduce = PMPI_Allreduce
int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Allreduce", comm, coll_call_allreduce, &call);
}

#pragma weak MPI_Scan = PMPI_Scan
int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Scan", comm, coll_call_scan, &call);
}

#pragma weak MPI_Exscan = PMPI_Exscan
int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Exscan", comm, coll_call_exscan, &call);
}

#pragma weak MPI_Reduce_scatter_block = PMPI_Reduce_scatter_block
int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, recvcount, datatype, op)};

	return api_coll("MPI_Reduce_scatter_block", comm, coll_call_reduce_scatter_block, &call);
}

#pragma weak MPI_Reduce_scatter = PMPI_Reduce_scatter
int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, 0, datatype, op),
		.counts = coll_ints(recvcounts)};

	return api_coll("MPI_Reduce_scatter", comm, coll_call_reduce_scatter, &call);
}
