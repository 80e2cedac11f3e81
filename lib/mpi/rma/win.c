/* SPDX-License-Identifier: BSD-3-Clause */
/* The windows of this process: looked up, held, and let go. win_make.c makes them. */
#include "win.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/comm/errhandler.h"
#include "mpi/comm/info.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "rma_pending.h"

static struct link windows = {&windows, &windows};

/* ---- looking up ---- */

int win_lookup(MPI_Win handle, struct win **out)
{
	engine_assert_held();
	if (handle_table_has(handle, OBJECT_WIN)) {
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

void win_add(struct win *w)
{
	engine_assert_held();
	list_append(&windows, &w->link);
}

static void destroy(struct win *w)
{
	list_remove(&w->link);
	engine_set_windows(win_any());
	for (int i = 0; i < win_size(w); i++)
		rma_pending_clear(&w->peers[i]);
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
	/* the program may wait later for a request of this communicator that failed */
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
	engine_assert_held();
	if (--w->head.refs == 0)
		destroy(w);
}

void win_forget_all(void)
{
	struct link *item;

	while ((item = list_first(&windows))) {
		handle_table_remove(&window_of(item)->head);
		destroy(window_of(item));
	}
}
