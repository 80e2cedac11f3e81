/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random nested datatypes against their type maps: bounds, packing, unpacking of any prefix, copies
 * from one type to another. Test _i has seed _i; failures print what differs.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/type.h"
#include "type_map.h"
#include "unit.h"

enum { SEEDS = 3000, ENTRIES_MAX = 400, GUARD = 64, ELEMENTS_MAX = 4 };

struct made {
	MPI_Datatype handle;
	struct map map;
	char text[512]; /* how it was made */
};

static uint32_t seed;

static int pick(int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (uint32_t)n);
}

static int between(int lo, int hi)
{
	return lo + pick(hi - lo + 1);
}

struct double_int {
	double value;
	int index;
};

static struct made make_basic(void)
{
	struct made m = {0};

	switch (pick(6)) {
	case 0:
		m.handle = MPI_CHAR;
		m.map = map_basic(1, 1);
		break;
	case 1:
		m.handle = MPI_SHORT;
		m.map = map_basic(2, _Alignof(short));
		break;
	case 2:
		m.handle = MPI_INT;
		m.map = map_basic(4, _Alignof(int));
		break;
	case 3:
		m.handle = MPI_DOUBLE;
		m.map = map_basic(8, _Alignof(double));
		break;
	case 4:
		m.handle = MPI_LONG_DOUBLE;
		m.map = map_basic(sizeof(long double), _Alignof(long double));
		break;
	default:
		m.handle = MPI_DOUBLE_INT;
		m.map = map_pair(offsetof(struct double_int, index), sizeof(double), sizeof(int),
			_Alignof(struct double_int));
	}
	snprintf(m.text, sizeof(m.text), "0x%x", (unsigned)(uintptr_t)m.handle);
	return m;
}

static void must(int rc, const char *what)
{
	ck_assert_msg(rc == MPI_SUCCESS, "%s gave %d", what, rc);
}

static void drop(struct made *m)
{
	if ((uintptr_t)m->handle >= 4096)
		must(MPI_Type_free(&m->handle), "MPI_Type_free");
	map_free(&m->map);
}

static struct made make(int depth);

static struct made make_contiguous(struct made *old)
{
	int count = between(0, 4);
	struct made m = {0};

	must(MPI_Type_contiguous(count, old->handle, &m.handle), "MPI_Type_contiguous");
	map_append(&m.map, &old->map, (size_t)count, 0, map_extent(&old->map));
	snprintf(m.text, sizeof(m.text), "contiguous(%d, %.200s)", count, old->text);
	return m;
}

/* vector or hvector */
static struct made make_vector(struct made *old, bool bytes)
{
	int count = between(0, 4), len = between(0, 3), stride = between(-5, 5);
	ptrdiff_t extent = map_extent(&old->map), step = bytes ? 3 * stride : stride * extent;
	struct map block = {0};
	struct made m = {0};

	map_append(&block, &old->map, (size_t)len, 0, extent);
	map_append(&m.map, &block, (size_t)count, 0, step);
	if (bytes)
		must(MPI_Type_create_hvector(count, len, 3 * stride, old->handle, &m.handle),
			"MPI_Type_create_hvector");
	else
		must(MPI_Type_vector(count, len, stride, old->handle, &m.handle),
			"MPI_Type_vector");
	snprintf(m.text, sizeof(m.text), "%svector(%d, %d, %d, %.200s)", bytes ? "h" : "", count,
		len, bytes ? 3 * stride : stride, old->text);
	map_free(&block);
	return m;
}

static struct made make_struct(int depth)
{
	enum { BLOCKS_MAX = 4 };
	int count = between(0, BLOCKS_MAX), lens[BLOCKS_MAX], used = 0;
	MPI_Aint at[BLOCKS_MAX], end = 0;
	MPI_Datatype types[BLOCKS_MAX];
	struct made m = {0}, part[BLOCKS_MAX];

	used = snprintf(m.text, sizeof(m.text), "struct(");
	for (int i = 0; i < count; i++) {
		part[i] = make(depth - 1);
		lens[i] = between(0, 3);
		at[i] = pick(2) ? end : between(-40, 80);
		types[i] = part[i].handle;
		end = at[i] + lens[i] * map_extent(&part[i].map);
		map_append(&m.map, &part[i].map, (size_t)lens[i], at[i], map_extent(&part[i].map));
		if (used < 400)
			used += snprintf(m.text + used, sizeof(m.text) - (size_t)used,
				"%d at %ld %.60s, ", lens[i], (long)at[i], part[i].text);
	}
	map_pad(&m.map);
	must(MPI_Type_create_struct(count, lens, at, types, &m.handle), "MPI_Type_create_struct");
	for (int i = 0; i < count; i++)
		drop(&part[i]);
	return m;
}

static struct made make_resized(struct made *old)
{
	MPI_Aint lb = between(-16, 16), extent = between(-8, 64);
	struct made m = {0};

	must(MPI_Type_create_resized(old->handle, lb, extent, &m.handle),
		"MPI_Type_create_resized");
	map_append(&m.map, &old->map, 1, 0, 0);
	map_resize(&m.map, lb, extent);
	snprintf(m.text, sizeof(m.text), "resized(%ld, %ld, %.200s)", (long)lb, (long)extent,
		old->text);
	return m;
}

static struct made make_dup(struct made *old)
{
	struct made m = {0};

	must(MPI_Type_dup(old->handle, &m.handle), "MPI_Type_dup");
	map_append(&m.map, &old->map, 1, 0, 0);
	snprintf(m.text, sizeof(m.text), "dup(%.200s)", old->text);
	return m;
}

static struct made make(int depth)
{
	struct made old, m;

	if (depth == 0 || pick(6) == 0)
		return make_basic();
	if (pick(3) == 0)
		return make_struct(depth);
	old = make(depth - 1);
	if (old.map.n > ENTRIES_MAX)
		return old;
	switch (pick(5)) {
	case 0:
		m = make_contiguous(&old);
		break;
	case 1:
		m = make_vector(&old, false);
		break;
	case 2:
		m = make_vector(&old, true);
		break;
	case 3:
		m = make_resized(&old);
		break;
	default:
		m = make_dup(&old);
	}
	drop(&old); /* the new type must live without it */
	return m;
}

static struct type *object_of(const struct made *m)
{
	struct type *t = NULL;

	must(type_lookup(m->handle, &t), "type_lookup");
	return t;
}

static void check_bounds(const struct made *m)
{
	MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
	int size = 0;

	must(MPI_Type_size(m->handle, &size), "MPI_Type_size");
	must(MPI_Type_get_extent(m->handle, &lb, &extent), "MPI_Type_get_extent");
	must(MPI_Type_get_true_extent(m->handle, &true_lb, &true_extent),
		"MPI_Type_get_true_extent");
	ck_assert_msg(size == (int)map_size(&m->map), "size %d, not %zu: %s", size,
		map_size(&m->map), m->text);
	ck_assert_msg(lb == map_lb(&m->map) && extent == map_extent(&m->map),
		"lb %ld extent %ld, not %ld %ld: %s", (long)lb, (long)extent, (long)map_lb(&m->map),
		(long)map_extent(&m->map), m->text);
	ck_assert_msg(true_lb == map_true_lb(&m->map) && true_extent == map_true_extent(&m->map),
		"true lb %ld extent %ld, not %ld %ld: %s", (long)true_lb, (long)true_extent,
		(long)map_true_lb(&m->map), (long)map_true_extent(&m->map), m->text);
}

/* A buffer for some elements with guards around, and where each byte of data lies in it. */
struct image {
	char *bytes, *buf; /* buf is what the program would pass */
	size_t size, data;
	ptrdiff_t *at;
};

static struct image image_new(const struct made *m, size_t count)
{
	struct image im = {.data = count * map_size(&m->map)};
	ptrdiff_t lo = 0, hi = 0;

	im.at = calloc(im.data + 1, sizeof(*im.at));
	map_bytes(&m->map, count, im.at);
	for (size_t i = 0; i < im.data; i++) {
		lo = im.at[i] < lo ? im.at[i] : lo;
		hi = im.at[i] + 1 > hi ? im.at[i] + 1 : hi;
	}
	im.size = (size_t)(hi - lo) + 2 * GUARD;
	im.bytes = malloc(im.size);
	im.buf = im.bytes + GUARD - lo;
	for (size_t i = 0; i < im.size; i++)
		im.bytes[i] = (char)pick(256);
	return im;
}

static void image_free(struct image *im)
{
	free(im->bytes);
	free(im->at);
}

static char *image_gather(const struct image *im)
{
	char *packed = malloc(im->data + 1);

	for (size_t i = 0; i < im->data; i++)
		packed[i] = im->buf[im->at[i]];
	return packed;
}

static void check_pack(const struct made *m)
{
	size_t count = (size_t)pick(ELEMENTS_MAX + 1);
	struct image im = image_new(m, count);
	char *want = image_gather(&im), *got = malloc(im.data + 1);

	got[im.data] = 42;
	type_pack(object_of(m), im.buf, count, got);
	ck_assert_msg(memcmp(want, got, im.data) == 0, "%zu packed wrongly: %s", count, m->text);
	ck_assert_msg(got[im.data] == 42, "packed too much: %s", m->text);
	free(want);
	free(got);
	image_free(&im);
}

static void check_unpack(const struct made *m)
{
	size_t count = (size_t)pick(ELEMENTS_MAX + 1);
	struct image im = image_new(m, count);
	size_t bytes = im.data ? (size_t)pick((int)im.data + 1) : 0;
	char *packed = malloc(bytes + 1), *want = malloc(im.size), *got = malloc(im.size);

	for (size_t i = 0; i < bytes; i++)
		packed[i] = (char)pick(256);
	memcpy(want, im.bytes, im.size);
	memcpy(got, im.bytes, im.size);
	for (size_t i = 0; i < bytes; i++)
		want[im.buf - im.bytes + im.at[i]] = packed[i];
	type_unpack(object_of(m), got + (im.buf - im.bytes), count, packed, bytes);
	ck_assert_msg(memcmp(want, got, im.size) == 0, "%zu bytes of %zu unpacked wrongly: %s",
		bytes, im.data, m->text);
	free(packed);
	free(want);
	free(got);
	image_free(&im);
}

static void check_copy(const struct made *from, const struct made *to)
{
	size_t nsrc = (size_t)pick(3 * ELEMENTS_MAX), ndst = (size_t)pick(3 * ELEMENTS_MAX);
	struct image src = image_new(from, nsrc), dst = image_new(to, ndst);
	size_t bytes = src.data < dst.data ? src.data : dst.data, copied;
	char *packed = image_gather(&src), *want = malloc(dst.size);

	memcpy(want, dst.bytes, dst.size);
	for (size_t i = 0; i < bytes; i++)
		want[dst.buf - dst.bytes + dst.at[i]] = packed[i];
	copied = type_copy(object_of(from), src.buf, nsrc, object_of(to), dst.buf, ndst);
	ck_assert_msg(copied == bytes && memcmp(want, dst.bytes, dst.size) == 0,
		"copied %zu, not %zu: from %s to %s", copied, bytes, from->text, to->text);
	free(packed);
	free(want);
	image_free(&src);
	image_free(&dst);
}

START_TEST(agrees_with_the_type_map)
{
	struct made a, b;

	seed = (uint32_t)_i * 2654435761u + 1;
	a = make(4);
	b = make(3);
	check_bounds(&a);
	check_bounds(&b);
	for (int i = 0; i < 3; i++) {
		check_pack(&a);
		check_unpack(&a);
		check_copy(&a, &b);
		check_copy(&b, &a);
	}
	drop(&a);
	drop(&b);
}
END_TEST

UNIT_MAIN("type_random", tcase_add_loop_test(tc, agrees_with_the_type_map, 0, SEEDS);)
