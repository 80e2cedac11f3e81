/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process's part in the job. It is built and taken down in runtime_job.c.
 *
 * Its users are the world, from MPI_Init to MPI_Finalize, and every session. The first one builds
 * it. A process has one part in one job, so that ends once and for all: with MPI_Finalize in a
 * program that makes no sessions; in any other when the process exits, since another session may
 * come at any time before. A process that exits while there are users leaves the job, which is a
 * failure.
 */
#ifndef FTMPI_MPI_RUNTIME_H
#define FTMPI_MPI_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>

enum runtime_state {
	RUNTIME_BEFORE,
	RUNTIME_RUNNING, /* it has users */
	RUNTIME_IDLE,	 /* it has none at the moment */
	RUNTIME_AFTER,
	RUNTIME_FORKED, /* a child of a rank that is running */
};

/* Any thread. It is in runtime_job.c, and written there and in runtime.c alone. */
extern _Atomic enum runtime_state runtime_job_state;

static inline enum runtime_state runtime_state(void)
{
	return atomic_load_explicit(&runtime_job_state, memory_order_acquire);
}

/* When the library is loaded: an error that ends the process, also before the first user, is told
 * to the launcher. */
void runtime_loaded(void);

/* One user more. The first one learns what this process is and builds everything, or ends the
 * process with a sentence when that is not possible; others that come at the same time wait.
 * argc and argv may be NULL. false: it has ended, for good. Without the engine's lock. */
bool runtime_use(int *argc, char ***argv);

/* From now on it ends when the process exits. Called by one of its users. */
void runtime_keep(void);

/* In a process that woke up from an image without the program's other threads: nobody holds the
 * lock. Where they are there it is held, and waited for, by those that did so in the image. */
void runtime_forget(void);

/* One user less. After the last one, unless it is kept, everything is written, all ranks have said
 * goodbye, and it has ended. Without the engine's lock. */
void runtime_release(void);

#endif
