/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>
#include <string.h>

/* MiB of this process as /proc/self/status has them under `name`; -1 when it has not. */
static inline double status_mib(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1024;
	size_t n = strlen(name);

	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, name, n) == 0 && sscanf(line + n, ": %ld", &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return (double)kib / 1024;
}

/* in memory now, and at most so far */
static inline double resident_mib(void)
{
	return status_mib("VmRSS");
}

static inline double peak_mib(void)
{
	return status_mib("VmHWM");
}

#endif
