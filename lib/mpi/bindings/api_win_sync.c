/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronisation of windows (MPI 5.0 section 12.5). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/group.h"
#include "mpi/rma/win.h"

/* The frame around every call: the window is held while it may wait. */
static int enter(const char *name, MPI_Win win, struct win **w)
{
	int rc;

	api_enter(name);
	rc = win_lookup(win, w);
	if (rc == MPI_SUCCESS)
		win_hold(*w);
	return rc;
}

static int leave(struct win *w, int rc)
{
	if (w)
		win_release(w);
	return api_leave_win(w, rc);
}

static int check_assert(int assert, int known)
{
	if (!(assert & ~known))
		return MPI_SUCCESS;
	return fail_with(
		MPI_ERR_ASSERT, "assert is %d, which has bits that mean nothing here", assert);
}

static int check_rank(const struct win *w, int rank)
{
	if ((rank >= 0 && rank < win_size(w)) || rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	return fail_with(
		MPI_ERR_RANK, "rank %d is not in window %s of %d", rank, win_label(w), win_size(w));
}

#pragma weak MPI_Win_fence = PMPI_Win_fence
int PMPI_Win_fence(int assert, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_fence", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_assert(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
						  MPI_MODE_NOSUCCEED);
	if (rc == MPI_SUCCESS)
		rc = win_sync_fence(w, assert);
	return leave(w, rc);
}

/* ---- general active target ---- */

#pragma weak MPI_Win_start = PMPI_Win_start
int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
	struct group *g = NULL;
	struct win *w = NULL;
	int rc = enter("MPI_Win_start", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_assert(assert, MPI_MODE_NOCHECK);
	if (rc == MPI_SUCCESS)
		rc = group_lookup(group, &g);
	if (rc == MPI_SUCCESS)
		rc = win_sync_start(w, g, assert);
	return leave(w, rc);
}

#pragma weak MPI_Win_complete = PMPI_Win_complete
int PMPI_Win_complete(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_complete", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync_complete(w);
	return leave(w, rc);
}

#pragma weak MPI_Win_post = PMPI_Win_post
int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
	struct group *g = NULL;
	struct win *w = NULL;
	int rc = enter("MPI_Win_post", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
	if (rc == MPI_SUCCESS)
		rc = group_lookup(group, &g);
	if (rc == MPI_SUCCESS)
		rc = win_sync_post(w, g, assert);
	return leave(w, rc);
}

#pragma weak MPI_Win_wait = PMPI_Win_wait
int PMPI_Win_wait(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_wait", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync_wait(w);
	return leave(w, rc);
}

#pragma weak MPI_Win_test = PMPI_Win_test
int PMPI_Win_test(MPI_Win win, int *flag)
{
	struct win *w = NULL;
	bool done = false;
	int rc = enter("MPI_Win_test", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = win_sync_test(w, &done);
	if (rc == MPI_SUCCESS)
		*flag = done;
	return leave(w, rc);
}

/* ---- passive target ---- */

static int check_lock_type(int lock_type)
{
	if (lock_type == MPI_LOCK_SHARED || lock_type == MPI_LOCK_EXCLUSIVE)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_LOCKTYPE,
		"lock_type is %d, neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", lock_type);
}

#pragma weak MPI_Win_lock = PMPI_Win_lock
int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_lock", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_lock_type(lock_type);
	if (rc == MPI_SUCCESS)
		rc = check_rank(w, rank);
	if (rc == MPI_SUCCESS)
		rc = check_assert(assert, MPI_MODE_NOCHECK);
	if (rc == MPI_SUCCESS && rank != MPI_PROC_NULL)
		rc = win_sync_lock(w, lock_type == MPI_LOCK_EXCLUSIVE, rank, assert);
	return leave(w, rc);
}

#pragma weak MPI_Win_unlock = PMPI_Win_unlock
int PMPI_Win_unlock(int rank, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_unlock", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_rank(w, rank);
	if (rc == MPI_SUCCESS && rank != MPI_PROC_NULL)
		rc = win_sync_unlock(w, rank);
	return leave(w, rc);
}

#pragma weak MPI_Win_lock_all = PMPI_Win_lock_all
int PMPI_Win_lock_all(int assert, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_lock_all", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_assert(assert, MPI_MODE_NOCHECK);
	if (rc == MPI_SUCCESS)
		rc = win_sync_lock_all(w, assert);
	return leave(w, rc);
}

#pragma weak MPI_Win_unlock_all = PMPI_Win_unlock_all
int PMPI_Win_unlock_all(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_unlock_all", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync_unlock_all(w);
	return leave(w, rc);
}

#pragma weak MPI_Win_flush = PMPI_Win_flush
int PMPI_Win_flush(int rank, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_flush", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_rank(w, rank);
	if (rc == MPI_SUCCESS && rank != MPI_PROC_NULL)
		rc = win_sync_flush(w, rank, false);
	return leave(w, rc);
}

#pragma weak MPI_Win_flush_local = PMPI_Win_flush_local
int PMPI_Win_flush_local(int rank, MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_flush_local", win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_rank(w, rank);
	if (rc == MPI_SUCCESS && rank != MPI_PROC_NULL)
		rc = win_sync_flush(w, rank, true);
	return leave(w, rc);
}

#pragma weak MPI_Win_flush_all = PMPI_Win_flush_all
int PMPI_Win_flush_all(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_flush_all", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync_flush_all(w, false);
	return leave(w, rc);
}

#pragma weak MPI_Win_flush_local_all = PMPI_Win_flush_local_all
int PMPI_Win_flush_local_all(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_flush_local_all", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync_flush_all(w, true);
	return leave(w, rc);
}

#pragma weak MPI_Win_sync = PMPI_Win_sync
int PMPI_Win_sync(MPI_Win win)
{
	struct win *w = NULL;
	int rc = enter("MPI_Win_sync", win, &w);

	if (rc == MPI_SUCCESS)
		rc = win_sync(w);
	return leave(w, rc);
}
