/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line may cut a collective operation: some ranks have done steps of it, others do theirs after
 * the restore. So they must be steps of the same schedules. A line names their version
 * (section_schedules.h: SCHED_VERSION), and a library with others refuses it if it cuts an
 * operation. Pure.
 */
#ifndef FTMPI_MPI_CKPT_SCHEDULES_H
#define FTMPI_MPI_CKPT_SCHEDULES_H

#include "ckpt/ckpt.h"

/* Can this library go on with what the sections, which are valid, cut? 0; FT_EMISMATCH, with a
 * sentence; FT_ENOMEM. */
int ckpt_schedules_fit(const struct ckpt_loaded *l, char *err, size_t errsize);

#endif
