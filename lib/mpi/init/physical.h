/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a rank belongs to this process alone, and to this epoch of the job: what the launcher
 * said, sockets and shared memory, the library's threads. The rest (communicators, requests,
 * messages that wait, the counters of the protocols) is logical: it outlives this, which is dropped
 * and built anew while the process lives. One at a time.
 */
#ifndef FTMPI_MPI_PHYSICAL_H
#define FTMPI_MPI_PHYSICAL_H

#include "launch/launch.h"
#include "transport/transport.h"

/* Learn what this process is, from its launcher or by hand, or end it with a sentence. */
void physical_learn(int *argc, char ***argv);

/* What was learnt. Good until the next physical_learn or physical_forget. */
const struct launch *physical_launch(void);

/* Build all of it, without its threads. 0, FT_ENOMEM or FT_ESYS. */
int physical_build(struct tp *tp);

/* Begin the threads. 0, FT_ENOMEM or FT_ESYS. Last: from here on other ranks connect, and must not
 * take the descriptors that others need. */
int physical_start(void);

/* Tell the heartbeats' observers that their silence is no failure, and end the heartbeats. */
void physical_leave(void);

/* End the threads and close everything but the control socket. Not with the engine's lock held. */
void physical_drop(struct tp *tp);

/* What was learnt is forgotten. */
void physical_forget(void);

/* This process cannot take part in the job: a sentence, word to the launcher, status 1. */
_Noreturn void physical_give_up(const char *why);

#endif
