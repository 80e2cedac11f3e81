/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Status.MPI_internal holds: [0..1] the bytes of data received as one 64-bit number in the
 * machine's order, [2] whether the communication was cancelled, [3..4] zero.
 */
#ifndef FTMPI_MPI_STATUS_H
#define FTMPI_MPI_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "mpi.h"

_Static_assert(sizeof(MPI_Status) == 32, "the ABI fixes the size of a status");

static inline void status_set_bytes(MPI_Status *status, uint64_t bytes)
{
	memcpy(status->MPI_internal, &bytes, sizeof(bytes));
}

static inline uint64_t status_get_bytes(const MPI_Status *status)
{
	uint64_t bytes;

	memcpy(&bytes, status->MPI_internal, sizeof(bytes));
	return bytes;
}

static inline void status_set_cancelled(MPI_Status *status, bool cancelled)
{
	status->MPI_internal[2] = cancelled;
}

static inline bool status_get_cancelled(const MPI_Status *status)
{
	return status->MPI_internal[2] != 0;
}

#endif
