/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators. The engine lock guards everything here.
 *
 * An intercommunicator has two groups: its own (`group`, `rank`, `size`) and the remote one, whose
 * ranks its messages name. Whatever goes by ranks of messages takes `peers` and `npeers`, which are
 * the group's in an intracommunicator. Both sides use one context; no process is on both.
 *
 * A context is unique in the whole job without global agreement: (world rank of the new
 * communicator's rank 0) << 32 | (a counter of that process) << 1. The low bit is the plane: 0 for
 * the program's messages, 1 for the library's own (collectives). MPI_COMM_WORLD has context 0, so
 * counter 0 is its; counter 1 of each process is its MPI_COMM_SELF; counter 2 of rank 0 belongs to
 * the communicator in which the library coordinates checkpoints.
 */
#ifndef FTMPI_MPI_COMM_H
#define FTMPI_MPI_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "group.h"
#include "mpi.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/object.h"

struct errhandler;
struct info;
struct request;
struct topology;
struct buffer;
struct errhandler_win;

struct comm {
	struct object head;
	uint64_t context;
	int rank, size;
	struct group *group;
	struct group *remote; /* of an intercommunicator; else NULL */
	struct comm *local;   /* of an intercommunicator: its own group, a context of its own, no
				 handle; for the local stages of collectives. Else NULL */
	const int *peers;     /* rank that a message names -> rank in the world */
	int npeers;
	uint64_t serial; /* of those of the program: this is the N-th that this process made; else 0
			  */
	uint64_t shaped; /* its topology depends on what other ranks said as the one of this serial
			    number was made, of which it is, or is a copy; 0: on nothing */
	uint32_t coll_seq; /* number of the next collective operation: its messages' tag */
	bool crowded;	   /* some host has more of its ranks than cores: the same on all ranks */
	bool near;	   /* all of its ranks share memory: the same on all ranks */
	bool freed;	   /* the user's handle is gone */
	struct errhandler *errhandler;
	bool errhandler_chosen; /* the program set one here */
	/* of the window whose own it is: that one's handler is asked; NULL: of no window */
	const struct errhandler_win *window;
	struct attr_list *attrs; /* NULL without attributes */
	struct topology *topo;	 /* NULL without a topology */
	struct info *hints;	 /* what the program said with MPI_Comm_set_info; NULL: nothing */
	struct buffer *buffer;	 /* for MPI_Bsend, once it had one of its own; malloc'ed */
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm handle; /* what the user calls it */
};

/* The members of the job and where they run. The arrays have one entry per world rank. */
struct world_info {
	int rank, size;
	const int *node;  /* index of the rank's host, from 0 */
	const int *cores; /* how many cores that host has; less than 1 counts as 1 */
	bool memory;	  /* ranks of one host talk through memory */
};

/* Build MPI_COMM_WORLD and MPI_COMM_SELF. What w says is copied. MPI_SUCCESS, MPI_ERR_NO_MEM or
 * MPI_ERR_INTERN. */
int comm_world_init(const struct world_info *w);

/* The ranks run elsewhere now; rank and size are what they were. What w says is copied. The
 * communicators that there are go on with the algorithms that their ranks have chosen. The same
 * results; after a failure nothing has changed. */
int comm_hosts_renew(const struct world_info *w);

/* What MPI_Finalize does first, while everything still works: delete the attributes of
 * MPI_COMM_SELF, the last set first (MPI 5.0 section 11.2.4), then those of MPI_COMM_WORLD. Lets
 * the engine lock go around each callback. Errors of callbacks are ignored. */
void comm_world_delete_attributes(void);

/* Free everything of this layer, what the program forgot to free included. No operation may be
 * pending. Attributes still there vanish without a callback. */
void comm_world_free(void);

/* NULL outside comm_world_init ... comm_world_free. */
struct comm *comm_world(void);
struct comm *comm_self(void);

/* From now on the program may name MPI_COMM_WORLD and MPI_COMM_SELF, or may no more. */
void comm_name_world(bool may);
bool comm_world_is_named(void);

/* All ranks, for the library's own agreements: its messages are no messages of the program. */
struct comm *comm_coord(void);

static inline bool comm_is_coord_context(uint64_t context)
{
	return context >> 1 == 2;
}

/* Control messages of the protocols; the ranks' agreements are on the other plane. */
static inline bool comm_is_coord_control(uint64_t context)
{
	return context == 2 << 1;
}

/* Messages among the ranks of a window (rma_wire.h has the other bits). */
static inline bool comm_is_window(uint64_t context)
{
	return (int64_t)context < 0;
}

/* NULL outside comm_world_init ... comm_world_free; good until comm_hosts_renew. */
const struct world_info *comm_world_info(void);

/* MPI_COMM_WORLD while the program may name it, else NULL. Hidden: most messages ask for it. */
extern struct comm *comm_named_world __attribute__((visibility("hidden")));
int comm_lookup_other(MPI_Comm handle, struct comm **out);

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_COMM with fail_with said. The others refuse what is
 * no intracommunicator or no intercommunicator; *out is set then, for its error handler. */
static inline int comm_lookup(MPI_Comm handle, struct comm **out)
{
	if (handle != MPI_COMM_WORLD || !comm_named_world)
		return comm_lookup_other(handle, out);
	*out = comm_named_world;
	return MPI_SUCCESS;
}

int comm_lookup_intra(MPI_Comm handle, struct comm **out);
int comm_lookup_inter(MPI_Comm handle, struct comm **out);

static inline void comm_hold(struct comm *c)
{
	c->head.refs++;
}

/* Put topo on a new communicator, or free that again when there is none for lack of memory. */
int comm_set_topology(struct comm *c, struct topology *topo);

/* Nobody has a reference any more. */
void comm_destroy(struct comm *c);

static inline void comm_release(struct comm *c)
{
	if (--c->head.refs == 0)
		comm_destroy(c);
}

static inline struct attr_holder comm_attrs(struct comm *c)
{
	return (struct attr_holder){ATTR_COMM, c->handle, &c->attrs};
}

/* What MPI_APPNUM says; before MPI_Init ends. */
void comm_attr_set_appnum(int number);

/* attr_get, and the attributes that every communicator has. */
int comm_attr_get(struct comm *c, int keyval, void **value, bool *found);

/* Rank in c that a message names (in an intercommunicator: of the remote group) -> rank in the
 * world. */
static inline int comm_world_rank(const struct comm *c, int rank)
{
	return c->peers[rank];
}

/* MPI_ERR_ROOT with fail_with said, or MPI_SUCCESS. */
int comm_check_root(const struct comm *c, int root);

/* For messages: the name, or "(unnamed)". */
const char *comm_label(const struct comm *c);

/* So many communicators can be alive in a process; whoever makes them without end is to be told
 * before memory is gone. */
enum { COMM_MOST = 16384 };

/* Are they? */
bool comm_full(void);

/* A fresh counter of this process for a context; 0 when it can make no more. */
uint32_t comm_counter_next(void);

/* The next one, and what it is at least from now on. */
uint32_t comm_counter_get(void);

/* How many communicators the program has made so far (comm.serial). */
uint64_t comm_made_ever(void);
void comm_counter_least(uint32_t counter);

static inline uint64_t comm_context_of(int world_rank, uint32_t counter)
{
	return (uint64_t)(uint32_t)world_rank << 32 | (uint64_t)counter << 1;
}

/*
 * What the next collective operations go by, across a recovery line (section_numbers.h): a line may
 * cut through one, so a rank that begins it again must give it its number, and do it in
 * the same way, also when the job now has other hosts. save: *out is malloc'ed; false: no memory.
 * restore: also for communicators that the program makes later; the bytes are copied. false: they
 * make no sense, or no memory. each_waiting: visits contexts that are to be made again and are not
 * yet (comm_again_each_waiting); NULL: there are none.
 */
bool comm_numbered_capture(
	void (*each_waiting)(void (*visit)(uint64_t context, void *arg), void *arg), uint8_t **out,
	size_t *len);
bool comm_numbered_take(const uint8_t *bytes, size_t len);

/* What a communicator is made of. */
struct comm_sides {
	struct group *group, *remote; /* get references of their own; remote NULL for one group */
	uint64_t context;	      /* the same on both sides */
	uint64_t local_context;	      /* with a remote group: of this side's local stages */
};

/* With the error handler of parent, a live handle of the program. This process is in the group. */
int comm_new_sides(const struct comm_sides *sides, const struct comm *parent, struct comm **out);
int comm_new(struct group *group, uint64_t context, const struct comm *parent, struct comm **out);

/* For sides whose contexts are not known yet: no message may name them before comm_settle. */
#define COMM_NO_CONTEXT UINT64_MAX
void comm_settle(struct comm *c, uint64_t context, uint64_t local_context);

/* Take the program's handle away; the object lives on while operations need it. */
void comm_drop(struct comm *c);

/*
 * New communicators (comm_make.c, comm_create.c, comm_split.c). *out is NULL where this process is
 * not in the new one. Collective over c, except comm_make_group: over g. All may let the engine
 * lock go.
 */
int comm_make_dup(struct comm *c, struct comm **out);
/* comm_make_dup that waits for nobody (comm_idup.c): **out is there at once, and may be used when
 * the request is done. */
int comm_idup(struct comm *c, struct comm **out, struct request **request);
int comm_split(struct comm *c, int color, int key, struct comm **out);
int comm_create(struct comm *c, struct group *g, struct comm **out);
int comm_make_group(struct comm *c, struct group *g, int tag, struct comm **out);
/*
 * Intercommunicators (comm_inter.c). create: collective over local, whose rank `leader` speaks over
 * peer with that communicator's rank remote_leader; peer and remote_leader count there alone.
 * merge: an intracommunicator of both sides, those that say high behind the others. The others are
 * what comm_split and comm_create are for c->remote.
 */
struct comm_meeting {
	int leader;
	struct comm *peer;
	int remote_leader, tag; /* comm_make_tag */
};

int comm_inter_create(struct comm *local, const struct comm_meeting *how, struct comm **out);
/*
 * From groups alone (comm_from.c), which are ranks of the world; calls that go on at the same time
 * are told apart by the string tags. This process is in g and local; the remote group and its
 * leader count at the local leader alone.
 */
int comm_from_group(struct group *g, const char *stringtag, struct comm **out);

struct comm_groups {
	struct group *local, *remote;
	int leader, remote_leader;
	const char *stringtag;
};

int comm_from_groups(const struct comm_groups *from, struct comm **out);

int comm_inter_merge(struct comm *c, bool high, struct comm **out);
int comm_inter_part_split(struct comm *c, int color, int key, struct comm **out);
int comm_inter_part_subset(struct comm *c, struct group *g, struct comm **out);

/* of the first n ranks of c, in their order; 1 <= n <= c->size */
int comm_make_leading(struct comm *c, int n, struct comm **out);

/* The color that splits c by host, and whether c spans more than one. */
int comm_hosts_node_of(const struct comm *c, int rank);
bool comm_hosts_several(const struct comm *c);

#endif
