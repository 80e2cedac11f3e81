/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a job (fake_ranks) say of the communicators they got, in memory that the test
 * sees: a context belongs to one creation, and its members agree on who they are.
 */
#ifndef FTMPI_TESTS_COMM_BOARD_H
#define FTMPI_TESTS_COMM_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "fake_ranks.h"
#include "mpi/comm/comm.h"

enum { RECORDS = 20000 };

/* One rank's view of a communicator it got. */
struct record {
	uint64_t context;
	int me; /* world rank of who writes */
	int rank, size;
	int world[RANKS_MAX];
};

struct board {
	atomic_int n;
	unsigned seed;
	struct record records[RECORDS];
};

/* The communicator of a handle that is good. */
struct comm *comm_of(MPI_Comm handle);

/* Say who is in it, on what the job shares. */
void board_record(struct board *s, MPI_Comm handle);

/* Run it, and compare what all recorded. */
void board_run(struct ranks_job *job, void (*body)(void *), struct board *s);

/* On so many ranks of one host. */
void board_run_one(void (*body)(void *), int size, int cores);

/* On 1 to 9, each with a seed of its own. */
void board_run_sizes(void (*body)(void *), int loop);

#endif
