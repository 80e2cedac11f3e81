/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pages of a region an image holds: those that the process has of its own, and that are not
 * all zero where a new one begins with zeros. Pure, but for the bytes that are looked at.
 */
#ifndef FTMPI_IMAGE_PAGES_H
#define FTMPI_IMAGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry of /proc/PID/pagemap: has the process a copy of this page of its own? */
bool pagemap_is_own(uint64_t entry);

/* Is it not in memory: swapped out, or a guard (MADV_GUARD_INSTALL), which nobody can read? */
bool pagemap_is_away(uint64_t entry);

/* Is every byte 0? bytes is a multiple of 64, and so is the address. */
bool pages_are_zero(const void *page, size_t bytes);

struct pages {
	uint64_t low; /* address of the first */
	size_t count, page_bytes;
	const uint64_t *pagemap; /* an entry for each; NULL: all of them are the process's own */
	bool zeros;		 /* pages that are all zero are held, too */
};

/* The next run of pages that are held, from page *at on, which is behind the run afterwards.
 * Returns how many they are, 0: none any more; *first is the first. */
size_t pages_next_run(const struct pages *p, size_t *at, size_t *first);

#endif
