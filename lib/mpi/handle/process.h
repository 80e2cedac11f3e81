/* SPDX-License-Identifier: BSD-3-Clause */
/* This process as a member of its job: what messages call it, and its end by an error. */
#ifndef FTMPI_MPI_PROCESS_H
#define FTMPI_MPI_PROCESS_H

#include <stdbool.h>

#include "mpi.h" /* error classes */

/* Its rank in MPI_COMM_WORLD, and its host as the user calls it (copied; at most 255 bytes; "": the
 * machine's own name). In the call that begins the job, and again in a process that woke up from an
 * image, while no other thread asks. */
void process_is(int rank, const char *host);

/* 0 and the machine's own name before process_is. */
int process_rank(void);
const char *process_host(void);

/* What is to be done before process_die ends the process. Once, when the library is loaded. */
void process_on_end(void (*end)(int errclass));

/* Before saying why the process ends: the first thread goes on to say it and to process_die; others
 * that come here after it wait for the end. */
void process_last_words(void);

/* Memory, descriptors or threads are short here, or a disk cannot be read now, which was said: the
 * process ends as if the system had killed it for that, so the launcher begins all ranks again. A
 * process without a launcher ends as by process_die. */
_Noreturn void process_die_for_now(bool launched);

/* End the process because of an error that may not be survived: what the program printed goes out,
 * the launcher is told, which ends the other ranks, and the exit status is made of errclass. Any
 * thread, with or without the engine's lock. */
_Noreturn void process_die(int errclass);

#endif
