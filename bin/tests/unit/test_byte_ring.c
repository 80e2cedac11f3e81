/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring in memory: what is written comes out in its order and once, whatever the sizes; a full
 * ring takes nothing more and says when there is room; a writer that stops anywhere has written
 * whole records alone; what no writer would write is refused and read nowhere else.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "transport/byte_ring.h"
#include "unit.h"

enum { WAIT_MS = 60000 };

static struct byte_ring *ring;
static struct byte_ring_writer writer;
static struct byte_ring_reader reader;
static const uint8_t envelope[WIRE_ENVELOPE_BYTES] = "an envelope of bytes";

/* Between pages that nobody may touch. */
static void begin(void)
{
	size_t page = 4096;
	char *at =
		mmap(NULL, sizeof *ring + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(at != MAP_FAILED);
	ring = (struct byte_ring *)(void *)(at + page);
	ck_assert_int_eq(mprotect(ring, sizeof *ring, PROT_READ | PROT_WRITE), 0);
	writer = (struct byte_ring_writer){.ring = ring};
	reader = (struct byte_ring_reader){.ring = ring};
}

/* The byte of a stream at this offset. */
static uint8_t at(size_t offset)
{
	return (uint8_t)(offset * 2654435761u >> 13);
}

static void fill(uint8_t *buf, size_t len, size_t offset)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = at(offset + i);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* What one side has moved so far: streams and short messages are one sequence of bytes. */
struct progress {
	size_t bytes;
	uint32_t state;
};

/* Whether anything was written. */
static bool write_some(struct progress *p)
{
	static _Thread_local uint8_t buf[20000];
	size_t len = next_random(&p->state) % 100 < 80 ? next_random(&p->state) % 200
						       : next_random(&p->state) % sizeof buf;
	size_t cut = len ? next_random(&p->state) % len : 0, done;
	struct iovec iov[] = {{buf, cut}, {buf + cut, len - cut}};

	fill(buf, len, p->bytes);
	if (next_random(&p->state) % 2 && len <= BYTE_RING_SHORT_MAX) {
		done = byte_ring_put_short(&writer, (uint32_t)len, envelope, buf, len) ? len : 0;
	} else {
		done = byte_ring_write(&writer, iov, 2);
		ck_assert(done != SIZE_MAX);
	}
	p->bytes += done;
	return done > 0;
}

static bool read_some(struct progress *p)
{
	static _Thread_local uint8_t want[BYTE_RING_RECORD_MAX];
	struct byte_ring_record r;
	enum byte_ring_kind kind = byte_ring_peek(&reader, &r);
	size_t n;

	if (kind == BYTE_RING_NOTHING)
		return false;
	n = r.length;
	if (kind == BYTE_RING_SHORT) {
		ck_assert(r.credit == r.length && !memcmp(r.envelope, envelope, sizeof envelope));
	} else {
		ck_assert(kind == BYTE_RING_STREAM);
		n = 1 + next_random(&p->state) % r.length;
	}
	fill(want, n, p->bytes);
	ck_assert_int_eq(memcmp(r.bytes, want, n), 0);
	byte_ring_pass(&reader, n);
	p->bytes += n;
	return true;
}

START_TEST(bytes_come_out_as_they_went_in)
{
	struct progress in = {.state = (uint32_t)_i}, out = in;

	begin();
	while (in.bytes < 8u << 20) {
		for (uint32_t n = next_random(&in.state) % 50; n > 0; n--)
			write_some(&in);
		for (uint32_t n = next_random(&out.state) % 50; n > 0; n--)
			read_some(&out);
	}
	while (read_some(&out))
		;
	ck_assert_uint_eq(out.bytes, in.bytes);
}
END_TEST

enum { SHARED_BYTES = 16 << 20 };

static void *write_all(void *arg)
{
	struct progress *in = arg;

	while (in->bytes < SHARED_BYTES)
		if (!write_some(in))
			sched_yield();
	return NULL;
}

START_TEST(of_two_threads_too)
{
	struct progress in = {.state = 1}, out = {.state = 2};
	uint64_t until = clock_ns() + WAIT_MS * 1000000ull;
	pthread_t thread;

	begin();
	ck_assert_int_eq(pthread_create(&thread, NULL, write_all, &in), 0);
	while (out.bytes < SHARED_BYTES) {
		if (read_some(&out))
			continue;
		ck_assert_msg(clock_ns() < until, "%zu bytes came in %d ms", out.bytes, WAIT_MS);
		sched_yield();
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	while (read_some(&out))
		;
	ck_assert_uint_eq(out.bytes, in.bytes);
}
END_TEST

/* The writer is told once, when there is room again, and then there is. */
START_TEST(a_full_ring_tells_when_there_is_room)
{
	static uint8_t buf[BYTE_RING_BYTES];
	struct iovec all = {buf, sizeof buf};
	struct byte_ring_record r;
	bool told = false;

	begin();
	ck_assert_uint_lt(byte_ring_write(&writer, &all, 1), sizeof buf);
	ck_assert_uint_eq(byte_ring_write(&writer, &all, 1), 0);
	ck_assert(!byte_ring_put_short(&writer, 0, envelope, buf, 0));
	for (unsigned records = 0; !told; records++) {
		ck_assert_int_eq(byte_ring_peek(&reader, &r), BYTE_RING_STREAM);
		told = byte_ring_pass(&reader, r.length);
		ck_assert_uint_lt(records, BYTE_RING_CELLS);
	}
	ck_assert(byte_ring_put_short(&writer, 0, envelope, buf, 0));
	while (byte_ring_peek(&reader, &r) != BYTE_RING_NOTHING)
		ck_assert(!byte_ring_pass(&reader, r.length));
}
END_TEST

/* A writer dies with a record half written: the reader sees all before it, and not this one. */
START_TEST(half_a_record_is_none)
{
	struct byte_ring_record r;
	uint8_t *half;

	begin();
	ck_assert(byte_ring_put_short(&writer, 7, envelope, "whole", 5));
	half = ring->cells + (size_t)writer.at * BYTE_RING_CELL;
	memset(half + sizeof(uint32_t), 0xff, 3 * BYTE_RING_CELL);
	ck_assert_int_eq(byte_ring_peek(&reader, &r), BYTE_RING_SHORT);
	ck_assert_uint_eq(r.length, 5);
	byte_ring_pass(&reader, 5);
	ck_assert_int_eq(byte_ring_peek(&reader, &r), BYTE_RING_NOTHING);
}
END_TEST

/* Bytes of an old record lie where the next one will begin. */
START_TEST(old_bytes_are_no_record)
{
	static uint8_t buf[BYTE_RING_SHORT_MAX];
	struct byte_ring_record r;
	uint32_t sound = (uint32_t)BYTE_RING_STREAM << 24 | 8;

	for (size_t i = 0; i + sizeof sound <= sizeof buf; i += sizeof sound)
		memcpy(buf + i, &sound, sizeof sound);
	begin();
	for (int i = 0; i < 10000; i++) {
		size_t len = (size_t)i * 37 % sizeof buf;

		ck_assert(byte_ring_put_short(&writer, 0, envelope, buf, len));
		ck_assert_int_eq(byte_ring_peek(&reader, &r), BYTE_RING_SHORT);
		ck_assert_uint_eq(r.length, len);
		byte_ring_pass(&reader, len);
		ck_assert_int_eq(byte_ring_peek(&reader, &r), BYTE_RING_NOTHING);
	}
}
END_TEST

/* Whatever lies there: the reader stays within the ring and comes to an end. */
START_TEST(hostile_bytes_are_read_nowhere_else)
{
	uint32_t state = (uint32_t)_i;
	unsigned long sum = 0;

	begin();
	for (int round = 0; round < 2000; round++) {
		struct byte_ring_record r;
		int records = 0;

		for (size_t i = 0; i < sizeof ring->cells; i += BYTE_RING_CELL) {
			uint32_t word = next_random(&state) % 4 << 24 |
					next_random(&state) % (round % 2 ? 1 << 24 : 9000);

			memcpy(ring->cells + i, &word, sizeof word);
		}
		reader = (struct byte_ring_reader){
			.ring = ring, .at = next_random(&state) % BYTE_RING_CELLS};
		for (; records < 2 * BYTE_RING_CELLS; records++) {
			enum byte_ring_kind kind = byte_ring_peek(&reader, &r);

			if (kind == BYTE_RING_NOTHING || kind == BYTE_RING_BROKEN)
				break;
			for (size_t i = 0; i < r.length; i++)
				sum += r.bytes[i];
			byte_ring_pass(&reader, r.length);
		}
	}
	ck_assert_uint_gt(sum, 0);
}
END_TEST

/* The reader gives back what it never had. */
START_TEST(a_lying_reader_is_found_out)
{
	struct iovec iov = {(void *)(uintptr_t)envelope, sizeof envelope};

	begin();
	ck_assert_uint_eq(byte_ring_write(&writer, &iov, 1), sizeof envelope);
	writer.room = 0;
	ring->returned = 2;
	ck_assert_uint_eq(byte_ring_write(&writer, &iov, 1), SIZE_MAX);
	ck_assert(!byte_ring_put_short(&writer, 0, envelope, envelope, sizeof envelope));
}
END_TEST

UNIT_MAIN("byte_ring", tcase_add_loop_test(tc, bytes_come_out_as_they_went_in, 0, 4);
	  tcase_add_test(tc, of_two_threads_too);
	  tcase_add_test(tc, a_full_ring_tells_when_there_is_room);
	  tcase_add_test(tc, half_a_record_is_none); tcase_add_test(tc, old_bytes_are_no_record);
	  tcase_add_loop_test(tc, hostile_bytes_are_read_nowhere_else, 0, 2);
	  tcase_add_test(tc, a_lying_reader_is_found_out);)
