/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking neighbourhood collectives: MPI 5.0 section 8.8. */
#include "coll_launch_calls.h"

#pragma weak MPI_Ineighbor_allgather = PMPI_Ineighbor_allgather
int PMPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_allgather", comm, coll_neighbor_allgather, &call, request);
}

#pragma weak MPI_Ineighbor_allgather_c = PMPI_Ineighbor_allgather_c
int PMPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_allgather_c", comm, coll_neighbor_allgather, &call, request);
}

#pragma weak MPI_Ineighbor_allgatherv = PMPI_Ineighbor_allgatherv
int PMPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(
		sendbuf, sendcount, sendtype, recvbuf, coll_lists(recvcounts, displs), recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_allgatherv", comm, coll_neighbor_allgather, &call, request);
}

#pragma weak MPI_Ineighbor_allgatherv_c = PMPI_Ineighbor_allgatherv_c
int PMPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_allgatherv_c", comm, coll_neighbor_allgather, &call, request);
}

#pragma weak MPI_Ineighbor_alltoall = PMPI_Ineighbor_alltoall
int PMPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_alltoall", comm, coll_neighbor_alltoall, &call, request);
}

#pragma weak MPI_Ineighbor_alltoall_c = PMPI_Ineighbor_alltoall_c
int PMPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch(
		"MPI_Ineighbor_alltoall_c", comm, coll_neighbor_alltoall, &call, request);
}

#pragma weak MPI_Ineighbor_alltoallv = PMPI_Ineighbor_alltoallv
int PMPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists(recvcounts, rdispls), recvtype);

	return coll_call_launch(
		"MPI_Ineighbor_alltoallv", comm, coll_neighbor_alltoall, &call, request);
}

#pragma weak MPI_Ineighbor_alltoallv_c = PMPI_Ineighbor_alltoallv_c
int PMPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists_c(recvcounts, rdispls), recvtype);

	return coll_call_launch(
		"MPI_Ineighbor_alltoallv_c", comm, coll_neighbor_alltoall, &call, request);
}

#pragma weak MPI_Ineighbor_alltoallw = PMPI_Ineighbor_alltoallw
int PMPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_wide(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_wide(recvcounts, rdispls), recvtypes);

	return coll_call_launch(
		"MPI_Ineighbor_alltoallw", comm, coll_neighbor_alltoallw, &call, request);
}

#pragma weak MPI_Ineighbor_alltoallw_c = PMPI_Ineighbor_alltoallw_c
int PMPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_c(recvcounts, rdispls), recvtypes);

	return coll_call_launch(
		"MPI_Ineighbor_alltoallw_c", comm, coll_neighbor_alltoallw, &call, request);
}
