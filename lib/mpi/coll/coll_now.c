/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations that the library itself needs: planned and run at once. */
#include "coll_inter.h"
#include "coll_motion.h"

/* Bytes of each rank, side by side in all. */
static struct coll_side side_of(const void *buf, size_t bytes)
{
	return (struct coll_side){
		.buf = (void *)(uintptr_t)buf, .count = bytes, .type = type_bytes()};
}

int coll_now_bcast(struct comm *c, void *buf, size_t bytes, int root)
{
	struct coll_side side = side_of(buf, bytes);
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_bcast(&run, c, &side, root));
}

int coll_now_swap(struct comm *c, const struct coll_swap *w)
{
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_own_swap(&run, c, w));
}

int coll_now_agree(struct comm *c, void *both, size_t bytes)
{
	struct coll_call call = {.send = {.buf = both, .count = (MPI_Count)bytes}};
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_own_agree(&run, c, &call));
}

int coll_now_allgather(struct comm *c, const void *mine, size_t bytes, void *all)
{
	struct coll_side send = side_of(mine, bytes), recv = side_of(all, bytes);
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_allgather(&run, c, &send, &recv));
}

int coll_now_alltoall(struct comm *c, const void *mine, size_t bytes, void *all)
{
	struct coll_side send = side_of(mine, bytes), recv = side_of(all, bytes);
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_alltoall(&run, c, &send, &recv));
}

int coll_now_gather(struct comm *c, const void *mine, size_t bytes, void *all, int root)
{
	struct coll_side send = side_of(mine, bytes), recv = side_of(all, bytes);
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_gather(&run, c, &send, &recv, root));
}

int coll_now_allreduce(struct comm *c, const struct coll_reduction *r)
{
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, coll_plan_allreduce(&run, c, r));
}

int coll_now_reduce_scatter(struct comm *c, const struct coll_reduction *r)
{
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(
		&run, coll_plan_reduce_scatter(&run, c, r, (struct sched_numbers){0}));
}
