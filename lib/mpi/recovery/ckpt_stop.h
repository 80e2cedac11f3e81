/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs whose lines are images: while a thread makes a line the program's other threads stand still
 * where they come to a safe point (engine.h), asleep in nothing that another process would not
 * have. Those that compute are stopped by the image itself. Under the engine lock.
 */
#ifndef FTMPI_MPI_CKPT_STOP_H
#define FTMPI_MPI_CKPT_STOP_H

#include <stdbool.h>

/* From here on there are safe points. asked is called at one when no line is being made; what it
 * wants is said by ckpt_stop_want. NULL: no more. */
void ckpt_stop_use(void (*asked)(void));

/* Is a safe point wanted? Sleeping threads are woken once: say it again until one is reached. */
void ckpt_stop_want(bool wanted);

/* The calling thread, which is inside a call, is the one that makes a line; and not any more. */
void ckpt_stop_begin(void);
void ckpt_stop_end(void);

/* Does a thread make a line? */
bool ckpt_stop_is_begun(void);

/* A moment without the lock; in any thread of the program's that waits for others here. */
void ckpt_stop_moment(void);

#endif
