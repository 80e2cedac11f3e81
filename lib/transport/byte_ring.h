/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of bytes from one process to another, through memory that both have mapped.
 *
 * The memory is a row of cells of a cache line each. A record begins with a cell and takes as many
 * as it needs, one behind the other; none goes over the end of the row. The first word of a record
 * is its kind and length, and is written last, so that a record is there as a whole or not at all:
 * a process that dies while it writes leaves nothing that its peer could take for a message. Before
 * that word is written, the first word of the cell behind the record is cleared, so that no byte of
 * an older record is taken for one.
 *
 * Each side writes a cache line of its own beside the cells: the reader how many cells it has given
 * back, the writer that it waits for room, and that it will write no more. No side ever waits for
 * the other here, and nobody holds a lock.
 *
 * Bounds: a ring is BYTE_RING_BYTES of memory. A writer that finds no room is told so and asks to
 * be told of room. The reader believes nothing that lies there before it has checked a copy of it.
 */
#ifndef FTMPI_TRANSPORT_BYTE_RING_H
#define FTMPI_TRANSPORT_BYTE_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "transport/wire.h"

enum {
	BYTE_RING_CELL = 64,
	BYTE_RING_BYTES = 65536,
	BYTE_RING_CELLS = BYTE_RING_BYTES / BYTE_RING_CELL - 2,
	BYTE_RING_RECORD_MAX = 8192, /* bytes of memory that one record takes, at most */
	BYTE_RING_HEAD = 8,	     /* of them, before the bytes of a stream */
	BYTE_RING_SHORT_HEAD = BYTE_RING_HEAD + WIRE_ENVELOPE_BYTES, /* credit, envelope */
	BYTE_RING_SHORT_MAX =
		BYTE_RING_RECORD_MAX - BYTE_RING_CELL, /* payload of a short message, at most */
};

/* Where the payload of a short message begins: in the cell of its head, or, as copies to and from
 * the middle of lines are slow, in the next one. */
static inline uint32_t byte_ring_short_head(size_t length)
{
	return BYTE_RING_SHORT_HEAD + length <= BYTE_RING_CELL ? BYTE_RING_SHORT_HEAD
							       : BYTE_RING_CELL;
}

/* All zero when it is new. */
struct byte_ring {
	_Alignas(BYTE_RING_CELL) _Atomic uint32_t
		returned; /* cells given back so far; the reader's to write */
	_Alignas(BYTE_RING_CELL) _Atomic uint32_t wanted; /* 1: the writer waits for room */
	_Atomic uint32_t closed; /* 1: the writer has dropped the connection; its to write */
	_Alignas(BYTE_RING_CELL) unsigned char cells[BYTE_RING_CELLS * BYTE_RING_CELL];
};
static_assert(sizeof(struct byte_ring) == BYTE_RING_BYTES, "nothing between the lines");

enum byte_ring_kind {
	BYTE_RING_NOTHING, /* no record has come */
	BYTE_RING_STREAM,  /* bytes of frames, which begin and end anywhere */
	BYTE_RING_SHORT,  /* a whole eager message, with the parts of its header that the order does
			     not give */
	BYTE_RING_SKIP,	  /* the rest of the row is not used */
	BYTE_RING_BROKEN, /* what lies there is no record */
};

/* ---- the writer ---- */

struct byte_ring_writer {
	struct byte_ring *ring;
	uint32_t at;   /* cell of the next record */
	uint32_t sent; /* cells so far, modulo 2^32 */
	uint32_t room; /* cells that are known to be free */
};

/* Puts as many bytes of n pieces there as there is room for: 0 when there is none, then the
 * reader's byte_ring_pass will say that the writer waits; SIZE_MAX when the reader has written what
 * it cannot have meant. */
size_t byte_ring_write(struct byte_ring_writer *w, const struct iovec *iov, int n);

/* A message of len bytes, at most BYTE_RING_SHORT_MAX. False: it was not put there, for want of
 * room or because of what the reader has written; byte_ring_write tells which. */
bool byte_ring_put_short(struct byte_ring_writer *w, uint32_t credit,
	const uint8_t envelope[WIRE_ENVELOPE_BYTES], const void *payload, size_t len);

/* Nothing follows, and what the writer announced may be gone behind this. */
void byte_ring_close(struct byte_ring_writer *w);

/* Is there room for any record, or has the reader written what it cannot have meant? */
bool byte_ring_has_room(struct byte_ring_writer *w);

/* ---- the reader ---- */

struct byte_ring_reader {
	struct byte_ring *ring;
	uint32_t at;		  /* cell of the next record */
	uint32_t taken;		  /* cells so far, modulo 2^32 */
	uint32_t told;		  /* of them, the writer knows */
	enum byte_ring_kind kind; /* of the record at `at`; BYTE_RING_NOTHING: not looked at yet */
	uint32_t length, done;	  /* its bytes, and how many of them were passed */
};

/* A copy of what the record says; `bytes` lies in the memory still, and may change while it is
 * read. */
struct byte_ring_record {
	const uint8_t *bytes; /* the next of a stream; the payload of a short message */
	size_t length;
	uint32_t credit;		       /* of a short message */
	uint8_t envelope[WIRE_ENVELOPE_BYTES]; /* of a short message */
};

/* BYTE_RING_NOTHING, BYTE_RING_STREAM, BYTE_RING_SHORT or BYTE_RING_BROKEN. */
enum byte_ring_kind byte_ring_peek(struct byte_ring_reader *r, struct byte_ring_record *out);

/* So many bytes of what byte_ring_peek has told were taken: all of a short message (also when it is
 * empty), of a stream at most as many as there are. True: the writer waits for room, and there is
 * some now. */
bool byte_ring_pass(struct byte_ring_reader *r, size_t bytes);

/* Whoever has read what the writer announced can ask afterwards whether it was there still. */
bool byte_ring_is_closed(const struct byte_ring_reader *r);

#endif
