/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this rank has sent to each other one (tp_sent_to), told to the launcher for the run record
 * (doc/record.md): of the program's messages, from when this process began, or woke up. Under the
 * engine lock.
 */
#ifndef FTMPI_MPI_CKPT_TRAFFIC_H
#define FTMPI_MPI_CKPT_TRAFFIC_H

#include <stdint.h>

#include "ckpt_job.h"

/* This rank's part of that line, or its own checkpoint of that number, was taken just now, and the
 * program has sent nothing since. It is told if that was not done within the last second. */
void ckpt_traffic_before(const struct ckpt_job *j, uint32_t line);

/* All of it, before this rank says that it has called MPI_Finalize: with the setting `traffic`, or
 * in a job that has a record as it makes lines. */
void ckpt_traffic_all(const struct ckpt_job *j);

#endif
