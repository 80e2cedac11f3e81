/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI 5.0 section 12.5. */
#include "mpi/handle/fail.h"
#include "win_epoch.h"

static bool group_has(const struct group *g, int world_rank)
{
	for (int i = 0; i < g->size; i++)
		if (g->world[i] == world_rank)
			return true;
	return false;
}

/* A fence alone opens nothing: it may have been the last one. An operation behind it shows that it
 * was not. */
bool win_epoch_is_open(const struct win *w)
{
	return w->fence_used || w->locks || w->locked_all || w->to || w->from;
}

int win_epoch_may_access(struct win *w, int target)
{
	if (w->peers[target].hold != WIN_NO_LOCK)
		return MPI_SUCCESS;
	if (w->to && group_has(w->to, comm_world_rank(w->comm, target)))
		return MPI_SUCCESS;
	if (w->fenced) {
		w->fence_used = true;
		return MPI_SUCCESS;
	}
	if (w->to)
		return fail_with(MPI_ERR_RMA_SYNC,
			"rank %d is not in the group that MPI_Win_start was given for window %s",
			target, win_label(w));
	return fail_with(MPI_ERR_RMA_SYNC,
		"no access epoch of window %s is open for rank %d: neither MPI_Win_fence nor "
		"MPI_Win_start nor MPI_Win_lock has begun one",
		win_label(w), target);
}

int win_epoch_may_fence(struct win *w)
{
	if (w->to)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_start has begun an epoch of window %s: MPI_Win_complete ends it",
			win_label(w));
	if (w->from)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_post has begun an epoch of window %s: MPI_Win_wait ends it",
			win_label(w));
	if (w->locks || w->locked_all)
		return fail_with(MPI_ERR_RMA_SYNC,
			"a lock of window %s is held: MPI_Win_unlock gives it back", win_label(w));
	return MPI_SUCCESS;
}

static int not_after_fence(const struct win *w)
{
	return fail_with(MPI_ERR_RMA_SYNC,
		"an epoch that MPI_Win_fence began is open on window %s: MPI_Win_fence ends it",
		win_label(w));
}

int win_epoch_may_start(struct win *w)
{
	if (w->to || w->locks || w->locked_all)
		return fail_with(MPI_ERR_RMA_SYNC, "an access epoch of window %s is open already",
			win_label(w));
	return w->fence_used ? not_after_fence(w) : MPI_SUCCESS;
}

int win_epoch_may_post(struct win *w)
{
	if (w->from)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_post was called before on window %s, and MPI_Win_wait not yet",
			win_label(w));
	return w->fence_used ? not_after_fence(w) : MPI_SUCCESS;
}

int win_epoch_may_lock(struct win *w, int target)
{
	if (w->to)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_start has begun an access epoch of window %s", win_label(w));
	if (w->locked_all || w->peers[target].hold != WIN_NO_LOCK)
		return fail_with(MPI_ERR_RMA_SYNC, "rank %d of window %s is locked already", target,
			win_label(w));
	return w->fence_used ? not_after_fence(w) : MPI_SUCCESS;
}

int win_epoch_may_lock_all(struct win *w)
{
	if (w->to)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_start has begun an access epoch of window %s", win_label(w));
	if (w->locked_all || w->locks)
		return fail_with(
			MPI_ERR_RMA_SYNC, "a lock of window %s is held already", win_label(w));
	return w->fence_used ? not_after_fence(w) : MPI_SUCCESS;
}

int win_epoch_may_flush(struct win *w, int target)
{
	if (w->peers[target].hold != WIN_NO_LOCK)
		return MPI_SUCCESS;
	return fail_with(
		MPI_ERR_RMA_SYNC, "no lock of rank %d of window %s is held", target, win_label(w));
}
