/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drives the coordination protocol (lib/coord) of this process: starts it, does what it asks for,
 * and brings calls of the program into it to their end. Under the engine lock.
 */
#ifndef FTMPI_MPI_CKPT_DRIVE_H
#define FTMPI_MPI_CKPT_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/launch.h"

/* After the communicators are made, and before they go. 0, or an error with a sentence in err. */
int ckpt_drive_start(const struct launch *l, char *err, size_t errsize);
void ckpt_drive_stop(void);

/*
 * In a process that woke up from an image, first of all, while what was physical is still named: as
 * coord_woke. Then, when all pairs have begun anew, ckpt_drive_anew: messages that the program has
 * not received get their numbers, and what the ranks had to say to each other is void.
 */
void ckpt_drive_woke(uint32_t highest);
void ckpt_drive_anew(void);

/* The program ends: lines that every rank has begun are finished, and nothing is written any more.
 * Waits for all ranks, the lock let go. */
void ckpt_drive_close(void);

/* Do what the protocol asks for, until there is nothing more. After every event; called from within
 * an action that waits for nobody it does nothing: the outer call goes on after the action. */
void ckpt_drive(void);

/* As coord_checkpoint and coord_restore, to the end. */
bool ckpt_drive_checkpoint(void);
bool ckpt_drive_restore(void);

/* Until the lines of this rank are over. true: the latest was committed, or there is none. */
bool ckpt_drive_wait(void);

/* What is called when a line that nobody waited for is committed or given up; NULL: nothing. */
void ckpt_drive_on_over(void (*told)(uint32_t line, bool committed));

/* As coord_due; what it asks of other ranks is sent. */
bool ckpt_drive_due(bool elapsed);

#endif
