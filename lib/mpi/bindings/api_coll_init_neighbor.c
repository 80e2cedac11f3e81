/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests of neighbourhood collectives: MPI 5.0 section 8.9. */
#include "coll_launch_calls.h"

#pragma weak MPI_Neighbor_allgather_init = PMPI_Neighbor_allgather_init
int PMPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Neighbor_allgather_init", comm, coll_neighbor_allgather, &call, info, request);
}

#pragma weak MPI_Neighbor_allgather_init_c = PMPI_Neighbor_allgather_init_c
int PMPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init("MPI_Neighbor_allgather_init_c", comm, coll_neighbor_allgather, &call,
		info, request);
}

#pragma weak MPI_Neighbor_allgatherv_init = PMPI_Neighbor_allgatherv_init
int PMPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(
		sendbuf, sendcount, sendtype, recvbuf, coll_lists(recvcounts, displs), recvtype, 0);

	return coll_call_init("MPI_Neighbor_allgatherv_init", comm, coll_neighbor_allgather, &call,
		info, request);
}

#pragma weak MPI_Neighbor_allgatherv_init_c = PMPI_Neighbor_allgatherv_init_c
int PMPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, 0);

	return coll_call_init("MPI_Neighbor_allgatherv_init_c", comm, coll_neighbor_allgather,
		&call, info, request);
}

#pragma weak MPI_Neighbor_alltoall_init = PMPI_Neighbor_alltoall_init
int PMPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Neighbor_alltoall_init", comm, coll_neighbor_alltoall, &call, info, request);
}

#pragma weak MPI_Neighbor_alltoall_init_c = PMPI_Neighbor_alltoall_init_c
int PMPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_init(
		"MPI_Neighbor_alltoall_init_c", comm, coll_neighbor_alltoall, &call, info, request);
}

#pragma weak MPI_Neighbor_alltoallv_init = PMPI_Neighbor_alltoallv_init
int PMPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists(recvcounts, rdispls), recvtype);

	return coll_call_init(
		"MPI_Neighbor_alltoallv_init", comm, coll_neighbor_alltoall, &call, info, request);
}

#pragma weak MPI_Neighbor_alltoallv_init_c = PMPI_Neighbor_alltoallv_init_c
int PMPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists_c(recvcounts, rdispls), recvtype);

	return coll_call_init("MPI_Neighbor_alltoallv_init_c", comm, coll_neighbor_alltoall, &call,
		info, request);
}

#pragma weak MPI_Neighbor_alltoallw_init = PMPI_Neighbor_alltoallw_init
int PMPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_wide(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_wide(recvcounts, rdispls), recvtypes);

	return coll_call_init(
		"MPI_Neighbor_alltoallw_init", comm, coll_neighbor_alltoallw, &call, info, request);
}

#pragma weak MPI_Neighbor_alltoallw_init_c = PMPI_Neighbor_alltoallw_init_c
int PMPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_c(recvcounts, rdispls), recvtypes);

	return coll_call_init("MPI_Neighbor_alltoallw_init_c", comm, coll_neighbor_alltoallw, &call,
		info, request);
}
