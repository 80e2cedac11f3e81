/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { BLOCK_BYTES = EVENTS_BLOCK * KEEPER_RECORD_BYTES };

bool events_init(struct events *e, uint32_t ranks, uint64_t limit)
{
	*e = (struct events){.ranks = ranks, .limit = limit / KEEPER_RECORD_BYTES};
	e->v = calloc(ranks, sizeof *e->v);
	for (uint32_t rank = 0; e->v && rank < ranks; rank++)
		e->v[rank].changed = true;
	return e->v != NULL;
}

/* Blocks up to the one that ends with record `number` go. */
static void drop_blocks(struct events_rank *r, uint64_t number)
{
	size_t n = 0;

	while (n < r->nblocks && r->base + (n + 1) * EVENTS_BLOCK <= number)
		free(r->blocks[n++]);
	r->nblocks -= n;
	if (n)
		memmove(r->blocks, r->blocks + n, r->nblocks * sizeof *r->blocks);
	r->base += n * EVENTS_BLOCK;
	if (r->nblocks == 0)
		r->base = number - number % EVENTS_BLOCK;
}

void events_free(struct events *e)
{
	for (uint32_t rank = 0; e->v && rank < e->ranks; rank++) {
		drop_blocks(&e->v[rank], UINT64_MAX);
		free(e->v[rank].blocks);
	}
	free(e->v);
	e->v = NULL;
}

static bool add_block(struct events_rank *r)
{
	if (r->nblocks == r->room) {
		size_t room = r->room ? 2 * r->room : 4;
		uint8_t **blocks = realloc(r->blocks, room * sizeof *blocks);

		if (!blocks)
			return false;
		r->blocks = blocks;
		r->room = room;
	}
	r->blocks[r->nblocks] = malloc(BLOCK_BYTES);
	return r->blocks[r->nblocks] && ++r->nblocks;
}

static uint8_t *place_of(const struct events_rank *r, uint64_t number)
{
	uint64_t at = number - 1 - r->base;

	return r->blocks[at / EVENTS_BLOCK] + at % EVENTS_BLOCK * KEEPER_RECORD_BYTES;
}

/* How many from `number` on lie in one block, at most n. */
static uint32_t run_of(const struct events_rank *r, uint64_t number, uint64_t n)
{
	uint64_t left = EVENTS_BLOCK - (number - 1 - r->base) % EVENTS_BLOCK;

	return (uint32_t)(n < left ? n : left);
}

/* Behind the last one. false: no memory, and nothing was added. */
static bool append(struct events_rank *r, const uint8_t *records, uint32_t count)
{
	while (r->base + r->nblocks * EVENTS_BLOCK < r->last + count)
		if (!add_block(r))
			return false;
	for (uint32_t done = 0, n; done < count; done += n) {
		n = run_of(r, r->last + 1 + done, count - done);
		memcpy(place_of(r, r->last + 1 + done),
			records + (size_t)done * KEEPER_RECORD_BYTES,
			(size_t)n * KEEPER_RECORD_BYTES);
	}
	r->last += count;
	return true;
}

/* Those from `first` on that are held are these. */
static bool same(
	const struct events_rank *r, uint64_t first, const uint8_t *records, uint64_t count)
{
	for (uint64_t done = 0, n; done < count; done += n) {
		n = run_of(r, first + done, count - done);
		if (memcmp(place_of(r, first + done), records + done * KEEPER_RECORD_BYTES,
			    n * KEEPER_RECORD_BYTES) != 0)
			return false;
	}
	return true;
}

/* Up to `number`, which may be beyond the last one. */
static void forget(struct events_rank *r, uint64_t number)
{
	if (number <= r->forgotten)
		return;
	r->forgotten = number;
	if (r->last < number)
		r->last = number;
	if (r->durable < number)
		r->durable = number;
	drop_blocks(r, number);
	r->changed = true;
}

/* ---- what a rank says ---- */

bool events_fenced(const struct events *e, uint32_t rank, uint32_t incarnation)
{
	return incarnation < e->v[rank].incarnation;
}

int events_open(struct events *e, const struct keeper_hello *hello)
{
	struct events_rank *r = &e->v[hello->rank];

	if (events_fenced(e, hello->rank, hello->incarnation))
		return KEEPER_FENCED;
	if (hello->wants == KEEPER_BEGIN) {
		if (!events_whole(e, hello->rank))
			return KEEPER_LOST;
		if (hello->after < r->forgotten)
			return KEEPER_GONE;
	}
	r->last = r->durable;
	/* nothing after the last one was acknowledged to anybody */
	if (hello->wants == KEEPER_BEGIN && hello->after > r->last)
		forget(r, hello->after);
	if (r->incarnation != hello->incarnation) {
		r->incarnation = hello->incarnation;
		r->changed = true;
	}
	return KEEPER_TAKEN;
}

int events_tell(
	struct events *e, uint32_t rank, uint64_t first, uint32_t count, const uint8_t *records)
{
	struct events_rank *r = &e->v[rank];
	uint64_t end = first + count; /* one behind them */

	if (r->needed == EVENTS_LOST)
		return KEEPER_UNFED;
	if (first > r->last + 1)
		return KEEPER_GAP;
	if (first <= r->forgotten) {
		uint64_t skipped = r->forgotten + 1 - first;

		if (skipped >= count)
			return KEEPER_TAKEN;
		first += skipped;
		records += skipped * KEEPER_RECORD_BYTES;
	}
	if (first <= r->last) {
		uint64_t here = (end - 1 < r->last ? end - 1 : r->last) + 1 - first;

		if (!same(r, first, records, here))
			return KEEPER_DIFFERENT;
		first += here;
		records += here * KEEPER_RECORD_BYTES;
	}
	if (end <= first)
		return KEEPER_TAKEN;
	if (end - 1 - r->durable > KEEPER_WINDOW)
		return KEEPER_TOO_MANY;
	return append(r, records, (uint32_t)(end - first)) ? KEEPER_TAKEN : FT_ENOMEM;
}

int events_forget(struct events *e, uint32_t rank, uint64_t number)
{
	if (number > e->v[rank].last)
		return KEEPER_BEYOND;
	forget(&e->v[rank], number);
	return KEEPER_TAKEN;
}

int events_feed(struct events *e, uint32_t rank, uint64_t number, uint64_t needed)
{
	struct events_rank *r = &e->v[rank];

	forget(r, number);
	if (r->needed == EVENTS_LOST || r->needed < needed) {
		r->needed = needed;
		r->changed = true;
	}
	return KEEPER_TAKEN;
}

/* ---- what a rank is told ---- */

bool events_whole(const struct events *e, uint32_t rank)
{
	return e->v[rank].durable >= e->v[rank].needed;
}

const uint8_t *events_piece(const struct events *e, uint32_t rank, uint64_t first, uint32_t *count)
{
	const struct events_rank *r = &e->v[rank];

	assert(first > r->forgotten && first <= r->last);
	*count = run_of(r, first, r->last + 1 - first);
	return place_of(r, first);
}

/* ---- what has to be durable ---- */

/* How many of those that wait may become durable: what its file is then to hold must have room
 * beside what those of the others do. */
static uint32_t admitted(const struct events *e, const struct events_rank *r)
{
	uint64_t waiting = r->last - r->durable, held = r->durable - r->forgotten;
	uint64_t others = e->used - r->charged;
	uint64_t room = e->limit > others + held ? e->limit - others - held : 0;

	return (uint32_t)(waiting < room ? waiting : room);
}

bool events_next_commit(const struct events *e, uint32_t rank, struct events_commit *c)
{
	const struct events_rank *r = &e->v[rank];

	*c = (struct events_commit){.incarnation = r->incarnation,
		.count = admitted(e, r),
		.forgotten = r->forgotten,
		.needed = r->needed,
		.first = r->durable + 1};
	return r->changed || c->count > 0;
}

void events_committed(struct events *e, uint32_t rank, const struct events_commit *c)
{
	struct events_rank *r = &e->v[rank];

	assert(c->first == r->durable + 1 && c->forgotten == r->forgotten);
	r->durable += c->count;
	r->changed = false;
	e->used -= r->charged;
	r->charged = r->durable - r->forgotten;
	e->used += r->charged;
}

bool events_limited(const struct events *e, uint32_t rank)
{
	const struct events_rank *r = &e->v[rank];

	return admitted(e, r) < r->last - r->durable;
}

/* ---- what a file says ---- */

static const char *no_sequel(const struct events_rank *r, const struct events_commit *c)
{
	uint64_t last = c->forgotten > r->last ? c->forgotten : r->last;

	if (c->incarnation < r->incarnation)
		return "its incarnation is older than the one before";
	if (c->forgotten < r->forgotten || c->forgotten > KEEPER_NUMBER_MAX)
		return "it forgets fewer outcomes than before, or impossibly many";
	if (r->needed != EVENTS_LOST && c->needed < r->needed)
		return "it needs fewer outcomes than before";
	if (c->needed != EVENTS_LOST && c->needed > KEEPER_NUMBER_MAX)
		return "it needs impossibly many outcomes";
	if (c->count > KEEPER_WINDOW || c->first != last + 1)
		return "its outcomes do not follow those before";
	return NULL;
}

int events_restore(struct events *e, uint32_t rank, const struct events_commit *c,
	const uint8_t *records, const char **why)
{
	struct events_rank *r = &e->v[rank];

	*why = no_sequel(r, c);
	if (*why)
		return FT_EDAMAGED;
	if (c->first - 1 + c->count - c->forgotten > e->limit)
		return FT_ETRUNC;
	forget(r, c->forgotten);
	if (!append(r, records, c->count))
		return FT_ENOMEM;
	r->incarnation = c->incarnation;
	r->needed = c->needed;
	r->durable = r->last;
	events_committed(e, rank,
		&(struct events_commit){.forgotten = r->forgotten, .first = r->durable + 1});
	return 0;
}

void events_lose(struct events *e, uint32_t rank)
{
	struct events_rank *r = &e->v[rank];

	e->used -= r->charged;
	r->charged = 0;
	r->forgotten = r->last = r->durable = 0;
	drop_blocks(r, UINT64_MAX);
	r->base = 0;
	r->needed = EVENTS_LOST;
	r->changed = true;
}
