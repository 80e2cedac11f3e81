/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts as bytes: there and back again, their bounds, and bytes that make no sense. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/rma/rma_layout.h"
#include "mpi/type/type.h"
#include "unit.h"

enum { SPAN = 4000, COUNT = 3 };

static struct type *type_of(MPI_Datatype handle)
{
	struct type *t = NULL;

	ck_assert_int_eq(type_lookup(handle, &t), MPI_SUCCESS);
	return t;
}

/* A struct of a vector, an int and itself once more, in a vector with gaps. */
static struct type *tree(void)
{
	struct type *row, *block, *all;

	ck_assert_int_eq(type_make_hvector(type_of(MPI_SHORT), 5, 2, 11, &row), 0);
	struct type_block parts[] = {{row, 2, 100}, {type_of(MPI_INT), 1, 4}, {row, 1, 300}};
	ck_assert_int_eq(type_make_struct(parts, 3, &block), 0);
	ck_assert_int_eq(type_make_hvector(block, 2, 1, 600, &all), 0);
	type_free(row);
	type_free(block);
	return all;
}

static uint8_t *bytes_of(const struct type *t, size_t *len)
{
	uint8_t *bytes;

	*len = rma_layout_bytes(t->layout);
	bytes = malloc(*len);
	ck_assert_ptr_nonnull(bytes);
	rma_layout_write(t->layout, bytes);
	return bytes;
}

static void there_and_back(struct type *t)
{
	static uint8_t memory[SPAN], one[SPAN], other[SPAN];
	struct type again;
	size_t len;
	uint8_t *bytes = bytes_of(t, &len);

	for (int i = 0; i < SPAN; i++)
		memory[i] = (uint8_t)(i * 7 + i / 256);
	again = (struct type){.layout = rma_layout_read(bytes, len), .extent = t->extent};
	ck_assert_ptr_nonnull(again.layout);
	again.size = again.layout->size;
	ck_assert_uint_eq(again.size, t->size);
	type_pack(t, memory, COUNT, one);
	type_pack(&again, memory, COUNT, other);
	ck_assert_int_eq(memcmp(one, other, COUNT * t->size), 0);
	layout_release(again.layout);
	free(bytes);
}

START_TEST(comes_back)
{
	struct type *t = tree(), *pair = type_of(MPI_SHORT_INT);

	there_and_back(t);
	there_and_back(pair);
	type_free(t);
}
END_TEST

START_TEST(has_bounds)
{
	struct type *t = tree();
	int64_t low, high;

	ck_assert(rma_layout_bounds(t->layout, 1, t->extent, &low, &high));
	ck_assert_int_eq(low, t->true_lb);
	ck_assert_int_eq(high, t->true_lb + t->true_extent);
	ck_assert(rma_layout_bounds(t->layout, 4, 1000, &low, &high));
	ck_assert_int_eq(high, t->true_lb + t->true_extent + 3000);
	ck_assert(rma_layout_bounds(t->layout, 4, -1000, &low, &high));
	ck_assert_int_eq(low, t->true_lb - 3000);
	ck_assert_int_eq(high, t->true_lb + t->true_extent);
	ck_assert(!rma_layout_bounds(t->layout, UINT64_MAX, 1, &low, &high));
	ck_assert(!rma_layout_bounds(t->layout, 4, INT64_MAX, &low, &high));
	type_free(t);
}
END_TEST

struct seen {
	uint8_t at[SPAN];
	int64_t most;
};

static bool note(void *arg, int64_t low, int64_t high)
{
	struct seen *s = arg;

	for (int64_t i = low; i < high; i++)
		s->at[i]++;
	s->most = high > s->most ? high : s->most;
	return high <= 1000;
}

/* Every byte once; and it ends where the visitor says no. */
START_TEST(visits_runs)
{
	static struct seen s;
	static uint8_t memory[SPAN], packed[SPAN];
	struct type *t = tree();

	memset(&s, 0, sizeof s);
	ck_assert(rma_layout_runs(t->layout, 1, t->extent, note, &s));
	memset(packed, 1, sizeof packed);
	memset(memory, 0, sizeof memory);
	type_unpack(t, memory, 1, packed, t->size);
	ck_assert_int_eq(memcmp(s.at, memory, sizeof memory), 0);
	ck_assert(!rma_layout_runs(t->layout, COUNT, t->extent, note, &s));
	ck_assert_int_lt(s.most, 1200);
	type_free(t);
}
END_TEST

static void refused(const uint64_t *words, size_t n)
{
	ck_assert_ptr_null(rma_layout_read((const uint8_t *)words, n * sizeof *words));
}

START_TEST(refuses_nonsense)
{
	const uint64_t far = (uint64_t)1 << 56;
	const uint64_t good[] = {1, 0, 2, 8, 4, 0};
	struct layout *l = rma_layout_read((const uint8_t *)good, sizeof good);
	uint64_t deep[6 * 80];

	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(l->size, 8);
	layout_release(l);
	refused(good, 0);
	refused(good, 5);
	refused((const uint64_t[]){0}, 1);		     /* no part */
	refused((const uint64_t[]){2, 0, 2, 8, 4, 0}, 6);    /* fewer than it says */
	refused((const uint64_t[]){1, 0, 2, 8, 4, 0, 0}, 7); /* and more */
	refused((const uint64_t[]){1, 0, 0, 8, 4, 0}, 6);    /* no copy */
	refused((const uint64_t[]){1, 0, 2, 8, 0, 0}, 6);    /* no bytes */
	refused((const uint64_t[]){1, 0, 2, 8, 4, 2}, 6);    /* neither yes nor no */
	refused((const uint64_t[]){1, far, 2, 8, 4, 0}, 6);  /* too far away */
	refused((const uint64_t[]){1, 0, 2, far, 4, 0}, 6);
	refused((const uint64_t[]){1, 0, far, 0, 4, 0}, 6); /* too much */
	refused((const uint64_t[]){1, 0, UINT64_MAX, 0, 2, 0}, 6);
	refused((const uint64_t[]){UINT64_MAX, 0, 2, 8, 4, 0}, 6);
	refused((const uint64_t[]){1, 0, 2, 8, 4, 1}, 6);		     /* no child */
	refused((const uint64_t[]){1, 0, 2, 8, 5, 1, 1, 0, 1, 8, 4, 0}, 12); /* of another size */
	for (int i = 0; i < 80; i++)
		memcpy(&deep[6 * i], (const uint64_t[]){1, 0, 2, 8, 4, 1}, 48);
	deep[6 * 80 - 1] = 0;
	refused(deep, 6 * 80);
}
END_TEST

/* Any one byte changed: refused, or a layout whose bounds can be told or not. */
START_TEST(survives_damage)
{
	struct type *t = tree();
	size_t len;
	uint8_t *bytes = bytes_of(t, &len);

	for (size_t i = 0; i < len; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct layout *l;
			int64_t low, high;

			bytes[i] ^= (uint8_t)(1 << bit);
			l = rma_layout_read(bytes, len);
			bytes[i] ^= (uint8_t)(1 << bit);
			if (!l)
				continue;
			(void)rma_layout_bounds(l, 3, 8, &low, &high);
			layout_release(l);
		}
	free(bytes);
	type_free(t);
}
END_TEST

UNIT_MAIN("rma_layout", tcase_add_test(tc, comes_back); tcase_add_test(tc, has_bounds);
	  tcase_add_test(tc, visits_runs); tcase_add_test(tc, refuses_nonsense);
	  tcase_add_test(tc, survives_damage);)
