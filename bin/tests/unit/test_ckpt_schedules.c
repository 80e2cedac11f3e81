/* SPDX-License-Identifier: BSD-3-Clause */
/* A line that cuts a collective operation is for libraries with the schedules that it was made
 * with. */
#include "base/cursor.h"
#include "base/error.h"
#include "mpi/recovery/ckpt_schedules.h"
#include "ckpt/section_operations.h"
#include "coord/orphans.h"
#include "ckpt/section_messages.h"
#include "ckpt/section_schedules.h"
#include "mpi/sched/sched.h"
#include "unit.h"

enum { POINT = 6, OPERATION = 7 }; /* contexts: of the program's messages, of an operation's */
#define WINDOW (UINT64_C(1) << 63 | OPERATION)

static uint8_t version[4], messages[100], orphans_bytes[200], operations[100];
static struct ckpt_section s[4];
static struct ckpt_loaded line = {.sections = s};

static struct ckpt_section section(uint32_t kind, const uint8_t *bytes, size_t len)
{
	return (struct ckpt_section){.kind = kind, .data = bytes, .len = len};
}

/* A line of this version (0: it names none) that holds a message, an orphan and, or not, an
 * operation. */
static void make(uint32_t number, uint64_t message, uint64_t orphan, bool operation)
{
	struct section_message e = {.context = message, .length = 1};
	struct section_operation o = {
		.context = POINT, .tag = SECTION_OPERATION_TAG, .flags = SECTION_OPERATION_ACTIVE};
	struct orphans list = {0};
	struct writer w = writer_over(messages, sizeof messages);
	uint8_t *bytes;
	size_t len;

	line.n = 0;
	writer_u32(&w, 1);
	section_messages_write(&w, &e);
	writer_bytes(&w, "x", 1);
	s[line.n++] = section(CKPT_MESSAGES, messages, (size_t)(w.at - messages));
	ck_assert(orphans_add(&list, &(struct orphan_range){0, 1, orphan, 1, 1}));
	ck_assert(orphans_encode(&list, &bytes, &len));
	memcpy(orphans_bytes, bytes, len);
	free(bytes);
	orphans_free(&list);
	s[line.n++] = section(CKPT_ORPHANS, orphans_bytes, len);
	w = writer_over(operations, sizeof operations);
	writer_u32(&w, 1);
	section_operations_write(&w, &o);
	if (operation)
		s[line.n++] = section(CKPT_OPERATIONS, operations, (size_t)(w.at - operations));
	w = writer_over(version, sizeof version);
	section_schedules_write(&w, number);
	if (number)
		s[line.n++] = section(CKPT_SCHEDULES, version, sizeof version);
}

static int fit(void)
{
	char err[256] = "";
	int rc = ckpt_schedules_fit(&line, err, sizeof err);

	ck_assert_int_eq(rc != 0, err[0] != '\0');
	return rc;
}

START_TEST(what_cuts_an_operation_needs_the_same_version)
{
	make(SCHED_VERSION + 1, OPERATION, POINT, false);
	ck_assert_int_eq(fit(), FT_EMISMATCH);
	make(SCHED_VERSION + 1, POINT, OPERATION, false);
	ck_assert_int_eq(fit(), FT_EMISMATCH);
	make(SCHED_VERSION + 1, POINT, POINT, true);
	ck_assert_int_eq(fit(), FT_EMISMATCH);
	make(SCHED_VERSION, OPERATION, OPERATION, true);
	ck_assert_int_eq(fit(), 0);
}
END_TEST

START_TEST(what_cuts_none_is_for_every_version)
{
	make(SCHED_VERSION + 1, POINT, WINDOW, false);
	ck_assert_int_eq(fit(), 0);
}
END_TEST

/* Those before there was a number are of the first version. */
START_TEST(lines_without_a_version_are_of_the_first)
{
	make(0, OPERATION, POINT, false);
	ck_assert_int_eq(fit(), SCHED_VERSION == 1 ? 0 : FT_EMISMATCH);
}
END_TEST

START_TEST(what_is_written_is_read)
{
	uint8_t bytes[SECTION_SCHEDULES_BYTES];
	struct writer w = writer_over(bytes, sizeof bytes);

	section_schedules_write(&w, SCHED_VERSION);
	ck_assert(!w.bad && w.at == w.end);
	ck_assert(section_schedules_valid(bytes, sizeof bytes));
	ck_assert(!section_schedules_valid(bytes, sizeof bytes - 1));
	make(0, OPERATION, POINT, false);
	s[line.n++] = section(CKPT_SCHEDULES, bytes, sizeof bytes);
	ck_assert_int_eq(fit(), 0);
	ck_assert(!section_schedules_valid((const uint8_t *)"\0\0\0", 4));
	ck_assert(!section_schedules_valid((const uint8_t *)"\1\0\0\0", 5));
}
END_TEST

UNIT_MAIN("ckpt_schedules", tcase_add_test(tc, what_cuts_an_operation_needs_the_same_version);
	  tcase_add_test(tc, what_cuts_none_is_for_every_version);
	  tcase_add_test(tc, lines_without_a_version_are_of_the_first);
	  tcase_add_test(tc, what_is_written_is_read);)
