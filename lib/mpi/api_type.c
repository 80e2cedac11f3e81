/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and freeing datatypes (MPI 5.0 sections 5.1.2 and 5.1.9). */
#include <stdlib.h>

#include "api.h"
#include "type.h"

static int need_count(MPI_Count count)
{
	if (count < 0)
		return api_fail(MPI_ERR_COUNT, "the count is %lld; it must not be negative",
			(long long)count);
	return MPI_SUCCESS;
}

static int need_blocklen(MPI_Count blocklen)
{
	if (blocklen < 0)
		return api_fail(MPI_ERR_ARG, "the block length is %lld; it must not be negative",
			(long long)blocklen);
	return MPI_SUCCESS;
}

static int need_pointer(const void *p, const char *what)
{
	return p ? MPI_SUCCESS : api_fail(MPI_ERR_ARG, "%s is a null pointer", what);
}

/* The end of every constructor: the handle goes out on success only. */
static int give(int rc, const struct type *t, MPI_Datatype *newtype)
{
	if (rc == MPI_SUCCESS)
		*newtype = t->handle;
	return rc;
}

static int contiguous(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	int rc = need_count(count);

	if (rc == MPI_SUCCESS)
		rc = need_pointer(newtype, "newtype");
	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_contiguous(old, (size_t)count, &t);
	return give(rc, t, newtype);
}

#pragma weak MPI_Type_contiguous = PMPI_Type_contiguous
int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_contiguous");
	return api_leave(NULL, contiguous(count, oldtype, newtype));
}

#pragma weak MPI_Type_contiguous_c = PMPI_Type_contiguous_c
int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_contiguous_c");
	return api_leave(NULL, contiguous(count, oldtype, newtype));
}

struct blocks {
	MPI_Count count, blocklen, stride;
	bool stride_in_extents;
};

static int vector(struct blocks b, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	int rc = need_count(b.count);

	if (rc == MPI_SUCCESS)
		rc = need_blocklen(b.blocklen);
	if (rc == MPI_SUCCESS)
		rc = need_pointer(newtype, "newtype");
	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS && b.stride_in_extents &&
		__builtin_mul_overflow(b.stride, old->extent, &b.stride))
		rc = api_fail(MPI_ERR_ARG, "the stride is larger than the address space");
	if (rc == MPI_SUCCESS)
		rc = type_make_hvector(old, (size_t)b.count, (size_t)b.blocklen, b.stride, &t);
	return give(rc, t, newtype);
}

#pragma weak MPI_Type_vector = PMPI_Type_vector
int PMPI_Type_vector(
	int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_vector");
	return api_leave(
		NULL, vector((struct blocks){count, blocklength, stride, true}, oldtype, newtype));
}

#pragma weak MPI_Type_vector_c = PMPI_Type_vector_c
int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_vector_c");
	return api_leave(
		NULL, vector((struct blocks){count, blocklength, stride, true}, oldtype, newtype));
}

#pragma weak MPI_Type_create_hvector = PMPI_Type_create_hvector
int PMPI_Type_create_hvector(
	int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_hvector");
	return api_leave(
		NULL, vector((struct blocks){count, blocklength, stride, false}, oldtype, newtype));
}

#pragma weak MPI_Type_create_hvector_c = PMPI_Type_create_hvector_c
int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_hvector_c");
	return api_leave(
		NULL, vector((struct blocks){count, blocklength, stride, false}, oldtype, newtype));
}

/* The arrays of MPI_Type_create_struct or, in the large fields, of its _c variant. */
struct members {
	MPI_Count count;
	const int *lens;
	const MPI_Aint *at;
	const MPI_Count *large_lens, *large_at;
	const MPI_Datatype *types;
};

static int member(const struct members *m, MPI_Count i, struct type_block *b)
{
	MPI_Count len = m->lens ? m->lens[i] : m->large_lens[i];
	int rc = need_blocklen(len);

	if (rc != MPI_SUCCESS)
		return rc;
	b->count = (size_t)len;
	b->at = m->at ? m->at[i] : (MPI_Aint)m->large_at[i];
	return type_lookup(m->types[i], &b->type);
}

static int check_members(const struct members *m)
{
	int rc = need_count(m->count);

	if (rc != MPI_SUCCESS || m->count == 0)
		return rc;
	if (!m->lens)
		rc = need_pointer(m->large_lens, "array_of_blocklengths");
	if (rc == MPI_SUCCESS && !m->at)
		rc = need_pointer(m->large_at, "array_of_displacements");
	if (rc == MPI_SUCCESS)
		rc = need_pointer(m->types, "array_of_types");
	return rc;
}

static int create_struct(const struct members *m, MPI_Datatype *newtype)
{
	struct type_block *blocks;
	struct type *t = NULL;
	int rc = check_members(m);

	if (rc == MPI_SUCCESS)
		rc = need_pointer(newtype, "newtype");
	if (rc != MPI_SUCCESS)
		return rc;
	blocks = calloc((size_t)m->count + 1, sizeof(*blocks));
	if (!blocks)
		return api_fail(MPI_ERR_NO_MEM, "no memory for a struct of %lld blocks",
			(long long)m->count);
	for (MPI_Count i = 0; i < m->count && rc == MPI_SUCCESS; i++)
		rc = member(m, i, &blocks[i]);
	if (rc == MPI_SUCCESS)
		rc = type_make_struct(blocks, (size_t)m->count, &t);
	free(blocks);
	return give(rc, t, newtype);
}

#pragma weak MPI_Type_create_struct = PMPI_Type_create_struct
int PMPI_Type_create_struct(int count, const int array_of_blocklengths[],
	const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
	MPI_Datatype *newtype)
{
	struct members m = {.count = count,
		.lens = array_of_blocklengths,
		.at = array_of_displacements,
		.types = array_of_types};

	api_enter("MPI_Type_create_struct");
	return api_leave(NULL, create_struct(&m, newtype));
}

#pragma weak MPI_Type_create_struct_c = PMPI_Type_create_struct_c
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
	const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
	MPI_Datatype *newtype)
{
	struct members m = {.count = count,
		.large_lens = array_of_blocklengths,
		.large_at = array_of_displacements,
		.types = array_of_types};

	api_enter("MPI_Type_create_struct_c");
	return api_leave(NULL, create_struct(&m, newtype));
}

static int resized(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	int rc = need_pointer(newtype, "newtype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_resized(old, (MPI_Aint)lb, (MPI_Aint)extent, &t);
	return give(rc, t, newtype);
}

#pragma weak MPI_Type_create_resized = PMPI_Type_create_resized
int PMPI_Type_create_resized(
	MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_resized");
	return api_leave(NULL, resized(oldtype, lb, extent, newtype));
}

#pragma weak MPI_Type_create_resized_c = PMPI_Type_create_resized_c
int PMPI_Type_create_resized_c(
	MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_resized_c");
	return api_leave(NULL, resized(oldtype, lb, extent, newtype));
}

static int duplicate(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	int rc = need_pointer(newtype, "newtype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_dup(old, &t);
	return give(rc, t, newtype);
}

#pragma weak MPI_Type_dup = PMPI_Type_dup
int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_dup");
	return api_leave(NULL, duplicate(oldtype, newtype));
}

static int commit(const MPI_Datatype *datatype)
{
	struct type *t = NULL;
	int rc = need_pointer(datatype, "datatype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(*datatype, &t);
	if (rc == MPI_SUCCESS)
		t->committed = true;
	return rc;
}

#pragma weak MPI_Type_commit = PMPI_Type_commit
int PMPI_Type_commit(MPI_Datatype *datatype)
{
	api_enter("MPI_Type_commit");
	return api_leave(NULL, commit(datatype));
}

static int type_free_handle(MPI_Datatype *datatype)
{
	struct type *t = NULL;
	int rc = need_pointer(datatype, "datatype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(*datatype, &t);
	if (rc != MPI_SUCCESS)
		return rc;
	if (handle_is_predefined(t->handle))
		return api_fail(MPI_ERR_TYPE, "the datatype is predefined and cannot be freed");
	type_free(t);
	*datatype = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_free = PMPI_Type_free
int PMPI_Type_free(MPI_Datatype *datatype)
{
	api_enter("MPI_Type_free");
	return api_leave(NULL, type_free_handle(datatype));
}
