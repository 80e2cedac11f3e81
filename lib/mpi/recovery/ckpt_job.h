/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints of this process as a member of its job: between the calls of ftmpi.h (api_ckpt.c),
 * the protocol (lib/coord) and the files (lib/ckpt). Guarded by the engine lock.
 */
#ifndef FTMPI_MPI_CKPT_JOB_H
#define FTMPI_MPI_CKPT_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "ckpt/ckpt.h"
#include "ckpt/reader.h"
#include "coord/coord.h"
#include "launch/launch.h"

/* This rank's image of a line, verified; the line is 0: there is none. */
struct ckpt_found {
	uint32_t line;
	char dir[LAUNCH_PATH_MAX + LAUNCH_HOST_MAX]; /* of its session */
	struct ckpt_reader image;		     /* open */
};

struct ckpt_job {
	const struct launch *launch;
	struct coord coord;
	struct ckpt_identity id;		     /* alone: its epoch is the incarnation */
	char dir[LAUNCH_PATH_MAX + LAUNCH_HOST_MAX]; /* of the session; "" until it is known */
	bool restoring; /* a line is to be taken, or there may be one: nobody has looked yet */
	bool asked;	/* FTMPI_Restore was called */
	bool alone;	/* message logging: no lines, each rank makes its own (ckpt_alone.h) */
	bool called;	/* FTMPI_Perform_Checkpoint is under way: no other line begins, */
	bool making;	/* nor while a line of images is being made */
	uint64_t since; /* when the last line, or the program, began */
	bool wanted;	/* the launcher wants a line: the program is told that it is due */
	/* what the program wants saved */
	struct ckpt_buffer buffer;
	struct ckpt_registry registry;
	/* blocking: this rank's part of the line that is being made */
	struct coord_part written;
	struct ckpt_found found; /* of images: what a search has found */
	/* a restored line, while it holds variables that the program has not named yet */
	struct ckpt_loaded loaded;
};

struct ckpt_job *ckpt_job(void);

/* Every rank has said goodbye: rank 0 removes what failures left of lines that were not made. */
void ckpt_job_clear_up(void);

/* Who this process is; j->alone is set. */
void ckpt_job_is(const struct launch *l);

/* The folder of this session and who we are, agreed on: collective the first time. */
void ckpt_job_name(void);

/* In a process that woke up from an image, once the launch is learnt: it is of this epoch; the
 * session's folder, if it was known, is the one of the job that it is in now; and the time to the
 * next line begins. */
void ckpt_job_renew(void);

#endif
