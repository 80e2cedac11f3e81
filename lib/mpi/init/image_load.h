/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_MPI_IMAGE_LOAD_H
#define FTMPI_MPI_IMAGE_LOAD_H

/* Before main, in a rank of a job whose lines are images: START is read, and where the job is to go
 * on from a line the ranks look for it together, and this process becomes the one of its image:
 * then this does not return. */
void image_job_loaded(void);

#endif
