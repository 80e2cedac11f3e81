/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for what other ranks of a window send. */
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "rma.h"

struct until {
	bool (*done)(void *arg);
	void *arg;
};

static bool reached(void *arg, int *expect)
{
	struct until *u = arg;

	(void)expect;
	return u->done(u->arg) || p2p_gone();
}

int rma_wait(bool (*done)(void *arg), void *arg)
{
	struct until u = {done, arg};

	engine_wait(reached, &u);
	if (done(arg))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_PROC_ABORTED, "a rank has left the job");
}

struct quiet {
	struct win *w;
	int from, to; /* targets, `to` not included */
	bool local;
};

static bool is_quiet(void *arg)
{
	struct quiet *q = arg;

	for (; q->from < q->to; q->from++) {
		const struct win_peer *p = &q->w->peers[q->from];

		if (q->local ? p->results : p->unanswered)
			return false;
	}
	return true;
}

/* The first error that a target answered since this was last asked is reported, once. */
static int wait_quiet(struct quiet q)
{
	struct win *w = q.w;
	int rc = rma_wait(is_quiet, &q), error;

	if (rc)
		return rc;
	error = w->error;
	w->error = MPI_SUCCESS;
	if (!error)
		return MPI_SUCCESS;
	if (error == MPI_ERR_RMA_RANGE)
		return fail_with(error,
			"rank %d refused an operation: it was not in the memory of window %s there",
			w->error_rank, win_label(w));
	return fail_with(
		error, "rank %d refused an operation on window %s", w->error_rank, win_label(w));
}

int rma_wait_target(struct win *w, int target, bool local)
{
	return wait_quiet((struct quiet){w, target, target + 1, local});
}

int rma_wait_all(struct win *w, bool local)
{
	return wait_quiet((struct quiet){w, 0, win_size(w), local});
}

static void wait_window(struct win *w, void *arg)
{
	struct quiet q = {w, 0, win_size(w), false};

	(void)arg;
	rma_wait(is_quiet, &q);
}

void rma_wait_windows(void)
{
	win_each(wait_window, NULL);
}
