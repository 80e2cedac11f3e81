/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows are made and freed by all their ranks together. */
#include <stdlib.h>
#include <sys/mman.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/errhandler.h"
#include "mpi/construct/comm_make.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "rma.h"
#include "win_epoch.h"

/* Each rank's part of the window, as all ranks get to know it. */
struct part {
	uint64_t size, disp_unit;
	uint32_t counter; /* of rank 0: for the context */
	int32_t rc;
};

static int no_memory(const struct comm *c)
{
	return fail_with(
		MPI_ERR_NO_MEM, "no memory for a window of %s of %d", comm_label(c), c->size);
}

/* All fail when one rank has failed; the sentence names the first. */
static int check_all(const struct comm *c, const struct part *all, int mine)
{
	if (mine)
		return mine;
	for (int i = 0; i < c->size; i++)
		if (all[i].rc)
			return fail_with(MPI_ERR_OTHER,
				"rank %d could not take part in making the window", i);
	return all[0].counter ? MPI_SUCCESS : comm_make_used_up(comm_world_rank(c, 0));
}

static void set_peers(struct win *w, const struct part *all)
{
	for (int i = 0; i < win_size(w); i++) {
		list_init(&w->peers[i].pending);
		w->peers[i].size = all[i].size;
		w->peers[i].disp_unit = all[i].disp_unit;
	}
}

/* The window's own communicator has no handle that the program knows. */
static int make_comm(struct comm *c, uint32_t counter, struct win *w)
{
	uint64_t context = comm_context_of(comm_world_rank(c, 0), counter);
	struct comm *own = NULL;
	int rc = comm_new(c->group, context | WIN_COMM_CONTEXT, c, &own);

	if (rc)
		return rc;
	comm_hold(own);
	comm_drop(own);
	w->comm = own;
	own->window = &w->errors;
	w->context = context | RMA_CONTEXT;
	return MPI_SUCCESS;
}

static struct win *win_new(struct comm *c, const struct win_wish *wish, const struct part *all)
{
	struct win *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->peers = calloc((size_t)c->size, sizeof *w->peers);
	if (!w->peers || make_comm(c, all[0].counter, w) != MPI_SUCCESS) {
		free(w->peers);
		free(w);
		return NULL;
	}
	w->head = (struct object){.kind = OBJECT_WIN, .refs = 1};
	w->handle = (MPI_Win)(void *)w;
	w->flavor = wish->flavor;
	w->size = wish->size;
	w->disp_unit = (int)wish->disp_unit;
	w->shared_fd = -1;
	w->hints = wish->hints;
	w->errors = (struct errhandler_win){errhandler_fatal(), w->handle};
	list_init(&w->turns);
	list_init(&w->regions);
	set_peers(w, all);
	win_add(w);
	return w;
}

/* Zeroed, on pages of its own. A window of size 0 gets a page, too. */
static int allocate(struct win *w)
{
	w->mapped_bytes = w->size ? (size_t)w->size : 1;
	w->mapped = mmap(
		NULL, w->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->mapped == MAP_FAILED) {
		w->mapped = NULL;
		return fail_with(
			MPI_ERR_NO_MEM, "no memory for a window of %zu bytes", w->mapped_bytes);
	}
	w->base = w->mapped;
	return MPI_SUCCESS;
}

static int find_memory(struct win *w, struct comm *c, const struct win_wish *wish)
{
	int rc = MPI_SUCCESS;

	if (wish->flavor == MPI_WIN_FLAVOR_SHARED)
		return win_shared_make(w, c, wish->noncontiguous);
	if (wish->flavor == MPI_WIN_FLAVOR_ALLOCATE)
		rc = allocate(w);
	else
		w->base = wish->base;
	if (wish->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		w->peers[win_rank(w)].near = w->base;
	return rc;
}

static int gather(struct comm *c, const struct part *mine, struct part *all)
{
	int rc = coll_now_allgather(c, mine, sizeof *mine, all);

	return rc ? rc : check_all(c, all, mine->rc);
}

static int build(struct comm *c, const struct win_wish *wish, struct part *all, struct win **out)
{
	struct win *w = win_new(c, wish, all);
	struct part mine = {.counter = 1};
	int rc = w ? find_memory(w, c, wish) : no_memory(c);

	if (!w && wish->flavor == MPI_WIN_FLAVOR_SHARED)
		win_shared_make_nothing(c);
	if (rc == MPI_SUCCESS)
		rc = handle_table_add(&w->head);
	/* behind this all ranks know the window, so that messages about it find it */
	mine.rc = rc;
	rc = gather(c, &mine, all);
	if (w)
		win_shared_by_all(w);
	if (rc && w) {
		w->hints = NULL;
		handle_table_remove(&w->head);
		win_release(w);
	}
	if (rc == MPI_SUCCESS)
		*out = w;
	return rc;
}

int win_make(struct comm *c, const struct win_wish *wish, struct win **out)
{
	struct part mine = {.size = (uint64_t)wish->size,
		.disp_unit = (uint64_t)wish->disp_unit,
		.rc = wish->rc};
	struct part *all = malloc((size_t)c->size * sizeof *all);
	int rc;

	engine_assert_held();
	if (!all)
		return no_memory(c);
	if (mine.rc == MPI_SUCCESS)
		mine.rc = rma_start();
	if (c->rank == 0)
		mine.counter = comm_counter_next();
	comm_hold(c);
	rc = gather(c, &mine, all);
	if (rc == MPI_SUCCESS)
		rc = build(c, wish, all, out);
	comm_release(c);
	free(all);
	if (rc == MPI_SUCCESS)
		engine_set_windows(true);
	return rc;
}

int win_free(struct win *w)
{
	int rc = win_epoch_may_fence(w);

	engine_assert_held();
	if (rc == MPI_SUCCESS && w->fence_used)
		rc = fail_with(MPI_ERR_RMA_SYNC,
			"an epoch that MPI_Win_fence began is open on window %s", win_label(w));
	if (rc == MPI_SUCCESS)
		rc = attr_delete_all(win_attrs(w));
	if (rc == MPI_SUCCESS)
		rc = win_sync_barrier(w);
	if (rc)
		return rc;
	handle_table_remove(&w->head);
	win_release(w);
	return MPI_SUCCESS;
}
