/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open collective operations across a recovery line. What is saved of each says which rounds are
 * over, and what these have written. After a restore the program begins it again; it is taken for
 * the first of its communicator that was not begun again yet (persistent ones in their own order),
 * has its old number, and goes on with the round that was under way: that receives again, and does
 * not send again (C5). Under the engine lock.
 */
#ifndef FTMPI_MPI_COLL_RESUME_H
#define FTMPI_MPI_COLL_RESUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coll_open;

/* The contents of CKPT_OPERATIONS: *out is malloc'ed; NULL, with *len 0: there are none. false: no
 * memory. */
bool coll_resume_capture(uint8_t **out, size_t *len);

/* What section_operations_valid accepted is to be resumed. false: no memory. */
bool coll_resume_take(const uint8_t *bytes, size_t len);

/* All of a line is taken: persistent operations of before the restore are those of the line. */
void coll_resume_restored(void);

/* A new one: is it to be one of the line? It gets the number of that, else the next. MPI_ERR_ARG:
 * it is not the one that would have to come. */
int coll_resume_find(struct coll_open *o);

/* Begin it, at the first round or where the line had it. */
int coll_resume(struct coll_open *o);

/* It goes, with what was to be resumed. */
void coll_resume_forget(struct coll_open *o);
void coll_resume_fini(void);

#endif
