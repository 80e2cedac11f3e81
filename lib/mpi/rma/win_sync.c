/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronisation (MPI 5.0 section 12.5). The call that ends an epoch waits until the targets have
 * answered, so that the epoch's operations are done at both ends: no message is on its way between
 * epochs.
 */
#include <stdatomic.h>

#include "mpi/coll/coll_motion.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "rma.h"
#include "win_epoch.h"

/* The ranks of one host see each other's loads and stores of shared memory in this order. */
static void see_memory(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

static int first_of(int a, int b)
{
	return a ? a : b;
}

int win_sync_barrier(struct win *w)
{
	struct coll_run run;

	coll_run_begin(&run, w->comm);
	return coll_motion_end(&run, coll_plan_barrier(&run, w->comm));
}

/* There is a barrier also where the assertions say that none is needed: other ranks may not have
 * begun their exposure epochs. */
int win_sync_fence(struct win *w, int assert)
{
	int rc = win_epoch_may_fence(w), failed;

	engine_assert_held();
	if (rc)
		return rc;
	see_memory();
	failed = rma_wait_all(w, false);
	rc = win_sync_barrier(w);
	see_memory();
	w->fence_used = false;
	w->fenced = !(assert &MPI_MODE_NOSUCCEED);
	return first_of(failed, rc);
}

/* ---- general active target ---- */

/* The rank in the window of rank i of g; -1: it is not there. */
static int rank_in(const struct win *w, const struct group *g, int i)
{
	const struct group *all = w->comm->group;

	for (int rank = 0; rank < all->size; rank++)
		if (all->world[rank] == g->world[i])
			return rank;
	return -1;
}

static int check_members(const struct win *w, const struct group *g)
{
	for (int i = 0; i < g->size; i++)
		if (rank_in(w, g, i) < 0)
			return fail_with(MPI_ERR_GROUP,
				"rank %d of the group is not in the group of window %s", i,
				win_label(w));
	return MPI_SUCCESS;
}

static int send_to_members(struct win *w, const struct group *g, enum rma_kind kind)
{
	int rc = MPI_SUCCESS;

	for (int i = 0; rc == MPI_SUCCESS && i < g->size; i++)
		rc = rma_message_send_head(w, rank_in(w, g, i), (struct rma_head){.kind = kind});
	return rc;
}

struct members {
	struct win *w;
	const struct group *g;
	int i;
};

static bool all_posted(void *arg)
{
	struct members *m = arg;

	while (m->i < m->g->size && m->w->peers[rank_in(m->w, m->g, m->i)].posts)
		m->i++;
	return m->i == m->g->size;
}

static bool all_completed(void *arg)
{
	struct members *m = arg;

	while (m->i < m->g->size && m->w->peers[rank_in(m->w, m->g, m->i)].completed)
		m->i++;
	return m->i == m->g->size;
}

/* MPI_MODE_NOCHECK is given on both sides, so no target sends that it has posted. */
int win_sync_start(struct win *w, struct group *g, int assert)
{
	struct members m = {.w = w, .g = g};
	int rc = win_epoch_may_start(w);

	engine_assert_held();
	if (rc == MPI_SUCCESS)
		rc = check_members(w, g);
	if (rc)
		return rc;
	w->to = g;
	group_hold(g);
	w->fenced = false;
	if (!(assert &MPI_MODE_NOCHECK)) {
		rc = rma_wait(all_posted, &m);
		for (int i = 0; rc == MPI_SUCCESS && i < g->size; i++)
			w->peers[rank_in(w, g, i)].posts--;
	}
	see_memory();
	return rc;
}

int win_sync_complete(struct win *w)
{
	struct group *g = w->to;
	int rc, failed;

	engine_assert_held();
	if (!g)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_start has not begun an epoch of window %s", win_label(w));
	see_memory();
	failed = rma_wait_all(w, false);
	rc = send_to_members(w, g, RMA_COMPLETE);
	w->to = NULL;
	group_release(g);
	return first_of(failed, rc);
}

int win_sync_post(struct win *w, struct group *g, int assert)
{
	int rc = win_epoch_may_post(w);

	engine_assert_held();
	if (rc == MPI_SUCCESS)
		rc = check_members(w, g);
	if (rc)
		return rc;
	see_memory();
	w->from = g;
	group_hold(g);
	w->fenced = false;
	return assert &MPI_MODE_NOCHECK ? MPI_SUCCESS : send_to_members(w, g, RMA_POST);
}

static int not_posted(const struct win *w)
{
	return fail_with(
		MPI_ERR_RMA_SYNC, "MPI_Win_post has not begun an epoch of window %s", win_label(w));
}

static void end_exposure(struct win *w)
{
	struct group *g = w->from;

	for (int i = 0; i < g->size; i++)
		w->peers[rank_in(w, g, i)].completed--;
	w->from = NULL;
	group_release(g);
	see_memory();
}

int win_sync_wait(struct win *w)
{
	struct members m = {.w = w, .g = w->from};
	int rc;

	engine_assert_held();
	if (!m.g)
		return not_posted(w);
	rc = rma_wait(all_completed, &m);
	if (rc == MPI_SUCCESS && w->from == m.g)
		end_exposure(w);
	return rc;
}

int win_sync_test(struct win *w, bool *done)
{
	struct members m = {.w = w, .g = w->from};

	engine_assert_held();
	if (!m.g)
		return not_posted(w);
	engine_look();
	if (w->from != m.g)
		return not_posted(w);
	*done = all_completed(&m);
	if (*done)
		end_exposure(w);
	return MPI_SUCCESS;
}

/* ---- passive target ---- */

static bool granted(void *arg)
{
	struct win_peer *p = arg;

	return !p->waits;
}

static int ask_lock(struct win *w, int target, bool exclusive)
{
	struct win_peer *p = &w->peers[target];

	p->waits = true;
	p->hold = exclusive ? WIN_EXCLUSIVE : WIN_SHARED;
	return rma_message_send_head(w, target,
		(struct rma_head){.kind = exclusive ? RMA_LOCK_EXCLUSIVE : RMA_LOCK_SHARED});
}

int win_sync_lock(struct win *w, bool exclusive, int target, int assert)
{
	struct win_peer *p = &w->peers[target];
	int rc = win_epoch_may_lock(w, target);

	engine_assert_held();
	if (rc)
		return rc;
	w->fenced = false;
	w->locks++;
	if (assert & MPI_MODE_NOCHECK)
		p->hold = WIN_NOCHECK;
	else
		rc = ask_lock(w, target, exclusive);
	if (rc == MPI_SUCCESS)
		rc = rma_wait(granted, p);
	see_memory();
	return rc;
}

/* The target answers the operations before the end of the lock, so one wait is enough. */
static int give_back(struct win *w, int target)
{
	struct win_peer *p = &w->peers[target];
	bool held = p->hold == WIN_SHARED || p->hold == WIN_EXCLUSIVE;

	p->hold = WIN_NO_LOCK;
	return held ? rma_origin_unlock(w, target) : MPI_SUCCESS;
}

int win_sync_unlock(struct win *w, int target)
{
	int rc;

	engine_assert_held();
	if (w->locked_all)
		return fail_with(MPI_ERR_RMA_SYNC,
			"MPI_Win_lock_all has locked window %s: MPI_Win_unlock_all gives it back",
			win_label(w));
	if (w->peers[target].hold == WIN_NO_LOCK)
		return fail_with(MPI_ERR_RMA_SYNC, "rank %d of window %s is not locked", target,
			win_label(w));
	see_memory();
	rc = give_back(w, target);
	rc = first_of(rc, rma_wait_target(w, target, false));
	w->locks--;
	return rc;
}

struct all {
	struct win *w;
	int i;
};

static bool all_granted(void *arg)
{
	struct all *a = arg;

	while (a->i < win_size(a->w) && !a->w->peers[a->i].waits)
		a->i++;
	return a->i == win_size(a->w);
}

int win_sync_lock_all(struct win *w, int assert)
{
	struct all a = {.w = w};
	int rc = win_epoch_may_lock_all(w);

	engine_assert_held();
	if (rc)
		return rc;
	w->fenced = false;
	w->locked_all = true;
	for (int i = 0; rc == MPI_SUCCESS && i < win_size(w); i++) {
		if (assert & MPI_MODE_NOCHECK)
			w->peers[i].hold = WIN_NOCHECK;
		else
			rc = ask_lock(w, i, false);
	}
	if (rc == MPI_SUCCESS)
		rc = rma_wait(all_granted, &a);
	see_memory();
	return rc;
}

int win_sync_unlock_all(struct win *w)
{
	int rc = MPI_SUCCESS;

	engine_assert_held();
	if (!w->locked_all)
		return fail_with(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all has not locked window %s",
			win_label(w));
	see_memory();
	for (int i = 0; i < win_size(w); i++)
		rc = first_of(rc, give_back(w, i));
	rc = first_of(rc, rma_wait_all(w, false));
	w->locked_all = false;
	return rc;
}

int win_sync_flush(struct win *w, int target, bool local)
{
	int rc = win_epoch_may_flush(w, target);

	engine_assert_held();
	if (rc)
		return rc;
	see_memory();
	rc = rma_wait_target(w, target, local);
	see_memory();
	return rc;
}

/* A flush that has nothing to wait for makes progress all the same: a program may look at its
 * memory, and flush, until another rank has changed it. */
int win_sync_flush_all(struct win *w, bool local)
{
	int rc;

	engine_assert_held();
	if (!w->locks && !w->locked_all)
		return fail_with(MPI_ERR_RMA_SYNC, "no lock of window %s is held", win_label(w));
	see_memory();
	rc = rma_wait_all(w, local);
	see_memory();
	return rc;
}

int win_sync(struct win *w)
{
	(void)w;
	see_memory();
	engine_look();
	see_memory();
	return MPI_SUCCESS;
}
