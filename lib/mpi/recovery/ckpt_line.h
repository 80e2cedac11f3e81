/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that are made while the program goes on: this rank's state is copied while the program
 * waits, messages in transit are held (inflight.h), and a thread writes both (lib/ckpt/writer.h).
 * What the protocol asks for (enum coord_action_kind); under the engine lock, which the writer
 * takes to report.
 */
#ifndef FTMPI_MPI_CKPT_LINE_H
#define FTMPI_MPI_CKPT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "coord/coord.h"

void ckpt_line_init(void);
void ckpt_line_fini(void);

/* In a process that woke up from an image: no task that has a line will ever end, and what such a
 * line holds is let go. Lines end with ckpt_line_over. */
void ckpt_line_forget(void);

/* cut: there was memory for the protocol's part of it. */
bool ckpt_line_capture(uint32_t line, bool cut);

/* In place of it for an image, where all ranks wait for each other's (COORD_SAVE): nothing is on
 * its way, and what the line holds beside the state is gathered at once. secured: there may be a
 * line. */
bool ckpt_line_copy(uint32_t line, bool secured);
void ckpt_line_settle(uint32_t line, int peer);
void ckpt_line_finish(uint32_t line);
void ckpt_line_over(uint32_t line);

#endif
