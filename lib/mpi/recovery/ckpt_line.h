/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that are made while the program goes on: this rank's state is copied while the program
 * waits, messages in transit are held (inflight.h), and a thread writes both (lib/ckpt/writer.h).
 * What struct coord_env asks for; under the engine lock, which the writer takes to report.
 */
#ifndef FTMPI_MPI_CKPT_LINE_H
#define FTMPI_MPI_CKPT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "coord/coord.h"

void ckpt_line_init(void);
void ckpt_line_fini(void);

bool ckpt_line_capture(void *user, uint32_t line);
void ckpt_line_settle(void *user, uint32_t line, int peer);
void ckpt_line_finish(void *user, uint32_t line);
void ckpt_line_over(void *user, uint32_t line, bool committed);

#endif
