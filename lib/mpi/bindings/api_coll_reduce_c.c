/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions and scans with large counts: MPI 5.0 sections 6.9 to 6.11. */
#include "api_coll.h"

#pragma weak MPI_Reduce_c = PMPI_Reduce_c
int PMPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm)
{
	struct coll_call call = {
		.r = coll_vector(sendbuf, recvbuf, count, datatype, op), .root = root};

	return api_coll("MPI_Reduce_c", comm, coll_call_reduce, &call);
}

#pragma weak MPI_Allreduce_c = PMPI_Allreduce_c
int PMPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Allreduce_c", comm, coll_call_allreduce, &call);
}

#pragma weak MPI_Scan_c = PMPI_Scan_c
int PMPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Scan_c", comm, coll_call_scan, &call);
}

#pragma weak MPI_Exscan_c = PMPI_Exscan_c
int PMPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, count, datatype, op)};

	return api_coll("MPI_Exscan_c", comm, coll_call_exscan, &call);
}

#pragma weak MPI_Reduce_scatter_block_c = PMPI_Reduce_scatter_block_c
int PMPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, recvcount, datatype, op)};

	return api_coll("MPI_Reduce_scatter_block_c", comm, coll_call_reduce_scatter_block, &call);
}

#pragma weak MPI_Reduce_scatter_c = PMPI_Reduce_scatter_c
int PMPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct coll_call call = {.r = coll_vector(sendbuf, recvbuf, 0, datatype, op),
		.counts = coll_counts(recvcounts)};

	return api_coll("MPI_Reduce_scatter_c", comm, coll_call_reduce_scatter, &call);
}
