/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What /proc/PID/smaps tells of mappings that /proc/PID/maps does not (proc_pid_smaps(5)). By
 * system calls alone, for the child of a fork.
 */
#ifndef FTMPI_IMAGE_PROCESS_SMAPS_H
#define FTMPI_IMAGE_PROCESS_SMAPS_H

#include "process_map.h"

/* Regions by address, and the one that the lines are about; NULL: none that is known. */
struct smaps {
	struct region *region;
	size_t count;
	struct region *at;
};

/* The next line of the file, without its end: what it tells is noted in its region. Pure. */
void process_smaps_line(struct smaps *s, const char *line, size_t length);

/* Of the calling process; a line is shorter than `size`, which is the buffer's. 0 or -errno. */
int process_smaps_read(struct region *regions, size_t count, char *buffer, size_t size);

#endif
