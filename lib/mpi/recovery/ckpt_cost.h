/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recovery lines cost this rank, for the launcher, which tells the user and reckons with it:
 * how long the program stood still for them, and how many bytes were written. Under the engine
 * lock.
 */
#ifndef FTMPI_MPI_CKPT_COST_H
#define FTMPI_MPI_CKPT_COST_H

#include <stdint.h>

#include "ckpt_job.h"

/* The program has stood still for a line, made or not, since that time (clock_ns). The launcher
 * hears of it at the first line after a second, so a program that makes thousands of them a second
 * does not make it busy. */
void ckpt_cost_stood(const struct ckpt_job *j, uint64_t since);

/* The rest, before this rank says that it has called MPI_Finalize. */
void ckpt_cost_tell(const struct ckpt_job *j);

/* In a process that woke up from an image: what is not told yet was told by another one. */
void ckpt_cost_forget(void);

#endif
