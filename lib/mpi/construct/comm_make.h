/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ways to make communicators share (comm_*.c). */
#ifndef FTMPI_MPI_COMM_MAKE_H
#define FTMPI_MPI_COMM_MAKE_H

#include "mpi/comm/comm.h"

/* What a rank says when a communicator is split. */
struct comm_ballot {
	int32_t color, key;
	uint32_t counter;	/* for the new one's context, if it becomes rank 0 there */
	uint32_t local_counter; /* the same for the local stages of an intercommunicator */
};

/* Those of `from` that voted for color, in the order of the new communicator. NULL: no memory.
 * *first: what their first says, untouched when there is none. */
struct group *comm_ballot_elected(const struct group *from, const struct comm_ballot *ballots,
	int color, struct comm_ballot *first);

/* All ranks' `mine`, bytes long each, in an array that the caller frees; NULL in *all on an error.
 */
int comm_make_gather(struct comm *c, const void *mine, size_t bytes, void **all);

/* What rank 0 of each side has goes to all of the other one. */
int comm_inter_swap(
	struct comm *c, const void *mine, size_t my_bytes, void *theirs, size_t their_bytes);

/* The rank in c's own group of each process of g, in an array that the caller frees; MPI_ERR_GROUP
 * when one is not there. */
int comm_make_locate(const struct comm *c, const struct group *g, int **ranks);

/* A communicator of g whose rank 0 proposed this counter. All its ranks fail alike without one. */
int comm_make(struct comm *parent, struct group *g, uint32_t counter, struct comm **out);

/* What rank 0 of a communicator, or whoever speaks for a side, says of what it makes. */
struct comm_proposal {
	int32_t speaker; /* its rank in the world */
	int32_t n;	 /* processes of the side; less than 0: it has failed */
	uint32_t counter, local_counter;
};

/* Of n processes; local_counter is 0 without another side. */
struct comm_proposal comm_make_propose(int n, bool both_sides);

/* The contexts of what is made by the proposals of both sides, or, theirs being NULL, of the only
 * one. Both sides fail alike where it concerns both. */
int comm_make_contexts(
	struct comm_sides *s, const struct comm_proposal *mine, const struct comm_proposal *theirs);

/* In a rank that came back alone (comm_again.h): a copy of c; one of g, which is part of c, NULL
 * where this process is not in it. false: there is none to be made again. */
bool comm_make_dup_again(struct comm *c, struct comm **out, int *rc);
bool comm_make_group_again(struct comm *c, struct group *g, struct comm **out, int *rc);

/* A copy of c: begin, and what this process proposes, in both[0]; and the end, when rank 0's
 * proposals of both sides are known (coll_own_agree). */
int comm_make_dup_open(struct comm *c, struct comm_proposal both[2], struct comm **out);
int comm_make_dup_settle(struct comm *copy, const struct comm_proposal both[2]);

/* What a copy alone takes over (MPI 5.0 section 7.4.2). */
int comm_make_inherit(struct comm *from, struct comm *to);

/* Give a communicator that was not handed out yet back. */
void comm_make_undo(struct comm *c);

/* What comm_make says when there is no counter. */
int comm_make_used_up(int world_rank);

/* The same when one of those of g that vote for a color has none. All that see the ballots fail. */
int comm_ballot_check(const struct group *g, const struct comm_ballot *ballots);

int comm_make_no_memory(const struct comm *c);

/* Messages in the plane of collective operations beside them: those count up to 30 bits, and these
 * tags lie above. Calls that go on at the same time between the same processes are told apart by as
 * much of the program's tag as there is room for. */
enum comm_make_tag {
	COMM_TAG_GROUP = 4 << 28,
	COMM_TAG_INTER = 5 << 28,
	COMM_TAG_FROM_GROUP = 6 << 28,
	COMM_TAG_FROM_GROUPS = 7 << 28,
};

static inline int comm_make_tag(enum comm_make_tag what, int tag)
{
	return (int)what | (tag & ((1 << 28) - 1));
}

/* A number of a string tag. */
int comm_from_tag(const char *stringtag);

/* Instead of comm_inter_create, for a leader whose side has failed already: the other one is told.
 */
void comm_inter_decline(const struct comm_meeting *how);

/* Of g, part of c, collective over g, with such a tag; this process is in g. */
int comm_make_in_group(struct comm *c, struct group *g, int tag, struct comm **out);

#endif
