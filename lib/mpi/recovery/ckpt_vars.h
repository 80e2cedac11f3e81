/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protected variables with their datatypes: lib/ckpt's registry knows places and bytes; a variable
 * that does not lie in one piece is packed on its way to the file and unpacked on its way back.
 * Guarded by the engine lock.
 */
#ifndef FTMPI_MPI_CKPT_VARS_H
#define FTMPI_MPI_CKPT_VARS_H

#include <stdbool.h>
#include <stddef.h>

#include "ckpt/capture.h"
#include "ckpt/ckpt.h"
#include "mpi/type/type.h"

/* 0 or FT_ENOMEM. Holds the type. */
int ckpt_vars_protect(struct ckpt_registry *r, int id, void *addr, size_t count, struct type *type);

/* 0 or FT_ENONE */
int ckpt_vars_unprotect(struct ckpt_registry *r, int id);
void ckpt_vars_clear(void);

/* What is to be saved of v goes into c. false: no memory. */
bool ckpt_vars_capture(const struct ckpt_protected *v, struct ckpt_capture *c);

/* Is the memory of every variable there? What the program has freed and the system has taken back
 * is not, and would end the process; memory that is there again may be another's. false: the
 * sentence says which one is gone. */
bool ckpt_vars_there(const struct ckpt_registry *r, char *why, size_t size);

/* v gets these v->bytes bytes. */
void ckpt_vars_set(const struct ckpt_protected *v, const void *bytes);

#endif
