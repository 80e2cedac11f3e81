/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: making, freeing, memory (MPI 5.0 section 12.2). */
#include <limits.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/hints.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/rma/win.h"

/* The arguments that the calls have in common. */
struct making {
	const char *name;
	struct win_wish wish;
	MPI_Info info;
	MPI_Comm comm;
	void *baseptr; /* of those that allocate; a void pointer is put there */
	MPI_Win *win;
};

static int check_wish(const struct making *m)
{
	const struct win_wish *wish = &m->wish;
	bool allocates =
		wish->flavor == MPI_WIN_FLAVOR_ALLOCATE || wish->flavor == MPI_WIN_FLAVOR_SHARED;

	if (wish->size < 0)
		return fail_with(
			MPI_ERR_SIZE, "the size is %lld, less than 0", (long long)wish->size);
	if (wish->disp_unit < 1)
		return fail_with(
			MPI_ERR_DISP, "disp_unit is %lld, less than 1", (long long)wish->disp_unit);
	if (wish->flavor == MPI_WIN_FLAVOR_CREATE && !wish->base && wish->size > 0)
		return fail_with(MPI_ERR_ARG, "base is a null pointer and the size is %lld",
			(long long)wish->size);
	if (allocates && !m->baseptr)
		return fail_null("baseptr");
	return check_pointer(m->win, "win");
}

static bool hint_is_set(const struct info *hints, const char *key)
{
	const char *value = hints ? info_find(hints, key) : NULL;

	return value && strcmp(value, "true") == 0;
}

/* Nobody may be left waiting: what is wrong here alone is told to all in win_make. */
static int make_on(struct comm *c, struct making *m)
{
	struct win *w = NULL;
	int rc;

	if (p2p_log_is_used())
		return fail_with(MPI_ERR_UNSUPPORTED_OPERATION,
			"there are no windows under `-coord msglog`");
	if (c->remote)
		return fail_with(
			MPI_ERR_COMM, "communicator %s is an intercommunicator", comm_label(c));
	if (m->wish.flavor == MPI_WIN_FLAVOR_SHARED && comm_hosts_several(c))
		return fail_with(MPI_ERR_RMA_SHARED,
			"communicator %s spans hosts, which cannot share memory; split it with "
			"MPI_COMM_TYPE_SHARED",
			comm_label(c));
	rc = check_wish(m);
	if (rc == MPI_SUCCESS)
		rc = hints_set(&m->wish.hints, hints_of_win, m->info);
	m->wish.noncontiguous = hint_is_set(m->wish.hints, "alloc_shared_noncontig");
	m->wish.rc = rc;
	rc = win_make(c, &m->wish, &w);
	if (rc) {
		info_free(m->wish.hints);
		return rc;
	}
	*m->win = w->handle;
	if (m->baseptr)
		memcpy(m->baseptr, &w->base, sizeof w->base);
	return MPI_SUCCESS;
}

static int make(struct making m)
{
	struct comm *c = NULL;
	int rc;

	api_enter(m.name);
	rc = comm_lookup(m.comm, &c);
	if (rc == MPI_SUCCESS)
		rc = make_on(c, &m);
	return api_leave(c, rc);
}

static struct win_wish wish(int flavor, void *base, MPI_Aint size, MPI_Aint disp_unit)
{
	return (struct win_wish){
		.flavor = flavor, .base = base, .size = size, .disp_unit = disp_unit};
}

#pragma weak MPI_Win_create = PMPI_Win_create
int PMPI_Win_create(
	void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return make((struct making){"MPI_Win_create",
		wish(MPI_WIN_FLAVOR_CREATE, base, size, disp_unit), info, comm, NULL, win});
}

#pragma weak MPI_Win_create_c = PMPI_Win_create_c
int PMPI_Win_create_c(
	void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return make((struct making){"MPI_Win_create_c",
		wish(MPI_WIN_FLAVOR_CREATE, base, size, disp_unit), info, comm, NULL, win});
}

#pragma weak MPI_Win_allocate = PMPI_Win_allocate
int PMPI_Win_allocate(
	MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return make((struct making){"MPI_Win_allocate",
		wish(MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit), info, comm, baseptr, win});
}

#pragma weak MPI_Win_allocate_c = PMPI_Win_allocate_c
int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
	void *baseptr, MPI_Win *win)
{
	return make((struct making){"MPI_Win_allocate_c",
		wish(MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit), info, comm, baseptr, win});
}

#pragma weak MPI_Win_allocate_shared = PMPI_Win_allocate_shared
int PMPI_Win_allocate_shared(
	MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return make((struct making){"MPI_Win_allocate_shared",
		wish(MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit), info, comm, baseptr, win});
}

#pragma weak MPI_Win_allocate_shared_c = PMPI_Win_allocate_shared_c
int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
	void *baseptr, MPI_Win *win)
{
	return make((struct making){"MPI_Win_allocate_shared_c",
		wish(MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit), info, comm, baseptr, win});
}

#pragma weak MPI_Win_create_dynamic = PMPI_Win_create_dynamic
int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return make((struct making){"MPI_Win_create_dynamic",
		wish(MPI_WIN_FLAVOR_DYNAMIC, NULL, 0, 1), info, comm, NULL, win});
}

/* ---- what others can reach themselves ---- */

/* MPI_PROC_NULL means the lowest rank that has any memory. */
static int query_rank(const struct win *w, int rank)
{
	if (rank != MPI_PROC_NULL)
		return rank;
	for (int i = 0; i < win_size(w); i++)
		if (w->peers[i].size)
			return i;
	return 0;
}

static int check_query(const struct win *w, int rank, const void *baseptr)
{
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return fail_with(MPI_ERR_RMA_FLAVOR, "window %s was made by MPI_Win_create_dynamic",
			win_label(w));
	if (rank != MPI_PROC_NULL && (rank < 0 || rank >= win_size(w)))
		return fail_with(MPI_ERR_RANK, "rank %d is not in window %s of %d", rank,
			win_label(w), win_size(w));
	return check_pointer(baseptr, "baseptr");
}

static int query(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
	struct win *w = NULL;
	const struct win_peer *p;
	int rc = win_lookup(win, &w);

	if (rc == MPI_SUCCESS)
		rc = check_query(w, rank, baseptr);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(size, "size");
	if (rc)
		return api_leave_win(w, rc);
	p = &w->peers[query_rank(w, rank)];
	*size = p->near ? (MPI_Aint)p->size : 0;
	*disp_unit = (MPI_Aint)p->disp_unit;
	memcpy(baseptr, &p->near, sizeof p->near);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_shared_query = PMPI_Win_shared_query
int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
	MPI_Aint unit = 0;
	int rc;

	api_enter("MPI_Win_shared_query");
	if (!disp_unit)
		return api_leave(NULL, check_pointer(disp_unit, "disp_unit"));
	rc = query(win, rank, size, &unit, baseptr);
	if (rc == MPI_SUCCESS)
		*disp_unit = unit > INT_MAX ? MPI_UNDEFINED : (int)unit;
	return rc;
}

#pragma weak MPI_Win_shared_query_c = PMPI_Win_shared_query_c
int PMPI_Win_shared_query_c(
	MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
	api_enter("MPI_Win_shared_query_c");
	if (!disp_unit)
		return api_leave(NULL, check_pointer(disp_unit, "disp_unit"));
	return query(win, rank, size, disp_unit, baseptr);
}

#pragma weak MPI_Win_attach = PMPI_Win_attach
int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	struct win *w = NULL;

	api_enter("MPI_Win_attach");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS && size < 0)
		rc = fail_with(MPI_ERR_SIZE, "the size is %lld, less than 0", (long long)size);
	if (rc == MPI_SUCCESS && size > 0)
		rc = check_pointer(base, "base");
	if (rc == MPI_SUCCESS)
		rc = win_memory_attach(w, base, size);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_detach = PMPI_Win_detach
int PMPI_Win_detach(MPI_Win win, const void *base)
{
	struct win *w = NULL;

	api_enter("MPI_Win_detach");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS)
		rc = win_memory_detach(w, base);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_free = PMPI_Win_free
int PMPI_Win_free(MPI_Win *win)
{
	struct win *w = NULL;

	api_enter("MPI_Win_free");
	int rc = check_pointer(win, "win");
	if (rc == MPI_SUCCESS)
		rc = win_lookup(*win, &w);
	if (rc)
		return api_leave(NULL, rc);
	win_hold(w);
	rc = win_free(w);
	if (rc)
		return api_leave_win(w, rc);
	*win = MPI_WIN_NULL;
	win_release(w);
	return api_leave_win(NULL, rc);
}
