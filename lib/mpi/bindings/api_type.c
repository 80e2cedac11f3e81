/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and freeing datatypes (MPI 5.0 sections 5.1.2 and 5.1.9). */
#include "api.h"
#include "api_type.h"
#include "mpi/handle/handle_table.h"

static int contiguous(MPI_Count count, bool large, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	struct contents *c;
	int rc = type_need_count(count);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(newtype, "newtype");
	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_contiguous(old, (size_t)count, &t);
	if (rc != MPI_SUCCESS)
		return rc;
	c = type_contents_new(MPI_COMBINER_CONTIGUOUS, large);
	type_contents_count(c, count);
	type_contents_type(c, old);
	return type_give(rc, t, c, newtype);
}

#pragma weak MPI_Type_contiguous = PMPI_Type_contiguous
int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_contiguous");
	return api_leave(NULL, contiguous(count, false, oldtype, newtype));
}

#pragma weak MPI_Type_contiguous_c = PMPI_Type_contiguous_c
int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_contiguous_c");
	return api_leave(NULL, contiguous(count, true, oldtype, newtype));
}

struct blocks {
	MPI_Count count, blocklen, stride;
	int combiner; /* MPI_COMBINER_VECTOR: the stride is in extents, not bytes */
	bool large;
};

static struct contents *describe(const struct blocks *b, struct type *old)
{
	struct contents *c = type_contents_new(b->combiner, b->large);

	type_contents_count(c, b->count);
	type_contents_count(c, b->blocklen);
	if (b->combiner == MPI_COMBINER_VECTOR)
		type_contents_count(c, b->stride);
	else
		type_contents_address(c, b->stride);
	type_contents_type(c, old);
	return c;
}

static int vector(struct blocks b, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	MPI_Count stride = b.stride;
	int rc = type_need_count(b.count);

	if (rc == MPI_SUCCESS)
		rc = type_need_blocklen(b.blocklen);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newtype, "newtype");
	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS && b.combiner == MPI_COMBINER_VECTOR &&
		__builtin_mul_overflow(stride, old->extent, &stride))
		rc = fail_with(MPI_ERR_ARG, "the stride is larger than the address space");
	if (rc == MPI_SUCCESS)
		rc = type_make_hvector(old, (size_t)b.count, (size_t)b.blocklen, stride, &t);
	return rc == MPI_SUCCESS ? type_give(rc, t, describe(&b, old), newtype) : rc;
}

#pragma weak MPI_Type_vector = PMPI_Type_vector
int PMPI_Type_vector(
	int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_vector");
	return api_leave(NULL,
		vector((struct blocks){count, blocklength, stride, MPI_COMBINER_VECTOR, false},
			oldtype, newtype));
}

#pragma weak MPI_Type_vector_c = PMPI_Type_vector_c
int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_vector_c");
	return api_leave(
		NULL, vector((struct blocks){count, blocklength, stride, MPI_COMBINER_VECTOR, true},
			      oldtype, newtype));
}

#pragma weak MPI_Type_create_hvector = PMPI_Type_create_hvector
int PMPI_Type_create_hvector(
	int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_hvector");
	return api_leave(NULL,
		vector((struct blocks){count, blocklength, stride, MPI_COMBINER_HVECTOR, false},
			oldtype, newtype));
}

#pragma weak MPI_Type_create_hvector_c = PMPI_Type_create_hvector_c
int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_hvector_c");
	return api_leave(NULL,
		vector((struct blocks){count, blocklength, stride, MPI_COMBINER_HVECTOR, true},
			oldtype, newtype));
}

static int resized(
	MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, bool large, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	struct contents *c;
	int rc = check_pointer(newtype, "newtype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_resized(old, (MPI_Aint)lb, (MPI_Aint)extent, &t);
	if (rc != MPI_SUCCESS)
		return rc;
	c = type_contents_new(MPI_COMBINER_RESIZED, large);
	type_contents_address(c, lb);
	type_contents_address(c, extent);
	type_contents_type(c, old);
	return type_give(rc, t, c, newtype);
}

#pragma weak MPI_Type_create_resized = PMPI_Type_create_resized
int PMPI_Type_create_resized(
	MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_resized");
	return api_leave(NULL, resized(oldtype, lb, extent, false, newtype));
}

#pragma weak MPI_Type_create_resized_c = PMPI_Type_create_resized_c
int PMPI_Type_create_resized_c(
	MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_resized_c");
	return api_leave(NULL, resized(oldtype, lb, extent, true, newtype));
}

/* The attributes come too; without them there is no copy. Lets the lock go. */
static int copy_attributes(struct type *old, struct type *t)
{
	int rc;

	type_hold(old);
	type_hold(t);
	rc = attr_copy_all(type_attrs(old), type_attrs(t));
	if (rc != MPI_SUCCESS)
		(void)attr_delete_all(type_attrs(t));
	type_release(t);
	type_release(old);
	return rc;
}

static int duplicate(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	struct contents *c;
	MPI_Datatype made;
	int rc = check_pointer(newtype, "newtype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(oldtype, &old);
	if (rc == MPI_SUCCESS)
		rc = type_make_dup(old, &t);
	if (rc != MPI_SUCCESS)
		return rc;
	c = type_contents_new(MPI_COMBINER_DUP, false);
	type_contents_type(c, old);
	rc = type_give(rc, t, c, &made);
	if (rc != MPI_SUCCESS)
		return rc;
	rc = copy_attributes(old, t);
	if (rc != MPI_SUCCESS) {
		type_free(t);
		made = MPI_DATATYPE_NULL;
	}
	*newtype = made;
	return rc;
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
	int rc = check_pointer(datatype, "datatype");

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

/* Lets the lock go. */
static int drop(struct type *t)
{
	int rc;

	if (handle_is_predefined(t->handle) || t->unnamed)
		return fail_with(MPI_ERR_TYPE, "the datatype is predefined and cannot be freed");
	type_hold(t);
	rc = attr_delete_all(type_attrs(t));
	if (rc == MPI_SUCCESS && handle_table_has(t->handle, OBJECT_TYPE))
		type_free(t);
	type_release(t);
	return rc;
}

static int type_free_handle(MPI_Datatype *datatype)
{
	struct type *t = NULL;
	int rc = check_pointer(datatype, "datatype");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(*datatype, &t);
	if (rc == MPI_SUCCESS)
		rc = drop(t);
	if (rc == MPI_SUCCESS)
		*datatype = MPI_DATATYPE_NULL;
	return rc;
}

#pragma weak MPI_Type_free = PMPI_Type_free
int PMPI_Type_free(MPI_Datatype *datatype)
{
	api_enter("MPI_Type_free");
	return api_leave(NULL, type_free_handle(datatype));
}
