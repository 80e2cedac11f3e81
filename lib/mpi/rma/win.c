/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of windows: made together, looked up, freed together. */
#include "win.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/info.h"
#include "mpi/construct/comm_make.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/live.h"
#include "rma.h"
#include "win_epoch.h"

static struct link windows = {&windows, &windows};

/* ---- looking up ---- */

int win_lookup(MPI_Win handle, struct win **out)
{
	if (live_has(handle, OBJECT_WIN)) {
		*out = (struct win *)(void *)handle;
		return MPI_SUCCESS;
	}
	if (handle == MPI_WIN_NULL)
		return fail_with(MPI_ERR_WIN, "MPI_WIN_NULL was given");
	return fail_with(MPI_ERR_WIN, "%p is not a window, or it was freed", (void *)handle);
}

const char *win_label(const struct win *w)
{
	return w->name[0] ? w->name : "(unnamed)";
}

static struct win *window_of(struct link *item)
{
	return container_of(item, struct win, link);
}

struct win *win_by_context(uint64_t context)
{
	list_for_each (item, &windows)
		if (window_of(item)->context == context)
			return window_of(item);
	return NULL;
}

void win_each(void (*visit)(struct win *w, void *arg), void *arg)
{
	list_for_each (item, &windows)
		visit(window_of(item), arg);
}

bool win_any(void)
{
	return !list_empty(&windows);
}

/* ---- references ---- */

void win_hold(struct win *w)
{
	w->head.refs++;
}

static void clear_list(struct link *list)
{
	struct link *item;

	/* struct win_turn and struct win_region begin with their link */
	while ((item = list_pop(list)))
		free(item);
}

static void destroy(struct win *w)
{
	list_remove(&w->link);
	engine_set_windows(win_any());
	if (w->peers)
		rma_forget_asked(w);
	clear_list(&w->turns);
	clear_list(&w->regions);
	if (w->to)
		group_release(w->to);
	if (w->from)
		group_release(w->from);
	if (w->mapped)
		munmap(w->mapped, w->mapped_bytes);
	attr_forget_all(&w->attrs);
	info_free(w->hints);
	/* a request that failed may be waited for later */
	w->comm->window = NULL;
	errhandler_set(
		w->comm, w->errors.errhandler->win_fn ? errhandler_fatal() : w->errors.errhandler);
	errhandler_release(w->errors.errhandler);
	comm_release(w->comm);
	free(w->peers);
	w->head.kind = OBJECT_FREED;
	free(w);
}

void win_release(struct win *w)
{
	if (--w->head.refs == 0)
		destroy(w);
}

/* ---- making ---- */

/* What a rank says of its part. */
struct said {
	uint64_t size, disp_unit;
	uint32_t counter; /* rank 0's: for the context */
	int32_t rc;
};

static int no_memory(const struct comm *c)
{
	return fail_with(
		MPI_ERR_NO_MEM, "no memory for a window of %s of %d", comm_label(c), c->size);
}

/* The first rank that is not well makes all fail. */
static int check_all(const struct comm *c, const struct said *all, int mine)
{
	if (mine)
		return mine;
	for (int i = 0; i < c->size; i++)
		if (all[i].rc)
			return fail_with(MPI_ERR_OTHER,
				"rank %d could not take part in making the window", i);
	return all[0].counter ? MPI_SUCCESS : comm_make_used_up(comm_world_rank(c, 0));
}

static void set_peers(struct win *w, const struct said *all)
{
	for (int i = 0; i < win_size(w); i++) {
		list_init(&w->peers[i].asked);
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

static struct win *win_new(struct comm *c, const struct win_wish *wish, const struct said *all)
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
	list_append(&windows, &w->link);
	return w;
}

/* Zeroed, on pages of its own; there is some also when the size is 0. */
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
		return win_share(w, c, wish->noncontiguous);
	if (wish->flavor == MPI_WIN_FLAVOR_ALLOCATE)
		rc = allocate(w);
	else
		w->base = wish->base;
	if (wish->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		w->peers[win_rank(w)].near = w->base;
	return rc;
}

static int gather(struct comm *c, const struct said *mine, struct said *all)
{
	int rc = coll_allgather(c, mine, sizeof *mine, all);

	return rc ? rc : check_all(c, all, mine->rc);
}

/* When it returns everywhere every rank knows the window, so that words about it find it. */
static int agree(struct comm *c, int rc, struct said *all)
{
	struct said mine = {.counter = 1, .rc = rc};

	return gather(c, &mine, all);
}

static int build(struct comm *c, const struct win_wish *wish, struct said *all, struct win **out)
{
	struct win *w = win_new(c, wish, all);
	int rc = w ? find_memory(w, c, wish) : no_memory(c);

	if (!w && wish->flavor == MPI_WIN_FLAVOR_SHARED)
		win_share_nothing(c);
	if (rc == MPI_SUCCESS)
		rc = live_add(&w->head);
	rc = agree(c, rc, all);
	if (w)
		win_shared_by_all(w);
	if (rc && w) {
		w->hints = NULL;
		live_remove(&w->head);
		win_release(w);
	}
	if (rc == MPI_SUCCESS)
		*out = w;
	return rc;
}

int win_make(struct comm *c, const struct win_wish *wish, struct win **out)
{
	struct said mine = {.size = (uint64_t)wish->size,
		.disp_unit = (uint64_t)wish->disp_unit,
		.rc = wish->rc};
	struct said *all = malloc((size_t)c->size * sizeof *all);
	int rc;

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

/* ---- freeing ---- */

int win_free(struct win *w)
{
	int rc = win_may_fence(w);

	if (rc == MPI_SUCCESS && w->fence_used)
		rc = fail_with(MPI_ERR_RMA_SYNC,
			"an epoch that MPI_Win_fence began is open on window %s", win_label(w));
	if (rc == MPI_SUCCESS)
		rc = attr_delete_all(win_attrs(w));
	if (rc == MPI_SUCCESS)
		rc = win_barrier(w);
	if (rc)
		return rc;
	live_remove(&w->head);
	win_release(w);
	return MPI_SUCCESS;
}

void win_forget_all(void)
{
	struct link *item;

	while ((item = list_first(&windows))) {
		live_remove(&window_of(item)->head);
		destroy(window_of(item));
	}
}
