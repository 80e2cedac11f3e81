/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a sender's log, between which and the system this stands. */
#include "coord/sender_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "unit.h"

enum { SIZES = 6, MESSAGES = 400, LONG_MESSAGES = 40 };

static const size_t sizes[SIZES] = {0, 8, 1000, 64 << 10, 1 << 20, (9 << 20) + 1};

static size_t mapped;
static bool no_memory, no_mappings;

void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __real_munmap(void *at, size_t len);
int __wrap_munmap(void *at, size_t len);
void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
	errno = ENOMEM;
	if (no_memory || no_mappings)
		return MAP_FAILED;
	mapped += len;
	return __real_mmap(at, len, prot, flags, fd, off);
}

int __wrap_munmap(void *at, size_t len)
{
	mapped -= len;
	return __real_munmap(at, len);
}

void *__wrap_malloc(size_t len)
{
	return no_memory ? NULL : __real_malloc(len);
}

/* Its contents are of its number. Only the ends of a long one are touched. */
static void add(struct sender_log *log, uint64_t number, size_t len)
{
	struct logged_message *m =
		sender_log_message(log, &(struct logged_envelope){.tag = 1}, len);
	size_t n = len < 64 ? len : 64;

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq((uintptr_t)m->bytes % (len < 1024 ? sizeof(void *) : 64), 0);
	m->number = number;
	memset(m->bytes, (int)(number & 0xff), n);
	memset(m->bytes + len - n, (int)(number & 0xff), n);
	sender_log_add(log, m);
}

/* One assertion each, as each is a system call. */
static void check(const struct logged_message *m)
{
	bool right = true;

	for (size_t i = 0; i < 64 && i < m->len; i++)
		right = right && m->bytes[i] == (m->number & 0xff) &&
			m->bytes[m->len - 1 - i] == (m->number & 0xff);
	ck_assert(right);
}

static size_t check_all(const struct sender_log *log)
{
	size_t n = 0;

	for (const struct logged_message *m = log->first; m; m = m->next, n++)
		check(m);
	return n;
}

START_TEST(what_is_dropped_goes_back_to_the_system)
{
	const uint64_t n = sizes[_i] < 1 << 20 ? MESSAGES : LONG_MESSAGES;
	struct sender_log log = {0};
	size_t most;

	for (uint64_t i = 1; i <= n; i++)
		add(&log, i, sizes[_i]);
	most = mapped;
	ck_assert_uint_le(most, log.bytes + log.bytes / 2 + (8 << 20));
	for (uint64_t i = 1; i < n; i++) {
		sender_log_drop(&log, 0, i);
		ck_assert_uint_eq(check_all(&log), n - i);
		ck_assert_uint_le(mapped, log.bytes + most / 4 + (8 << 20));
	}
	sender_log_drop(&log, 0, n);
	ck_assert_uint_eq(mapped, 0);
	add(&log, n + 1, sizes[_i]);
	ck_assert_uint_eq(check_all(&log), 1);
	sender_log_free(&log);
	ck_assert_uint_eq(mapped, 0);
}
END_TEST

START_TEST(a_long_log_is_in_few_blocks)
{
	struct sender_log log = {0};
	size_t before;

	for (uint64_t i = 1; log.bytes < 40 << 20; i++) {
		add(&log, i, 1000);
		if (mapped > 2 * log.bytes + (16 << 20)) /* before it is all that the machine has */
			ck_abort_msg("%zu bytes are mapped for %llu", mapped,
				(unsigned long long)log.bytes);
	}
	before = mapped;
	ck_assert_uint_gt(before, 0);
	for (uint64_t i = 1; i <= 1000; i++)
		add(&log, log.last->number + 1, 1000);
	ck_assert_uint_le(mapped - before, 9 << 20);
	sender_log_free(&log);
	ck_assert_uint_eq(mapped, 0);
}
END_TEST

START_TEST(sizes_at_random_and_some_that_stay)
{
	struct sender_log log = {0};
	struct logged_message *lent[MESSAGES] = {0};
	uint64_t number = 0, at = 0;
	int n = 0;

	srand(7);
	for (int i = 0; i < 3 * MESSAGES; i++) {
		add(&log, ++number, (size_t)rand() % sizes[rand() % (SIZES - 1) + 1]);
		if (rand() % 16 == 0)
			(lent[n++] = log.last)->lent = true;
		if (rand() % 32 == 0) {
			uint64_t keep = at;

			at += (uint64_t)rand() % (number - at + 1);
			sender_log_drop(&log, keep - (keep > 0), at);
			check_all(&log);
		}
	}
	sender_log_free(&log);
	while (n-- > 0) {
		check(lent[n]);
		sender_log_back(lent[n]);
	}
	ck_assert_uint_eq(mapped, 0);
}
END_TEST

/* For one message, and not for a block of many. */
START_TEST(no_memory_for_a_block)
{
	struct sender_log log = {0};
	struct logged_message *m;

	while (log.bytes < 40 << 20)
		add(&log, log.last ? log.last->number + 1 : 1, 1000);
	no_mappings = true;
	for (int i = 0; i < 20000; i++) {
		m = sender_log_message(&log, &(struct logged_envelope){0}, 1000);
		if (!m)
			break;
		m->number = log.last->number + 1;
		sender_log_add(&log, m);
	}
	no_mappings = false;
	ck_assert_ptr_nonnull(m);
	sender_log_free(&log);
	ck_assert_uint_eq(mapped, 0);
}
END_TEST

START_TEST(no_memory_for_a_message)
{
	struct sender_log log = {0};
	struct logged_envelope e = {0};
	struct logged_message *first, *huge;

	add(&log, 1, 8);
	no_memory = true;
	first = sender_log_message(&log, &e, sizes[_i] + 2000);
	huge = sender_log_message(&log, &e, SIZE_MAX);
	no_memory = false;
	ck_assert_ptr_null(first);
	ck_assert_ptr_null(huge);
	add(&log, 2, sizes[_i]);
	ck_assert_uint_eq(check_all(&log), 2);
	sender_log_free(&log);
	ck_assert_uint_eq(mapped, 0);
}
END_TEST

UNIT_MAIN("sender_log", tcase_add_loop_test(tc, what_is_dropped_goes_back_to_the_system, 0, SIZES);
	  tcase_add_test(tc, a_long_log_is_in_few_blocks);
	  tcase_add_test(tc, sizes_at_random_and_some_that_stay);
	  tcase_add_test(tc, no_memory_for_a_block);
	  tcase_add_loop_test(tc, no_memory_for_a_message, 0, SIZES);)
