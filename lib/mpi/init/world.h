/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The World Model (MPI 5.0 section 11.2): MPI_COMM_WORLD and MPI_COMM_SELF, which the program may
 * name from MPI_Init to MPI_Finalize, once in the life of a process.
 */
#ifndef FTMPI_MPI_WORLD_H
#define FTMPI_MPI_WORLD_H

#include <stdbool.h>

enum world_state { WORLD_BEFORE, WORLD_OPENING, WORLD_OPEN, WORLD_CLOSING, WORLD_AFTER };

enum world_state world_state(void);

/* MPI_Init, by the thread that is the main thread from now on. false: it was called before. Ends
 * the process with a sentence where there can be no world. */
bool world_open(int *argc, char ***argv, int thread_level);

/* MPI_Finalize, in its call; the engine's lock is given back. Ends the process with a sentence when
 * the world is not open. */
void world_close(void);

/* As granted at MPI_Init; with sessions alone the highest, which all of them have. Where messages
 * are logged at most MPI_THREAD_SERIALIZED: the order of threads would be an outcome that nobody
 * sees. */
int world_thread_level(void);

bool world_is_main_thread(void);

#endif
