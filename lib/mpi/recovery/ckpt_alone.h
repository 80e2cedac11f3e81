/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message logging: a checkpoint of this rank alone, as an image of its process (doc/msglog.md, M5).
 * The launcher asks for it and gives it its number. Under the engine lock, unless something else is
 * said.
 */
#ifndef FTMPI_MPI_CKPT_ALONE_H
#define FTMPI_MPI_CKPT_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ckpt/rank_folder.h"

struct ckpt_job;

/* The one that is taken at a safe point, in the thread that came there. It is written while the
 * program goes on; then, or when there is none, the launcher hears SAVED. Also returns in the
 * process that woke up from it. */
void ckpt_alone_make(struct ckpt_job *j, uint32_t number);

/* Is the one before it not written yet? */
bool ckpt_alone_is_writing(void);

/* Until it is. Others that come back meanwhile get what they need. */
void ckpt_alone_wait(void);

/* Before main, in a process that comes back: j->found is the image that it goes on from, open, and
 * this process's own from now on; line 0: it begins at its beginning. 0, or a code of base/error.h
 * with a sentence in err. Without the lock. */
int ckpt_alone_find(struct ckpt_job *j, char *err, size_t errsize);

/* ---- of data, too (ckpt_alone_data.h) ---- */

/* Where this rank has them. */
struct ckpt_rank_folder ckpt_alone_place(const struct ckpt_job *j);

/* On the writer's thread. The file is durable: does it count? false: err says why that is not
 * known. Ends this process if a newer one of the rank is there. Without the lock. */
bool ckpt_alone_counts(const struct ckpt_job *j, uint32_t number, char *err, size_t errsize);

/* Then: others are told what it covers, or the user why there is none (err). */
void ckpt_alone_over(uint32_t number, bool durable, const char *err);

/* And the launcher. Without the lock. */
void ckpt_alone_tell(const struct ckpt_job *j, uint32_t number, bool durable);

#endif
