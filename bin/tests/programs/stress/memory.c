/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void look(const struct prog *prog, size_t *mapped, size_t *resident)
{
	unsigned long all, some;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%lu %lu", &all, &some) != 2)
		prog_wrong(prog, "/proc/self/statm cannot be read");
	fclose(f);
	*mapped = all * (size_t)sysconf(_SC_PAGESIZE);
	*resident = some * (size_t)sysconf(_SC_PAGESIZE);
}

size_t memory_resident(const struct prog *prog)
{
	size_t mapped, resident;
	look(prog, &mapped, &resident);
	return resident;
}

size_t memory_mapped(const struct prog *prog)
{
	size_t mapped, resident;
	look(prog, &mapped, &resident);
	return mapped;
}

size_t memory_in_use(void)
{
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

size_t memory_shared(const struct prog *prog, const char *path)
{
	FILE *in = fopen("/proc/self/smaps", "r");
	char line[512];
	size_t kib, sum = 0;
	int wanted = 0;
	if (!in)
		prog_wrong(prog, "/proc/self/smaps cannot be read");
	while (fgets(line, sizeof(line), in)) {
		const char *name = strchr(line, '/');
		if (strchr(line, '-') && strchr(line, ':') > strchr(line, '-'))
			wanted = name && strncmp(name, path, strlen(path)) == 0;
		else if (wanted && sscanf(line, "Pss: %zu kB", &kib) == 1)
			sum += kib << 10;
	}
	fclose(in);
	return sum;
}
