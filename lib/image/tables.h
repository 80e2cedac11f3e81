/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of an image, as a file has them: nothing of them is believed before it was held
 * against the rest, and that is done before a byte of memory is touched. Pure. What is wrong is a
 * sentence in *why, and -EPROTO.
 */
#ifndef FTMPI_IMAGE_TABLES_H
#define FTMPI_IMAGE_TABLES_H

#include "fit.h"
#include "image.h"

/* Linux's default limit of mappings (vm.max_map_count) is 65,530. */
enum { TABLES_MAPPINGS_MAX = 1 << 16, TABLES_SECTION_MAX = 64 << 20 };

/* What memory can be a process's. */
struct tables_bounds {
	uint64_t page_bytes;
	uint64_t high; /* the address behind the last one: PLAN_HIGH of this machine */
};

/* A file of so many bytes holds these sections, in their order and without a gap. */
int tables_sections(const struct image_file *f, uint64_t file_bytes, char *why, size_t size);

/*
 * IMAGE_MAPS: mappings in the order of their addresses, none over another. At most `max` go to out,
 * their names to `names`, which has length bytes. Returns how many they are.
 */
long tables_mappings(const uint8_t *section, size_t length, const struct tables_bounds *bounds,
	struct image_mapping *out, size_t max, char *names, char *why, size_t size);

/* IMAGE_PROCESS speaks of memory that the mappings have. */
int tables_process(const struct image_process *p, const struct image_mapping *m, size_t n,
	const struct tables_bounds *bounds, char *why, size_t size);

/* Of the first thread's stack, with what mprotect(2) has split off. */
uint64_t tables_stack_bytes(const struct image_mapping *m, size_t n);

/* The first thread's stack may grow as far as the image's did under this hard limit (RLIMIT_STACK).
 * Else -EINVAL. */
int tables_stack(const struct image_mapping *m, size_t n, uint64_t limit, char *why, size_t size);

/* The file of this mapping has so many bytes, and was changed last at this time: as it was when the
 * image was taken. Else -EINVAL. */
int tables_source(const struct image_mapping *m, uint64_t bytes, int64_t seconds,
	uint64_t nanoseconds, char *why, size_t size);

/* IMAGE_PAGES, run after run. */
struct tables_runs {
	struct image_mapping *mapping; /* filled: a run lies in it */
	size_t n, k;		       /* k: the one that the last run was in */
	uint64_t page_bytes;
	uint64_t above; /* where the last run ended */
	uint64_t left;	/* bytes of the section behind what was looked at */
};

/* A run, whose bytes follow it: 0. The end mark, and the section ends with it: 1. */
int tables_next_run(struct tables_runs *r, const struct image_run *run, char *why, size_t size);

#endif
