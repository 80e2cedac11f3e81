/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of which lines this rank makes a part, when its copies of earlier lines are not written yet (C9).
 * The disk may be slower than the program's calls, or another rank late for its own calls; copies
 * would pile up until memory is short. A rank that has as many as it may hold takes only lines
 * whose numbers are multiples of 2, then of 4, and so on, until it can keep up. A line needs a part
 * of every rank: powers of two let ranks of different speed choose the same lines, those of the
 * slowest, without a word to each other. Pure.
 */
#ifndef FTMPI_MPI_CKPT_PACE_H
#define FTMPI_MPI_CKPT_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACE_COPIES = 4,       /* always allowed, whatever their size */
	PACE_COPIES_MOST = 64, /* small ones, too, cost time with every message */
	PACE_STRIDE_MOST = 1 << 16,
};
#define PACE_BYTES (UINT64_C(64) << 20) /* more copies while they take less than that */

struct ckpt_pace {
	uint32_t stride; /* 0: as 1 */
};

/* Copies that are not written yet. */
struct ckpt_held {
	size_t copies;
	uint64_t bytes;
};

/* Is this rank to copy its state for this line? */
bool ckpt_pace_takes(struct ckpt_pace *p, uint32_t line, const struct ckpt_held *held);

#endif
