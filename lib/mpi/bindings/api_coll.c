/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers and data movements: MPI 5.0 sections 6.3 to 6.8. */
#include "api.h"
#include "api_coll.h"
#include "mpi/coll/coll_kept.h"

int api_coll(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call)
{
	struct comm *c = NULL;
	int rc;

	api_enter(name);
	rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = coll_kept_run(c, plan, call);
	return api_leave(c, rc);
}

#pragma weak MPI_Barrier = PMPI_Barrier
int PMPI_Barrier(MPI_Comm comm)
{
	struct coll_call call = {0};

	return api_coll("MPI_Barrier", comm, coll_call_barrier, &call);
}

#pragma weak MPI_Bcast = PMPI_Bcast
int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_regular("buffer", buffer, count, datatype), .root = root};

	return api_coll("MPI_Bcast", comm, coll_call_bcast, &call);
}

#pragma weak MPI_Gather = PMPI_Gather
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Gather", comm, coll_call_gather, &call);
}

#pragma weak MPI_Gatherv = PMPI_Gatherv
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular("recvbuf", recvbuf, recvcounts, displs, recvtype),
		.root = root};

	return api_coll("MPI_Gatherv", comm, coll_call_gather, &call);
}

#pragma weak MPI_Scatter = PMPI_Scatter
int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Scatter", comm, coll_call_scatter, &call);
}

#pragma weak MPI_Scatterv = PMPI_Scatterv
int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
	MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular("sendbuf", sendbuf, sendcounts, displs, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype),
		.root = root};

	return api_coll("MPI_Scatterv", comm, coll_call_scatter, &call);
}

#pragma weak MPI_Allgather = PMPI_Allgather
int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Allgather", comm, coll_call_allgather, &call);
}

#pragma weak MPI_Allgatherv = PMPI_Allgatherv
int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_irregular("recvbuf", recvbuf, recvcounts, displs, recvtype)};

	return api_coll("MPI_Allgatherv", comm, coll_call_allgather, &call);
}

#pragma weak MPI_Alltoall = PMPI_Alltoall
int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {.send = coll_regular("sendbuf", sendbuf, sendcount, sendtype),
		.recv = coll_regular("recvbuf", recvbuf, recvcount, recvtype)};

	return api_coll("MPI_Alltoall", comm, coll_call_alltoall, &call);
}

#pragma weak MPI_Alltoallv = PMPI_Alltoallv
int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm)
{
	struct coll_call call = {
		.send = coll_irregular("sendbuf", sendbuf, sendcounts, sdispls, sendtype),
		.recv = coll_irregular("recvbuf", recvbuf, recvcounts, rdispls, recvtype)};

	return api_coll("MPI_Alltoallv", comm, coll_call_alltoall, &call);
}

#pragma weak MPI_Alltoallw = PMPI_Alltoallw
int PMPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
	const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	struct coll_call call = {.send = coll_each("sendbuf", sendbuf, coll_ints(sendcounts),
					 coll_ints(sdispls), sendtypes),
		.recv = coll_each(
			"recvbuf", recvbuf, coll_ints(recvcounts), coll_ints(rdispls), recvtypes)};

	return api_coll("MPI_Alltoallw", comm, coll_typed_alltoallw, &call);
}
