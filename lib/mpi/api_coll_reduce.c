/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions and scans: MPI 5.0 sections 6.9 to 6.11. */
#include "api.h"
#include "coll.h"
#include "coll_check.h"

/* What a call says beside the communicator. */
struct said {
	struct coll_said_reduction r;
	int root;	   /* MPI_Reduce */
	const int *counts; /* MPI_Reduce_scatter */
};

static int reduce(struct comm *c, struct said *said)
{
	struct coll_reduction r;
	int rc = comm_check_root(c, said->root);

	said->r.has_result = c->rank == said->root;
	if (rc == MPI_SUCCESS)
		rc = coll_check_reduction(&said->r, &r);
	return rc ? coll_refused(c, rc) : coll_reduce(c, &r, said->root);
}

static int allreduce(struct comm *c, struct said *said)
{
	struct coll_reduction r;
	int rc = coll_check_reduction(&said->r, &r);

	return rc ? coll_refused(c, rc) : coll_allreduce(c, &r);
}

static int scan(struct comm *c, struct said *said)
{
	struct coll_reduction r;
	int rc = coll_check_reduction(&said->r, &r);

	return rc ? coll_refused(c, rc) : coll_scan(c, &r);
}

static int exscan(struct comm *c, struct said *said)
{
	struct coll_reduction r;

	/* the result of rank 0 does not count (MPI 5.0 section 6.11.2), but in place it is the
	 * input */
	said->r.has_result = c->rank > 0 || said->r.in == MPI_IN_PLACE;
	int rc = coll_check_reduction(&said->r, &r);

	return rc ? coll_refused(c, rc) : coll_exscan(c, &r);
}

static int reduce_scatter_block(struct comm *c, struct said *said)
{
	struct coll_reduction r;
	int rc = coll_check_reduction(&said->r, &r);

	return rc ? coll_refused(c, rc) : coll_reduce_scatter(c, &r, NULL);
}

static int reduce_scatter(struct comm *c, struct said *said)
{
	struct coll_reduction r;
	int rc = coll_check_counts(c, "recvbuf", said->counts);

	/* for the checks only: is there anything at all? */
	for (int i = 0; i < c->size && rc == MPI_SUCCESS; i++)
		said->r.count |= said->counts[i];
	if (rc == MPI_SUCCESS)
		rc = coll_check_reduction(&said->r, &r);
	return rc ? coll_refused(c, rc) : coll_reduce_scatter(c, &r, said->counts);
}

static int run(const char *name, MPI_Comm comm, int (*do_it)(struct comm *, struct said *),
	struct said *said)
{
	struct comm *c = NULL;

	api_enter(name);
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = do_it(c, said);
	return api_leave(c, rc);
}

#pragma weak MPI_Reduce = PMPI_Reduce
int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, count, datatype, op, true}, .root = root};

	return run("MPI_Reduce", comm, reduce, &said);
}

#pragma weak MPI_Allreduce = PMPI_Allreduce
int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, count, datatype, op, true}};

	return run("MPI_Allreduce", comm, allreduce, &said);
}

#pragma weak MPI_Scan = PMPI_Scan
int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, count, datatype, op, true}};

	return run("MPI_Scan", comm, scan, &said);
}

#pragma weak MPI_Exscan = PMPI_Exscan
int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, count, datatype, op, true}};

	return run("MPI_Exscan", comm, exscan, &said);
}

#pragma weak MPI_Reduce_scatter_block = PMPI_Reduce_scatter_block
int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, recvcount, datatype, op, true}};

	return run("MPI_Reduce_scatter_block", comm, reduce_scatter_block, &said);
}

#pragma weak MPI_Reduce_scatter = PMPI_Reduce_scatter
int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct said said = {.r = {sendbuf, recvbuf, 0, datatype, op, true}, .counts = recvcounts};

	return run("MPI_Reduce_scatter", comm, reduce_scatter, &said);
}
