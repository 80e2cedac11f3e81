/* SPDX-License-Identifier: BSD-3-Clause */
/* A process joins its job, and leaves it. For runtime.c, which knows the users. */
#ifndef FTMPI_MPI_RUNTIME_JOB_H
#define FTMPI_MPI_RUNTIME_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime.h"

struct ckpt_found;

/* What is done when MPI is initialised, before any other rank hears of it, and when it is
 * finalized, before anything is taken down, within a call. Before the start; memory that stays. */
struct runtime_job_hooks {
	void (*begin)(void), (*end)(void);
};

void runtime_job_on(const struct runtime_job_hooks *hooks);

/* Learn what this process is and build everything, or end the process with a sentence. */
void runtime_job_start(int *argc, char ***argv);

/* For users after the first: the arguments of a start by hand are not the program's. */
void runtime_job_take_out(int *argc, char ***argv);

/* Say goodbye and take everything down. */
void runtime_job_finish(void);

/* It may end the process, and makes no MPI call. */
typedef void (*runtime_job_step)(const struct ckpt_found *found);

/*
 * Before the start, and in its place where it returns true: the ranks of a job of images look for
 * the line to go on from. All that is built for it is taken down again, but for the sockets that
 * the launcher gave; no rank connects to this one until it is built anew. found: this rank's image,
 * open; highest: the highest number that a line ever had. False: there is none, and the job begins
 * anew. Ends the process with a sentence where there has to be one. Where there is one, each of
 * `steps` (NULL behind the last) is called before any rank leaves the search: no rank begins one
 * before all have done the one before, and all are over when the first rank loads its image.
 */
bool runtime_job_search(struct ckpt_found *found, uint32_t *highest, const runtime_job_step *steps);

/* The same under message logging, of this rank alone: it asks nobody. */
bool runtime_job_search_alone(struct ckpt_found *found, const runtime_job_step *steps);

#endif
