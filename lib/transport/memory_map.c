/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of memory, mapped. */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "transport/memory.h"

/* The name that a process has drawn, which nobody can have by chance. */
static void file_name(char out[MEMORY_FILE_NAME], const char *what, const uint8_t *name)
{
	int n = snprintf(out, MEMORY_FILE_NAME, "ftmpi-%s-", what);

	for (int i = 0; i < TP_MEMORY_NAME; i++)
		n += snprintf(out + n, (size_t)(MEMORY_FILE_NAME - n), "%02x", name[i]);
}

/* Not for a child that the program forks: it would write where only one may. */
static void *map(int fd, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error;

	if (at == MAP_FAILED)
		return NULL;
	if (madvise(at, bytes, MADV_DONTFORK) == 0)
		return at;
	error = errno;
	munmap(at, bytes);
	errno = error;
	return NULL;
}

void *tp_memory_make(const char *what, const uint8_t *name, size_t bytes, int *fd)
{
	char file[MEMORY_FILE_NAME];
	void *at;

	file_name(file, what, name);
	*fd = memory_file_make(file, bytes);
	if (*fd < 0)
		return NULL;
	at = map(*fd, bytes);
	if (!at) {
		close(*fd);
		*fd = -1;
	}
	return at;
}

void *tp_memory_take(uint64_t pid, int fd, const char *what, const uint8_t *name, size_t bytes)
{
	char file[MEMORY_FILE_NAME];
	void *at = NULL;
	int ours;

	if (pid == 0 || pid > INT32_MAX || fd < 0) {
		errno = ENXIO;
		return NULL;
	}
	file_name(file, what, name);
	ours = memory_file_open((pid_t)pid, fd, file, bytes);
	if (ours >= 0) {
		at = map(ours, bytes);
		close(ours);
	}
	return at;
}
