/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Going back to a recovery line, as struct coord_env has it: it is found, what is under way comes
 * to its end, and what the line holds is taken. Collective.
 */
#ifndef FTMPI_MPI_CKPT_RESTORE_H
#define FTMPI_MPI_CKPT_RESTORE_H

#include <stdbool.h>

struct ckpt_job;

bool ckpt_find(void *user);
void ckpt_quiet(void *user);
void ckpt_restore_take(void *user);

/* A variable was named: give it what the restored line has for it. MPI_SUCCESS or MPI_ERR_SIZE. */
int ckpt_restore_variable(struct ckpt_job *j, int id);

#endif
