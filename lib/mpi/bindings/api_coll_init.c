/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collective requests: MPI 5.0 section 6.13. */
#include "coll_launch_calls.h"

#pragma weak MPI_Barrier_init = PMPI_Barrier_init
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = {0};

	return coll_call_init("MPI_Barrier_init", comm, coll_call_barrier, &call, info, request);
}

#pragma weak MPI_Bcast_init = PMPI_Bcast_init
int PMPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_bcast(buffer, count, datatype, root);

	return coll_call_init("MPI_Bcast_init", comm, coll_call_bcast, &call, info, request);
}

#pragma weak MPI_Gather_init = PMPI_Gather_init
int PMPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Gather_init", comm, coll_call_gather, &call, info, request);
}

#pragma weak MPI_Gatherv_init = PMPI_Gatherv_init
int PMPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists(recvcounts, displs), recvtype, root);

	return coll_call_init("MPI_Gatherv_init", comm, coll_call_gather, &call, info, request);
}

#pragma weak MPI_Scatter_init = PMPI_Scatter_init
int PMPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Scatter_init", comm, coll_call_scatter, &call, info, request);
}

#pragma weak MPI_Scatterv_init = PMPI_Scatterv_init
int PMPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[],
	MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_scatterv(sendbuf, coll_lists(sendcounts, displs),
		sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_init("MPI_Scatterv_init", comm, coll_call_scatter, &call, info, request);
}

#pragma weak MPI_Allgather_init = PMPI_Allgather_init
int PMPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Allgather_init", comm, coll_call_allgather, &call, info, request);
}

#pragma weak MPI_Allgatherv_init = PMPI_Allgatherv_init
int PMPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(
		sendbuf, sendcount, sendtype, recvbuf, coll_lists(recvcounts, displs), recvtype, 0);

	return coll_call_init(
		"MPI_Allgatherv_init", comm, coll_call_allgather, &call, info, request);
}

#pragma weak MPI_Alltoall_init = PMPI_Alltoall_init
int PMPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init("MPI_Alltoall_init", comm, coll_call_alltoall, &call, info, request);
}

#pragma weak MPI_Alltoallv_init = PMPI_Alltoallv_init
int PMPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists(recvcounts, rdispls), recvtype);

	return coll_call_init("MPI_Alltoallv_init", comm, coll_call_alltoall, &call, info, request);
}

#pragma weak MPI_Alltoallw_init = PMPI_Alltoallw_init
int PMPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
	const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists(recvcounts, rdispls), recvtypes);

	return coll_call_init(
		"MPI_Alltoallw_init", comm, coll_typed_alltoallw, &call, info, request);
}

#pragma weak MPI_Reduce_init = PMPI_Reduce_init
int PMPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, root);

	return coll_call_init("MPI_Reduce_init", comm, coll_call_reduce, &call, info, request);
}

#pragma weak MPI_Allreduce_init = PMPI_Allreduce_init
int PMPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init(
		"MPI_Allreduce_init", comm, coll_call_allreduce, &call, info, request);
}

#pragma weak MPI_Scan_init = PMPI_Scan_init
int PMPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init("MPI_Scan_init", comm, coll_call_scan, &call, info, request);
}

#pragma weak MPI_Exscan_init = PMPI_Exscan_init
int PMPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_init("MPI_Exscan_init", comm, coll_call_exscan, &call, info, request);
}

#pragma weak MPI_Reduce_scatter_block_init = PMPI_Reduce_scatter_block_init
int PMPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, recvcount, datatype, op, 0);

	return coll_call_init("MPI_Reduce_scatter_block_init", comm, coll_call_reduce_scatter_block,
		&call, info, request);
}

#pragma weak MPI_Reduce_scatter_init = PMPI_Reduce_scatter_init
int PMPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call =
		coll_args_reduce_scatter(sendbuf, recvbuf, coll_ints(recvcounts), datatype, op);

	return coll_call_init(
		"MPI_Reduce_scatter_init", comm, coll_call_reduce_scatter, &call, info, request);
}
