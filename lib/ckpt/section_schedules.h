/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_SCHEDULES: u32 the version of the schedules by which the library that made the
 * line does collective operations, 1 or more. Lines without this section are of version 1.
 * Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_SCHEDULES_H
#define FTMPI_CKPT_SECTION_SCHEDULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_SCHEDULES_BYTES = 4, SECTION_SCHEDULES_UNNAMED = 1 };

static inline void section_schedules_write(struct writer *w, uint32_t version)
{
	writer_u32(w, version);
}

/* Of a section that is valid. */
static inline uint32_t section_schedules_read(struct cursor *c)
{
	return cursor_u32(c);
}

/* Is this such a section? */
static inline bool section_schedules_valid(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);

	return section_schedules_read(&c) > 0 && cursor_done(&c);
}

#endif
