/* SPDX-License-Identifier: BSD-3-Clause */
/* A job whose recovery lines are images of its ranks' processes (ftmpirun -image). */
#ifndef FTMPI_MPI_IMAGE_JOB_H
#define FTMPI_MPI_IMAGE_JOB_H

/* MPI is initialised: lines are images; and MPI is finalized. Where the job has such lines. */
void image_job_begin(void);
void image_job_end(void);

#endif
