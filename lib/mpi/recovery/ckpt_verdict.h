/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0: a line whose parts are all durable is committed, or given up. */
#ifndef FTMPI_MPI_CKPT_VERDICT_H
#define FTMPI_MPI_CKPT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "coord/coord.h"

struct ckpt_job;

/* Any thread, without the lock: the manifest is written, and the launcher is told. false: it is not
 * committed, the reason was said. */
bool ckpt_verdict_commit(const struct ckpt_job *j, uint32_t line, const struct coord_part *parts);

/* Old lines go; those numbered `making` or larger are being made. Any thread, without the lock. */
void ckpt_verdict_prune(const struct ckpt_job *j, uint32_t making);

/* Both, by the thread that writes: what COORD_COMMIT asks for. */
void ckpt_verdict_post(uint32_t line, const struct coord_part *parts);

/* In a process that woke up from an image: the work directory is looked at again before the first
 * commit. */
void ckpt_verdict_renew(void);

#endif
