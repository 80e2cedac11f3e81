/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a region has pages at all. Of a reservation of terabytes, as Go, Java and sanitizers make
 * them, most is untouched, and an entry of /proc/PID/pagemap for each of its pages takes seconds to
 * read. Linux 6.7 and later finds the others (PAGEMAP_SCAN); before that all may have pages. By
 * system calls alone.
 */
#ifndef FTMPI_IMAGE_PAGE_SCAN_H
#define FTMPI_IMAGE_PAGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_SCAN_RANGES = 512 };

/* As the kernel fills it (struct page_region of linux/fs.h). */
struct page_range {
	uint64_t low, high, categories;
};

struct page_scan {
	int pagemap_fd;
	uint64_t at, high; /* what is not looked at yet */
	size_t n, next;	   /* of range */
	struct page_range range[PAGE_SCAN_RANGES];
};

/* Of the region from low to high, whole pages. */
void page_scan_begin(struct page_scan *s, int pagemap_fd, uint64_t low, uint64_t high);

/* The next part, by address, that may have pages in memory or swapped out. false: there is none any
 * more. */
bool page_scan_next(struct page_scan *s, uint64_t *low, uint64_t *high);

#endif
