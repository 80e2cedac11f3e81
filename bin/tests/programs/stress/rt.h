/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The randomised test: what all its parts share. Everything a case does follows from (seed, case
 * number), so every rank knows what every other rank does, and any case can be run again alone.
 */
#ifndef FTMPI_PROGRAMS_RT_H
#define FTMPI_PROGRAMS_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "prog.h"

struct rng {
	uint64_t state;
};

uint64_t rt_mix(uint64_t a, uint64_t b);
uint64_t rng_next(struct rng *rng);
/* 0 .. n - 1; n must not be 0 */
size_t rng_below(struct rng *rng, size_t n);
/* true in `percent` of 100 calls */
bool rng_chance(struct rng *rng, int percent);

struct rt_case {
	const struct prog *prog;
	uint64_t seed;
	long number;
	size_t max_bytes; /* most bytes in one rank's buffer, holes left out */
	bool lines;	  /* are made at any moment, and end sends that wait for receives */
	const char *kind;
	char detail[160];  /* what it does, for messages */
	struct rng common; /* draws the same on all ranks of comm */
	struct rng own;	   /* draws differently on each */
	MPI_Comm comm;
	int rank, size;
	int *world; /* rank in comm -> rank in MPI_COMM_WORLD */
	bool made;  /* comm was made for this case */
};

/* The name of the data that rank `from` of comm gives to rank `to`, as its `what`-th. */
uint64_t rt_stream(const struct rt_case *c, int from, int to, int what);

/* Say which case went wrong and how, and end the job. */
_Noreturn void rt_wrong(const struct rt_case *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Note what the case does, for rt_wrong and -v. */
void rt_describe(struct rt_case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* rt_comm.c: choose or make the case's communicator. Collective over MPI_COMM_WORLD. False when
 * this rank has no part in the case. rt_comm_close frees what was made. */
bool rt_comm_open(struct rt_case *c);
void rt_comm_close(struct rt_case *c);

/* A kind of case; run is called on all ranks of c->comm. */
struct rt_kind {
	const char *name;
	void (*run)(struct rt_case *c);
};

/* Each ends with a NULL name. */
extern const struct rt_kind rt_move_kinds[];
extern const struct rt_kind rt_movev_kinds[];
extern const struct rt_kind rt_reduce_kinds[];
extern const struct rt_kind rt_blocking_kinds[];
extern const struct rt_kind rt_nonblocking_kinds[];
extern const struct rt_kind rt_rare_kinds[];

#endif
