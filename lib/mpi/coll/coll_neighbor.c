/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives: MPI 5.0 section 8.6. A block for each neighbour of the topology. */
#include "coll_call.h"
#include "coll_run.h"
#include "mpi/comm/topo.h"
#include "mpi/handle/fail.h"

static int look_around(const struct comm *c, const struct sched_around **around)
{
	if (!c->topo)
		return fail_with(MPI_ERR_TOPOLOGY, "communicator %s of %d has no topology",
			comm_label(c), c->size);
	if (c->topo->one_way)
		return fail_with(MPI_ERR_TOPOLOGY,
			"the graph of communicator %s of %d has edges that %s", comm_label(c),
			c->size,
			c->topo->kind == MPI_GRAPH
				? "lead one way only: neighbours could wait for ever; use a "
				  "distributed graph"
				: "one end alone has named: its neighbours would wait for ever; "
				  "name each as a destination and as a source");
	*around = &c->topo->around;
	return MPI_SUCCESS;
}

/* one: all destinations get the same block, as in an allgather. */
static int check(const struct sched_around *n, const struct coll_call *call, bool one,
	struct coll_side *send, struct coll_side *recv)
{
	int most = n->nsources < n->ndestinations ? n->nsources : n->ndestinations;
	int rc = coll_check_side(one ? 1 : n->ndestinations, &call->send, send);

	if (rc == MPI_SUCCESS)
		rc = coll_check_side(n->nsources, &call->recv, recv);
	return rc ? rc : coll_check_apart(send, recv, most);
}

static int exchange(struct coll_run *run, struct comm *c, const struct coll_call *call, bool one)
{
	const struct sched_around *n = NULL;
	struct coll_side send, recv;
	int rc = look_around(c, &n);

	if (rc == MPI_SUCCESS)
		rc = check(n, call, one, &send, &recv);
	if (rc != MPI_SUCCESS)
		return rc;
	struct sched_layout l = {.in = coll_plan_blocks(&send), .out = coll_plan_blocks(&recv)};

	coll_run_use(run, SCHED_IN, send.buf, send.type);
	coll_run_use(run, SCHED_OUT, recv.buf, recv.type);
	sched_neighbor(&run->s, &run->at, n, &l, one);
	return MPI_SUCCESS;
}

int coll_neighbor_allgather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	return exchange(run, c, call, true);
}

int coll_neighbor_alltoall(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	return exchange(run, c, call, false);
}

int coll_neighbor_alltoallw(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	const struct sched_around *n = NULL;
	int rc = look_around(c, &n);

	if (rc == MPI_SUCCESS)
		rc = coll_typed_use(run, SCHED_IN, &call->send, n->ndestinations);
	if (rc == MPI_SUCCESS)
		rc = coll_typed_use(run, SCHED_OUT, &call->recv, n->nsources);
	if (rc == MPI_SUCCESS)
		rc = coll_typed_check_apart(run);
	if (rc != MPI_SUCCESS)
		return rc;
	struct sched_layout l = {
		.in = coll_typed_blocks(run, SCHED_IN), .out = coll_typed_blocks(run, SCHED_OUT)};

	sched_neighbor(&run->s, &run->at, n, &l, false);
	return MPI_SUCCESS;
}
