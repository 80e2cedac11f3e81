/* SPDX-License-Identifier: BSD-3-Clause */
/* The COMMON blocks of mpif.h and the modules; nothing is ever stored there. */
#ifndef FTMPI_FORTRAN_SENTINELS_H
#define FTMPI_FORTRAN_SENTINELS_H

extern int ftmpi_f_bottom_, ftmpi_f_in_place_, ftmpi_f_automatic_, ftmpi_f_unweighted_,
	ftmpi_f_weights_empty_, ftmpi_f_errcodes_, ftmpi_f_status_[8], ftmpi_f_statuses_[8];
extern char ftmpi_f_argv_, ftmpi_f_argvs_;

/* libftmpi's, for the Fortran library alone: raise an error in the name of an MPI call. */
int FTMPI_Fortran_error(const char *name, MPI_Comm comm, int errclass, const char *sentence);

#endif
