/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory from the library (MPI 5.0 section 9.2). It is ordinary memory, on a boundary of cache
 * lines. A header before it is what the table of live handles knows, so that an address that did
 * not come from here, or was freed, is found out without looking at what it points to.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi/comm/info.h"
#include "mpi/handle/handle_table.h"

enum { ALIGNMENT = 64, ALIGNMENT_MAX = 1 << 30 };

struct mem {
	struct object head;
	void *block; /* what malloc knows */
};

static const char key[] = "mpi_minimum_memory_alignment";

/* What the program asks for with the standard's key. */
static int alignment_of(MPI_Info info, size_t *alignment)
{
	struct info *hints;
	const char *said;
	char *end;
	long n;
	int rc = info_lookup_hints(info, &hints);

	*alignment = ALIGNMENT;
	said = rc == MPI_SUCCESS && hints ? info_find(hints, key) : NULL;
	if (!said)
		return rc;
	errno = 0;
	n = strtol(said, &end, 10);
	if (errno || end == said || *end || n < 1 || n > ALIGNMENT_MAX || (n & (n - 1)))
		return fail_with(MPI_ERR_INFO_VALUE,
			"%s is no value for info key %s: give a power of two from 1 to %d", said,
			key, ALIGNMENT_MAX);
	if (n > ALIGNMENT)
		*alignment = (size_t)n;
	return MPI_SUCCESS;
}

static struct mem *header_of(void *base)
{
	return (struct mem *)(void *)((uint8_t *)base - ALIGNMENT);
}

static int no_memory(MPI_Aint size)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
}

static int allocate(MPI_Aint size, size_t alignment, void **base)
{
	struct mem *m;
	void *block;
	int rc;

	if ((size_t)size > PTRDIFF_MAX - alignment ||
		posix_memalign(&block, alignment, alignment + (size_t)size) != 0)
		return no_memory(size);
	m = header_of((uint8_t *)block + alignment);
	*m = (struct mem){{.kind = OBJECT_MEM, .refs = 1}, block};
	rc = handle_table_add(&m->head);
	if (rc != MPI_SUCCESS) {
		free(block);
		return rc;
	}
	*base = (uint8_t *)block + alignment;
	return MPI_SUCCESS;
}

#pragma weak MPI_Alloc_mem = PMPI_Alloc_mem
int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	size_t alignment = 0;
	void *base = NULL;

	api_enter("MPI_Alloc_mem");
	int rc = check_pointer(baseptr, "baseptr");
	if (rc == MPI_SUCCESS && size < 0)
		rc = fail_with(MPI_ERR_ARG, "size is %lld, less than 0", (long long)size);
	if (rc == MPI_SUCCESS)
		rc = alignment_of(info, &alignment);
	if (rc == MPI_SUCCESS)
		rc = allocate(size, alignment, &base);
	if (rc == MPI_SUCCESS)
		memcpy(baseptr, &base, sizeof base);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Free_mem = PMPI_Free_mem
int PMPI_Free_mem(void *base)
{
	int rc = MPI_SUCCESS;

	api_enter("MPI_Free_mem");
	if ((uintptr_t)base > ALIGNMENT && handle_table_has(header_of(base), OBJECT_MEM)) {
		handle_table_remove(&header_of(base)->head);
		free(header_of(base)->block);
	} else {
		rc = fail_with(
			MPI_ERR_BASE, "%p did not come from MPI_Alloc_mem, or it was freed", base);
	}
	return api_leave(NULL, rc);
}
