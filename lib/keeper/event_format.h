/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a rank's log of outcomes: a header, then frames without gaps. A frame is all that was
 * made durable at a time: it says how the log stands, and has the records that were added. It
 * counts if and only if all frames before it do, both of its sums are right, and it says what may
 * follow them (events_restore). All integers are little-endian.
 *
 * Only the last frame may be written and not durable. So a tail that is no longer than one frame,
 * has no whole frame of a later number in it, and does not check, was never acknowledged: it is cut
 * off. Anything else that does not check is damage. Frames that were there as the file got its name
 * (`commits`) were durable before.
 */
#ifndef FTMPI_KEEPER_EVENT_FORMAT_H
#define FTMPI_KEEPER_EVENT_FORMAT_H

#include <assert.h>
#include <stdint.h>

#include "keeper/keeper_wire.h"

#define EVENT_FILE_MAGIC                                                                           \
	"\x89"                                                                                     \
	"FTKEPT\n"

enum {
	EVENT_FILE_VERSION = 1,
	EVENT_FRAME_MAGIC = 0x56455446, /* "FTEV" */
	EVENT_ALIGN = 16,		/* every frame begins at a multiple of that */
};

struct event_header {
	uint8_t magic[8];
	uint32_t version, rank;
	uint8_t session[SESSION_BYTES];
	uint64_t commits; /* frames that the file was made with */
	uint64_t sum;	  /* XXH3-64 of the bytes before it */
};
static_assert(sizeof(struct event_header) == 48, "no padding, and aligned");

struct event_frame {
	uint32_t magic, incarnation;
	uint64_t commit; /* the number of the frame, from 1 on */
	uint64_t forgotten, needed;
	uint64_t first;
	uint32_t count, zero;
	uint64_t records_sum; /* XXH3-64 of the records */
	uint64_t sum;	      /* XXH3-64 of the bytes before it */
};
static_assert(sizeof(struct event_frame) == 64, "no padding, and aligned");

enum { EVENT_FRAME_BYTES_MAX = 64 + KEEPER_WINDOW * KEEPER_RECORD_BYTES };

#endif
