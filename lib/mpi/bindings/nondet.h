/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call tells the program that the program's history does not determine: whether something is
 * done or there, and which of several. Under message logging (doc/msglog.md, M2, M3, M8) that is
 * noted, and a rank that runs again says what it said before. Else each function here is what the
 * call asks for, and nothing more.
 */
#ifndef FTMPI_MPI_NONDET_H
#define FTMPI_MPI_NONDET_H

#include <stdbool.h>

#include "mpi/p2p/p2p_state.h"

struct comm;
struct match_msg;
struct request;
struct request_set;

/* Until all are done, which is determined; but a rank that runs again does not wait in vain. */
void nondet_wait(struct request_set *s);

/* A test: is it idle, or are all, perhaps after a look at what has come? */
bool nondet_idle(struct request *r);
bool nondet_all(struct request_set *s);

/* The index of one that is done into s->next; -1 there, and true, when none is in play. wait: until
 * there is one. */
bool nondet_any(struct request_set *s, bool wait);

/* The indices of those that are done. How many; -1: none is in play. */
int nondet_some(struct request_set *s, bool wait, int indices[]);

struct probing {
	struct comm *c;
	int source, tag;
	bool takes; /* it is taken out of the lists then */
	struct p2p_found found;
	struct match_msg *msg; /* that was found; NULL: with MPI_PROC_NULL, or it was not asked */
};

/* Is there a message? wait: until there is one. */
bool nondet_probe(struct probing *p, bool wait);

/* Does the cancellation of this receive succeed? */
bool nondet_cancel(const struct request *r);

#endif
