/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of /proc/PID/maps, as kernels write them and as none does. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/process_map.h"
#include "unit.h"

enum { MAX = 512 };

static struct region found[MAX];
static size_t bad_line;

static long parse(const char *text)
{
	return process_map_parse(text, strlen(text), found, MAX, &bad_line);
}

static const struct region *parse_one(const char *line)
{
	ck_assert_int_eq(parse(line), 1);
	return &found[0];
}

START_TEST(a_line_is_read_whole)
{
	const struct region *r;

	memset(found, 0xff, sizeof found);
	r = parse_one("7ffff7d86000-7ffff7dac000 r-xp 00028000 fe:01 1054399    /usr/lib/a b.so\n");

	ck_assert_uint_eq(r->low, 0x7ffff7d86000);
	ck_assert_uint_eq(r->high, 0x7ffff7dac000);
	ck_assert(r->readable && !r->writable && r->executable && !r->deleted);
	ck_assert_uint_eq(r->offset, 0x28000);
	ck_assert_uint_eq(r->major, 0xfe);
	ck_assert_uint_eq(r->minor, 1);
	ck_assert_uint_eq(r->inode, 1054399);
	ck_assert_int_eq(r->kind, REGION_FILE);
	ck_assert_uint_eq(r->name_length, strlen("/usr/lib/a b.so"));
	ck_assert_int_eq(strncmp(r->name, "/usr/lib/a b.so", r->name_length), 0);
	ck_assert(!r->changed && !r->may_write && !r->grows && !r->loader);
}
END_TEST

static const struct {
	const char *line;
	enum region_kind kind;
	bool deleted;
} kinds[] = {
	{"1000-2000 rw-p 00000000 00:00 0 \n", REGION_ANONYMOUS, false},
	{"1000-2000 rw-p 00000000 00:00 0", REGION_ANONYMOUS, false},
	{"1000-2000 ---p 00000000 00:00 0 \n", REGION_ANONYMOUS, false},
	{"1000-2000 rw-p 00000000 00:00 0    [anon: glibc: malloc arena]\n", REGION_ANONYMOUS,
		false},
	{"1000-2000 rw-p 00000000 00:00 0    [heap]\n", REGION_HEAP, false},
	{"1000-2000 rw-p 00000000 00:00 0    [stack]\n", REGION_STACK, false},
	{"1000-2000 rwxp 00000000 00:00 0    [stack]\n", REGION_STACK, false},
	{"1000-2000 r-xp 00000000 00:00 0    [vdso]\n", REGION_KERNEL, false},
	{"1000-2000 r--p 00000000 00:00 0    [vvar]\n", REGION_KERNEL, false},
	{"1000-2000 r--p 00000000 00:00 0    [vvar_vclock]\n", REGION_KERNEL, false},
	{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n", REGION_KERNEL,
		false},
	{"1000-2000 rw-s 00000000 00:01 9    /dev/zero (deleted)\n", REGION_SHARED, true},
	{"1000-2000 r--s 00000000 fe:01 7    /usr/lib/gconv-modules.cache\n", REGION_SHARED, false},
	{"1000-2000 rw-p 00000000 fe:01 7    /tmp/gone (deleted)\n", REGION_FILE, true},
	{"1000-2000 rw-p 00000000 fe:01 7    /tmp/[heap]\n", REGION_FILE, false},
	{"1000-2000 rw-p 00000000 fe:01 7     (deleted)\n", REGION_FILE, false},
};

START_TEST(kinds_are_told)
{
	const struct region *r = parse_one(kinds[_i].line);

	ck_assert_int_eq(r->kind, kinds[_i].kind);
	ck_assert_int_eq(r->deleted, kinds[_i].deleted);
}
END_TEST

static const char *const bad[] = {
	"1000\n",
	"1000-2000\n",
	"-2000 rw-p 00000000 00:00 0\n",
	"1000 2000 rw-p 00000000 00:00 0\n",
	"1000-2000 rwqp 00000000 00:00 0\n",
	"1000-2000 rw-q 00000000 00:00 0\n",
	"1000-2000 rw-p 00000000 0000 0\n",
	"1000-2000 rw-p 00000000 00:00\n",
	"2000-2000 rw-p 00000000 00:00 0\n",
	"2000-1000 rw-p 00000000 00:00 0\n",
	"10000000000000000-20000000000000000 rw-p 00000000 00:00 0\n",
	"\n",
};

START_TEST(another_line_is_refused)
{
	char text[256];

	snprintf(text, sizeof text, "10-20 rw-p 0 00:00 0\n%s", bad[_i]);
	ck_assert_int_eq(parse(text), -1);
	ck_assert_uint_eq(bad_line, 2);
}
END_TEST

START_TEST(regions_do_not_overlap)
{
	ck_assert_int_eq(parse("1000-3000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0\n"), -1);
	ck_assert_uint_eq(bad_line, 2);
	ck_assert_int_eq(parse("1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0\n"), 2);
}
END_TEST

START_TEST(too_many_are_counted)
{
	const char *text = "1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0\n5000-6000 r--p 0 "
			   "00:00 0\n";

	memset(found, 0, sizeof found);
	ck_assert_int_eq(process_map_parse(text, strlen(text), found, 2, &bad_line), 3);
	ck_assert_uint_eq(found[1].high, 0x4000);
	ck_assert_uint_eq(found[2].high, 0);
	ck_assert_int_eq(process_map_parse("", 0, found, 2, &bad_line), 0);
}
END_TEST

START_TEST(an_address_is_found)
{
	parse("1000-2000 rw-p 0 00:00 0\n2000-4000 rw-p 0 00:00 0\n5000-6000 r--p 0 00:00 0\n");
	ck_assert_ptr_null(process_map_find(found, 3, 0xfff));
	ck_assert_ptr_eq(process_map_find(found, 3, 0x1000), &found[0]);
	ck_assert_ptr_eq(process_map_find(found, 3, 0x1fff), &found[0]);
	ck_assert_ptr_eq(process_map_find(found, 3, 0x2000), &found[1]);
	ck_assert_ptr_null(process_map_find(found, 3, 0x4000));
	ck_assert_ptr_eq(process_map_find(found, 3, 0x5fff), &found[2]);
	ck_assert_ptr_null(process_map_find(found, 3, 0x6000));
	ck_assert_ptr_null(process_map_find(found, 0, 0x1000));
}
END_TEST

START_TEST(parts_of_the_stack_are_joined)
{
	parse("1000-2000 rw-p 0 00:00 0\n3000-4000 rw-p 0 00:00 0\n4000-5000 rw-p 0 00:00 0\n"
	      "5000-6000 ---p 0 00:00 0\n6000-8000 rw-p 0 00:00 0 [stack]\n");
	found[0].grows = found[2].grows = found[3].grows = found[4].grows = true;
	process_map_join_stack(found, 5);
	ck_assert_int_eq(found[0].kind, REGION_ANONYMOUS);
	ck_assert_int_eq(found[1].kind, REGION_ANONYMOUS);
	for (int i = 2; i < 5; i++)
		ck_assert_int_eq(found[i].kind, REGION_STACK);
	process_map_join_stack(found, 4);
	process_map_join_stack(found, 0);
	/* above what has the name, too: that is where the stack pointer began */
	parse("1000-2000 rw-p 0 00:00 0 [stack]\n2000-3000 r--p 0 00:00 0\n"
	      "3000-4000 rw-p 0 00:00 0\n5000-6000 rw-p 0 00:00 0\n");
	found[0].grows = found[1].grows = found[2].grows = found[3].grows = true;
	process_map_join_stack(found, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(found[i].kind, i < 3 ? REGION_STACK : REGION_ANONYMOUS);
	parse("1000-2000 rw-p 0 00:00 0 [stack]\n2000-3000 r--p 0 00:00 0\n");
	process_map_join_stack(found, 2);
	ck_assert_int_eq(found[1].kind, REGION_ANONYMOUS);
}
END_TEST

/* A global, a function, a variable on the stack and the kernel's code lie where they are said to.
 */
START_TEST(this_process_is_read)
{
	static char text[1 << 17];
	static int global;
	int local, fd = open("/proc/self/maps", O_RDONLY);
	size_t length = 0;
	long count;
	ssize_t n;

	while ((n = read(fd, text + length, sizeof text - length)) > 0)
		length += (size_t)n;
	close(fd);
	count = process_map_parse(text, length, found, MAX, &bad_line);
	ck_assert_int_gt(count, 5);
	ck_assert_int_le(count, MAX);
	ck_assert_int_eq(
		process_map_find(found, (size_t)count, (uint64_t)&local)->kind, REGION_STACK);
	ck_assert(process_map_find(found, (size_t)count, (uint64_t)&global)->writable);
	ck_assert(process_map_find(found, (size_t)count, (uint64_t)&process_map_find)->executable);
}
END_TEST

UNIT_MAIN("process_map", tcase_add_test(tc, a_line_is_read_whole);
	  tcase_add_loop_test(tc, kinds_are_told, 0, sizeof kinds / sizeof *kinds);
	  tcase_add_loop_test(tc, another_line_is_refused, 0, sizeof bad / sizeof *bad);
	  tcase_add_test(tc, regions_do_not_overlap); tcase_add_test(tc, too_many_are_counted);
	  tcase_add_test(tc, parts_of_the_stack_are_joined);
	  tcase_add_test(tc, an_address_is_found); tcase_add_test(tc, this_process_is_read);)
