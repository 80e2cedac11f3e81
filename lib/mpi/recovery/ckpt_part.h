/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This rank's part of a line, into its file and back, under every protocol. One table in
 * ckpt_part.c has the sections: when each is gathered and by what, by what it is checked and taken
 * in a restore, and what is said when there is no memory for it. Their layouts are in
 * lib/ckpt/section_* (orphans: lib/coord/orphans).
 *
 * A part is begun, gathered stage by stage, written, ended. What varies stands in it: where the
 * program waits until the file is durable, sections stay where they are and messages are those of
 * the queues; else all is copied, and messages are those that were held for the line. When each
 * stage comes, and on which thread, is the protocol's: ckpt_blocking.c does all at once,
 * ckpt_line.c while the program goes on.
 */
#ifndef FTMPI_MPI_CKPT_PART_H
#define FTMPI_MPI_CKPT_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ckpt/capture.h"
#include "coord/coord.h"
#include "mpi/p2p/inflight.h"

struct ckpt_job;

struct ckpt_part {
	struct ckpt_job *job;
	uint32_t line;
	const struct inflight_line *in; /* what holds its messages; NULL: the program waits */
	struct ckpt_capture *capture;	/* what was gathered; NULL: not begun, or ended */
	bool copied; /* or it does not, and messages are those of the queues, under message logging
		      */
	bool image;  /* the state is that of the whole process (ckpt_image.h), */
	bool taken;  /* which a child writes, or has written */
};

/* When a section can be gathered. */
enum ckpt_stage {
	CKPT_STAGE_STATE = 1,	 /* when the line begins */
	CKPT_STAGE_ORPHANS = 2,	 /* when all messages of the line are known */
	CKPT_STAGE_MESSAGES = 4, /* when their contents are here */
	CKPT_STAGE_ALL = 7,	 /* while the program waits it is all the same moment */
	CKPT_STAGE_LOGGED = 8	 /* under message logging, behind the state, in the same moment */
};

/* NULL; or why there is no part, perhaps in text: nothing was begun. Under the engine lock. What
 * ckpt_image.h says of an image holds from before this until its state is gathered. */
const char *ckpt_part_begin(struct ckpt_part *p, char *text, size_t size);

/* The sections of these stages, in the order of the table. NULL; or why not, perhaps in text: the
 * part can only be ended. Under the engine lock, but for messages that were held for the line. The
 * state of an image is gathered a second time, by the process that wakes up from it
 * (ckpt_image_wakes): there the part can only be ended, too. */
const char *ckpt_part_gather(struct ckpt_part *p, unsigned stages, char *text, size_t size);

/* The file, durable. false: err says why, and nothing is left of it. Needs no lock. */
bool ckpt_part_write(
	const struct ckpt_part *p, struct coord_part *written, char *err, size_t errsize);

/* What was gathered is let go. */
void ckpt_part_end(struct ckpt_part *p);

/* Do all sections of a file make sense in a job of `size` ranks? */
bool ckpt_part_valid(const struct ckpt_loaded *l, int size);

/* All that j->loaded holds, but variables, in the order of the file. Under the engine lock. false:
 * no memory. */
bool ckpt_part_take(struct ckpt_job *j);

#endif
