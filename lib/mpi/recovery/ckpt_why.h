/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user is told when a line is not made: the one place of these sentences, whatever the
 * protocol. What rooms below find out is said by them: inflight.h of messages in transit,
 * rma_line_objection of windows, lib/ckpt of files.
 */
#ifndef FTMPI_MPI_CKPT_WHY_H
#define FTMPI_MPI_CKPT_WHY_H

#include <stddef.h>
#include <stdint.h>

enum ckpt_why {
	CKPT_WHY_THREADS,   /* another thread is inside MPI */
	CKPT_WHY_NO_MEMORY, /* for anything, while the program waits */
	CKPT_WHY_STATE,	    /* no memory for a copy of the rank's state, */
	CKPT_WHY_ORPHANS,   /* for its orphans, */
	CKPT_WHY_MESSAGES,  /* for the messages in transit */
	CKPT_WHY_WINDOWS,   /* a message of a window crosses it */
	CKPT_WHY_CROWDED,   /* it has too many orphans */
	CKPT_WHY_NO_WRITER, /* no thread for its file, */
	CKPT_WHY_NO_COMMIT, /* or for its manifest */
};

const char *ckpt_why_text(enum ckpt_why why);

/* One line of the log, for the user. behind: this rank holds as many copies as it may; once. */
void ckpt_why_not_made(uint32_t line, const char *why);
void ckpt_why_behind(uint32_t line, size_t copies, uint64_t bytes);
void ckpt_why_not_committed(uint32_t line, const char *why);
void ckpt_why_made_by_others(uint32_t line, const char *session_dir);

#endif
