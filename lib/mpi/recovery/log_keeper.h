/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This rank and the job's keeper under message logging (doc/msglog.md, doc/keeper.md): the keeper
 * has the outcomes of before, and is told those that happen (p2p_log.h). The connection has a
 * thread of its own, so that the program's messages need not wait for the progress thread.
 */
#ifndef FTMPI_MPI_LOG_KEEPER_H
#define FTMPI_MPI_LOG_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/launch.h"

struct descriptor_list; /* base/descriptors.h */

/* Does the launcher say `-coord msglog`? */
bool log_keeper_wanted(const struct launch *l);

/* Messages are logged from now on. Waits until the keeper has given what happened before. 0, or an
 * error with a sentence in err. Not with the engine's lock held. */
int log_keeper_start(const struct launch *l, char *err, size_t errsize);

/* As physical_pause, physical_go_on and physical_descriptors, of this connection and its thread. */
int log_keeper_pause(uint64_t until_ns);
int log_keeper_go_on(void);
void log_keeper_own_descriptors(struct descriptor_list *list);

/* In a process that woke up from an image, before any descriptor is opened: the thread and the
 * connection are not there. Then: what the keeper has after the image happens again (p2p_log_woke).
 * The engine's lock is held, and not let go. */
void log_keeper_forget(void);
int log_keeper_woke(const struct launch *l, char *err, size_t errsize);

/* Nothing more is told. Not with the engine's lock held. */
void log_keeper_stop(void);

#endif
