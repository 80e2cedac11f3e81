/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks' schedules of one collective operation, run in one process without messages. A send
 * ends only when its receive is there (the strictest motion there can be). Every rule at the top of
 * sched.h is checked on the way; a breach ends the test and says where.
 */
#ifndef FTMPI_UNIT_SCHED_SIM_H
#define FTMPI_UNIT_SCHED_SIM_H

#include "mpi/sched/sched.h"

/* A piece of data. As a contribution to a reduction it is a word over (rank, element): `sum` does
 * not depend on the order of its letters, (hash, weight) does. */
struct cell {
	uint64_t sum, hash, weight;
};

/* A buffer of a rank; unit 0 begins at cell `base`. */
struct sim_buf {
	struct cell *cells;
	size_t n, base;
};

struct sim_rank {
	struct sched s;
	struct sim_buf buf[SCHED_BUFS];
	size_t at, end; /* the round under way: steps [at, end) */
	bool *met;	/* of each step: its message has been moved */
};

struct sim {
	char what[160]; /* what is being tested, for messages */
	int size;
	size_t unit[SCHED_BUFS]; /* cells in a unit */
	struct sim_rank *ranks;
	size_t messages, cells; /* moved between ranks */
	size_t widest;		/* the most sends, or receives, in a round */
};

/* Sizes of communicators to try: 1 to 33 and two larger ones. */
enum { SIM_SIZES = 35 };
int sim_size(int i);

/* All roots of small communicators, some of large ones. */
bool sim_root_wanted(int size, int root);

struct sim *sim_new(int size, size_t unit_in, size_t unit_out, size_t unit_scratch);
void sim_free(struct sim *m);

/* Give a rank's buffer room for n units, of which `below` lie before unit 0. The cells hold nothing
 * that any right result holds. Scratch buffers are made by sim_run, as large as the schedule says.
 */
void sim_room(struct sim *m, int rank, enum sched_buf buf, size_t n, size_t below);

/* The cell at offset `i` cells from unit `first` */
struct cell *sim_cell(struct sim *m, int rank, enum sched_buf buf, ptrdiff_t first, size_t i);

/* Run the schedules in ranks[].s to their end; or as far as it goes: returns how many ranks ended.
 */
void sim_run(struct sim *m);
int sim_run_some(struct sim *m);

/* One letter; two words one after the other; equal in content; equal in order, too. */
struct cell cell_letter(uint64_t rank, uint64_t element);
struct cell cell_join(struct cell left, struct cell right);
bool cell_same_set(struct cell a, struct cell b);
bool cell_same_word(struct cell a, struct cell b);

#endif
