/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages in pieces, from elements of one random datatype to as many of another that has the same
 * data, with a socket between them that takes and brings any number of bytes. Some are longer than
 * a stage. Test _i has seed _i.
 */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/iov_cursor.h"
#include "mpi/type/type.h"
#include "type_map.h"
#include "type_random.h"
#include "unit.h"

enum { SEEDS = 400, LONGEST = 300000, GAP = 0x5a, IOV = 64 };

/* A buffer for `count` elements, and where each byte of their data lies in it. */
struct area {
	char *bytes, *buf; /* buf is what the program would pass */
	size_t size, data;
	ptrdiff_t *at;
};

static struct area area_new(const struct made *m, size_t count)
{
	struct area a = {.data = count * map_size(&m->map)};
	ptrdiff_t lo = 0, hi = 0;

	a.at = malloc((a.data + 1) * sizeof *a.at);
	map_bytes(&m->map, count, a.at);
	for (size_t i = 0; i < a.data; i++) {
		lo = a.at[i] < lo ? a.at[i] : lo;
		hi = a.at[i] + 1 > hi ? a.at[i] + 1 : hi;
	}
	a.size = (size_t)(hi - lo) + 1;
	a.bytes = malloc(a.size);
	a.buf = a.bytes - lo;
	memset(a.bytes, GAP, a.size);
	return a;
}

static void area_free(struct area *a)
{
	free(a->bytes);
	free(a->at);
}

static struct type *object_of(const struct made *m)
{
	struct type *t = NULL;

	must(type_lookup(m->handle, &t), "type_lookup");
	return t;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* What a socket takes: some bytes of what it is offered. */
static size_t take(struct tp_iov_cursor *p, char *to, size_t most)
{
	struct iovec iov[IOV];
	int n = p->next(p, iov, between(1, IOV));
	size_t taken = 0;

	ck_assert_int_gt(n, 0);
	for (int i = 0; i < n && taken < most; i++) {
		size_t now = min(most - taken, iov[i].iov_len);

		ck_assert_uint_gt(now, 0);
		memcpy(to + taken, iov[i].iov_base, now);
		taken += now;
	}
	p->pass(p, taken);
	return taken;
}

static size_t sum(const struct iovec *iov, int n)
{
	size_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += iov[i].iov_len;
	return bytes;
}

/* What a socket brings, for a sink that has room for no more than `room` more. */
static void bring(struct tp_iov_cursor *p, const char *from, size_t bytes, size_t room)
{
	while (bytes > 0) {
		struct iovec iov[IOV];
		int n = p->next(p, iov, between(1, IOV));
		size_t brought = 0;

		ck_assert_int_gt(n, 0);
		ck_assert_uint_le(sum(iov, n), room);
		for (int i = 0; i < n && brought < bytes; i++) {
			size_t now = min(bytes - brought, iov[i].iov_len);

			memcpy(iov[i].iov_base, from + brought, now);
			brought += now;
		}
		p->pass(p, brought);
		from += brought;
		bytes -= brought;
		room -= brought;
	}
}

/* Usually as much as a socket takes, now and then a few bytes. */
static size_t some(void)
{
	return (size_t)between(1, pick(2) ? LONGEST / 4 : 5000);
}

static void send_through(const struct made *m, const struct made *to, size_t count, size_t room)
{
	struct area out = area_new(m, count), in = area_new(to, room);
	size_t data = min(out.data, in.data);
	struct tp_iov_cursor *source = iov_cursor_out(object_of(m), out.buf, count);
	struct tp_iov_cursor *sink = iov_cursor_in(object_of(to), in.buf, room);
	char *want = malloc(in.size), *wire = malloc(LONGEST);

	for (size_t i = 0; i < out.data; i++)
		out.buf[out.at[i]] = (char)pick(256);
	memcpy(want, in.bytes, in.size);
	for (size_t i = 0; i < data; i++)
		want[in.buf - in.bytes + in.at[i]] = out.buf[out.at[i]];
	for (size_t done = 0; done < data;) {
		size_t n = take(source, wire, min(some(), data - done));

		bring(sink, wire, n, in.data - done);
		done += n;
	}
	ck_assert_msg(memcmp(want, in.bytes, in.size) == 0, "%zu bytes of %s into %zu of %s",
		out.data, m->text, in.data, to->text);
	free(source);
	free(sink);
	free(want);
	free(wire);
	area_free(&out);
	area_free(&in);
}

/* How many of them have about so much data; 0: they have none. */
static size_t count_of(const struct made *m, size_t data)
{
	size_t size = map_size(&m->map);

	return size ? 1 + data / size : 0;
}

START_TEST(what_goes_in_pieces_comes_whole)
{
	size_t data, count, room;
	struct made a, b;

	seed_is((uint32_t)_i * 2654435761u + 7);
	a = make(4);
	b = make(3);
	data = (size_t)pick(pick(4) ? 2000 : LONGEST);
	count = count_of(&a, data);
	room = count_of(&b, pick(2) ? data : (size_t)pick((int)data + 1));
	if (count && room)
		send_through(&a, &b, count, room);
	drop(&a);
	drop(&b);
}
END_TEST

/* Runs that are long enough to be told to the kernel, more of them than it is told at once, with a
 * short one among them. It takes them up to the end or stops within one. */
START_TEST(long_runs_are_not_copied)
{
	int lens[200], at[200];
	struct iovec iov[IOV];
	struct tp_iov_cursor *p;
	MPI_Datatype handle;
	struct type *t;
	char *buf;
	int seen = 0, part = 0;

	for (int i = 0; i < 200; i++) {
		lens[i] = i == 100 ? 3 : 10000 + i;
		at[i] = i * 20000;
	}
	must(MPI_Type_indexed(200, lens, at, MPI_BYTE, &handle), "MPI_Type_indexed");
	must(type_lookup(handle, &t), "type_lookup");
	buf = malloc(200 * 20000);
	p = _i ? iov_cursor_in(t, buf, 1) : iov_cursor_out(t, buf, 1);
	while (seen < 200) {
		int n = p->next(p, iov, IOV);

		ck_assert_int_gt(n, 0);
		ck_assert_ptr_eq(iov[0].iov_base, buf + at[seen] + part);
		ck_assert_uint_eq(iov[0].iov_len, lens[seen] - part);
		for (int i = 1; i < n; i++) {
			ck_assert_ptr_eq(iov[i].iov_base, buf + at[seen + i]);
			ck_assert_uint_eq(iov[i].iov_len, lens[seen + i]);
		}
		part = part == 0 && n > 1 ? 2 : 0;
		p->pass(p, sum(iov, n - (part > 0)) + (size_t)part);
		seen += n - (part > 0);
	}
	free(p);
	free(buf);
	must(MPI_Type_free(&handle), "MPI_Type_free");
}
END_TEST

UNIT_MAIN("iov_cursor", tcase_add_loop_test(tc, what_goes_in_pieces_comes_whole, 0, SEEDS);
	  tcase_add_loop_test(tc, long_runs_are_not_copied, 0, 2);)
