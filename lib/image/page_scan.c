/* SPDX-License-Identifier: BSD-3-Clause */
#include "page_scan.h"

#include <sys/ioctl.h>

#include "raw_call.h"

/* Documentation/admin-guide/mm/pagemap.rst; linux/fs.h has it from 6.7 on. */
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN _IOWR('f', 16, struct scan)

enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4 };

void page_scan_begin(struct page_scan *s, int pagemap_fd, uint64_t low, uint64_t high)
{
	s->pagemap_fd = pagemap_fd;
	s->at = low;
	s->high = high;
	s->n = s->next = 0;
}

/* The kernel that cannot says so (ENOTTY); what else may fail is found out when pages are read. */
static void look(struct page_scan *s)
{
	struct scan scan = {.size = sizeof scan,
		.start = s->at,
		.end = s->high,
		.vec = (uint64_t)(uintptr_t)s->range,
		.vec_len = PAGE_SCAN_RANGES,
		.category_anyof_mask = IS_PRESENT | IS_SWAPPED,
		.return_mask = IS_PRESENT | IS_SWAPPED};
	long n = raw_call(SYS_ioctl, s->pagemap_fd, (long)SCAN, (long)&scan);

	s->next = 0;
	if (n < 0 || n > PAGE_SCAN_RANGES || scan.walk_end <= s->at || scan.walk_end > s->high) {
		s->range[0] = (struct page_range){s->at, s->high, 0};
		s->n = 1;
		s->at = s->high;
		return;
	}
	s->n = (size_t)n;
	s->at = scan.walk_end;
}

bool page_scan_next(struct page_scan *s, uint64_t *low, uint64_t *high)
{
	while (s->next == s->n && s->at < s->high)
		look(s);
	if (s->next == s->n)
		return false;
	*low = s->range[s->next].low;
	*high = s->range[s->next++].high;
	/* what is in memory beside what is swapped out */
	while (s->next < s->n && s->range[s->next].low == *high)
		*high = s->range[s->next++].high;
	return true;
}
