/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on intercommunicators (MPI 5.0 section 6.2.3): those that move data. What
 * is combined is in coll_inter_reduce.c.
 *
 * Data that each process has for each of the other side goes straight there. What one process has
 * for all of the other side, and what all of a side make together, goes through rank 0 of each: a
 * stage within the side (steps that name local ranks), one message between the two, a stage within
 * the other side. MPI_IN_PLACE is for intracommunicators only.
 */
#include "coll_inter.h"

#include "coll_stages.h"
#include "coll_run.h"

static int check_sides(
	struct comm *c, struct coll_call *call, struct coll_side *send, struct coll_side *recv)
{
	int rc = coll_stages_check_not_in_place(call->send.buf);

	return rc ? rc : coll_check_both(c->npeers, &call->send, send, &call->recv, recv);
}

static struct sched_span own_block(enum sched_buf buf, const struct coll_side *side)
{
	return coll_stages_first(buf, side->type->size > 0 ? side->count : 0);
}

int coll_inter_barrier(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct sched_reduction nothing = {.commutative = true};

	(void)call;
	coll_stages_combine(run, &nothing);
	if (c->rank == 0) {
		sched_send(&run->s, 0, coll_stages_first(SCHED_OUT, 0));
		sched_recv(&run->s, 0, coll_stages_first(SCHED_TMP, 0));
	}
	coll_stages_local(run);
	sched_bcast_binomial(&run->s, &run->at, coll_stages_first(SCHED_TMP, 0));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* Bytes travel within the side, as in coll_plan_bcast. */
static void take_bcast(struct coll_run *run, const struct coll_side *side, int root)
{
	bool plain = side->type->contiguous;
	size_t bytes = side->count * side->type->size;
	struct sched_span elements = coll_stages_first(SCHED_OUT, side->count);
	struct sched_span packed = coll_stages_first(plain ? SCHED_OUT : SCHED_TMP, bytes);

	coll_run_use(run, SCHED_OUT, side->buf, plain ? type_bytes() : side->type);
	if (run->at.rank == 0)
		sched_recv(&run->s, root, packed);
	coll_stages_spread(run, packed);
	if (!plain)
		sched_copy(&run->s, elements, packed);
	sched_round(&run->s);
}

int coll_inter_bcast(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side side = {0};
	int root = call->root, rc = coll_stages_check_root(c, root);

	if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->send, &side);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root != MPI_ROOT) {
		take_bcast(run, &side, root);
		return MPI_SUCCESS;
	}
	coll_run_use(run, SCHED_IN, side.buf, side.type);
	sched_send(&run->s, 0, coll_stages_first(SCHED_IN, side.count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* A block from each rank of the other side. */
static void take_blocks(struct coll_run *run, const struct coll_side *recv)
{
	struct sched_blocks blocks = coll_plan_blocks(recv);

	coll_run_use(run, SCHED_OUT, recv->buf, recv->type);
	for (int i = 0; i < run->c->npeers; i++)
		sched_recv_some(&run->s, i, sched_block_span(SCHED_OUT, &blocks, i));
}

/* A block to each rank of the other side. */
static void give_blocks(struct coll_run *run, const struct coll_side *send)
{
	struct sched_blocks blocks = coll_plan_blocks(send);

	coll_run_use(run, SCHED_IN, send->buf, send->type);
	for (int i = 0; i < run->c->npeers; i++)
		sched_send_some(&run->s, i, sched_block_span(SCHED_IN, &blocks, i));
}

int coll_inter_gather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int root = call->root, rc = coll_stages_check_root(c, root);

	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		rc = coll_check_side(c->npeers, &call->recv, &recv);
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->send, &send);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root == MPI_ROOT) {
		take_blocks(run, &recv);
	} else {
		coll_run_use(run, SCHED_IN, send.buf, send.type);
		sched_send_some(&run->s, root, own_block(SCHED_IN, &send));
	}
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int root = call->root, rc = coll_stages_check_root(c, root);

	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		rc = coll_check_side(c->npeers, &call->send, &send);
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->recv, &recv);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root == MPI_ROOT) {
		give_blocks(run, &send);
	} else {
		coll_run_use(run, SCHED_OUT, recv.buf, recv.type);
		sched_recv_some(&run->s, root, own_block(SCHED_OUT, &recv));
	}
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_allgather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int rc = check_sides(c, call, &send, &recv);

	if (rc)
		return rc;
	take_blocks(run, &recv);
	coll_run_use(run, SCHED_IN, send.buf, send.type);
	for (int i = 0; i < c->npeers; i++)
		sched_send_some(&run->s, i, own_block(SCHED_IN, &send));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_alltoall(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int rc = check_sides(c, call, &send, &recv);

	if (rc)
		return rc;
	take_blocks(run, &recv);
	give_blocks(run, &send);
	sched_round(&run->s);
	return MPI_SUCCESS;
}
