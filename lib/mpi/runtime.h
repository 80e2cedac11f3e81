/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process's part in the job. Everything physical (loop, sockets, control, epoch) is built by
 * runtime_attach and dropped by runtime_detach in a living process; what is logical stays.
 */
#ifndef FTMPI_MPI_RUNTIME_H
#define FTMPI_MPI_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>

enum runtime_state {
	RUNTIME_BEFORE,
	RUNTIME_RUNNING,
	RUNTIME_AFTER,
	RUNTIME_FORKED, /* a child of a rank that is running */
};

/* Any thread. Written by runtime.c alone. */
extern _Atomic enum runtime_state runtime_now;

static inline enum runtime_state runtime_state(void)
{
	return atomic_load_explicit(&runtime_now, memory_order_acquire);
}

/* MPI_Init: learns what this process is, builds everything. Ends the process with a sentence when
 * that is not possible. argc and argv may be NULL. */
void runtime_start(int *argc, char ***argv, int thread_level);

/* MPI_Finalize: everything is written, everyone has said goodbye. */
void runtime_finish(void);

int runtime_thread_level(void);
bool runtime_is_main_thread(void);

/* The control socket, -1 without a launcher. */
int runtime_control_fd(void);

#endif
