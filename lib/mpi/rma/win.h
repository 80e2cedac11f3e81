/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows (MPI 5.0 chapter 12). A window is known to its peers by a context, as a communicator is,
 * and has a communicator of its own for its collective part. The engine lock guards it; calls that
 * wait hold a reference.
 *
 * One struct serves both parts that a rank plays. As an origin it keeps, for each target, the
 * operations that are not answered yet (rma_origin.c, rma_pending.c); as a target it does what each
 * origin's messages ask for, in their order (rma_target.c). rma_wire.h has the messages.
 */
#ifndef FTMPI_MPI_WIN_H
#define FTMPI_MPI_WIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/group.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/object.h"

struct info;

/* The lock that this rank holds at a target. */
enum win_hold { WIN_NO_LOCK, WIN_SHARED, WIN_EXCLUSIVE, WIN_NOCHECK };

/* All that concerns one other rank, or this one. */
struct win_peer {
	/* its memory */
	uint64_t size;	    /* bytes */
	uint64_t disp_unit; /* bytes */
	char *near;	    /* where this process can reach it itself; NULL */
	/* as a target */
	struct link pending; /* struct rma_pending: not answered yet, oldest first */
	unsigned unanswered; /* how many operations that is */
	unsigned results;    /* of these, that bring data */
	unsigned posts;	     /* it has posted, and no access epoch has used that up */
	enum win_hold hold;
	bool waits; /* for the lock */
	/* as an origin */
	unsigned done;	    /* operations that were done and not answered yet */
	unsigned completed; /* it has completed accesses, and no MPI_Win_wait has used that up */
	bool holds;	    /* a lock here, */
	bool queues;	    /* or waits for its turn */
};

/* An origin that waits for the lock of this rank. */
struct win_turn {
	struct link link;
	int origin;
	bool exclusive;
};

/* Memory that the program attached to a dynamic window. */
struct win_region {
	struct link link;
	uintptr_t base;
	size_t size;
};

struct win {
	struct object head;
	struct link link; /* of all windows */
	uint64_t context;
	struct comm *comm; /* the window's own */
	int flavor;
	char *base;
	MPI_Aint size;
	int disp_unit;		/* as the attribute has it */
	struct win_peer *peers; /* by rank */
	/* what the library made */
	void *mapped;
	size_t mapped_bytes;
	int shared_fd; /* while the others open it; -1 */
	struct link regions;
	bool owes; /* answers to some origin */
	/* epochs */
	bool fenced;	    /* a fence may have begun one, */
	bool fence_used;    /* and something was done in it */
	bool locked_all;    /* MPI_Win_lock_all */
	unsigned locks;	    /* MPI_Win_lock, how many targets */
	struct group *to;   /* MPI_Win_start's; NULL outside */
	struct group *from; /* MPI_Win_post's; NULL outside */
	/* the lock of this rank */
	unsigned shared; /* holders */
	bool exclusive;
	struct link turns;
	/* the first error that a target answered and no call has returned yet */
	int error;
	int error_rank;
	/* what the program has set */
	struct errhandler_win errors;
	struct attr_list *attrs; /* NULL without attributes */
	struct info *hints;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Win handle;
};

static inline int win_rank(const struct win *w)
{
	return w->comm->rank;
}

static inline int win_size(const struct win *w)
{
	return w->comm->size;
}

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_WIN with fail_with said. */
int win_lookup(MPI_Win handle, struct win **out);

/* A new one, of one reference, is a window of this process. */
void win_add(struct win *w);

void win_hold(struct win *w);
void win_release(struct win *w);

static inline struct attr_holder win_attrs(struct win *w)
{
	return (struct attr_holder){ATTR_WIN, w->handle, &w->attrs};
}

/* For messages: the name, or "(unnamed)". */
const char *win_label(const struct win *w);

/* NULL: there is none. */
struct win *win_by_context(uint64_t context);

/* Every window of this process. */
void win_each(void (*visit)(struct win *w, void *arg), void *arg);
bool win_any(void);

/* The windows that the program has not freed. */
void win_forget_all(void);

/* ---- win_make.c ---- */

/* The program's arguments. */
struct win_wish {
	int flavor;
	void *base; /* MPI_WIN_FLAVOR_CREATE's */
	MPI_Aint size;
	MPI_Aint disp_unit;
	struct info *hints; /* the window's when it is made */
	bool noncontiguous; /* MPI_WIN_FLAVOR_SHARED: each part on pages of its own */
	int rc;		    /* what is wrong with this rank's arguments, with fail_with said */
};

/* Collective over c. All ranks fail when one does. */
int win_make(struct comm *c, const struct win_wish *wish, struct win **out);

/* Collective over its ranks; no epoch may be open. The program's reference goes. */
int win_free(struct win *w);

/* ---- win_shared.c: one piece of memory for all ranks of w, which run on one host ---- */

/* Sizes are in w->peers; sets near of all, and base. Collective over c. A rank that succeeds must
 * not think that the others do. When all have tried, win_shared_by_all closes what was open for the
 * others. */
int win_shared_make(struct win *w, struct comm *c, bool noncontiguous);
void win_shared_by_all(struct win *w);

/* The same for a rank that could not make its part of the window: the others will fail, too. */
void win_shared_make_nothing(struct comm *c);

/* ---- win_memory.c: memory of a dynamic window ---- */

int win_memory_attach(struct win *w, void *base, MPI_Aint size);
int win_memory_detach(struct win *w, const void *base);

/* Do bytes low to high (behind the last) of this rank's window exist? */
bool win_memory_has(const struct win *w, int64_t low, int64_t high);

/* ---- win_sync.c. All may wait. ---- */

int win_sync_fence(struct win *w, int assert);
int win_sync_start(struct win *w, struct group *g, int assert);
int win_sync_complete(struct win *w);
int win_sync_post(struct win *w, struct group *g, int assert);
int win_sync_wait(struct win *w);
int win_sync_test(struct win *w, bool *done);
int win_sync_lock(struct win *w, bool exclusive, int target, int assert);
int win_sync_unlock(struct win *w, int target);
int win_sync_lock_all(struct win *w, int assert);
int win_sync_unlock_all(struct win *w);
int win_sync_flush(struct win *w, int target, bool local);
int win_sync_flush_all(struct win *w, bool local);
int win_sync(struct win *w);

/* All its ranks have come here. */
int win_sync_barrier(struct win *w);

#endif
