/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Going back to a recovery line, as enum coord_action_kind has it: it is found, what is under way
 * comes to its end, and what the line holds is taken. Collective.
 */
#ifndef FTMPI_MPI_CKPT_RESTORE_H
#define FTMPI_MPI_CKPT_RESTORE_H

#include <stdbool.h>
#include <stdint.h>

struct ckpt_job;

/* *highest: the highest number that a line ever had. */
bool ckpt_find(struct ckpt_job *j, uint32_t *highest);
void ckpt_quiet(struct ckpt_job *j);
void ckpt_restore_take(struct ckpt_job *j);

/* What j->loaded holds, on this rank. false, with the reason said: it does not fit, or there is no
 * memory. */
bool ckpt_restore_take_all(struct ckpt_job *j);

/* A variable was named: give it what the restored line has for it. MPI_SUCCESS or MPI_ERR_SIZE. */
int ckpt_restore_variable(struct ckpt_job *j, int id);

#endif
