/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a line, whoever wants it: a call of the program, or the launcher. */
#ifndef FTMPI_MPI_CKPT_MAKE_H
#define FTMPI_MPI_CKPT_MAKE_H

struct ckpt_job;

enum ckpt_made {
	CKPT_NOT_MADE, /* why was said */
	CKPT_MADE,     /* blocking, and not of images: it is committed; else: this rank's state is
			  captured, and ckpt_drive_wait waits for the rest */
	CKPT_WOKEN,    /* this process woke up from it */
};

/* Within a call, or at a safe point. Collective under blocking. ckpt_job_name was called. */
enum ckpt_made ckpt_make(struct ckpt_job *j);

#endif
