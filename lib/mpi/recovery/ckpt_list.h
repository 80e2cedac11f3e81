/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0, before a restore: which sessions and lines there are in the work directory. */
#ifndef FTMPI_MPI_CKPT_LIST_H
#define FTMPI_MPI_CKPT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "ckpt/choice.h"

struct ckpt_job;

/* This epoch has begun: nobody of an earlier one commits or removes lines from now on. */
void ckpt_list_begin(const struct ckpt_job *j);

/* All folders that lines may be taken from. What cannot be listed in a few tries ends the job. */
void ckpt_list_all(const struct ckpt_job *j, struct ckpt_choice *c);

/* Without the lock. */
void ckpt_list_pause(unsigned ms);

/* The name of the session with this place in the choice, 0 the job's own; false: there is none. */
bool ckpt_list_session(const struct ckpt_job *j, unsigned which, char *out, size_t size);

/* Its folder. */
void ckpt_list_dir(const struct ckpt_job *j, const char *session, char *out, size_t size);

#endif
