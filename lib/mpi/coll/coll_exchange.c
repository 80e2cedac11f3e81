/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and all-to-all: MPI 5.0 sections 6.7 and 6.8. */
#include "coll.h"
#include "coll_choose.h"
#include "coll_motion.h"
#include "mpi/sched/sched.h"

/* What this rank gives to an allgather: nothing when it is in place already. */
static void use_own(struct coll_run *run, struct sched_layout *l, const struct coll_side *send)
{
	l->in_place = send->buf == MPI_IN_PLACE;
	if (l->in_place)
		return;
	l->in.n = send->type->size > 0 ? send->count : 0;
	coll_use(run, SCHED_IN, send->buf, send->type);
}

static void plan_allgather(struct coll_run *run, const struct sched_layout *l, enum coll_algo algo)
{
	switch (algo) {
	case ALGO_TREE:
		sched_allgather_tree(&run->s, &run->at, l);
		break;
	case ALGO_LEADERS:
		sched_allgather_leaders(&run->s, &run->at, l);
		break;
	case ALGO_DOUBLING:
		sched_allgather_doubling(&run->s, &run->at, l);
		break;
	case ALGO_BRUCK:
		sched_allgather_bruck(&run->s, &run->at, l);
		break;
	default:
		sched_allgather_ring(&run->s, &run->at, l);
	}
}

static bool side_by_side(const struct coll_side *side, const size_t *offsets, int n)
{
	for (int i = 0; i < n; i++) {
		if (sched_number(side->displs, i) != (int64_t)offsets[i])
			return false;
	}
	return true;
}

/* Where irregular blocks of a tree lie one after the other: in the receive buffer if the caller has
 * put them so, else packed in scratch. */
static int lay_irregular(struct coll_run *run, struct sched_layout *l, const struct coll_side *recv)
{
	const size_t *offsets;
	int rc = coll_prefix(run, recv->counts, 1, &offsets);

	if (rc != MPI_SUCCESS)
		return rc;
	l->packed = !recv->type->contiguous || !side_by_side(recv, offsets, run->at.size);
	if (!l->packed) {
		l->out = (struct sched_blocks){.offsets = offsets};
		return MPI_SUCCESS;
	}
	for (int i = 0; i <= run->at.size; i++)
		run->offsets[i] *= recv->type->size;
	l->tmp = (struct sched_blocks){.offsets = offsets};
	return MPI_SUCCESS;
}

static int allgatherv(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	struct sched_layout l = {.out = coll_blocks(recv)};
	struct coll_case k = {COLL_ALLGATHERV, c->size, 0, c->crowded, false};
	int rc = MPI_SUCCESS;

	for (int i = 0; i < c->size; i++)
		k.bytes += (size_t)sched_number(recv->counts, i) * recv->type->size;
	if (k.bytes == 0)
		return MPI_SUCCESS;
	enum coll_algo algo = coll_choose(&k);

	use_own(run, &l, send);
	coll_use(run, SCHED_OUT, recv->buf, recv->type);
	if (algo == ALGO_TREE)
		rc = lay_irregular(run, &l, recv);
	if (rc != MPI_SUCCESS)
		return rc;
	plan_allgather(run, &l, algo);
	return MPI_SUCCESS;
}

int coll_plan_allgather(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	size_t block = recv->count * recv->type->size;
	struct sched_layout l = {.out.n = recv->count, .tmp.n = block};
	struct coll_case k = {COLL_ALLGATHER, c->size, block * (size_t)c->size, c->crowded, false};

	if (recv->irregular)
		return allgatherv(run, c, send, recv);
	if (block == 0)
		return MPI_SUCCESS;
	l.packed = !recv->type->contiguous;
	use_own(run, &l, send);
	coll_use(run, SCHED_OUT, recv->buf, recv->type);
	plan_allgather(run, &l, coll_choose(&k));
	return MPI_SUCCESS;
}

static void plan_alltoall(struct coll_run *run, const struct sched_layout *l, enum coll_algo algo)
{
	switch (algo) {
	case ALGO_TREE:
		sched_alltoall_tree(&run->s, &run->at, l);
		break;
	case ALGO_LEADERS:
		sched_alltoall_leaders(&run->s, &run->at, l);
		break;
	case ALGO_BRUCK:
		sched_alltoall_bruck(&run->s, &run->at, l);
		break;
	case ALGO_PAIRWISE:
		sched_alltoall_window(&run->s, &run->at, l, 1);
		break;
	default:
		sched_alltoall_window(&run->s, &run->at, l, COLL_WINDOW);
	}
}

/* Nobody knows more than its own row of the table of counts: the algorithm is fixed. */
static int alltoallv(
	struct coll_run *run, const struct coll_side *send, const struct coll_side *recv)
{
	struct sched_layout l = {.out = coll_blocks(recv), .in_place = send->buf == MPI_IN_PLACE};
	int rc = MPI_SUCCESS;

	coll_use(run, SCHED_OUT, recv->buf, recv->type);
	if (l.in_place) {
		rc = coll_prefix(run, recv->counts, recv->type->size, &l.tmp.offsets);
	} else {
		l.in = coll_blocks(send);
		coll_use(run, SCHED_IN, send->buf, send->type);
	}
	if (rc != MPI_SUCCESS)
		return rc;
	plan_alltoall(run, &l, ALGO_WINDOW);
	return MPI_SUCCESS;
}

int coll_plan_alltoall(struct coll_run *run, struct comm *c, const struct coll_side *send,
	const struct coll_side *recv)
{
	size_t block = recv->count * recv->type->size;
	struct sched_layout l = {.out.n = recv->count, .tmp.n = block};
	struct coll_case k = {COLL_ALLTOALL, c->size, block, c->crowded, false};

	if (recv->irregular)
		return alltoallv(run, send, recv);
	if (block == 0)
		return MPI_SUCCESS;
	l.in_place = send->buf == MPI_IN_PLACE;
	coll_use(run, SCHED_OUT, recv->buf, recv->type);
	if (!l.in_place) {
		l.in.n = send->count;
		coll_use(run, SCHED_IN, send->buf, send->type);
	}
	plan_alltoall(run, &l, coll_choose(&k));
	return MPI_SUCCESS;
}
