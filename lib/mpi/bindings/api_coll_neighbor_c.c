/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives with large counts: MPI 5.0 section 8.6. */
#include "api_coll.h"

#pragma weak MPI_Neighbor_allgather_c = PMPI_Neighbor_allgather_c
int PMPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Neighbor_allgather_c", comm, coll_neighbor_allgather, &call);
}

#pragma weak MPI_Neighbor_allgatherv_c = PMPI_Neighbor_allgatherv_c
int PMPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular_c("recvbuf", recvbuf, recvcounts, displs, recvtype)};

	return api_coll("MPI_Neighbor_allgatherv_c", comm, coll_neighbor_allgather, &call);
}

#pragma weak MPI_Neighbor_alltoall_c = PMPI_Neighbor_alltoall_c
int PMPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Neighbor_alltoall_c", comm, coll_neighbor_alltoall, &call);
}

#pragma weak MPI_Neighbor_alltoallv_c = PMPI_Neighbor_alltoallv_c
int PMPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
	MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular_c("sendbuf", sendbuf, sendcounts, sdispls, sendtype),
		.recv = coll_irregular_c("recvbuf", recvbuf, recvcounts, rdispls, recvtype)};

	return api_coll("MPI_Neighbor_alltoallv_c", comm, coll_neighbor_alltoall, &call);
}

#pragma weak MPI_Neighbor_alltoallw_c = PMPI_Neighbor_alltoallw_c
int PMPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
	const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
	MPI_Comm comm)
{
	struct coll_call call = {.send = coll_each("sendbuf", sendbuf, coll_counts(sendcounts),
					 coll_aints(sdispls), sendtypes),
		.recv = coll_each("recvbuf", recvbuf, coll_counts(recvcounts), coll_aints(rdispls),
			recvtypes)};

	return api_coll("MPI_Neighbor_alltoallw_c", comm, coll_neighbor_alltoallw, &call);
}
