/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_stages.h"

#include "coll_motion.h"
#include "mpi/handle/fail.h"

/* ---- what is checked ---- */

int coll_inter_check_root(const struct comm *c, int root)
{
	if (root == MPI_ROOT || root == MPI_PROC_NULL || (root >= 0 && root < c->npeers))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_ROOT,
		"root %d is neither MPI_ROOT nor MPI_PROC_NULL, nor in the remote group of %s of "
		"%d",
		root, comm_label(c), c->npeers);
}

int coll_inter_check_not_in_place(const void *buf)
{
	if (buf != MPI_IN_PLACE)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning on an intercommunicator");
}

/* ---- stages ---- */

void coll_inter_among_us(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = true;
}

void coll_inter_with_them(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = false;
}

void coll_inter_spread(struct coll_run *run, struct sched_span a)
{
	coll_inter_among_us(run);
	coll_bcast_span(run, a);
	coll_inter_with_them(run);
}

void coll_inter_combine(struct coll_run *run, const struct sched_reduction *x)
{
	coll_inter_among_us(run);
	sched_reduce_binomial(&run->s, &run->at, x);
	coll_inter_with_them(run);
}
