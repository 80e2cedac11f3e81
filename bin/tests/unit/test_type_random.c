/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random nested datatypes against their type maps: bounds, packing, unpacking of any prefix, stops
 * in the middle of anything, copies from one type to another. Test _i has the seeds from
 * _i hundred on, not each its own: a fork takes half a second under asan. Failures print what
 * differs.
 */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/handle/status.h"
#include "mpi/type/type.h"
#include "mpi/type/type_cursor.h"
#include "mpi/type/type_external.h"
#include "type_map.h"
#include "type_random.h"
#include "unit.h"

enum { SEEDS = 3000, SEEDS_A_TEST = 100, GUARD = 64, ELEMENTS_MAX = 4 };

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
	size_t count = (size_t)pick(ELEMENTS_MAX + 1), bytes;
	struct image im = image_new(m, count);
	char *want = image_gather(&im), *got = malloc(im.data + 1);

	got[im.data] = 42;
	type_pack(object_of(m), im.buf, count, got);
	ck_assert_msg(memcmp(want, got, im.data) == 0, "%zu packed wrongly: %s", count, m->text);
	ck_assert_msg(got[im.data] == 42, "packed too much: %s", m->text);
	bytes = im.data ? (size_t)pick((int)im.data) : 0;
	memset(got, 43, im.data);
	type_pack_prefix(object_of(m), im.buf, count, got, bytes);
	ck_assert_msg(memcmp(want, got, bytes) == 0 && got[bytes] == (im.data ? 43 : 42),
		"the first %zu bytes packed wrongly: %s", bytes, m->text);
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

/* From 1 to all of what is left, now and then all of it. */
static size_t some_of(size_t left)
{
	return left < 2 || pick(8) == 0 ? left : 1 + (size_t)pick(pick(3) ? 8 : (int)left) % left;
}

/* Gathered, or scattered, by a cursor that stops anywhere. */
static void check_stops(const struct made *m)
{
	size_t count = 1 + (size_t)pick(ELEMENTS_MAX);
	struct image out = image_new(m, count), in = image_new(m, count);
	struct cursor_frame from_frames[type_cursor_frames(object_of(m))],
		to_frames[type_cursor_frames(object_of(m))];
	char *want = malloc(in.size), *packed = malloc(out.data + 1);
	struct type_cursor from, to;

	memcpy(want, in.bytes, in.size);
	for (size_t i = 0; i < out.data; i++)
		want[in.buf - in.bytes + in.at[i]] = out.buf[out.at[i]];
	if (out.data > 0) {
		type_cursor_begin(&from, from_frames, object_of(m), out.buf, count);
		type_cursor_begin(&to, to_frames, object_of(m), in.buf, count);
	}
	for (size_t at = 0, n; at < out.data; at += n) {
		n = some_of(out.data - at);
		packed[n] = 42;
		type_cursor_pack(&from, packed, n);
		ck_assert_msg(packed[n] == 42, "packed more than %zu bytes: %s", n, m->text);
		for (size_t done = 0, now; done < n; done += now) {
			now = some_of(n - done);
			type_cursor_unpack(&to, packed + done, now);
		}
	}
	ck_assert_msg(memcmp(want, in.bytes, in.size) == 0, "not the same by pieces: %s", m->text);
	free(want);
	free(packed);
	image_free(&out);
	image_free(&in);
}

/* From any place on: where the runs are that are left. */
static void check_runs(const struct made *m)
{
	size_t count = 1 + (size_t)pick(ELEMENTS_MAX), at;
	struct image im = image_new(m, count);
	struct cursor_frame frames[type_cursor_frames(object_of(m))];
	char *packed = malloc(im.data + 1);
	struct type_cursor c;
	struct iovec iov[5];
	int n = im.data > 0;

	at = im.data ? (size_t)pick((int)im.data) : 0;
	if (im.data > 0) {
		type_cursor_begin(&c, frames, object_of(m), im.buf, count);
		type_cursor_pack(&c, packed, at);
	}
	while (n > 0) {
		n = type_cursor_runs(&c, iov, between(1, 5));
		for (int i = 0; i < n; i++)
			for (size_t j = 0; j < iov[i].iov_len; j++, at++)
				ck_assert_msg(at < im.data && (char *)iov[i].iov_base + j ==
								      im.buf + im.at[at],
					"byte %zu of %zu is elsewhere: %s", at, im.data, m->text);
	}
	ck_assert_msg(at == im.data, "runs end at byte %zu of %zu: %s", at, im.data, m->text);
	free(packed);
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

/* Basic elements in the first `bytes` of data, -1 when they end inside one. */
static long elements_in(const struct map *m, size_t bytes)
{
	size_t size = map_size(m), left = size ? bytes % size : 0;
	long whole = 0, n = 0;

	for (size_t i = 0; i < m->n; i++)
		whole += m->entries[i].size > 0;
	for (size_t i = 0; i < m->n && left > 0; i++) {
		if (m->entries[i].size > left)
			return -1;
		left -= m->entries[i].size;
		n += m->entries[i].size > 0;
	}
	return size ? n + whole * (long)(bytes / size) : 0;
}

static void check_elements(const struct made *m)
{
	size_t size = map_size(&m->map), bytes = size ? (size_t)pick((int)size * 3) : 0;
	long want = elements_in(&m->map, bytes);
	MPI_Status status;
	int n = -2;

	memset(&status, 0, sizeof(status));
	status_set_bytes(&status, bytes);
	must(MPI_Get_elements(&status, m->handle, &n), "MPI_Get_elements");
	ck_assert_msg(n == (want < 0 ? MPI_UNDEFINED : want),
		"%d elements in %zu bytes, not %ld: %s", n, bytes, want, m->text);
	if (want < 0)
		return;
	status_set_bytes(&status, 12345);
	must(MPI_Status_set_elements(&status, m->handle, n), "MPI_Status_set_elements");
	ck_assert_msg(status_get_bytes(&status) == bytes,
		"%d elements have %lld bytes, not %zu: %s", n, (long long)status_get_bytes(&status),
		bytes, m->text);
}

/* Out and back: what a walk down the types says of the packed data is where the data is. */
static void check_external(const struct made *m)
{
	size_t count = (size_t)pick(ELEMENTS_MAX + 1), size = object_of(m)->external * count;
	struct image im = image_new(m, count);
	char *packed = image_gather(&im), *external = malloc(size + 1), *back = malloc(im.data + 1);
	bool exact = true; /* random bytes are no long double, and some of its bytes mean nothing */
	size_t want = 0;

	for (size_t i = 0; i < m->map.n; i++) {
		want += m->map.entries[i].size;
		exact = exact && m->map.entries[i].size != sizeof(long double);
	}
	ck_assert_msg(object_of(m)->external == want, "external size %zu, not %zu: %s",
		object_of(m)->external, want, m->text);
	external[size] = back[im.data] = 42;
	must(type_external_write(object_of(m), count, packed, external), "type_external_write");
	must(type_external_read(object_of(m), count, external, back), "type_external_read");
	ck_assert_msg(external[size] == 42 && back[im.data] == 42, "wrote too much: %s", m->text);
	ck_assert_msg(!exact || memcmp(packed, back, im.data) == 0, "not the same: %s", m->text);
	free(packed);
	free(external);
	free(back);
	image_free(&im);
}

static void check_seed(uint32_t seed)
{
	struct made a, b;

	seed_is(seed * 2654435761u + 1);
	a = make(4);
	b = make(3);
	check_bounds(&a);
	check_bounds(&b);
	for (int i = 0; i < 3; i++) {
		check_pack(&a);
		check_unpack(&a);
		check_stops(&a);
		check_runs(&a);
		check_copy(&a, &b);
		check_copy(&b, &a);
		check_elements(&a);
		check_external(&a);
	}
	drop(&a);
	drop(&b);
}

START_TEST(agrees_with_the_type_map)
{
	for (int i = 0; i < SEEDS_A_TEST; i++)
		check_seed((uint32_t)(_i * SEEDS_A_TEST + i));
}
END_TEST

UNIT_MAIN(
	"type_random", tcase_add_loop_test(tc, agrees_with_the_type_map, 0, SEEDS / SEEDS_A_TEST);)
