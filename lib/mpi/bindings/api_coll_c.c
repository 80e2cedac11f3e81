/* SPDX-License-Identifier: BSD-3-Clause */
/* Data movements with large counts: MPI 5.0 sections 6.3 to 6.8. */
#include "api_coll.h"

#pragma weak MPI_Bcast_c = PMPI_Bcast_c
int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_regular("buffer", buffer, count, datatype), .root = root};

	return api_coll("MPI_Bcast_c", comm, coll_call_bcast, &call);
}

#pragma weak MPI_Gather_c = PMPI_Gather_c
int PMPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Gather_c", comm, coll_call_gather, &call);
}

#pragma weak MPI_Gatherv_c = PMPI_Gatherv_c
int PMPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
	MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular_c("recvbuf", recvbuf, recvcounts, displs, recvtype),
		.root = root};

	return api_coll("MPI_Gatherv_c", comm, coll_call_gather, &call);
}

#pragma weak MPI_Scatter_c = PMPI_Scatter_c
int PMPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Scatter_c", comm, coll_call_scatter, &call);
}

#pragma weak MPI_Scatterv_c = PMPI_Scatterv_c
int PMPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
	MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular_c("sendbuf", sendbuf, sendcounts, displs, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Scatterv_c", comm, coll_call_scatter, &call);
}

#pragma weak MPI_Allgather_c = PMPI_Allgather_c
int PMPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Allgather_c", comm, coll_call_allgather, &call);
}

#pragma weak MPI_Allgatherv_c = PMPI_Allgatherv_c
int PMPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular_c("recvbuf", recvbuf, recvcounts, displs, recvtype)};

	return api_coll("MPI_Allgatherv_c", comm, coll_call_allgather, &call);
}

#pragma weak MPI_Alltoall_c = PMPI_Alltoall_c
int PMPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Alltoall_c", comm, coll_call_alltoall, &call);
}

#pragma weak MPI_Alltoallv_c = PMPI_Alltoallv_c
int PMPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
	const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular_c("sendbuf", sendbuf, sendcounts, sdispls, sendtype),
		.recv = coll_irregular_c("recvbuf", recvbuf, recvcounts, rdispls, recvtype)};

	return api_coll("MPI_Alltoallv_c", comm, coll_call_alltoall, &call);
}

#pragma weak MPI_Alltoallw_c = PMPI_Alltoallw_c
int PMPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
	const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	struct coll_call call = {.send = coll_each("sendbuf", sendbuf, coll_counts(sendcounts),
					 coll_aints(sdispls), sendtypes),
		.recv = coll_each("recvbuf", recvbuf, coll_counts(recvcounts), coll_aints(rdispls),
			recvtypes)};

	return api_coll("MPI_Alltoallw_c", comm, coll_typed_alltoallw, &call);
}
