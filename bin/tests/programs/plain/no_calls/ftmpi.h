/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in the place of FTMPI's header when a program is compiled that makes checkpoints, so that
 * it knows nothing of them and calls MPI alone: nothing is ever due, made or restored.
 */
#ifndef FTMPI_PROGRAMS_NO_CALLS_H
#define FTMPI_PROGRAMS_NO_CALLS_H

#include <mpi.h>

enum { FTMPI_CHECKPOINTED, FTMPI_RESTORED, FTMPI_CKPTERROR, FTMPI_NOTHING };

static inline int FTMPI_Checkpoint_due(int *flag)
{
	*flag = 0;
	return MPI_SUCCESS;
}

static inline int FTMPI_Get_restart_count(int *count)
{
	*count = 0;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_Protect(int id, void *addr, MPI_Count count, MPI_Datatype type)
{
	(void)id, (void)addr, (void)count, (void)type;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_AddToBuffer(const void *var, MPI_Count size)
{
	(void)var, (void)size;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_GetFromBuffer(void *var, MPI_Count size)
{
	(void)var, (void)size;
	return MPI_SUCCESS;
}

static inline int FTMPI_Restore(void)
{
	return FTMPI_NOTHING;
}

static inline int FTMPI_Perform_Checkpoint(void)
{
	return FTMPI_CKPTERROR;
}

static inline int FTMPI_Progress(double fraction, const char *text)
{
	(void)fraction, (void)text;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_Wait(void)
{
	return FTMPI_CKPTERROR;
}

static inline int FTMPI_CKPT_AllocBuffer(MPI_Count size)
{
	(void)size;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_ReAllocBuffer(MPI_Count size)
{
	(void)size;
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_ResetBufPtr(void)
{
	return MPI_SUCCESS;
}

static inline int FTMPI_CKPT_DeAllocBuffer(void)
{
	return MPI_SUCCESS;
}

#endif
