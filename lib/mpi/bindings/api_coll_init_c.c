/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collective requests with large counts: MPI 5.0 section 6.13. */
#include "coll_launch_calls.h"

#pragma weak MPI_Bcast_init_c = PMPI_Bcast_init_c
int PMPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_bcast(buffer, count, datatype, root);

	return coll_call_init("MPI_Bcast_init_c", comm, coll_call_bcast, &call, info, request);
}

#pragma weak MPI_Gather_init_c = PMPI_Gather_init_c
int PMPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Gather_init_c", comm, coll_call_gather, &call, info, request);
}

#pragma weak MPI_Gatherv_init_c = PMPI_Gatherv_init_c
int PMPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, root);

	return coll_call_init("MPI_Gatherv_init_c", comm, coll_call_gather, &call, info, request);
}

#pragma weak MPI_Scatter_init_c = PMPI_Scatter_init_c
int PMPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Scatter_init_c", comm, coll_call_scatter, &call, info, request);
}

#pragma weak MPI_Scatterv_init_c = PMPI_Scatterv_init_c
int PMPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
	MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_scatterv(sendbuf, coll_lists_c(sendcounts, displs),
		sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Scatterv_init_c", comm, coll_call_scatter, &call, info, request);
}

#pragma weak MPI_Allgather_init_c = PMPI_Allgather_init_c
int PMPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Allgather_init_c", comm, coll_call_allgather, &call, info, request);
}

#pragma weak MPI_Allgatherv_init_c = PMPI_Allgatherv_init_c
int PMPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, 0);

	return coll_call_init(
		"MPI_Allgatherv_init_c", comm, coll_call_allgather, &call, info, request);
}

#pragma weak MPI_Alltoall_init_c = PMPI_Alltoall_init_c
int PMPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Alltoall_init_c", comm, coll_call_alltoall, &call, info, request);
}

#pragma weak MPI_Alltoallv_init_c = PMPI_Alltoallv_init_c
int PMPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists_c(recvcounts, rdispls), recvtype);

	return coll_call_init(
		"MPI_Alltoallv_init_c", comm, coll_call_alltoall, &call, info, request);
}

#pragma weak MPI_Alltoallw_init_c = PMPI_Alltoallw_init_c
int PMPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_c(recvcounts, rdispls), recvtypes);

	return coll_call_init(
		"MPI_Alltoallw_init_c", comm, coll_typed_alltoallw, &call, info, request);
}

#pragma weak MPI_Reduce_init_c = PMPI_Reduce_init_c
int PMPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, root);

	return coll_call_init("MPI_Reduce_init_c", comm, coll_call_reduce, &call, info, request);
}

#pragma weak MPI_Allreduce_init_c = PMPI_Allreduce_init_c
int PMPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init(
		"MPI_Allreduce_init_c", comm, coll_call_allreduce, &call, info, request);
}

#pragma weak MPI_Scan_init_c = PMPI_Scan_init_c
int PMPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init("MPI_Scan_init_c", comm, coll_call_scan, &call, info, request);
}

#pragma weak MPI_Exscan_init_c = PMPI_Exscan_init_c
int PMPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init("MPI_Exscan_init_c", comm, coll_call_exscan, &call, info, request);
}

#pragma weak MPI_Reduce_scatter_block_init_c = PMPI_Reduce_scatter_block_init_c
int PMPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, recvcount, datatype, op, 0);

	return coll_call_init("MPI_Reduce_scatter_block_init_c", comm,
		coll_call_reduce_scatter_block, &call, info, request);
}

#pragma weak MPI_Reduce_scatter_init_c = PMPI_Reduce_scatter_init_c
int PMPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_reduce_scatter(sendbuf, recvbuf, coll_counts(recvcounts), datatype, op);

	return coll_call_init(
		"MPI_Reduce_scatter_init_c", comm, coll_call_reduce_scatter, &call, info, request);
}
