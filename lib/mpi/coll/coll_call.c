/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_call.h"

#include "coll_inter.h"
#include "coll_run.h"

/* ---- movements: MPI 5.0 sections 6.3 to 6.8 ---- */

int coll_call_barrier(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_barrier(run, c, call);
	return coll_plan_barrier(run, c);
}

int coll_call_bcast(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_bcast(run, c, call);
	struct coll_side side;
	int rc = comm_check_root(c, call->root);

	if (rc == MPI_SUCCESS)
		rc = coll_check_side(c->npeers, &call->send, &side);
	return rc ? rc : coll_plan_bcast(run, c, &side, call->root);
}

/* Both sides where this rank's own is its one block of the other. */
static int check_one(const struct comm *c, const struct coll_said *said_own, struct coll_side *own,
	const struct coll_said *said_other, struct coll_side *other)
{
	int rc = coll_check_both(c->npeers, said_own, own, said_other, other);

	return rc ? rc : coll_check_own(own, other, c->rank);
}

int coll_call_gather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_gather(run, c, call);
	struct coll_side send, recv = coll_check_no_side(&call->recv);
	int rc = comm_check_root(c, call->root);

	if (rc == MPI_SUCCESS && c->rank != call->root)
		rc = coll_check_side(c->npeers, &call->send, &send);
	else if (rc == MPI_SUCCESS)
		rc = check_one(c, &call->send, &send, &call->recv, &recv);
	return rc ? rc : coll_plan_gather(run, c, &send, &recv, call->root);
}

int coll_call_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_scatter(run, c, call);
	struct coll_side recv, send = coll_check_no_side(&call->send);
	int rc = comm_check_root(c, call->root);

	if (rc == MPI_SUCCESS && c->rank != call->root)
		rc = coll_check_side(c->npeers, &call->recv, &recv);
	else if (rc == MPI_SUCCESS)
		rc = check_one(c, &call->recv, &recv, &call->send, &send);
	return rc ? rc : coll_plan_scatter(run, c, &send, &recv, call->root);
}

int coll_call_allgather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_allgather(run, c, call);
	struct coll_side send, recv;
	int rc = check_one(c, &call->send, &send, &call->recv, &recv);

	return rc ? rc : coll_plan_allgather(run, c, &send, &recv);
}

int coll_call_alltoall(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_alltoall(run, c, call);
	struct coll_side send, recv;
	int rc = coll_check_both(c->npeers, &call->send, &send, &call->recv, &recv);

	return rc ? rc : coll_plan_alltoall(run, c, &send, &recv);
}

/* ---- reductions and scans: MPI 5.0 sections 6.9 to 6.11 ---- */

int coll_call_reduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_reduce(run, c, call);
	struct coll_reduction r;
	int rc = comm_check_root(c, call->root);

	call->r.has_result = c->rank == call->root;
	if (rc == MPI_SUCCESS)
		rc = coll_check_reduction(&call->r, &r);
	return rc ? rc : coll_plan_reduce(run, c, &r, call->root);
}

int coll_call_allreduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_allreduce(run, c, call);
	struct coll_reduction r;
	int rc = coll_check_reduction(&call->r, &r);

	return rc ? rc : coll_plan_allreduce(run, c, &r);
}

int coll_call_scan(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_scan(run, c, call);
	struct coll_reduction r;
	int rc = coll_check_reduction(&call->r, &r);

	return rc ? rc : coll_plan_scan(run, c, &r);
}

int coll_call_exscan(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_scan(run, c, call);
	struct coll_reduction r;

	/* the result of rank 0 does not count (MPI 5.0 section 6.11.2), but in place it is the
	 * input; and one memory for both is as wrong there as on the others, which all refuse */
	call->r.has_result = c->rank > 0 || call->r.in == MPI_IN_PLACE || call->r.in == call->r.out;
	int rc = coll_check_reduction(&call->r, &r);

	return rc ? rc : coll_plan_exscan(run, c, &r);
}

int coll_call_reduce_scatter_block(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_reduce_scatter_block(run, c, call);
	struct coll_reduction r;

	call->r.blocks = c->size;
	int rc = coll_check_reduction(&call->r, &r);

	return rc ? rc : coll_plan_reduce_scatter(run, c, &r, (struct sched_numbers){0});
}

int coll_call_reduce_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	if (c->remote)
		return coll_inter_reduce_scatter(run, c, call);
	struct coll_reduction r;
	int rc = coll_check_counts(c->size, "recvbuf", call->counts, &call->r.count);

	if (rc == MPI_SUCCESS)
		rc = coll_check_reduction(&call->r, &r);
	return rc ? rc : coll_plan_reduce_scatter(run, c, &r, call->counts);
}
