/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a keeper: its owner's alone, and of one keeper at a time. */
#ifndef FTMPI_KEEPER_FOLDER_H
#define FTMPI_KEEPER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Makes it, if it is not there, and locks it until the process ends, or the descriptor that is
 * returned is closed. One that is there has so many ms to end; if that removes the folder it is
 * made anew where a job begins (fresh). -1: `said` says why. */
int keeper_folder_lock(const char *path, int wait_ms, bool fresh, char *said, size_t size);

#endif
