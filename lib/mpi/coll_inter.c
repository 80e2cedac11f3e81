/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on intercommunicators (MPI 5.0 section 6.2.3).
 *
 * Data that each process has for each of the other side goes straight there. What one process has
 * for all of the other side, and what all of a side make together, goes through rank 0 of each: a
 * stage within the side (steps that name local ranks), one message between the two, a stage within
 * the other side. MPI_IN_PLACE is for intracommunicators only.
 */
#include "coll_inter.h"

#include "api.h"
#include "coll_motion.h"
#include "sched.h"

/* ---- what is checked ---- */

static int check_root(const struct comm *c, int root)
{
	if (root == MPI_ROOT || root == MPI_PROC_NULL || (root >= 0 && root < c->npeers))
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_ROOT,
		"root %d is neither MPI_ROOT nor MPI_PROC_NULL, nor in the remote group of %s of "
		"%d",
		root, comm_label(c), c->npeers);
}

static int check_not_in_place(const void *buf)
{
	if (buf != MPI_IN_PLACE)
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning on an intercommunicator");
}

static int check_sides(
	struct comm *c, struct coll_call *call, struct coll_side *send, struct coll_side *recv)
{
	int rc = check_not_in_place(call->send.buf);

	return rc ? rc : coll_check_sides(c->npeers, &call->send, send, &call->recv, recv);
}

static int check_vectors(struct coll_call *call, struct coll_reduction *r)
{
	int rc = check_not_in_place(call->r.in);

	return rc ? rc : coll_check_reduction(&call->r, r);
}

/* ---- stages ---- */

/* What is added to the schedule from here on is among the processes of this side. */
static void among_us(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = true;
}

/* ... is with the other side. */
static void with_them(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = false;
}

/* What rank 0 has in a goes to the others of its side. */
static void spread(struct coll_run *run, struct sched_span a)
{
	among_us(run);
	coll_bcast_span(run, a);
	with_them(run);
}

/* The side's contributions in SCHED_IN, combined, in SCHED_OUT of its rank 0; scratch elsewhere. */
static void combine(struct coll_run *run, const struct sched_reduction *x)
{
	among_us(run);
	sched_reduce_binomial(&run->s, &run->at, x);
	with_them(run);
}

static struct sched_span first_of(enum sched_buf buf, size_t n)
{
	return sched_span(buf, 0, n);
}

static struct sched_span own_block(enum sched_buf buf, const struct coll_side *side)
{
	return first_of(buf, side->type->size > 0 ? side->count : 0);
}

/* ---- movements ---- */

int coll_inter_barrier(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct sched_reduction nothing = {.commutative = true};

	(void)call;
	combine(run, &nothing);
	if (c->rank == 0) {
		sched_send(&run->s, 0, first_of(SCHED_OUT, 0));
		sched_recv(&run->s, 0, first_of(SCHED_TMP, 0));
	}
	among_us(run);
	sched_bcast_binomial(&run->s, &run->at, first_of(SCHED_TMP, 0));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* Bytes travel within the side, as in coll_plan_bcast. */
static void take_bcast(struct coll_run *run, const struct coll_side *side, int root)
{
	bool plain = side->type->contiguous;
	size_t bytes = side->count * side->type->size;
	struct sched_span elements = first_of(SCHED_OUT, side->count);
	struct sched_span packed = first_of(plain ? SCHED_OUT : SCHED_TMP, bytes);

	coll_use(run, SCHED_OUT, side->buf, plain ? type_bytes() : side->type);
	if (run->at.rank == 0)
		sched_recv(&run->s, root, packed);
	spread(run, packed);
	if (!plain)
		sched_copy(&run->s, elements, packed);
	sched_round(&run->s);
}

int coll_inter_bcast(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side side = {0};
	int root = call->root, rc = check_root(c, root);

	if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->send, &side);
	if (rc || root == MPI_PROC_NULL || side.count * side.type->size == 0)
		return rc;
	if (root != MPI_ROOT) {
		take_bcast(run, &side, root);
		return MPI_SUCCESS;
	}
	coll_use(run, SCHED_IN, side.buf, side.type);
	sched_send(&run->s, 0, first_of(SCHED_IN, side.count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

/* From each of the other side its block. */
static void take_blocks(struct coll_run *run, const struct coll_side *recv)
{
	struct sched_blocks blocks = coll_blocks(recv);

	coll_use(run, SCHED_OUT, recv->buf, recv->type);
	for (int i = 0; i < run->c->npeers; i++)
		sched_recv_some(&run->s, i, sched_block(SCHED_OUT, &blocks, i));
}

/* To each of them its block. */
static void give_blocks(struct coll_run *run, const struct coll_side *send)
{
	struct sched_blocks blocks = coll_blocks(send);

	coll_use(run, SCHED_IN, send->buf, send->type);
	for (int i = 0; i < run->c->npeers; i++)
		sched_send_some(&run->s, i, sched_block(SCHED_IN, &blocks, i));
}

int coll_inter_gather(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int root = call->root, rc = check_root(c, root);

	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		rc = coll_check_side(c->npeers, &call->recv, &recv);
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->send, &send);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root == MPI_ROOT) {
		take_blocks(run, &recv);
	} else {
		coll_use(run, SCHED_IN, send.buf, send.type);
		sched_send_some(&run->s, root, own_block(SCHED_IN, &send));
	}
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_side send, recv;
	int root = call->root, rc = check_root(c, root);

	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		rc = coll_check_side(c->npeers, &call->send, &send);
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_side(c->npeers, &call->recv, &recv);
	if (rc || root == MPI_PROC_NULL)
		return rc;
	if (root == MPI_ROOT) {
		give_blocks(run, &send);
	} else {
		coll_use(run, SCHED_OUT, recv.buf, recv.type);
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
	coll_use(run, SCHED_IN, send.buf, send.type);
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

/* ---- reductions ---- */

/* A side's contributions, n elements each; the result of a side goes to the other one. */
static void begin_reduction(struct coll_run *run, const struct coll_reduction *r, size_t n)
{
	struct sched_reduction x = {n, r->op->commutative, false};

	run->op = r->op;
	run->scratch_type = r->type;
	coll_use(run, SCHED_IN, r->in, r->type);
	combine(run, &x);
}

/* The results of both sides change hands between their ranks 0: into `to`. */
static void swap_results(struct coll_run *run, struct sched_span to)
{
	if (run->at.rank == 0) {
		sched_send(&run->s, 0, first_of(SCHED_OUT, to.n));
		sched_recv(&run->s, 0, to);
	}
	sched_round(&run->s);
}

/* The root takes the other side's result from its rank 0. */
static int take_result(struct coll_run *run, const struct coll_reduction *r)
{
	coll_use(run, SCHED_OUT, r->out, r->type);
	sched_recv(&run->s, 0, first_of(SCHED_OUT, r->count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_reduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int root = call->root, rc = check_root(c, root);

	call->r.has_result = root == MPI_ROOT;
	if (rc == MPI_SUCCESS && root == MPI_ROOT)
		call->r.in = MPI_IN_PLACE; /* it has no part in what is combined */
	else if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = check_not_in_place(call->r.in);
	if (rc == MPI_SUCCESS && root != MPI_PROC_NULL)
		rc = coll_check_reduction(&call->r, &r);
	if (rc || root == MPI_PROC_NULL || r.count == 0)
		return rc;
	if (root == MPI_ROOT)
		return take_result(run, &r);
	begin_reduction(run, &r, r.count);
	if (c->rank == 0)
		sched_send(&run->s, root, first_of(SCHED_OUT, r.count));
	sched_round(&run->s);
	return MPI_SUCCESS;
}

int coll_inter_allreduce(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int rc = check_vectors(call, &r);

	(void)c;
	if (rc || r.count == 0)
		return rc;
	begin_reduction(run, &r, r.count);
	coll_use(run, SCHED_AUX, r.out, r.type);
	swap_results(run, first_of(SCHED_AUX, r.count));
	spread(run, first_of(SCHED_AUX, r.count));
	return MPI_SUCCESS;
}

/* Rank 0 deals out the other side's result, which lies in SCHED_TMP. */
static void deal(struct coll_run *run, const struct coll_reduction *r, const struct sched_blocks *b)
{
	int me = run->at.rank;
	struct sched_span own = first_of(SCHED_AUX, sched_block(SCHED_TMP, b, me).n);

	coll_use(run, SCHED_AUX, r->out, r->type);
	among_us(run);
	if (me != 0)
		sched_recv_some(&run->s, 0, own);
	for (int i = 1; i < run->at.size && me == 0; i++)
		sched_send_some(&run->s, i, sched_block(SCHED_TMP, b, i));
	if (me == 0 && own.n > 0)
		sched_copy(&run->s, own, sched_block(SCHED_TMP, b, 0));
	sched_round(&run->s);
}

static int plan_reduce_scatter(
	struct coll_run *run, const struct coll_reduction *r, struct sched_numbers counts)
{
	struct sched_blocks blocks = {.n = r->count};
	size_t total = r->count * (size_t)run->at.size;
	int rc = MPI_SUCCESS;

	if (sched_given(counts))
		total = r->count; /* of all blocks */
	if (total == 0)
		return MPI_SUCCESS;
	begin_reduction(run, r, total);
	if (sched_given(counts))
		rc = coll_prefix(run, counts, 1, &blocks.offsets);
	if (rc != MPI_SUCCESS)
		return rc;
	swap_results(run, first_of(SCHED_TMP, total));
	deal(run, r, &blocks);
	return MPI_SUCCESS;
}

int coll_inter_reduce_scatter_block(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;

	call->r.blocks = c->size;
	int rc = check_vectors(call, &r);

	return rc ? rc : plan_reduce_scatter(run, &r, (struct sched_numbers){0});
}

int coll_inter_reduce_scatter(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	struct coll_reduction r;
	int rc = coll_check_counts(c->size, "recvbuf", call->counts, &call->r.count);

	if (rc == MPI_SUCCESS)
		rc = check_vectors(call, &r);
	return rc ? rc : plan_reduce_scatter(run, &r, call->counts);
}

int coll_inter_scan(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	(void)call;
	(void)run;
	return api_fail(
		MPI_ERR_COMM, "scans are for intracommunicators: %s has two groups", comm_label(c));
}

/* ---- the library's own ---- */

int coll_plan_swap(struct coll_run *run, struct comm *c, const struct coll_swap *w)
{
	coll_use(run, SCHED_IN, w->mine, type_bytes());
	coll_use(run, SCHED_OUT, w->theirs, type_bytes());
	if (c->rank == 0) {
		sched_send_some(&run->s, 0, first_of(SCHED_IN, w->my_bytes));
		sched_recv_some(&run->s, 0, first_of(SCHED_OUT, w->their_bytes));
	}
	if (w->their_bytes > 0)
		spread(run, first_of(SCHED_OUT, w->their_bytes));
	return MPI_SUCCESS;
}

/* What this rank says is written by a round of its own, onto itself. So a line that cuts the
 * operation has it: begun again the operation means what it has said, not what it would say now. */
static void note_said(struct coll_run *run, const void *said, size_t n)
{
	coll_use(run, SCHED_IN, said, type_bytes());
	sched_copy(&run->s, first_of(SCHED_OUT, n), first_of(SCHED_IN, n));
	sched_round(&run->s);
}

int coll_call_agree(struct coll_run *run, struct comm *c, struct coll_call *call)
{
	size_t n = (size_t)call->send.count;

	coll_use(run, SCHED_OUT, call->send.buf, type_bytes());
	if (c->rank == 0)
		note_said(run, call->send.buf, n);
	if (!c->remote) {
		coll_bcast_span(run, first_of(SCHED_OUT, n));
		return MPI_SUCCESS;
	}
	if (c->rank == 0) {
		sched_send(&run->s, 0, first_of(SCHED_OUT, n));
		sched_recv(&run->s, 0, sched_span(SCHED_OUT, (ptrdiff_t)n, n));
	}
	spread(run, first_of(SCHED_OUT, 2 * n));
	return MPI_SUCCESS;
}
