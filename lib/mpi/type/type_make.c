/* SPDX-License-Identifier: BSD-3-Clause */
/* New types from old ones, by way of shapes (MPI 5.0 section 5.1.2). */
#include "type.h"
#include "type_contents.h"
#include "shape.h"

int type_make_contiguous(struct type *old, size_t count, struct type **out)
{
	return type_make_hvector(old, 1, count, 0, out);
}

int type_make_hvector(
	struct type *old, size_t count, size_t blocklen, MPI_Aint stride, struct type **out)
{
	struct shape s = shape_of(old);
	int rc = shape_repeat(&s, blocklen, old->extent);

	if (rc == MPI_SUCCESS)
		rc = shape_repeat(&s, count, stride);
	return rc == MPI_SUCCESS ? shape_finish(&s, out) : rc;
}

/* The blocks in their order, joined. */
static int join_blocks(
	const struct type_block *blocks, size_t n, struct shape *all, struct part_list *list)
{
	int rc = MPI_SUCCESS;

	*all = SHAPE_NOTHING;
	for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
		struct shape s = shape_of(blocks[i].type);

		rc = shape_repeat(&s, blocks[i].count, blocks[i].type->extent);
		if (rc == MPI_SUCCESS)
			rc = shape_move(&s, blocks[i].at);
		if (rc == MPI_SUCCESS)
			rc = shape_join(all, &s, list);
	}
	return rc;
}

static int make_blocks(const struct type_block *blocks, size_t n, bool padded, struct type **out)
{
	struct part_list list = {0};
	struct shape all;
	int rc = join_blocks(blocks, n, &all, &list);

	if (rc == MPI_SUCCESS && padded)
		rc = shape_pad(&all);
	if (rc != MPI_SUCCESS) {
		layout_list_clear(&list);
		return rc;
	}
	return shape_finish_list(&all, &list, out);
}

int type_make_struct(const struct type_block *blocks, size_t n, struct type **out)
{
	return make_blocks(blocks, n, true, out);
}

int type_make_indexed(const struct type_block *blocks, size_t n, struct type **out)
{
	return make_blocks(blocks, n, false, out);
}

int type_make_resized(struct type *old, MPI_Aint lb, MPI_Aint extent, struct type **out)
{
	struct shape s = shape_of(old);
	int rc = shape_bound(&s, lb, extent);

	return rc == MPI_SUCCESS ? shape_finish(&s, out) : rc;
}

int type_make_dup(struct type *old, struct type **out)
{
	struct shape s = shape_of(old);
	int rc = shape_finish(&s, out);

	if (rc == MPI_SUCCESS)
		(*out)->committed = old->committed;
	return rc;
}

int type_make_alias(struct type *t, struct type **out)
{
	int rc = type_make_dup(t, out);

	if (rc == MPI_SUCCESS && t->contents)
		(*out)->contents = type_contents_hold(t->contents);
	return rc;
}
