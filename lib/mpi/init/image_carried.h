/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_MPI_IMAGE_CARRIED_H
#define FTMPI_MPI_IMAGE_CARRIED_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/recovery/ckpt_job.h"

/* What the process that loads an image has for the one that it becomes. */
struct carried {
	int control_fd, listen_fd, beat_fd;
	uint32_t line, highest;
	char dir[sizeof((struct ckpt_found *)0)->dir]; /* of the line's session */
	size_t start;				       /* bytes of START's body, */
	size_t started;				       /* and of reexec_carry, behind it */
	uint8_t bytes[];
};

#endif
