/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers and data movements: MPI 5.0 sections 6.3 to 6.8. */
#include "api.h"
#include "coll.h"
#include "coll_check.h"

/* The two sides of a movement as the program describes them; root for those that have one. */
struct said_pair {
	struct coll_said send, recv;
	int root;
};

static struct coll_said regular(const char *name, const void *buf, int count, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name, .buf = buf, .count = count, .datatype = datatype};
}

static struct coll_said irregular(const char *name, const void *buf, const int *counts,
	const int *displs, MPI_Datatype datatype)
{
	return (struct coll_said){.name = name,
		.buf = buf,
		.datatype = datatype,
		.irregular = true,
		.counts = counts,
		.displs = displs};
}

#pragma weak MPI_Barrier = PMPI_Barrier
int PMPI_Barrier(MPI_Comm comm)
{
	struct comm *c = NULL;

	api_enter("MPI_Barrier");
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = coll_barrier(c);
	return api_leave(c, rc);
}

static int bcast(struct comm *c, const struct coll_said *said, int root)
{
	struct coll_side side;
	int rc = comm_check_root(c, root);

	if (rc == MPI_SUCCESS)
		rc = coll_check_side(c, said, &side);
	if (rc != MPI_SUCCESS)
		return coll_refused(c, rc);
	return coll_bcast(c, side.buf, side.count, side.type, root);
}

#pragma weak MPI_Bcast = PMPI_Bcast
int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	struct coll_said said = regular("buffer", buffer, count, datatype);
	struct comm *c = NULL;

	api_enter("MPI_Bcast");
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = bcast(c, &said, root);
	return api_leave(c, rc);
}

static int gather(struct comm *c, const struct said_pair *said)
{
	struct coll_side send, recv = coll_no_side(&said->recv);
	int rc = comm_check_root(c, said->root);

	if (rc == MPI_SUCCESS && c->rank != said->root)
		rc = coll_check_side(c, &said->send, &send);
	else if (rc == MPI_SUCCESS)
		rc = coll_check_sides(c, &said->send, &send, &said->recv, &recv);
	return rc ? coll_refused(c, rc) : coll_gather(c, &send, &recv, said->root);
}

static int scatter(struct comm *c, const struct said_pair *said)
{
	struct coll_side recv, send = coll_no_side(&said->send);
	int rc = comm_check_root(c, said->root);

	if (rc == MPI_SUCCESS && c->rank != said->root)
		rc = coll_check_side(c, &said->recv, &recv);
	else if (rc == MPI_SUCCESS)
		rc = coll_check_sides(c, &said->recv, &recv, &said->send, &send);
	return rc ? coll_refused(c, rc) : coll_scatter(c, &send, &recv, said->root);
}

static int allgather(struct comm *c, const struct said_pair *said)
{
	struct coll_side send, recv;
	int rc = coll_check_sides(c, &said->send, &send, &said->recv, &recv);

	return rc ? coll_refused(c, rc) : coll_allgather(c, &send, &recv);
}

static int alltoall(struct comm *c, const struct said_pair *said)
{
	struct coll_side send, recv;
	int rc = coll_check_sides(c, &said->send, &send, &said->recv, &recv);

	return rc ? coll_refused(c, rc) : coll_alltoall(c, &send, &recv);
}

typedef int movement(struct comm *c, const struct said_pair *said);

static int move(const char *name, MPI_Comm comm, movement *do_it, const struct said_pair *said)
{
	struct comm *c = NULL;

	api_enter(name);
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = do_it(c, said);
	return api_leave(c, rc);
}

#pragma weak MPI_Gather = PMPI_Gather
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		regular("recvbuf", recvbuf, recvcount, recvtype), root};

	return move("MPI_Gather", comm, gather, &said);
}

#pragma weak MPI_Gatherv = PMPI_Gatherv
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		irregular("recvbuf", recvbuf, recvcounts, displs, recvtype), root};

	return move("MPI_Gatherv", comm, gather, &said);
}

#pragma weak MPI_Scatter = PMPI_Scatter
int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		regular("recvbuf", recvbuf, recvcount, recvtype), root};

	return move("MPI_Scatter", comm, scatter, &said);
}

#pragma weak MPI_Scatterv = PMPI_Scatterv
int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
	MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
	MPI_Comm comm)
{
	struct said_pair said = {irregular("sendbuf", sendbuf, sendcounts, displs, sendtype),
		regular("recvbuf", recvbuf, recvcount, recvtype), root};

	return move("MPI_Scatterv", comm, scatter, &said);
}

#pragma weak MPI_Allgather = PMPI_Allgather
int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		regular("recvbuf", recvbuf, recvcount, recvtype), 0};

	return move("MPI_Allgather", comm, allgather, &said);
}

#pragma weak MPI_Allgatherv = PMPI_Allgatherv
int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		irregular("recvbuf", recvbuf, recvcounts, displs, recvtype), 0};

	return move("MPI_Allgatherv", comm, allgather, &said);
}

#pragma weak MPI_Alltoall = PMPI_Alltoall
int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct said_pair said = {regular("sendbuf", sendbuf, sendcount, sendtype),
		regular("recvbuf", recvbuf, recvcount, recvtype), 0};

	return move("MPI_Alltoall", comm, alltoall, &said);
}

#pragma weak MPI_Alltoallv = PMPI_Alltoallv
int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
	MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	MPI_Datatype recvtype, MPI_Comm comm)
{
	struct said_pair said = {irregular("sendbuf", sendbuf, sendcounts, sdispls, sendtype),
		irregular("recvbuf", recvbuf, recvcounts, rdispls, recvtype), 0};

	return move("MPI_Alltoallv", comm, alltoall, &said);
}
