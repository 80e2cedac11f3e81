/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking and persistent collective operations: a plan becomes a request (MPI 5.0 sections 6.12
 * and 6.13). A round's messages are started together; when the last of them is done the operation's
 * deferred work (engine.h) runs the local steps and starts the next round, on whichever thread
 * makes progress. The program's operators are called by the program's threads only, inside its MPI
 * calls, as it expects.
 *
 * Messages carry the operation's number, like those of operations that are waited for, and
 * SECTION_OPERATION_TAG; those of a persistent one the number that its initialization took, at each
 * start. So starts need not come in the same order on all ranks. Any number of operations can be
 * open, and what they send is in no certain order, so the coordination protocol knows each by its
 * own name (coord_tag).
 *
 * Across a recovery line (coll_resume.c): the receives of a round are not finished before all of
 * its messages are done, so what they got is saved as not received; a round is counted when its
 * local steps are done, under one hold of the lock, or, where an operator lets it go, while no line
 * can be made as a thread is inside a call.
 */
#ifndef FTMPI_MPI_COLL_OPEN_H
#define FTMPI_MPI_COLL_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "coll_call.h"
#include "coll_run.h"
#include "mpi/engine/engine.h"

struct coll_saved;
struct request;

struct coll_open {
	struct link link; /* of all, in the order of their beginnings */
	struct engine_deferred deferred;
	struct request *request; /* which owns it */
	struct coll_run run;
	/* a persistent one: how it was planned */
	coll_planner *plan;
	struct coll_call call;
	bool crowded, near;
	const char *name; /* of the call that made it */
	/* where it stands */
	uint32_t round;	       /* so many are over */
	size_t at, local, end; /* the next one: messages [at, local), local steps [local, end) */
	struct request **messages;
	size_t n, waited; /* started; the first of them that may not be done */
	bool busy;	  /* a thread works on it, perhaps in an operator, without the lock */
	int error;	  /* the worst so far, */
	char *why;	  /* and its sentence; NULL: no memory for it */
	bool settled; /* what it was for is done: one rank that goes back alone does without it */
	/* after a restore */
	bool past;		  /* its latest start was before that */
	struct coll_saved *saved; /* the next start resumes this; NULL */
	bool strange;		  /* it is not what the line has in its place, */
	bool unplanned;		  /* or cannot be planned as it was there */
};

/* Not begun: plan into ->run, then launch (coll_launch.h). NULL: no memory. */
struct coll_open *coll_open_new(struct comm *c);

/* planned: what the plan returned. Afterwards it has all that the plan needs; or an error, with
 * fail_with said. */
int coll_open_ready(struct coll_open *o, int planned);

/* It has a request, which owns it. */
void coll_open_add(struct coll_open *o, struct request *r);
void coll_open_free(struct coll_open *o);

/* Its number, and those of its messages (SECTION_OPERATION_TAG). */
void coll_open_number(struct coll_open *o);

/* Plan a persistent one again, for the communicator as it is now; it keeps its number. */
int coll_open_plan_again(struct coll_open *o);

/* Begin at the first round, or, after so many rounds, at a later one whose messages were sent. */
void coll_open_begin(struct coll_open *o);
void coll_open_resume(struct coll_open *o, uint32_t rounds, int error);

/* All that have a request. */
struct link *coll_open_all(void);

/* While held no operation goes on, so nothing is sent. */
void coll_open_hold(bool held);

/* coll_open_numbers.c, under message logging; else nothing. The messages that it sends have numbers
 * now. It ends by an error: those that are left become empty messages, as they are missed
 * otherwise.
 */
int coll_open_reserve(struct coll_open *o);
int coll_open_send_rest(struct coll_open *o);

/* The numbers of messages that it has not sent yet, in the order of its steps, to v (NULL: only
 * count): how many. */
uint32_t coll_open_unsent(const struct coll_open *o, uint64_t *v);

/* It goes on with the round that begins at this step, whose messages were sent: those of later
 * rounds have these n numbers. MPI_ERR_ARG, without a sentence: it has not as many, or they are not
 * reserved; MPI_ERR_NO_MEM. */
int coll_open_number_again(struct coll_open *o, size_t at, const uint64_t *v, uint32_t n);

/* What all together have done; it changes whenever one of them makes progress. */
struct coll_standing {
	size_t unfinished;	       /* operations that are under way */
	uint64_t rounds, messages;     /* that are over; of the round under way that are done */
	const struct coll_open *first; /* one that is unfinished; NULL */
};

struct coll_standing coll_open_standing(void);

/* A line is restored, and all are finished: no line holds these starts any more, whatever may still
 * wait for them. */
void coll_open_leave(void);

#endif
