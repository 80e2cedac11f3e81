/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that a table of descriptors is in an image; and what is done with it at a load. */
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "image/files_section.h"
#include "image/files_steps.h"
#include "unit.h"

enum { ENTRIES = 9, ROOM = 2048 };

#define TEXT(s) .text = (const uint8_t *)(s), .length = sizeof(s) - 1

static const struct files_entry whole[ENTRIES] = {
	{.number = 0, .same = 0, .kind = FILES_INHERITED},
	{.number = 1,
		.same = 1,
		.kind = FILES_REGULAR,
		.flags = O_WRONLY | O_APPEND,
		.offset = 7,
		.size = 9,
		.device = 8,
		.inode = 100,
		.birth = 1795293000123456789,
		TEXT("/tmp/out")},
	{.number = 4, .same = 4, .kind = FILES_OWN, .close_on_exec = 1},
	{.number = 5, .same = 1, .kind = FILES_REGULAR},
	{.number = 6, .same = 1, .kind = FILES_INHERITED},
	{.number = 7,
		.same = 7,
		.kind = FILES_FOLDER,
		.flags = O_DIRECTORY,
		.offset = 3,
		TEXT("/tmp")},
	{.number = 8,
		.same = 8,
		.kind = FILES_PIPE,
		.flags = O_WRONLY,
		.inode = 77,
		.special = 4096},
	{.number = 9,
		.same = 9,
		.kind = FILES_PIPE,
		.flags = O_NONBLOCK,
		.inode = 77,
		.special = 4096,
		TEXT("contents")},
	{.number = 1048575,
		.same = 1048575,
		.kind = FILES_DEVICE,
		.flags = O_RDWR,
		.special = 0x103,
		TEXT("/dev/null")},
};

static struct files_entry entry[FILES_MAX];
static struct files_lock lock[FILES_LOCKS_MAX];

static size_t write_table(const struct files_entry *e, size_t n, const struct files_lock *l,
	size_t locks, uint8_t *out, size_t size)
{
	return files_section_write(
		&(struct files_table){(struct files_entry *)e, n, (struct files_lock *)l, locks},
		out, size);
}

/* How many entries it has; -1: it is none. */
static int read_table(const uint8_t *bytes, size_t length)
{
	struct files_table t = {.entry = entry, .lock = lock};

	return files_section_read(bytes, length, &t) ? (int)t.n : -1;
}

static int read_again(const struct files_entry *e, size_t n)
{
	static uint8_t bytes[ROOM];
	size_t length = write_table(e, n, NULL, 0, bytes, sizeof bytes);

	ck_assert_uint_gt(length, 0);
	return read_table(bytes, length);
}

START_TEST(it_comes_back)
{
	ck_assert_int_eq(read_again(whole, 0), 0);
	ck_assert_int_eq(read_again(whole, ENTRIES), ENTRIES);
	for (size_t i = 0; i < ENTRIES; i++) {
		struct files_entry e = entry[i];

		ck_assert(!e.length || memcmp(e.text, whole[i].text, e.length) == 0);
		e.text = whole[i].text;
		ck_assert_int_eq(memcmp(&e, &whole[i], sizeof e), 0);
	}
}
END_TEST

START_TEST(every_byte_is_there)
{
	uint8_t bytes[ROOM], *exact;
	size_t length = write_table(whole, ENTRIES, NULL, 0, bytes, sizeof bytes);

	ck_assert_uint_eq(length, 4 + ENTRIES * FILES_ENTRY_BYTES + 8 + 4 + 8 + 9 + 4);
	ck_assert_uint_eq(write_table(whole, ENTRIES, NULL, 0, bytes, length - 1), 0);
	ck_assert_uint_eq(write_table(whole, ENTRIES, NULL, 0, bytes, length), length);
	for (size_t n = 0; n < length; n++) {
		exact = malloc(n + 1);
		memcpy(exact, bytes, n);
		ck_assert_int_eq(read_table(exact, n), -1);
		free(exact);
	}
	bytes[length] = 0;
	ck_assert_int_eq(read_table(bytes, length + 1), -1);
	memcpy(bytes, "\1\20\0\0", 4);
	ck_assert_int_eq(read_table(bytes, length), -1);
}
END_TEST

enum field {
	NUMBER,
	KIND,
	SAME,
	CLOSE_ON_EXEC,
	FLAGS,
	LENGTH,
	OFFSET,
	SIZE,
	DEVICE,
	INODE,
	SPECIAL,
	BIRTH
};

static void set(struct files_entry *e, enum field f, uint64_t to)
{
	uint32_t *small[] = {
		&e->number, &e->kind, &e->same, &e->close_on_exec, &e->flags, &e->length};
	uint64_t *large[] = {&e->offset, &e->size, &e->device, &e->inode, &e->special, &e->birth};

	if (f < OFFSET)
		*small[f] = (uint32_t)to;
	else
		*large[f - OFFSET] = to;
}

/* Entry, what of it is otherwise; each alone makes a table that nobody writes. */
static const struct {
	size_t entry;
	enum field field;
	uint64_t to;
} damages[] = {
	{0, KIND, FILES_KINDS},
	{0, KIND, ~0U},
	{0, SAME, FILES_NUMBER_END},
	{0, FLAGS, O_RDWR},
	{0, INODE, 5},
	{0, CLOSE_ON_EXEC, 2},
	{0, BIRTH, 1},
	{1, NUMBER, 0},
	{1, NUMBER, 4},
	{1, SAME, 0},
	{1, SAME, 5},
	{1, FLAGS, O_ACCMODE},
	{1, FLAGS, O_WRONLY | O_CREAT},
	{1, FLAGS, O_WRONLY | O_TRUNC},
	{1, FLAGS, O_WRONLY | O_DIRECTORY},
	{1, OFFSET, 1ull << 63},
	{1, SIZE, 1ull << 63},
	{1, SPECIAL, 1},
	{1, LENGTH, 0},
	{1, FLAGS, O_RDONLY},
	{3, BIRTH, 1},
	{5, BIRTH, 1},
	{6, BIRTH, 1},
	{8, BIRTH, 1},
	{2, SAME, 1},
	{2, SIZE, 1},
	{3, SAME, 4},
	{3, SAME, 3},
	{3, SAME, 7},
	{3, KIND, FILES_FOLDER},
	{3, OFFSET, 1},
	{4, KIND, FILES_OWN},
	{4, SPECIAL, 1},
	{5, FLAGS, O_WRONLY},
	{5, SIZE, 1},
	{5, SPECIAL, 1},
	{5, OFFSET, ~0ull},
	{6, FLAGS, O_RDONLY},
	{6, FLAGS, O_WRONLY | O_APPEND},
	{6, INODE, 78},
	{7, SPECIAL, 7},
	{7, SPECIAL, 1ull << 31},
	{7, FLAGS, O_WRONLY},
	{7, OFFSET, 1},
	{7, SIZE, 1},
	{7, SAME, 8},
	{8, NUMBER, FILES_NUMBER_END},
	{8, SPECIAL, 0x102},
	{8, SPECIAL, 0x203},
	{8, OFFSET, 1},
	{8, SIZE, 1},
	{8, FLAGS, O_ACCMODE},
};

START_TEST(nothing_is_believed)
{
	struct files_entry e[ENTRIES];

	memcpy(e, whole, sizeof e);
	set(&e[damages[_i].entry], damages[_i].field, damages[_i].to);
	ck_assert_int_eq(read_again(e, ENTRIES), -1);
}
END_TEST

START_TEST(numbers_rise)
{
	struct files_entry e[2] = {whole[2], whole[2]};

	for (uint32_t second = 3; second < 6; second++) {
		e[1].number = e[1].same = second;
		ck_assert_int_eq(read_again(e, 2), second > e[0].number ? 2 : -1);
	}
}
END_TEST

START_TEST(texts_are_checked)
{
	static uint8_t bytes[1 << 21];
	static char large[FILES_CONTENTS_MAX + 1];
	struct files_entry e[2] = {whole[1], whole[8]}, p[2] = {whole[6], whole[7]};
	size_t length;

	ck_assert_int_eq(read_again(e, 2), 2);
	e[0].text = (const uint8_t *)"tmp/oute";
	ck_assert_int_eq(read_again(e, 2), -1);
	e[0].text = (const uint8_t *)"/tmp\0out";
	ck_assert_int_eq(read_again(e, 2), -1);
	memset(large, '/', sizeof large);
	e[0].text = p[1].text = (const uint8_t *)large;
	for (int more = 0; more < 2; more++) {
		e[0].length = FILES_PATH_MAX + (uint32_t)more;
		length = write_table(e, 2, NULL, 0, bytes, sizeof bytes);
		ck_assert_int_eq(read_table(bytes, length), more ? -1 : 2);
		p[1].length = FILES_CONTENTS_MAX + (uint32_t)more;
		p[1].special = 1 << 24;
		length = write_table(p, 2, NULL, 0, bytes, sizeof bytes);
		ck_assert_int_eq(read_table(bytes, length), more ? -1 : 2);
	}
}
END_TEST

/* Contents are with the first one that reads, and so they are there once. */
START_TEST(contents_are_there_once)
{
	struct files_entry p[3] = {whole[6], whole[7], whole[7]};

	p[2].number = p[2].same = 10;
	ck_assert_int_eq(read_again(p, 3), -1);
	p[2].length = 0;
	ck_assert_int_eq(read_again(p, 3), 3);
	p[0].length = 1;
	p[0].text = (const uint8_t *)"x";
	ck_assert_int_eq(read_again(p, 3), -1);
}
END_TEST

/* ---- locks ---- */

/* Member by member: there is padding between them. */
static bool is_same_lock(const struct files_lock *a, const struct files_lock *b)
{
	return a->number == b->number && a->kind == b->kind && a->write == b->write &&
	       a->start == b->start && a->end == b->end;
}

static const struct files_lock locks[] = {
	{1, FILES_FLOCK, 1, 0, FILES_LOCK_END},
	{1, FILES_POSIX, 0, 5, 14},
	{7, FILES_OFD, 0, 20, FILES_LOCK_END},
};

START_TEST(locks_come_back)
{
	enum { LOCKS = 3 };
	struct files_table t = {.entry = entry, .lock = lock};
	uint8_t bytes[ROOM], *exact;
	size_t none = write_table(whole, ENTRIES, NULL, 0, bytes, sizeof bytes);
	size_t length = write_table(whole, ENTRIES, locks, LOCKS, bytes, sizeof bytes);

	ck_assert_uint_eq(length, none + LOCKS * FILES_LOCK_BYTES);
	ck_assert(files_section_read(bytes, length, &t));
	ck_assert_uint_eq(t.n, ENTRIES);
	ck_assert_uint_eq(t.locks, LOCKS);
	for (int i = 0; i < LOCKS; i++)
		ck_assert(is_same_lock(&lock[i], &locks[i]));
	for (size_t n = none - 4; n < length; n++) {
		exact = malloc(n + 1);
		memcpy(exact, bytes, n);
		ck_assert(!files_section_read(exact, n, &t));
		ck_assert(t.n == 0 && t.locks == 0);
		free(exact);
	}
	ck_assert(!files_section_read(bytes, length + 1, &t));
	memcpy(bytes + none - 4, "\1\20\0\0", 4);
	ck_assert(!files_section_read(bytes, length, &t));
}
END_TEST

static const struct files_lock wrong_locks[] = {
	{2, FILES_FLOCK, 1, 0, FILES_LOCK_END}, /* there is no such descriptor */
	{5, FILES_FLOCK, 1, 0, FILES_LOCK_END}, /* a duplicate */
	{0, FILES_FLOCK, 1, 0, FILES_LOCK_END}, /* inherited */
	{4, FILES_FLOCK, 1, 0, FILES_LOCK_END}, /* the library's */
	{8, FILES_FLOCK, 1, 0, FILES_LOCK_END}, /* a pipe */
	{1, FILES_LOCK_KINDS, 1, 0, FILES_LOCK_END},
	{1, FILES_POSIX, 2, 0, FILES_LOCK_END},
	{1, FILES_POSIX, 1, 6, 5},
	{1, FILES_OFD, 1, 0, FILES_LOCK_END + 1},
	{1, FILES_FLOCK, 1, 1, FILES_LOCK_END},
	{1, FILES_FLOCK, 1, 0, 5},
};

START_TEST(no_lock_is_believed)
{
	uint8_t bytes[ROOM];
	size_t length = write_table(whole, ENTRIES, &wrong_locks[_i], 1, bytes, sizeof bytes);

	ck_assert_int_eq(read_table(bytes, length), -1);
}
END_TEST

/* ---- steps ---- */

enum { NUMBERS = 64 };

/* A process of so many numbers, and which file each has; 0: none. */
struct process {
	int file[NUMBERS];
};

static void take_step(struct process *p, const struct files_step *s)
{
	ck_assert_int_ne(s->what, FILES_LOCK);
	ck_assert(s->fd >= 0 && s->fd < NUMBERS && s->to >= 0 && s->to < NUMBERS);
	ck_assert_int_ne(p->file[s->fd], 0);
	if (s->what == FILES_PLACE)
		p->file[s->to] = p->file[s->fd];
	else if (s->what == FILES_STAY)
		ck_assert_int_eq(s->to, s->fd);
	else
		p->file[s->fd] = 0;
}

/* Files of the new process are 100 and its number, of the image 1000 and its number. */
START_TEST(each_comes_to_its_number)
{
	static const int here[] = {3, 0, 1, 5, 2, 9, 20}, own[] = {20, -1};
	const struct files_entry e[] = {
		{.number = 0, .same = 0, .kind = FILES_INHERITED},
		{.number = 1, .same = 2, .kind = FILES_INHERITED},
		{.number = 2, .same = 2, .kind = FILES_REGULAR},
		{.number = 3, .same = 1, .kind = FILES_INHERITED},
		{.number = 5, .same = 5, .kind = FILES_OWN},
		{.number = 6, .same = 6, .kind = FILES_OWN},
		{.number = 7, .same = 7, .kind = FILES_PIPE},
		{.number = 8, .same = 2, .kind = FILES_REGULAR},
		{.number = 11, .same = 11, .kind = FILES_INHERITED},
	};
	enum { N = sizeof e / sizeof *e };
	const struct files_lock held[] = {
		{2, FILES_FLOCK, 1, 0, FILES_LOCK_END}, {2, FILES_POSIX, 1, 5, 14}};
	const struct files_table t = {(struct files_entry *)e, N, (struct files_lock *)held, 2};
	const struct files_opened opened[N] = {{FILES_NONE}, {30}, {31}, {32}, {FILES_NONE},
		{FILES_NONE}, {33}, {FILES_NONE}, {FILES_NONE}};
	struct process p = {.file = {[30] = 102, [31] = 1002, [32] = 101, [33] = 1007}};
	struct files_step step[2 * N + 7 + 2];
	static const int expected[NUMBERS] = {
		[0] = 100, 102, 1002, 101, [7] = 1007, 1002, [20] = 120};
	size_t n;

	for (size_t i = 0; i < 7; i++)
		p.file[here[i]] = 100 + here[i];
	n = files_steps(
		&t, opened, (struct files_numbers){here, 7}, (struct files_numbers){own, 2}, step);
	ck_assert_uint_le(n, 2 * N + 7 + 2);
	/* the lock of the process alone, when nothing is closed any more */
	ck_assert(step[--n].what == FILES_LOCK && step[n].fd == 2);
	ck_assert(is_same_lock(&step[n].lock, &held[1]));
	for (size_t i = 0; i < n; i++)
		take_step(&p, &step[i]);
	ck_assert_int_eq(memcmp(p.file, expected, sizeof expected), 0);
}
END_TEST

START_TEST(what_is_at_its_number_stays)
{
	static const int here[] = {0};
	const struct files_entry e[] = {
		{.number = 3, .same = 3, .kind = FILES_REGULAR, .close_on_exec = 1},
		{.number = 4, .same = 3, .kind = FILES_REGULAR},
		{.number = 5, .same = 5, .kind = FILES_REGULAR},
	};
	const struct files_table t = {(struct files_entry *)e, 3, NULL, 0};
	const struct files_opened opened[] = {{3}, {FILES_NONE}, {30}};
	struct process p = {.file = {[0] = 100, [3] = 1003, [30] = 1005}};
	struct files_step step[2 * 3 + 1];
	size_t n = files_steps(
		&t, opened, (struct files_numbers){here, 1}, (struct files_numbers){0}, step);

	ck_assert(step[0].what == FILES_STAY && step[0].to == 3 && step[0].close_on_exec);
	for (size_t i = 0; i < n; i++)
		take_step(&p, &step[i]);
	ck_assert(p.file[3] == 1003 && p.file[4] == 1003 && p.file[5] == 1005);
	ck_assert(p.file[0] == 0 && p.file[30] == 0);
}
END_TEST

START_TEST(close_on_exec_is_of_each)
{
	const struct files_entry e[] = {
		{.number = 3, .same = 3, .kind = FILES_REGULAR},
		{.number = 4, .same = 3, .kind = FILES_REGULAR, .close_on_exec = 1},
	};
	const struct files_opened opened[] = {{30}, {FILES_NONE}};
	struct files_step step[6];

	ck_assert_uint_eq(
		files_steps(&(struct files_table){(struct files_entry *)e, 2, NULL, 0}, opened,
			(struct files_numbers){0}, (struct files_numbers){0}, step),
		3);
	ck_assert(step[0].what == FILES_PLACE && step[0].to == 3 && !step[0].close_on_exec);
	ck_assert(step[1].what == FILES_PLACE && step[1].to == 4 && step[1].close_on_exec);
	ck_assert(step[2].what == FILES_CLOSE && step[2].fd == 30);
}
END_TEST

START_TEST(numbers_of_both)
{
	static const int here[] = {9, 12, 2}, high[] = {255, 21, 250, 15};
	static const int own[] = {-1, 4, 12, 5}, others[] = {3, 12};

	ck_assert_int_eq(files_in_both(whole, ENTRIES, (struct files_numbers){own, 4}), 5);
	ck_assert_int_eq(files_in_both(whole, ENTRIES, (struct files_numbers){own, 3}), FILES_NONE);
	ck_assert_int_eq(
		files_in_both(whole, ENTRIES, (struct files_numbers){others, 2}), FILES_NONE);
	ck_assert_int_eq(files_free_from(whole, 8, (struct files_numbers){here, 3}), 13);
	ck_assert_int_eq(files_free_from(whole, 8, (struct files_numbers){here, 1}), 10);
	ck_assert_int_eq(files_free_from(whole, 0, (struct files_numbers){here, 0}), FILES_STREAMS);
	ck_assert_int_eq(files_free_from(whole, 8, (struct files_numbers){high, 4}), 256);
	ck_assert_int_eq(files_gap(whole, 8, (struct files_numbers){high, 3}), 10);
	ck_assert_int_eq(files_gap(whole, 8, (struct files_numbers){high, 4}), 22);
	ck_assert_int_eq(files_gap(whole, 8, (struct files_numbers){here, 3}), 13);
	ck_assert_int_eq(files_limit(whole, 8, (struct files_numbers){high, 4}), 32);
}
END_TEST

UNIT_MAIN("image_files_section", tcase_add_test(tc, it_comes_back);
	  tcase_add_test(tc, every_byte_is_there);
	  tcase_add_loop_test(tc, nothing_is_believed, 0, sizeof damages / sizeof *damages);
	  tcase_add_test(tc, numbers_rise); tcase_add_test(tc, texts_are_checked);
	  tcase_add_test(tc, contents_are_there_once); tcase_add_test(tc, locks_come_back);
	  tcase_add_loop_test(tc, no_lock_is_believed, 0, sizeof wrong_locks / sizeof *wrong_locks);
	  tcase_add_test(tc, each_comes_to_its_number);
	  tcase_add_test(tc, what_is_at_its_number_stays);
	  tcase_add_test(tc, close_on_exec_is_of_each); tcase_add_test(tc, numbers_of_both);)
