/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>

/* MiB of this process in memory, as /proc/self/status has it (VmRSS); -1 when it has not. */
static inline double resident_mib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1024;

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "VmRSS: %ld", &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return (double)kib / 1024;
}

#endif
