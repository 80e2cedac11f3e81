/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program that C calls without saying for whom: operators and error handlers. Each
 * different Fortran function gets one of FTN_POOL C functions (trampolines.c, made by gen.pl), for
 * ever; one that is given again gets the same.
 */
#ifndef FTMPI_FORTRAN_POOL_H
#define FTMPI_FORTRAN_POOL_H

#include "glue.h"

enum { FTN_POOL = 128 };

extern MPI_User_function *const ftn_pool_op[FTN_POOL];
extern MPI_User_function_c *const ftn_pool_op_c[FTN_POOL];
extern MPI_Comm_errhandler_function *const ftn_pool_comm[FTN_POOL];
extern MPI_File_errhandler_function *const ftn_pool_file[FTN_POOL];
extern MPI_Session_errhandler_function *const ftn_pool_session[FTN_POOL];
extern MPI_Win_errhandler_function *const ftn_pool_win[FTN_POOL];

void ftn_call_op(int i, void *in, void *inout, int *len, MPI_Datatype *datatype);
void ftn_call_op_c(int i, void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype);
void ftn_call_comm(int i, MPI_Comm *comm, int *code);
void ftn_call_file(int i, MPI_File *file, int *code);
void ftn_call_session(int i, MPI_Session *session, int *code);
void ftn_call_win(int i, MPI_Win *win, int *code);

#endif
