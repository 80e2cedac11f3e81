/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/byte_ring.h"

#include <string.h>

#include "base/barrier.h"

enum { KIND_SHIFT = 24, LENGTH_MASK = (1 << KIND_SHIFT) - 1 };

/* The row is one cell short of full at most: the word behind the last record has to be cleared. */
enum { ROOM_MAX = BYTE_RING_CELLS - 1, TELL_AFTER = BYTE_RING_CELLS / 4 };

static unsigned char *cell(struct byte_ring *ring, uint32_t at)
{
	return ring->cells + (size_t)at * BYTE_RING_CELL;
}

static _Atomic uint32_t *word(struct byte_ring *ring, uint32_t at)
{
	return (_Atomic uint32_t *)(void *)cell(ring, at);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static uint32_t cells_of(size_t bytes)
{
	return (uint32_t)((bytes + BYTE_RING_CELL - 1) / BYTE_RING_CELL);
}

/* ---- the writer ---- */

/* False: the reader says that it has given back what it never had. */
static bool look_for_room(struct byte_ring_writer *w)
{
	uint32_t returned = atomic_load(&w->ring->returned);
	uint32_t used = w->sent - returned;

	w->room = used <= ROOM_MAX ? ROOM_MAX - used : 0;
	return used <= ROOM_MAX;
}

/* No room: the reader is asked to tell when there is, and may have made some just before. */
static bool look_again(struct byte_ring_writer *w)
{
	atomic_store(&w->ring->wanted, 1);
	return look_for_room(w);
}

/* A line that will be written is taken from the other processor's cache before it is: the stores of
 * a record become visible in their order, so each would wait for the one before. The compiler's
 * builtin would only read it. */
static inline void own_soon(const unsigned char *line)
{
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(*line));
#else
	__builtin_prefetch(line, 1);
#endif
}

static void publish(
	struct byte_ring_writer *w, enum byte_ring_kind kind, uint32_t length, uint32_t cells)
{
	uint32_t next = w->at + cells == BYTE_RING_CELLS ? 0 : w->at + cells;

	atomic_store_explicit(word(w->ring, next), 0, memory_order_relaxed);
	atomic_store_explicit(
		word(w->ring, w->at), (uint32_t)kind << KIND_SHIFT | length, memory_order_release);
	w->at = next;
	w->sent += cells;
	w->room -= cells;
	own_soon(cell(w->ring, next + 1 == BYTE_RING_CELLS ? 0 : next + 1));
}

/* Moves `bytes` of what iov begins with, and has been moved so far, to `to`. */
static void gather(unsigned char *to, size_t bytes, const struct iovec **iov, size_t *moved)
{
	while (bytes > 0) {
		size_t left = (*iov)->iov_len - *moved, n = left < bytes ? left : bytes;

		if (n > 0)
			memcpy(to, (const unsigned char *)(*iov)->iov_base + *moved, n);
		to += n;
		bytes -= n;
		*moved += n;
		if (*moved == (*iov)->iov_len) {
			(*iov)++;
			*moved = 0;
		}
	}
}

size_t byte_ring_write(struct byte_ring_writer *w, const struct iovec *iov, int n)
{
	size_t total = 0, done = 0, moved = 0;

	for (int i = 0; i < n; i++)
		total += iov[i].iov_len;
	while (done < total) {
		size_t bytes = smaller(total - done, BYTE_RING_RECORD_MAX - BYTE_RING_HEAD);
		uint32_t cells = cells_of(BYTE_RING_HEAD + bytes), row = BYTE_RING_CELLS - w->at;

		if (w->room < cells && !look_for_room(w))
			return SIZE_MAX;
		if (w->room == 0 && !look_again(w))
			return SIZE_MAX;
		if (w->room == 0)
			return done;
		if (cells > w->room)
			cells = w->room;
		if (cells > row)
			cells = row;
		bytes = smaller(bytes, (size_t)cells * BYTE_RING_CELL - BYTE_RING_HEAD);
		gather(cell(w->ring, w->at) + BYTE_RING_HEAD, bytes, &iov, &moved);
		publish(w, BYTE_RING_STREAM, (uint32_t)bytes, cells);
		done += bytes;
	}
	return done;
}

/* Room for a record that lies in one piece: at the end of the row it may have to be at its
 * beginning. */
static bool make_room(struct byte_ring_writer *w, uint32_t cells)
{
	uint32_t row = BYTE_RING_CELLS - w->at, all = cells <= row ? cells : row + cells;

	if (w->room < all && (!look_for_room(w) || w->room < all))
		return false;
	if (cells > row)
		publish(w, BYTE_RING_SKIP, 0, row);
	return true;
}

bool byte_ring_put_short(struct byte_ring_writer *w, uint32_t credit,
	const uint8_t envelope[WIRE_ENVELOPE_BYTES], const void *payload, size_t len)
{
	uint32_t head = byte_ring_short_head(len), cells = cells_of(head + len);
	unsigned char *to;

	if (!make_room(w, cells))
		return false;
	to = cell(w->ring, w->at);
	memcpy(to + sizeof(uint32_t), &credit, sizeof credit);
	memcpy(to + BYTE_RING_HEAD, envelope, WIRE_ENVELOPE_BYTES);
	if (len > 0)
		memcpy(to + head, payload, len);
	publish(w, BYTE_RING_SHORT, (uint32_t)len, cells);
	return true;
}

/* The longest record, and the end of the row that is skipped for it. */
bool byte_ring_has_room(struct byte_ring_writer *w)
{
	enum { ENOUGH = 2 * BYTE_RING_RECORD_MAX / BYTE_RING_CELL };

	return w->room >= ENOUGH || !look_for_room(w) || w->room >= ENOUGH;
}

void byte_ring_close(struct byte_ring_writer *w)
{
	atomic_store_explicit(&w->ring->closed, 1, memory_order_relaxed);
	barrier_full();
}

/* ---- the reader ---- */

static uint32_t head_of(enum byte_ring_kind kind, size_t length)
{
	return kind == BYTE_RING_SHORT ? byte_ring_short_head(length) : BYTE_RING_HEAD;
}

/* What a record may say of itself where it lies. */
static bool is_sound(const struct byte_ring_reader *r, uint32_t kind, uint32_t length)
{
	size_t most = (size_t)(BYTE_RING_CELLS - r->at) * BYTE_RING_CELL;

	if (most > BYTE_RING_RECORD_MAX)
		most = BYTE_RING_RECORD_MAX;
	switch (kind) {
	case BYTE_RING_STREAM:
		return length > 0 && BYTE_RING_HEAD + length <= most;
	case BYTE_RING_SHORT:
		return byte_ring_short_head(length) + length <= most;
	case BYTE_RING_SKIP:
		return length == 0 && r->at > 0; /* so there are no two of them in a row */
	default:
		return false;
	}
}

static void advance(struct byte_ring_reader *r, uint32_t cells)
{
	r->at = r->at + cells == BYTE_RING_CELLS ? 0 : r->at + cells;
	r->taken += cells;
	r->kind = BYTE_RING_NOTHING;
}

/* Looks at the next record; BYTE_RING_SKIP is none. */
static enum byte_ring_kind look(struct byte_ring_reader *r)
{
	uint32_t w;

	do {
		w = atomic_load_explicit(word(r->ring, r->at), memory_order_acquire);
		if (w == 0)
			return BYTE_RING_NOTHING;
		if (!is_sound(r, w >> KIND_SHIFT, w & LENGTH_MASK))
			return BYTE_RING_BROKEN;
		r->kind = (enum byte_ring_kind)(w >> KIND_SHIFT);
		r->length = w & LENGTH_MASK;
		r->done = 0;
		if (r->kind == BYTE_RING_SKIP)
			advance(r, BYTE_RING_CELLS - r->at);
	} while (r->kind == BYTE_RING_NOTHING);
	return r->kind;
}

enum byte_ring_kind byte_ring_peek(struct byte_ring_reader *r, struct byte_ring_record *out)
{
	const unsigned char *from;

	if (r->kind == BYTE_RING_NOTHING) {
		enum byte_ring_kind kind = look(r);

		if (kind == BYTE_RING_NOTHING || kind == BYTE_RING_BROKEN)
			return kind;
	}
	from = cell(r->ring, r->at);
	out->bytes = from + head_of(r->kind, r->length) + r->done;
	out->length = r->length - r->done;
	if (r->kind == BYTE_RING_SHORT) {
		memcpy(&out->credit, from + sizeof(uint32_t), sizeof out->credit);
		memcpy(out->envelope, from + BYTE_RING_HEAD, WIRE_ENVELOPE_BYTES);
	}
	return r->kind;
}

/* The writer looks at `returned` after it has said that it waits; here it is the other way round,
 * and all four are in one order, so one of the two sees the other. */
static bool tell(struct byte_ring_reader *r)
{
	r->told = r->taken;
	atomic_store(&r->ring->returned, r->taken);
	return atomic_load(&r->ring->wanted) && atomic_exchange(&r->ring->wanted, 0);
}

bool byte_ring_pass(struct byte_ring_reader *r, size_t bytes)
{
	assert(r->kind != BYTE_RING_NOTHING && bytes <= r->length - r->done);
	r->done += (uint32_t)bytes;
	if (r->done < r->length)
		return false;
	advance(r, cells_of(head_of(r->kind, r->length) + r->length));
	return r->taken - r->told >= TELL_AFTER && tell(r);
}

bool byte_ring_is_closed(const struct byte_ring_reader *r)
{
	barrier_full(); /* with that of byte_ring_close */
	return atomic_load_explicit(&r->ring->closed, memory_order_relaxed);
}
