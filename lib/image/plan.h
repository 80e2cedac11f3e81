/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of each region of a process in its image. Pure. */
#ifndef FTMPI_IMAGE_PLAN_H
#define FTMPI_IMAGE_PLAN_H

#include "process_map.h"

/* The address behind the last one that every process of this machine may have: 47 bits on x86-64,
 * 48 on aarch64. */
#if defined(__x86_64__)
#define PLAN_HIGH ((1ull << 47) - 4096)
#else
#define PLAN_HIGH (1ull << 48)
#endif

enum plan_treatment {
	PLAN_LEFT_OUT, /* the kernel's, or the image writer's own: a new process has its own */
	PLAN_FRESH,    /* mapped anew without a file; the pages that are held are read into it */
	PLAN_AS_IT_IS, /* mapped from its file, and nothing else: code, and tables that are shared
			*/
	PLAN_OF_FILE,  /* mapped from its file; the pages that the process changed are read into it
			*/
	PLAN_WHOLE,    /* its file is gone, or written to: mapped without one, and every page is
			  held */
	PLAN_REFUSED,  /* cannot be brought back */
};

/* Is it mapped from its file? */
static inline bool plan_opens_file(enum plan_treatment t)
{
	return t == PLAN_AS_IT_IS || t == PLAN_OF_FILE;
}

struct plan_range {
	uint64_t low, high;
};

/* own: n ranges of memory that no image holds. *why, when it is refused: what it is, for a
 * sentence. */
enum plan_treatment plan_for(
	const struct region *r, const struct plan_range *own, size_t n, const char **why);

#endif
