/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a job as processes of one machine, with pipes in place of the engine: what
 * lib/mpi/construct needs of p2p.h and coll.h, in the plainest way. A message is checked to be the one
 * expected; a rank that waits too long is ended by an alarm.
 */
#ifndef FTMPI_TESTS_FAKE_RANKS_H
#define FTMPI_TESTS_FAKE_RANKS_H

#include <stdbool.h>
#include <stddef.h>

enum { RANKS_MAX = 16, RANKS_DEADLINE_S = 30 };

struct ranks_job {
	int size;
	int node[RANKS_MAX], cores[RANKS_MAX];
	void (*body)(void *shared); /* what every rank does between init and free of the world */
	void *shared;		    /* from ranks_share */
};

/* Memory, zeroed, that all ranks and the test see. */
void *ranks_share(size_t bytes);

/* All on one host with this many cores. */
void ranks_one_host(struct ranks_job *job, int size, int cores);

/* Run the job; how many ranks did not end well. */
int ranks_run(const struct ranks_job *job);

/* End this rank with a sentence unless ok. */
void ranks_must(bool ok, const char *what, long got);

#endif
