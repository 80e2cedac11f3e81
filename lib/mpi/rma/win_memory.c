/* SPDX-License-Identifier: BSD-3-Clause */
/* Which memory of this rank a window has; attaching and detaching (MPI 5.0 section 12.2.4). */
#include <stdlib.h>

#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "win.h"

/* Behind the attached memory that has this address; the address itself when there is none. */
static uintptr_t region_end(const struct win *w, uintptr_t address)
{
	list_for_each (item, &w->regions) {
		const struct win_region *r = container_of(item, struct win_region, link);

		if (address >= r->base && address - r->base < r->size)
			return r->base + r->size;
	}
	return address;
}

/* Data may go on from one region to the next where they meet. */
static bool regions_have(const struct win *w, uintptr_t low, uintptr_t high)
{
	while (low < high) {
		uintptr_t end = region_end(w, low);

		if (end == low)
			return false;
		low = end;
	}
	return true;
}

bool win_memory_has(const struct win *w, int64_t low, int64_t high)
{
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return low >= 0 && regions_have(w, (uintptr_t)low, (uintptr_t)high);
	return low >= 0 && high <= w->size;
}

static int must_be_dynamic(const struct win *w)
{
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RMA_FLAVOR, "window %s was not made by MPI_Win_create_dynamic",
		win_label(w));
}

static bool overlaps(const struct win *w, uintptr_t low, uintptr_t high)
{
	list_for_each (item, &w->regions) {
		const struct win_region *r = container_of(item, struct win_region, link);

		if (low < r->base + r->size && r->base < high)
			return true;
	}
	return false;
}

int win_memory_attach(struct win *w, void *base, MPI_Aint size)
{
	struct win_region *r;
	int rc = must_be_dynamic(w);

	engine_assert_held();
	if (rc)
		return rc;
	if (overlaps(w, (uintptr_t)base, (uintptr_t)base + (uintptr_t)size))
		return fail_with(MPI_ERR_RMA_ATTACH,
			"%p to %p overlaps memory that is attached to window %s already", base,
			(void *)((uintptr_t)base + (uintptr_t)size), win_label(w));
	r = malloc(sizeof *r);
	if (!r)
		return fail_with(MPI_ERR_NO_MEM, "no memory to note what is attached");
	*r = (struct win_region){.base = (uintptr_t)base, .size = (size_t)size};
	list_append(&w->regions, &r->link);
	return MPI_SUCCESS;
}

int win_memory_detach(struct win *w, const void *base)
{
	int rc = must_be_dynamic(w);

	engine_assert_held();
	if (rc)
		return rc;
	list_for_each_safe (item, &w->regions) {
		struct win_region *r = container_of(item, struct win_region, link);

		if (r->base != (uintptr_t)base)
			continue;
		list_remove(item);
		free(r);
		return MPI_SUCCESS;
	}
	return fail_with(
		MPI_ERR_RMA_ATTACH, "no memory at %p is attached to window %s", base, win_label(w));
}
