/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulating into memory. The operators' loops want aligned arrays of C values; where the target
 * is something else (a derived type, pairs with holes, an odd address) its elements are gathered,
 * combined and scattered.
 */
#include <stdlib.h>

#include "rma.h"

static bool in_place(const struct rma_area *a, const struct type *basic)
{
	return a->type->contiguous && basic->contiguous && (uintptr_t)a->base % basic->align == 0;
}

/* Packed elements, without the holes that some types have, as an array: the same memory, or a copy
 * that is to be freed. */
static void *unpacked(const struct type *basic, void *packed, size_t n)
{
	void *array;

	if (basic->contiguous)
		return packed;
	array = malloc(n * (size_t)basic->extent);
	if (array)
		type_unpack(basic, array, n, packed, n * basic->size);
	return array;
}

static bool combine_arrays(
	void *packed, const void *in, struct op *op, struct type *basic, size_t n)
{
	void *left = unpacked(basic, (void *)(uintptr_t)in, n);
	void *right = unpacked(basic, packed, n);

	if (left && right) {
		op_apply(op, left, right, n, basic);
		if (right != packed)
			type_pack(basic, right, n, packed);
	}
	if (left != in)
		free(left);
	if (right != packed)
		free(right);
	return left && right;
}

bool rma_memory_combine(
	const struct rma_area *inout, const void *in, struct op *op, struct type *basic)
{
	size_t bytes = inout->count * inout->type->size, n = bytes / basic->size;
	void *packed;
	bool ok;

	if (op->handle == MPI_NO_OP || bytes == 0)
		return true;
	if (op->handle == MPI_REPLACE) {
		type_unpack(inout->type, inout->base, inout->count, in, bytes);
		return true;
	}
	if (in_place(inout, basic)) {
		op_apply(op, in, inout->base, n, basic);
		return true;
	}
	packed = malloc(bytes);
	if (!packed)
		return false;
	type_pack(inout->type, inout->base, inout->count, packed);
	ok = combine_arrays(packed, in, op, basic, n);
	if (ok)
		type_unpack(inout->type, inout->base, inout->count, packed, bytes);
	free(packed);
	return ok;
}
