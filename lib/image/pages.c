/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_OF_FILE (1ull << 61) /* or shared */

bool pagemap_is_own(uint64_t entry)
{
	return entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED) && !(entry & PAGEMAP_OF_FILE);
}

bool pagemap_is_away(uint64_t entry)
{
	return (entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) == PAGEMAP_SWAPPED;
}

bool pages_are_zero(const void *page, size_t bytes)
{
	const uint64_t *word = page, *end = word + bytes / sizeof *word;

	for (; word < end; word += 8)
		if (word[0] | word[1] | word[2] | word[3] | word[4] | word[5] | word[6] | word[7])
			return false;
	return true;
}

static bool is_held(const struct pages *p, size_t page)
{
	const void *bytes = (const void *)(uintptr_t)(p->low + page * p->page_bytes);

	if (p->pagemap && !pagemap_is_own(p->pagemap[page]))
		return false;
	return p->zeros || !pages_are_zero(bytes, p->page_bytes);
}

size_t pages_next_run(const struct pages *p, size_t *at, size_t *first)
{
	size_t page = *at;

	while (page < p->count && !is_held(p, page))
		page++;
	*first = page;
	while (page < p->count && is_held(p, page))
		page++;
	*at = page;
	return page - *first;
}
