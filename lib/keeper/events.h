/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The logs of outcomes that a keeper has, one for each rank of a job: which records are held, which
 * of them are durable, and who may tell more. Pure: what has to be written is asked for
 * (events_next_commit), and reported when it is durable (events_committed).
 *
 *  K1  Records of a rank are contiguous: what is told begins at most one after the last one. Those
 *	that are here already must be the same bytes.
 *  K2  A record is acknowledged when it is durable, and not before.
 *  K3  What a checkpoint covers is forgotten, and `forgotten` never goes back. It goes beyond the
 *	last record only where the rank says that records were lost (FEED).
 *  K4  The incarnation of a rank is durable before that is answered, and from then on
 *	nothing of an older one is taken.
 *  K5  A new incarnation gets all records after its checkpoint; it is refused when some of them
 *	are forgotten, or the log was lost and has not been told again up to what was acknowledged.
 *  K6  Beyond `limit` bytes of records nothing becomes durable, until some are forgotten.
 *
 * Memory: `limit` bytes; for each rank KEEPER_WINDOW records more, which wait to become durable,
 * and two blocks that are filled in part; 8 bytes for each block.
 */
#ifndef FTMPI_KEEPER_EVENTS_H
#define FTMPI_KEEPER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keeper/keeper_wire.h"

enum { EVENTS_BLOCK = 1024 }; /* records that lie in one piece */

/* As `needed`: the log was lost, and the rank has not said what it needs. */
#define EVENTS_LOST UINT64_MAX

struct events_rank {
	uint32_t incarnation; /* the newest one; 0: none has come */
	uint64_t forgotten;   /* held are forgotten + 1 to last */
	uint64_t last;
	uint64_t durable; /* forgotten <= durable <= last */
	uint64_t needed;  /* records up to this one were acknowledged: without them it is lost */
	uint64_t charged; /* records that its file holds */
	bool changed;	  /* the file does not say incarnation, forgotten and needed yet */
	uint64_t base;	  /* the first block begins behind this record */
	uint8_t **blocks;
	size_t nblocks, room;
};

struct events {
	uint32_t ranks;
	uint64_t limit, used; /* records: the most, and the sum of `charged` */
	struct events_rank *v;
};

/* false: no memory. limit: in bytes. */
bool events_init(struct events *e, uint32_t ranks, uint64_t limit);
void events_free(struct events *e);

/* ---- what a rank says: KEEPER_TAKEN, a reason to refuse it, or FT_ENOMEM ---- */

/* It has connected and is who it says. It is answered when all of this is durable. What was told on
 * an earlier connection and is not durable is dropped: the rank tells it again, or another
 * incarnation tells something else. */
int events_open(struct events *e, const struct keeper_hello *hello);

/* Is this incarnation too old to be listened to? */
bool events_fenced(const struct events *e, uint32_t rank, uint32_t incarnation);

int events_tell(
	struct events *e, uint32_t rank, uint64_t first, uint32_t count, const uint8_t *records);
int events_forget(struct events *e, uint32_t rank, uint64_t number);
int events_feed(struct events *e, uint32_t rank, uint64_t number, uint64_t needed);

/* ---- what a rank is told ---- */

/* All that was ever acknowledged is here, or covered. */
bool events_whole(const struct events *e, uint32_t rank);

/* A piece of the records that are held, from `first` on; *count: how many lie there. */
const uint8_t *events_piece(const struct events *e, uint32_t rank, uint64_t first, uint32_t *count);

/* ---- what has to be durable ---- */

/* All that a file says of a rank, and records that it holds from now on: `count` (events_piece)
 * from `first` on, which is one more than the last one before them. */
struct events_commit {
	uint32_t incarnation, count;
	uint64_t forgotten, needed;
	uint64_t first;
};

/* false: nothing has to be written, or what waits has no room. */
bool events_next_commit(const struct events *e, uint32_t rank, struct events_commit *c);

/* It is durable; nothing was said meanwhile. */
void events_committed(struct events *e, uint32_t rank, const struct events_commit *c);

/* Records of it wait for room. */
bool events_limited(const struct events *e, uint32_t rank);

/* ---- what a file says, as the keeper is started ---- */

/* The next commit of its file, with its c->count records, the bytes of which were found whole. 0:
 * it is part of the log now. FT_EDAMAGED: it cannot follow what was before, and *why is a
 * sentence's end. FT_ETRUNC: it holds more than the limit. FT_ENOMEM. */
int events_restore(struct events *e, uint32_t rank, const struct events_commit *c,
	const uint8_t *records, const char **why);

/* The file cannot be read, or is not there: what it held is lost. Its incarnation, as far as it is
 * known, stays. */
void events_lose(struct events *e, uint32_t rank);

#endif
