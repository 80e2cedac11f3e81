/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault points: named steps at which a test can make a rank die, stop or fail. The variable
 * FTMPI_FAULT holds a list, separated by commas, of
 *
 *	POINT:RANK:EPOCH:N:ACTION
 *
 * RANK and EPOCH are numbers or * (any), N is which pass of that point in the process it is,
 * from 1, or * (every one); ACTION is kill, stop, segv, exit (status 3), or an errno's name
 * (ENOSPC, EIO, EROFS, EACCES, ESTALE, EMFILE, ENOMEM), which fault_error returns, or a delay:
 * 250ms is a step that takes a quarter of a second longer (60000ms at most), as on a slow disk. A
 * list that cannot be read ends the process with a sentence. A child that writes an image begins
 *with the counts of its parent, which does not count the child's passes. Without the variable, and
 *before fault_disk_full, a point costs one load and a branch.
 */
#ifndef FTMPI_BASE_FAULT_H
#define FTMPI_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

extern bool fault_armed;

/* Reads FTMPI_FAULT for this process. Before the first point. May be called again, with another
 * epoch: a list that was read stays, and passes go on being counted, also in a process that woke up
 * from an image. */
void fault_configure(int rank, uint32_t epoch);

/* As if the disk had no room: steps that write a part of a recovery line, a rank's own checkpoint
 * or a manifest fail with ENOSPC from now on, for so many ms (FAULT_ALWAYS: until the process ends;
 * 0: not any more). Any thread; a child that writes an image has it from its parent, an image has
 * not.
 */
#define FAULT_ALWAYS UINT32_MAX
void fault_disk_full(uint32_t ms);

int fault_reached(const char *point);

/* The process passes this step. */
static inline void fault_point(const char *point)
{
	if (__builtin_expect(fault_armed, false))
		fault_reached(point);
}

/* As fault_point; an errno value when the step shall fail, else 0. */
static inline int fault_error(const char *point)
{
	return __builtin_expect(fault_armed, false) ? fault_reached(point) : 0;
}

#endif
