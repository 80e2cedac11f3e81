/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking collective calls with large counts: MPI 5.0 section 6.12. */
#include "coll_launch_calls.h"

#pragma weak MPI_Ibcast_c = PMPI_Ibcast_c
int PMPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_bcast(buffer, count, datatype, root);

	return coll_call_launch("MPI_Ibcast_c", comm, coll_call_bcast, &call, request);
}

#pragma weak MPI_Igather_c = PMPI_Igather_c
int PMPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Igather_c", comm, coll_call_gather, &call, request);
}

#pragma weak MPI_Igatherv_c = PMPI_Igatherv_c
int PMPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, root);

	return coll_call_launch("MPI_Igatherv_c", comm, coll_call_gather, &call, request);
}

#pragma weak MPI_Iscatter_c = PMPI_Iscatter_c
int PMPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Iscatter_c", comm, coll_call_scatter, &call, request);
}

#pragma weak MPI_Iscatterv_c = PMPI_Iscatterv_c
int PMPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
	MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_scatterv(sendbuf, coll_lists_c(sendcounts, displs),
		sendtype, recvbuf, recvcount, recvtype, root);

	return coll_call_launch("MPI_Iscatterv_c", comm, coll_call_scatter, &call, request);
}

#pragma weak MPI_Iallgather_c = PMPI_Iallgather_c
int PMPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch("MPI_Iallgather_c", comm, coll_call_allgather, &call, request);
}

#pragma weak MPI_Iallgatherv_c = PMPI_Iallgatherv_c
int PMPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
	void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
	MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_gatherv(sendbuf, sendcount, sendtype, recvbuf,
		coll_lists_c(recvcounts, displs), recvtype, 0);

	return coll_call_launch("MPI_Iallgatherv_c", comm, coll_call_allgather, &call, request);
}

#pragma weak MPI_Ialltoall_c = PMPI_Ialltoall_c
int PMPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
	MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_blocks(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0);

	return coll_call_launch("MPI_Ialltoall_c", comm, coll_call_alltoall, &call, request);
}

#pragma weak MPI_Ialltoallv_c = PMPI_Ialltoallv_c
int PMPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
	const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallv(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtype, recvbuf, coll_lists_c(recvcounts, rdispls), recvtype);

	return coll_call_launch("MPI_Ialltoallv_c", comm, coll_call_alltoall, &call, request);
}

#pragma weak MPI_Ialltoallw_c = PMPI_Ialltoallw_c
int PMPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
	const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
	const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
	MPI_Request *request)
{
	struct coll_call call = coll_args_alltoallw(sendbuf, coll_lists_c(sendcounts, sdispls),
		sendtypes, recvbuf, coll_lists_c(recvcounts, rdispls), recvtypes);

	return coll_call_launch("MPI_Ialltoallw_c", comm, coll_typed_alltoallw, &call, request);
}

#pragma weak MPI_Ireduce_c = PMPI_Ireduce_c
int PMPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, root);

	return coll_call_launch("MPI_Ireduce_c", comm, coll_call_reduce, &call, request);
}

#pragma weak MPI_Iallreduce_c = PMPI_Iallreduce_c
int PMPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iallreduce_c", comm, coll_call_allreduce, &call, request);
}

#pragma weak MPI_Iscan_c = PMPI_Iscan_c
int PMPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iscan_c", comm, coll_call_scan, &call, request);
}

#pragma weak MPI_Iexscan_c = PMPI_Iexscan_c
int PMPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, count, datatype, op, 0);

	return coll_call_launch("MPI_Iexscan_c", comm, coll_call_exscan, &call, request);
}

#pragma weak MPI_Ireduce_scatter_block_c = PMPI_Ireduce_scatter_block_c
int PMPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call = coll_args_reduction(sendbuf, recvbuf, recvcount, datatype, op, 0);

	return coll_call_launch("MPI_Ireduce_scatter_block_c", comm, coll_call_reduce_scatter_block,
		&call, request);
}

#pragma weak MPI_Ireduce_scatter_c = PMPI_Ireduce_scatter_c
int PMPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	struct coll_call call =
		coll_args_reduce_scatter(sendbuf, recvbuf, coll_counts(recvcounts), datatype, op);

	return coll_call_launch(
		"MPI_Ireduce_scatter_c", comm, coll_call_reduce_scatter, &call, request);
}
