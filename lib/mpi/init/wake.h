/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank wakes up: the memory of this process is that of a rank whose image was taken, and it
 * becomes that rank, in the job that its agent has told it of. Its program goes on where it was,
 * with its requests, communicators and messages; the other ranks of the job wake up as well, each
 * from the same line.
 *
 * The image was taken when the thread that wakes up was inside a call, at a point where the call
 * could have let the engine's lock go, and held it; the library had no threads (physical_pause,
 * ckpt_writer_wait), physical_note had been called, and p2p_secure_found had said yes. Messages of
 * the line that are not in the image are the caller's to deliver (p2p_inject) before the lock is
 * let go; so is the list of its orphans (coord_load).
 */
#ifndef FTMPI_MPI_WAKE_H
#define FTMPI_MPI_WAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "physical.h"

/*
 * Everything physical is forgotten and built anew, the protocol of coordination goes back to the
 * line, and the agent hears INITED. highest: the highest number that a line ever had. alone: no
 * other thread of the image's is there, or will be; else they run already, and come no further than
 * to the engine's lock, which is held by this thread and not let go. No descriptor may be open but
 * the standard ones, the program's and those of start. Ends the process with a sentence when there
 * is not what it needs.
 */
void wake(const struct physical_start *start, uint32_t highest, bool alone);

/* The same under message logging, where this rank alone wakes up, from its own checkpoint: what the
 * keeper has of its outcomes after that happens again, and the other ranks, which go on, are told
 * what it has of theirs. */
void wake_logged(const struct physical_start *start);

#endif
