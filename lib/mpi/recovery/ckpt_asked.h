/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that the launcher asks for, in a job whose lines are images (doc/control.md, SAVE): when
 * the program comes to a safe point, in a call or by a signal while it computes (interrupt.h).
 */
#ifndef FTMPI_MPI_CKPT_ASKED_H
#define FTMPI_MPI_CKPT_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/control.h"

struct loop;

/* From now on the launcher may ask; not any more. Under the engine lock. */
void ckpt_asked_use(void);
void ckpt_asked_end(void);

/* A SAVE has come. On this loop's thread, without the lock. */
void ckpt_asked(struct loop *loop, uint32_t n, enum control_save_step step);

/* In a process that woke up from an image: nothing was asked for; before the loop is freed. Under
 * the engine lock. */
void ckpt_asked_forget(void);

#endif
