/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pages an image holds. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/pages.h"
#include "unit.h"

enum { PAGE = 4096, PAGES = 12 };

#define OWN (1ull << 63)
#define SWAPPED (1ull << 62)
#define OF_FILE (1ull << 63 | 1ull << 61)

static _Alignas(PAGE) uint8_t memory[PAGES * PAGE];

static struct pages all(void)
{
	return (struct pages){.low = (uintptr_t)memory, .count = PAGES, .page_bytes = PAGE};
}

/* The runs are these, as first page and how many; ended by 0 pages. */
static void runs_are(const struct pages *p, const size_t (*runs)[2])
{
	size_t at = 0, first = 0, n;

	for (; (n = pages_next_run(p, &at, &first)) > 0; runs++) {
		ck_assert_uint_eq(first, (*runs)[0]);
		ck_assert_uint_eq(n, (*runs)[1]);
		ck_assert_uint_eq(at, first + n);
	}
	ck_assert_uint_eq((*runs)[1], 0);
	ck_assert_uint_eq(at, p->count);
}

START_TEST(zeros_are_not_held)
{
	struct pages p = all();

	runs_are(&p, (const size_t[][2]){{0, 0}});
	memory[0] = memory[2 * PAGE - 1] = 1;
	memory[5 * PAGE + 77] = 1;
	memory[PAGES * PAGE - 1] = 1;
	runs_are(&p, (const size_t[][2]){{0, 2}, {5, 1}, {PAGES - 1, 1}, {0, 0}});
	p.zeros = true;
	runs_are(&p, (const size_t[][2]){{0, PAGES}, {0, 0}});
}
END_TEST

/* Every byte of a page counts. */
START_TEST(a_page_of_one_byte)
{
	for (size_t i = 0; i < PAGE; i++) {
		memory[i] = 1;
		ck_assert(!pages_are_zero(memory, PAGE));
		memory[i] = 0;
		ck_assert(pages_are_zero(memory, PAGE));
	}
}
END_TEST

START_TEST(only_own_pages_are_held)
{
	const uint64_t map[PAGES] = {[0] = OF_FILE, [1] = OWN, [2] = OWN, [4] = SWAPPED};
	struct pages p = all();

	p.pagemap = map;
	memset(memory, 1, PAGE * 2);
	memset(memory + 3 * PAGE, 1, sizeof memory - 3 * PAGE);
	runs_are(&p, (const size_t[][2]){{1, 1}, {4, 1}, {0, 0}});
	p.zeros = true;
	runs_are(&p, (const size_t[][2]){{1, 2}, {4, 1}, {0, 0}});
}
END_TEST

/* What the kernel says of pages that were written, read, never touched; and of a file's. */
START_TEST(the_kernels_pagemap)
{
	uint8_t *fresh =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int program = open("/proc/self/exe", O_RDONLY), fd = open("/proc/self/pagemap", O_RDONLY);
	uint8_t *file = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, program, 0);
	uint64_t e[3];

	ck_assert_int_ge(fd, 0);
	ck_assert(fresh != MAP_FAILED && file != MAP_FAILED);
	madvise(fresh, 3 * PAGE, MADV_NOHUGEPAGE);
	fresh[0] = 1;
	ck_assert_int_eq(((volatile uint8_t *)fresh)[PAGE], 0);
	ck_assert_int_eq(pread(fd, e, sizeof e, (off_t)((uintptr_t)fresh / PAGE * 8)), sizeof e);
	ck_assert(pagemap_is_own(e[0]) && !pagemap_is_away(e[0]));
	ck_assert(!pagemap_is_own(e[2]) && !pagemap_is_away(e[2]));
	ck_assert(pagemap_is_away(1ull << 62)); /* as swapped out, and guards */
	file[PAGE] = 1;
	ck_assert_int_eq(((volatile uint8_t *)file)[0], 0x7f);
	ck_assert_int_eq(pread(fd, e, 16, (off_t)((uintptr_t)file / PAGE * 8)), 16);
	ck_assert(!pagemap_is_own(e[0]));
	ck_assert(pagemap_is_own(e[1]));
	close(fd);
	close(program);
}
END_TEST

UNIT_MAIN("image_pages", tcase_add_test(tc, zeros_are_not_held);
	  tcase_add_test(tc, a_page_of_one_byte); tcase_add_test(tc, only_own_pages_are_held);
	  tcase_add_test(tc, the_kernels_pagemap);)
