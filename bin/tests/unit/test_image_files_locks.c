/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of locks on files, and what it does not. */
#include <fcntl.h>
#include <string.h>

#include "image/files_locks.h"
#include "unit.h"

enum { MAX = 3 };

#define HEAD "pos:\t100\nflags:\t02100002\nmnt_id:\t27\nino:\t1234\n"

static struct files_lock found[MAX];

static long parse(const char *text)
{
	memset(found, 0xff, sizeof found);
	return files_locks_parse(text, strlen(text), 7, found, MAX);
}

static const struct {
	const char *text;
	struct files_lock lock;
} known[] = {
	{HEAD "lock:\t1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF\n",
		{7, FILES_FLOCK, 1, 0, FILES_LOCK_END}},
	{HEAD "lock:\t1: FLOCK  ADVISORY  READ  4711 fe:00:1234 0 EOF\n",
		{7, FILES_FLOCK, 0, 0, FILES_LOCK_END}},
	{HEAD "lock:\t12: POSIX  ADVISORY  READ 4711 fe:00:1234 5 14\n",
		{7, FILES_POSIX, 0, 5, 14}},
	{HEAD "lock:\t1: POSIX  ADVISORY  WRITE 4711 fe:00:1234 5 EOF",
		{7, FILES_POSIX, 1, 5, FILES_LOCK_END}},
	{HEAD "lock:\t1: OFDLCK ADVISORY  WRITE -1 103:00:18446744073709551615 0 "
	      "9223372036854775806\n",
		{7, FILES_OFD, 1, 0, FILES_LOCK_END - 1}},
};

/* Member by member: there is padding between them. */
static bool is_same_lock(const struct files_lock *a, const struct files_lock *b)
{
	return a->number == b->number && a->kind == b->kind && a->write == b->write &&
	       a->start == b->start && a->end == b->end;
}

START_TEST(one_lock)
{
	ck_assert_int_eq(parse(known[_i].text), 1);
	ck_assert(is_same_lock(&found[0], &known[_i].lock));
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_int_eq(parse("\n\n"), 0);
	ck_assert_int_eq(parse(HEAD), 0);
	ck_assert_int_eq(parse(HEAD "lock:\t1: LEASE  ACTIVE    WRITE 4711 fe:00:1234 0 EOF\n"), 0);
	ck_assert_int_eq(parse(HEAD "lock:\t1: DELEG  BREAKING  READ 0 fe:00:1234 0 EOF\n"), 0);
	ck_assert_int_eq(parse(HEAD "clock: 7\nlocks:\t1: FLOCK\n"), 0);
}
END_TEST

START_TEST(more_than_there_is_room_for)
{
	const char *text = HEAD "lock:\t1: FLOCK  ADVISORY  WRITE 1 0:0:1 0 EOF\n"
				"lock:\t2: LEASE  ACTIVE    WRITE 1 0:0:1 0 EOF\n"
				"lock:\t3: POSIX  ADVISORY  READ 1 0:0:1 0 0\n"
				"lock:\t4: POSIX  ADVISORY  READ 1 0:0:1 2 2\n"
				"lock:\t5: POSIX  ADVISORY  READ 1 0:0:1 4 4\n";

	ck_assert_int_eq(parse(text), 4);
	ck_assert_uint_eq(found[2].start, 2);
	ck_assert_int_eq(files_locks_parse(text, strlen(text), 7, NULL, 0), 4);
}
END_TEST

static const char *const not_understood[] = {
	"lock:\n",
	"lock:\t1:\n",
	"lock:\t1: UNKNOWN UNKNOWN  WRITE 1 0:0:1 0 EOF\n",
	"lock:\t1: FLOCKS ADVISORY  WRITE 1 0:0:1 0 EOF\n",
	"lock:\t1: FLOC ADVISORY  WRITE 1 0:0:1 0 EOF\n",
	"lock:\t1: POSIX  *NOINODE* WRITE 1 0:0:1 0 EOF\n",
	"lock:\t1: POSIX  ADVISORY  UNLCK 1 0:0:1 0 EOF\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 0\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 -1 EOF\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 EOF EOF\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 15 14\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 0 9223372036854775808\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 0 99999999999999999999\n",
	"lock:\t1: POSIX  ADVISORY  WRITE 1 0:0:1 0 EOF 7\n",
	"lock:\t1: FLOCK  ADVISORY  WRITE 1 0:0:1 0 EOF\nlock:\t2: POSIX",
};

START_TEST(what_is_not_understood)
{
	ck_assert_int_eq(parse(not_understood[_i]), -1);
}
END_TEST

START_TEST(which_may_lock)
{
	struct files_entry e = {.number = 7, .same = 7, .kind = FILES_REGULAR, .flags = O_RDWR};

	ck_assert(files_may_lock(&e));
	e.flags = O_PATH;
	ck_assert(!files_may_lock(&e));
	e.flags = O_RDONLY;
	e.same = 3;
	ck_assert(!files_may_lock(&e));
	e.same = 7;
	e.kind = FILES_FOLDER;
	ck_assert(files_may_lock(&e));
	e.kind = FILES_PIPE;
	ck_assert(!files_may_lock(&e));
}
END_TEST

#define EACH(test, cases) tcase_add_loop_test(tc, test, 0, sizeof cases / sizeof *cases)

UNIT_MAIN("image_files_locks", EACH(one_lock, known); tcase_add_test(tc, none);
	  tcase_add_test(tc, more_than_there_is_room_for);
	  EACH(what_is_not_understood, not_understood); tcase_add_test(tc, which_may_lock);)
