/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking collective calls: MPI 5.0 section 6.12. */
#include "coll_launch_calls.h"

#pragma weak MPI_Ibarrier = PMPI_Ibarrier
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = {0};

	return coll_call_launch("MPI_Ibarrier", comm, coll_call_barrier, &call, request);
}

#pragma weak MPI_Ibcast = PMPI_Ibcast
int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_bcast(buffer, count, datatype, root);

	return coll_call_launch("MPI_Ibcast", comm, coll_call_bcast, &call, request);
}

#pragma weak MPI_Igather = PMPI_Igather
int PMPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Igather", comm, coll_call_gather, &call, request);
}

#pragma weak MPI_Igatherv = PMPI_Igatherv
int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists(recvcounts, displs), recvtype, root);

	return coll_call_launch("MPI_Igatherv", comm, coll_call_gather, &call, request);
}

#pragma weak MPI_Iscatter = PMPI_Iscatter
int PMPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Iscatter", comm, coll_call_scatter, &call, request);
}

#pragma weak MPI_Iscatterv = PMPI_Iscatterv
int PMPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
	MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_scatterv(sendbuf, coll_lists(sendcounts, displs),
		sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Iscatterv", comm, coll_call_scatter, &call, request);
}

#pragma weak MPI_Iallgather = PMPI_Iallgather
int PMPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch("MPI_Iallgather", comm, coll_call_allgather, &call, request);
}

#pragma weak MPI_Iallgatherv = PMPI_Iallgatherv
int PMPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(
		sendbuf, sendcount, sendtype, recvbuf, coll_lists(recvcounts, displs), recvtype, 0);

	return coll_call_launch("MPI_Iallgatherv", comm, coll_call_allgather, &call, request);
}

#pragma weak MPI_Ialltoall = PMPI_Ialltoall
int PMPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch("MPI_Ialltoall", comm, coll_call_alltoall, &call, request);
}

#pragma weak MPI_Ialltoallv = PMPI_Ialltoallv
int PMPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists(recvcounts, rdispls), recvtype);

	return coll_call_launch("MPI_Ialltoallv", comm, coll_call_alltoall, &call, request);
}

#pragma weak MPI_Ialltoallw = PMPI_Ialltoallw
int PMPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
	const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists(recvcounts, rdispls), recvtypes);

	return coll_call_launch("MPI_Ialltoallw", comm, coll_typed_alltoallw, &call, request);
}

#pragma weak MPI_Ireduce = PMPI_Ireduce
int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, root);

	return coll_call_launch("MPI_Ireduce", comm, coll_call_reduce, &call, request);
}

#pragma weak MPI_Iallreduce = PMPI_Iallreduce
int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iallreduce", comm, coll_call_allreduce, &call, request);
}

#pragma weak MPI_Iscan = PMPI_Iscan
int PMPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iscan", comm, coll_call_scan, &call, request);
}

#pragma weak MPI_Iexscan = PMPI_Iexscan
int PMPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iexscan", comm, coll_call_exscan, &call, request);
}

#pragma weak MPI_Ireduce_scatter_block = PMPI_Ireduce_scatter_block
int PMPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, recvcount, datatype, op, 0);

	return coll_call_launch(
		"MPI_Ireduce_scatter_block", comm, coll_call_reduce_scatter_block, &call, request);
}

#pragma weak MPI_Ireduce_scatter = PMPI_Ireduce_scatter
int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_reduce_scatter(sendbuf, recvbuf, coll_ints(recvcounts), datatype, op);

	return coll_call_launch(
		"MPI_Ireduce_scatter", comm, coll_call_reduce_scatter, &call, request);
}
