/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of /proc/PID/smaps, as kernels write them, and those of this process. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/process_smaps.h"
#include "unit.h"

enum { MAX = 512, PAGE = 4096 };

static struct region found[MAX];
static size_t count;
static struct smaps lines;

static void begin(const char *maps)
{
	size_t bad_line;

	count = (size_t)process_map_parse(maps, strlen(maps), found, MAX, &bad_line);
	lines = (struct smaps){.region = found, .count = count};
}

static void line(const char *text)
{
	process_smaps_line(&lines, text, strlen(text));
}

START_TEST(each_line_is_of_its_region)
{
	begin("1000-2000 r-xp 0 fe:01 7 /a\nab000-cd000 r--s 0 fe:01 8 /b\n");
	line("1000-2000 r-xp 00000000 fe:01 7      /a");
	line("Anonymous:             0 kB");
	line("SwapPss:               4 kB");
	line("VmFlags: rd ex mr me mwx gde");
	ck_assert(!found[0].changed);
	line("Swap:                  0 kB");
	line("ab000-cd000 r--s 00000000 fe:01 8      /b");
	line("VmFlags: rd sh mr mw me ms gd ");
	line("Anonymous:           104 kB");
	ck_assert(!found[0].changed);
	ck_assert(found[1].changed && found[1].may_write && found[1].grows);
}
END_TEST

START_TEST(what_is_odd_is_seen)
{
	begin("1000-2000 rw-p 0 00:0f 7 /mnt/huge/x\n3000-4000 rw-p 0 00:00 0\n5000-6000 rw-p 0 "
	      "00:00 0\n");
	line("1000-2000 rw-p 00000000 00:0f 7      /mnt/huge/x");
	line("VmFlags: rd wr mr mw me de ht");
	line("3000-4000 rw-p 00000000 00:00 0");
	line("ProtectionKey:         0");
	line("VmFlags: rd wr mr mw me ac ss");
	line("5000-6000 rw-p 00000000 00:00 0");
	line("ProtectionKey:         1");
	line("VmFlags: rd wr mr mw me ac");
	ck_assert(found[0].huge && !found[0].shadow && !found[0].keyed);
	ck_assert(!found[1].huge && found[1].shadow && !found[1].keyed);
	ck_assert(!found[2].huge && !found[2].shadow && found[2].keyed);
}
END_TEST

START_TEST(swapped_pages_are_its_own)
{
	begin("1000-2000 r-xp 0 fe:01 7 /a\n");
	line("1000-2000 r-xp 00000000 fe:01 7      /a");
	line("Swap:                  4 kB");
	ck_assert(found[0].changed && !found[0].may_write && !found[0].grows);
}
END_TEST

/* A stack that has grown since the list was made; a region that is not in it. */
START_TEST(other_lists_do_no_harm)
{
	begin("3000-5000 rw-p 0 00:00 0 [stack]\n");
	line("Anonymous:             4 kB");
	line("1000-2000 rw-p 00000000 00:00 0");
	line("Anonymous:             4 kB");
	line("");
	line("-");
	line("Anonymous:             4 kB");
	ck_assert(!found[0].changed);
	line("2000-5000 rw-p 00000000 00:00 0   [stack]");
	line("Anonymous:             4 kB");
	ck_assert(found[0].changed);
}
END_TEST

static void read_own(void)
{
	static char text[1 << 17], buffer[1 << 10];
	int fd = open("/proc/self/maps", O_RDONLY);
	size_t length = 0;
	ssize_t n;

	while ((n = read(fd, text + length, sizeof text - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	text[length] = '\0';
	begin(text);
	ck_assert_int_eq(process_smaps_read(found, count, buffer, sizeof buffer), 0);
}

static const struct region *region_at(const volatile void *address)
{
	return process_map_find(found, count, (uint64_t)(uintptr_t)address);
}

START_TEST(this_process_is_read)
{
	static int global = 1;
	volatile char *written, *untouched;
	int local;

	written = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	untouched = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	written[0] = 1;
	global = 2;
	read_own();
	ck_assert(region_at(written)->changed && !region_at(written)->grows);
	ck_assert(!region_at(untouched)->changed);
	ck_assert(region_at(&global)->changed);
	ck_assert(region_at(&local)->grows && region_at(&local)->changed);
	ck_assert(!region_at((void *)(uintptr_t)process_smaps_line)->changed);
}
END_TEST

UNIT_MAIN("process_smaps", tcase_add_test(tc, each_line_is_of_its_region);
	  tcase_add_test(tc, what_is_odd_is_seen); tcase_add_test(tc, swapped_pages_are_its_own);
	  tcase_add_test(tc, other_lists_do_no_harm); tcase_add_test(tc, this_process_is_read);)
