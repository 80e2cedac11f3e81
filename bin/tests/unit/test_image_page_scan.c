/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a region has pages at all, by kernels that can say so and by those that cannot. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/page_scan.h"
#include "unit.h"

enum { PAGE = 4096, MANY = 3 * PAGE_SCAN_RANGES };

static const size_t tebibyte = (size_t)1 << 40;
static struct page_scan scan;

static int pagemap(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* As this kernel has it: of an empty range. */
static bool kernel_scans(void)
{
	uint64_t none[12] = {sizeof none};
	int fd = pagemap(),
	    rc = ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, sizeof none), none);
	bool cannot = rc < 0 && errno == ENOTTY;

	close(fd);
	return !cannot;
}

static uint8_t *reserve(size_t bytes)
{
	uint8_t *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ck_assert(at != MAP_FAILED);
	madvise(at, bytes, MADV_NOHUGEPAGE);
	return at;
}

static void next_is(const uint8_t *at, size_t pages)
{
	uint64_t low, high;

	ck_assert(page_scan_next(&scan, &low, &high));
	ck_assert_uint_eq(low, (uintptr_t)at);
	ck_assert_uint_eq(high, (uintptr_t)at + pages * PAGE);
}

static void nothing_more(void)
{
	uint64_t low, high;

	ck_assert(!page_scan_next(&scan, &low, &high));
	ck_assert(!page_scan_next(&scan, &low, &high));
}

static void begin(int fd, const uint8_t *at, size_t bytes)
{
	page_scan_begin(&scan, fd, (uintptr_t)at, (uintptr_t)at + bytes);
}

START_TEST(a_large_reservation)
{
	uint8_t *at = reserve(tebibyte);

	begin(pagemap(), at, tebibyte);
	if (!kernel_scans()) {
		next_is(at, tebibyte / PAGE);
		nothing_more();
		return;
	}
	nothing_more();
	at[0] = at[PAGE] = at[tebibyte / 2] = at[tebibyte - 1] = 1;
	begin(pagemap(), at, tebibyte);
	next_is(at, 2);
	next_is(at + tebibyte / 2, 1);
	next_is(at + tebibyte - PAGE, 1);
	nothing_more();
}
END_TEST

/* More parts than are asked for at once. */
START_TEST(many_parts)
{
	uint8_t *at = reserve(2 * MANY * PAGE);

	for (size_t i = 0; i < MANY; i++)
		at[2 * i * PAGE] = 1;
	begin(pagemap(), at, 2 * MANY * PAGE);
	if (!kernel_scans())
		return;
	for (size_t i = 0; i < MANY; i++)
		next_is(at + 2 * i * PAGE, 1);
	nothing_more();
}
END_TEST

START_TEST(a_kernel_that_cannot)
{
	uint8_t *at = reserve(tebibyte);

	begin(open("/dev/null", O_RDONLY), at, tebibyte);
	next_is(at, tebibyte / PAGE);
	nothing_more();
	begin(-1, at, 0);
	nothing_more();
}
END_TEST

UNIT_MAIN("image_page_scan", tcase_add_test(tc, a_large_reservation);
	  tcase_add_test(tc, many_parts); tcase_add_test(tc, a_kernel_that_cannot);)
