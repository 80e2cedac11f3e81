/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication by messages. Between the transport's upcalls and the two parts of a
 * window: words are gathered here, and obeyed once they are whole, in the order in which each rank
 * said them, in a chore (engine_soon) rather than in the upcall, as they are answered. All need
 * the engine lock.
 */
#ifndef FTMPI_MPI_RMA_H
#define FTMPI_MPI_RMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/handle/object.h"
#include "mpi/p2p/envelope.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/type/op.h"
#include "mpi/type/type.h"
#include "rma_wire.h"
#include "transport/transport.h"
#include "win.h"

struct request;

/* ---- rma.c: how words travel ---- */

/* There are windows from now on. MPI_ERR_NO_MEM. */
int rma_start(void);
void rma_fini(void);

/* What the transport says of them. */
extern const struct p2p_channel rma_channel;

/* Words about to be said: the head and what follows it, to be filled in. NULL: no memory. */
struct rma_words {
	struct object head;
	struct link link;
	int peer;   /* heard: who says it */
	int source; /* and which rank of the window it claims to be */
	uint64_t context;
	uint32_t stamp; /* heard: of the coordination protocol */
	bool whole;
	size_t len; /* of all that is behind this */
	_Alignas(16) struct rma_head say;
	uint8_t bytes[];
};

struct rma_words *rma_words_new(size_t layout_len, size_t data);

/* Where the data is. */
static inline size_t rma_data_at(size_t layout_len)
{
	return (layout_len + 15) & ~(size_t)15;
}

/* Say it to a rank of the window; it is the transport's. MPI_ERR_NO_MEM, MPI_ERR_PROC_ABORTED. */
int rma_say(struct win *w, int rank, struct rma_words *words);

/* The same for words that are a head and nothing more. */
int rma_tell(struct win *w, int rank, struct rma_head say);

/* How many bytes of what was said are not the library's again. */
size_t rma_unsent(void);

/* A peer said what makes no sense: the job cannot go on. */
_Noreturn void rma_nonsense(const struct win *w, int origin, const char *what);

/* Wait; MPI_ERR_PROC_ABORTED when a rank is gone and nobody will act. */
int rma_wait(bool (*done)(void *arg), void *arg);

/* ---- rma_memory.c: a target's memory ---- */

/* Where data lies in some memory: `count` copies of a type that may be of this file's making. */
struct rma_area {
	void *base;
	size_t count;
	struct type *type;
};

/* inout = in op inout, element by element of the predefined type `basic`; in is packed. */
bool rma_combine(const struct rma_area *inout, const void *in, struct op *op, struct type *basic);

/* ---- rma_target.c ---- */

/* Obey, and answer. */
void rma_obey(struct win *w, int origin, const struct rma_words *words);

/* Say that what was done is done. */
void rma_answer(struct win *w, int origin);
void rma_answer_all(void);

/* ---- rma_origin.c ---- */

enum rma_what { RMA_DO_PUT, RMA_DO_GET, RMA_DO_ACCUMULATE, RMA_DO_GET_ACCUMULATE, RMA_DO_SWAP };

/* One operation, its arguments checked. What it does not need is NULL or zero. */
struct rma_call {
	enum rma_what what;
	struct win *w;
	int target;
	struct rma_area origin; /* read */
	struct rma_area result; /* written; of a get, too */
	const void *compare;
	MPI_Aint disp;
	size_t count;
	struct type *type; /* at the target */
	struct op *op;
	struct type *basic;
	struct request *request; /* NULL, or to be completed when there is the result */
};

/* Begin it. Complete at the origin at once, unless it has a result. May wait for others. */
int rma_begin(struct rma_call *c);

/* ---- rma_pending.c ---- */

/* Before it is asked: what its answer is for. false: no memory. */
bool rma_note_question(struct win_peer *p, const struct rma_call *c);

/* The last one could not be asked. */
void rma_forget_question(struct win_peer *p);

/* An answer has come. */
void rma_answered(struct win *w, int target, const struct rma_words *words);

/* Ask for the end of a lock. */
int rma_ask_unlock(struct win *w, int target);

/* Until all that was asked of this target is answered, or (local) all that brings data. */
int rma_wait_for(struct win *w, int target, bool local);
int rma_wait_for_all(struct win *w, bool local);

/* Forget what was asked: the window goes. */
void rma_forget_asked(struct win *w);

/* ---- lines of checkpoints ---- */

/* Is no epoch open on any rank? Says on each what is. Collective over the job. */
bool rma_closed_everywhere(void);

/* Wait until all that this rank has begun in windows is done at its targets; epochs stay open, and
 * what targets refuse is for the program's next call. */
void rma_settle(void);

/* Why a protocol that waits for nobody cannot make a line now, or NULL. */
const char *rma_objection(void);

#endif
