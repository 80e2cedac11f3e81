/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of one communicator as threads, with a mailbox in place of p2p.h: what the collective
 * operations need of the engine. Every send ends only when its receive is there. One lock stands
 * for the engine lock of all ranks: a thread holds it except while it waits. A wait that lasts too
 * long ends the process and says who waits for what.
 */
#ifndef FTMPI_TESTS_FAKE_TEAM_H
#define FTMPI_TESTS_FAKE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/comm/comm.h"

enum { TEAM_DEADLINE_S = 60, TEAM_MOST = 16 };

typedef void team_body(struct comm *c, void *arg);

/* Run body on each rank; then nothing may be left that was sent or received in vain. */
void team_run(int size, bool crowded, team_body *body, void *arg);

/* Sends and receives that have been started by all ranks since team_run began. */
size_t team_messages(void);

/* From the n-th message on (0: the next) this rank's messages cannot be started: out of memory. */
void team_starve(struct comm *c, size_t n);

/* This rank is gone: what others wait for from it, now or later, ends with MPI_ERR_PROC_ABORTED. */
void team_leave(struct comm *c);

/* Messages of this rank that have been started and not waited for */
size_t team_open(struct comm *c);

/* End the process with a sentence unless ok. For threads, where Check's own way out does not work.
 */
void team_must(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
