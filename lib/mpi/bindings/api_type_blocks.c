/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of blocks that lie where the program says (MPI 5.0 section 5.1.2). */
#include <stdlib.h>

#include "api.h"
#include "api_type.h"

/* The arguments of any of these calls. */
struct blocks {
	int combiner;
	bool large;
	MPI_Count count;
	struct type_array lens; /* empty: every block has blocklen elements */
	MPI_Count blocklen;
	struct type_array at;
	const MPI_Datatype *types; /* NULL: every block is of oldtype */
	MPI_Datatype oldtype;
};

static bool has_lens(const struct blocks *b)
{
	return b->combiner != MPI_COMBINER_INDEXED_BLOCK &&
	       b->combiner != MPI_COMBINER_HINDEXED_BLOCK;
}

/* Displacements are in extents of the old type, not in bytes. */
static bool in_extents(const struct blocks *b)
{
	return b->combiner == MPI_COMBINER_INDEXED || b->combiner == MPI_COMBINER_INDEXED_BLOCK;
}

static int check(const struct blocks *b, const MPI_Datatype *newtype)
{
	int rc = type_need_count(b->count);

	if (rc == MPI_SUCCESS && !has_lens(b))
		rc = type_need_blocklen(b->blocklen);
	if (rc == MPI_SUCCESS && b->count > 0 && has_lens(b))
		rc = type_need_array(b->lens, "array_of_blocklengths");
	if (rc == MPI_SUCCESS && b->count > 0)
		rc = type_need_array(b->at, "array_of_displacements");
	if (rc == MPI_SUCCESS && b->count > 0 && b->combiner == MPI_COMBINER_STRUCT)
		rc = check_pointer(b->types, "array_of_types");
	return rc == MPI_SUCCESS ? check_pointer(newtype, "newtype") : rc;
}

static int one_block(const struct blocks *b, MPI_Count i, struct type *old, struct type_block *out)
{
	MPI_Count len = has_lens(b) ? type_array_at(b->lens, i) : b->blocklen;
	MPI_Count at = type_array_at(b->at, i);
	int rc = type_need_blocklen(len);

	if (rc != MPI_SUCCESS)
		return rc;
	if (in_extents(b) && __builtin_mul_overflow(at, old->extent, &at))
		return fail_with(MPI_ERR_ARG,
			"displacement %lld, of block %lld, is larger than the address space",
			(long long)type_array_at(b->at, i), (long long)i);
	out->count = (size_t)len;
	out->at = (MPI_Aint)at;
	out->type = old;
	return old ? MPI_SUCCESS : type_lookup(b->types[i], &out->type);
}

static struct contents *describe(const struct blocks *b, const struct type_block *list, size_t n)
{
	struct contents *c = type_contents_new(b->combiner, b->large);

	type_contents_count(c, b->count);
	if (!has_lens(b))
		type_contents_count(c, b->blocklen);
	for (size_t i = 0; i < n && has_lens(b); i++)
		type_contents_count(c, (MPI_Count)list[i].count);
	for (size_t i = 0; i < n; i++) {
		if (in_extents(b))
			type_contents_count(c, type_array_at(b->at, (MPI_Count)i));
		else
			type_contents_address(c, list[i].at);
	}
	for (size_t i = 0; i < n && b->combiner == MPI_COMBINER_STRUCT; i++)
		type_contents_type(c, list[i].type);
	return c;
}

/* old is NULL for a struct. */
static int make(const struct blocks *b, struct type *old, MPI_Datatype *newtype)
{
	size_t n = (size_t)b->count;
	struct type_block *list = calloc(n + 1, sizeof *list);
	struct contents *c = NULL;
	struct type *t = NULL;
	int rc = MPI_SUCCESS;

	if (!list)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a datatype of %zu blocks", n);
	for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++)
		rc = one_block(b, (MPI_Count)i, old, &list[i]);
	if (rc == MPI_SUCCESS)
		rc = old ? type_make_indexed(list, n, &t) : type_make_struct(list, n, &t);
	if (rc == MPI_SUCCESS) {
		c = describe(b, list, n);
		if (old)
			type_contents_type(c, old);
		rc = type_give(rc, t, c, newtype);
	}
	free(list);
	return rc;
}

static int blocks(const struct blocks *b, MPI_Datatype *newtype)
{
	struct type *old = NULL;
	int rc = check(b, newtype);

	if (rc == MPI_SUCCESS && b->combiner != MPI_COMBINER_STRUCT)
		rc = type_lookup(b->oldtype, &old);
	return rc == MPI_SUCCESS ? make(b, old, newtype) : rc;
}

#pragma weak MPI_Type_indexed = PMPI_Type_indexed
int PMPI_Type_indexed(int count, const int array_of_blocklengths[],
	const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_INDEXED,
		.large = false,
		.count = count,
		.lens.ints = array_of_blocklengths,
		.at.ints = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_indexed");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_indexed_c = PMPI_Type_indexed_c
int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
	const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_INDEXED,
		.large = true,
		.count = count,
		.lens.counts = array_of_blocklengths,
		.at.counts = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_indexed_c");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_hindexed = PMPI_Type_create_hindexed
int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
	const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_HINDEXED,
		.large = false,
		.count = count,
		.lens.ints = array_of_blocklengths,
		.at.addresses = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_hindexed");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_hindexed_c = PMPI_Type_create_hindexed_c
int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
	const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_HINDEXED,
		.large = true,
		.count = count,
		.lens.counts = array_of_blocklengths,
		.at.counts = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_hindexed_c");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_indexed_block = PMPI_Type_create_indexed_block
int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[],
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_INDEXED_BLOCK,
		.large = false,
		.count = count,
		.blocklen = blocklength,
		.at.ints = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_indexed_block");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_indexed_block_c = PMPI_Type_create_indexed_block_c
int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
	const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_INDEXED_BLOCK,
		.large = true,
		.count = count,
		.blocklen = blocklength,
		.at.counts = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_indexed_block_c");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_hindexed_block = PMPI_Type_create_hindexed_block
int PMPI_Type_create_hindexed_block(int count, int blocklength,
	const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_HINDEXED_BLOCK,
		.large = false,
		.count = count,
		.blocklen = blocklength,
		.at.addresses = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_hindexed_block");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_hindexed_block_c = PMPI_Type_create_hindexed_block_c
int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
	const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_HINDEXED_BLOCK,
		.large = true,
		.count = count,
		.blocklen = blocklength,
		.at.counts = array_of_displacements,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_hindexed_block_c");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_struct = PMPI_Type_create_struct
int PMPI_Type_create_struct(int count, const int array_of_blocklengths[],
	const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
	MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_STRUCT,
		.large = false,
		.count = count,
		.lens.ints = array_of_blocklengths,
		.at.addresses = array_of_displacements,
		.types = array_of_types};

	api_enter("MPI_Type_create_struct");
	return api_leave(NULL, blocks(&b, newtype));
}

#pragma weak MPI_Type_create_struct_c = PMPI_Type_create_struct_c
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
	const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
	MPI_Datatype *newtype)
{
	struct blocks b = {.combiner = MPI_COMBINER_STRUCT,
		.large = true,
		.count = count,
		.lens.counts = array_of_blocklengths,
		.at.counts = array_of_displacements,
		.types = array_of_types};

	api_enter("MPI_Type_create_struct_c");
	return api_leave(NULL, blocks(&b, newtype));
}
