/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that a communicator's life is made of share (comm.c, comm_world.c, ...), and
 * nobody else sees. */
#ifndef FTMPI_MPI_COMM_INSIDE_H
#define FTMPI_MPI_COMM_INSIDE_H

#include "comm.h"

/* ---- comm_predefined.c ---- */

/* NULL where there is no job; comm_world.c makes them. */
struct comm_job {
	struct comm *world, *self, *coord;
};

extern struct comm_job comm_job __attribute__((visibility("hidden")));

/* ---- comm.c ---- */

/* None was made yet, and counters begin here. */
void comm_count_from(uint32_t counter);

/* Of this group, without a handle and an error handler yet. NULL: no memory. */
struct comm *comm_alloc(struct group *group, uint64_t context);

/* ---- comm_hosts.c ---- */

/* What comm_hosts_renew took is freed. */
void comm_hosts_fini(void);

/* Has some host more of these than cores? */
bool comm_hosts_crowded(const struct group *g);

/* Does each talk with all others through memory? */
bool comm_hosts_near(const struct group *g);

/* ---- comm_numbered.c ---- */

/* It goes on where a restored line was, if that knows its context. */
void comm_numbered_apply(struct comm *c);
void comm_numbered_forget(void);

#endif
