/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads test: what its parts share. Thread t of every rank does the same activities in the
 * same order on a communicator that they have for themselves; what an activity does follows from
 * the seed, so every thread knows what its partners in the other ranks do. Threads of one rank do
 * not wait for each other, except where an activity says so.
 */
#ifndef FTMPI_PROGRAMS_THREADS_H
#define FTMPI_PROGRAMS_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "prog.h"

/* LONGEST: ints in a message, above the eager limit */
enum { THREADS = 4, LONGEST = 20000, RANKS_MOST = 16 };

/* Tags on communicators that all threads share; a thread adds its number. */
enum {
	TAG_OWN = 100,
	TAG_ANY_SOURCE = 200,
	TAG_SELF = 300,
	TAG_PARCEL = 400,
	TAG_POOL = 500, /* the same for all */
	TAG_STOP = 600,
	TAG_MATCHED = 700, /* the same for all */
};

struct worker;

struct activity {
	const char *name;
	void (*run)(struct worker *w);
};

struct worker {
	pthread_t thread;
	int id;
	int rank, size, left, right;
	MPI_Comm comm;	 /* of the threads with this number */
	MPI_Comm quiet;	 /* the same, with MPI_ERRORS_RETURN */
	uint64_t random; /* the same in all ranks */
	_Atomic long round;
	const struct activity *_Atomic activity;
	int out[LONGEST], in[LONGEST];
};

/* Lines are made at any moment, which takes sends that wait for their receives. */
extern int threads_lines;

extern MPI_Comm threads_shared; /* like MPI_COMM_WORLD, of all threads */

/* 0 .. n - 1, the same in all ranks */
int threads_draw(struct worker *w, int n);

/* Short or long: the length of the round's message, at least 1. */
int threads_length(struct worker *w);

/* Element i of what this thread of rank `from` says in the round. */
int threads_word(const struct worker *w, int from, int i);

/* Fill w->out with what this rank says; check that w->in is what `from` says. */
void threads_fill(struct worker *w, int n);
void threads_check(struct worker *w, int from, int n);

/* Say what went wrong where, unless it is as it should be; ends the job. */
void threads_expect(struct worker *w, bool right, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The worker whose thread this is, for functions that MPI calls. */
struct worker *threads_self(void);

/* At the end, one thread left per rank: what was sent to the pool has come out of it. */
void threads_check_pool(const struct prog *prog);

/* Each ends with a NULL name. */
extern const struct activity threads_p2p[], threads_requests[], threads_coll[], threads_objects[],
	threads_callbacks[];

#endif
