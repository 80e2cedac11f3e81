/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints of data under message logging (doc/msglog.md, M10), which the program makes by calls,
 * each rank its own. Their files are those of ckpt/rank_folder.h. Under the engine lock, but for
 * ckpt_alone_data_find.
 */
#ifndef FTMPI_MPI_CKPT_ALONE_DATA_H
#define FTMPI_MPI_CKPT_ALONE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ckpt_job;

/* Does this rank make such checkpoints? */
bool ckpt_alone_data_is_used(const struct ckpt_job *j);

/* At the start, before messages are logged: what the process goes on from is read and checked, and
 * j->restoring says that there is something. 0, or an error with a sentence in err. */
int ckpt_alone_data_find(struct ckpt_job *j, char *err, size_t errsize);

/* The bytes of CKPT_MSGLOG in that; NULL: there are none. */
const uint8_t *ckpt_alone_data_state(size_t *len);

/* FTMPI_Restore: j->restoring tells which. The end of the prefix in a process that has a
 * checkpoint: that is given back. Or the program comes there for the first time. */
void ckpt_alone_data_restore(struct ckpt_job *j);
void ckpt_alone_data_restore_point(void);

/* FTMPI_Perform_Checkpoint: false, with the reason said where it is news: there is none. It is
 * written while the program goes on. */
bool ckpt_alone_data_make(struct ckpt_job *j);

/* FTMPI_CKPT_Wait: until that is done. Is the latest durable, or was none begun? */
bool ckpt_alone_data_wait(void);

/* FTMPI_Checkpoint_due: can one be made now? */
bool ckpt_alone_data_is_possible(const struct ckpt_job *j);

/* The agent's answer to HELD n. Any thread. */
void ckpt_alone_data_go(uint32_t n);

/* The program ends: it must have come to its restore point if it runs its prefix again. */
void ckpt_alone_data_end(void);

#endif
