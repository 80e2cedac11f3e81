/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queues of a rank as text, for a user looking for the place where a program hangs (ftmpirun
 * -dump): operations that are not done, and messages that no receive has taken.
 */
#ifndef FTMPI_MPI_QUEUES_H
#define FTMPI_MPI_QUEUES_H

/* Write them to standard error, a line each, as far as it takes them without delay. On the progress
 * thread, without the lock, whatever the program does meanwhile. */
void queues_dump(void);

#endif
