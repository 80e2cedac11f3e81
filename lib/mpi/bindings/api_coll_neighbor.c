/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives: MPI 5.0 section 8.6. */
#include "api_coll.h"

#pragma weak MPI_Neighbor_allgather = PMPI_Neighbor_allgather
int PMPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Neighbor_allgather", comm, coll_neighbor_allgather, &call);
}

#pragma weak MPI_Neighbor_allgatherv = PMPI_Neighbor_allgatherv
int PMPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
	MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular("recvbuf", recvbuf, recvcounts, displs, recvtype)};

	return api_coll("MPI_Neighbor_allgatherv", comm, coll_neighbor_allgather, &call);
}

#pragma weak MPI_Neighbor_alltoall = PMPI_Neighbor_alltoall
int PMPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Neighbor_alltoall", comm, coll_neighbor_alltoall, &call);
}

#pragma weak MPI_Neighbor_alltoallv = PMPI_Neighbor_alltoallv
int PMPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular("sendbuf", sendbuf, sendcounts, sdispls, sendtype),
		.recv = coll_irregular("recvbuf", recvbuf, recvcounts, rdispls, recvtype)};

	return api_coll("MPI_Neighbor_alltoallv", comm, coll_neighbor_alltoall, &call);
}

#pragma weak MPI_Neighbor_alltoallw = PMPI_Neighbor_alltoallw
int PMPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	struct coll_call call = {.send = coll_each("sendbuf", sendbuf, coll_ints(sendcounts),
					 coll_aints(sdispls), sendtypes),
		.recv = coll_each(
			"recvbuf", recvbuf, coll_ints(recvcounts), coll_aints(rdispls), recvtypes)};

	return api_coll("MPI_Neighbor_alltoallw", comm, coll_neighbor_alltoallw, &call);
}
