/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums of orphans. A message that was sent in a later interval than the receiver's own may be
 * thrown away after a restore, when it is sent again: what it was is noted when its receive is done
 * (coord_received), and what comes again is compared with that while it is thrown away. When it is
 * another message the program has gone another way than the receiver remembers: the job ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_STATIC_LINKING_ONLY /* states that are not allocated by it */
#include <xxhash.h>

#include "base/list.h"
#include "base/log.h"
#include "inflight.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/type/type_cursor.h"
#include "p2p_inside.h"
#include "p2p_orphan.h"
#include "p2p_saved.h"

/* ---- what is hashed: context, tag, contents ---- */

static void begin_hash(XXH64_state_t *h, uint64_t context, int32_t tag)
{
	XXH64_reset(h, 0);
	XXH64_update(h, &context, sizeof context);
	XXH64_update(h, &tag, sizeof tag);
}

/* 0 means that nothing is known. */
static uint64_t end_hash(const XXH64_state_t *h)
{
	uint64_t hash = XXH64_digest(h);

	return hash ? hash : 1;
}

/* ---- what is received the first time ---- */

/* false: no memory. */
static bool hash_scattered(XXH64_state_t *h, const struct request *r)
{
	struct cursor_frame *frames = malloc(type_cursor_frames(r->m.type) * sizeof *frames);
	struct type_cursor at;
	char stage[4096];

	if (!frames)
		return false;
	type_cursor_begin(&at, frames, r->m.type, r->m.buf, r->m.count);
	for (uint64_t left = r->bytes; left > 0;) {
		size_t n = left < sizeof stage ? (size_t)left : sizeof stage;

		type_cursor_pack(&at, stage, n);
		XXH64_update(h, stage, n);
		left -= n;
	}
	free(frames);
	return true;
}

static bool hash_contents(XXH64_state_t *h, const struct request *r)
{
	const void *piece =
		r->m.type->contiguous ? r->m.buf : type_piece(r->m.type, r->m.buf, r->m.count);

	if (r->bytes == 0)
		return true;
	if (!piece)
		return hash_scattered(h, r);
	XXH64_update(h, piece, (size_t)r->bytes);
	return true;
}

/* Of one that was cut off, or that could not be unpacked, the length is known, and no more. */
void p2p_orphan_note(const struct request *r, bool right)
{
	struct coord_message m = {.peer = r->peer,
		.context = r->match.context,
		.tag = coord_tag(r->match.context, r->got_tag),
		.index = r->index,
		.stamp = r->stamp};
	struct orphan_sum sum = {.length = r->length};
	XXH64_state_t h;

	begin_hash(&h, r->match.context, r->got_tag);
	if (right && r->bytes == r->length && hash_contents(&h, r))
		sum.hash = end_hash(&h);
	coord_received(p2p.coord, &m, &sum);
}

void p2p_orphan_note_unreceived(const struct match_msg *msg, const void *contents, uint64_t length)
{
	struct coord_message m = inflight_name(msg);
	struct orphan_sum sum = {.length = length};
	XXH64_state_t h;

	begin_hash(&h, msg->context, msg->tag);
	XXH64_update(&h, contents, (size_t)length);
	sum.hash = end_hash(&h);
	coord_received(p2p.coord, &m, &sum);
}

/* ---- what comes again ---- */

struct again {
	struct object head; /* OBJECT_ORPHAN */
	struct tp_iov_cursor pieces;
	int peer, tag;
	bool collective;
	uint64_t length, left;
	struct orphan_sum first;
	XXH64_state_t hash;
};

/* Bytes leave it before anybody else's enter. */
static char bytes[1 << 16];

static int next_bytes(struct tp_iov_cursor *pieces, struct iovec *iov, int max)
{
	const struct again *a = container_of(pieces, struct again, pieces);

	(void)max;
	*iov = (struct iovec){bytes, a->left < sizeof bytes ? (size_t)a->left : sizeof bytes};
	return 1;
}

static void pass_bytes(struct tp_iov_cursor *pieces, size_t n)
{
	struct again *a = container_of(pieces, struct again, pieces);

	XXH64_update(&a->hash, bytes, n);
	a->left -= n;
}

struct tp_place p2p_orphan_place(int peer, const struct envelope *e, uint64_t length)
{
	struct again *a = malloc(sizeof *a);

	if (!a) {
		process_last_words();
		log_error("no memory to compare a message of rank %d with what it was", peer);
		process_die(MPI_ERR_NO_MEM);
	}
	*a = (struct again){.head = {.kind = OBJECT_ORPHAN, .refs = 1},
		.pieces = {next_bytes, pass_bytes},
		.peer = peer,
		.tag = e->tag,
		.collective = e->context & PLANE_COLL,
		.length = length,
		.left = length,
		.first = *coord_expected(p2p.coord)};
	begin_hash(&a->hash, e->context, e->tag);
	return (struct tp_place){
		.room = (size_t)length, .cookie = a, .cursor = length ? &a->pieces : NULL};
}

static _Noreturn void say_other(const struct again *a)
{
	char what[64] = "of a collective operation", was[64] = "";

	if (!a->collective)
		snprintf(what, sizeof what, "with tag %d", a->tag);
	if (a->first.length != a->length)
		snprintf(was, sizeof was, ", and not %" PRIu64, a->first.length);
	process_last_words();
	log_error("rank %d sent another message (%s, %" PRIu64
		  " bytes%s) than the one that this rank (%d) had received before the line "
		  "restored: the program sends other messages when it is run again, and needs "
		  "`-coord blocking`",
		a->peer, what, a->length, was, p2p.coord->self);
	process_die(MPI_ERR_OTHER);
}

/* One whose sender is lost will come again in the next run. */
void p2p_orphan_received(struct object *head, int rc)
{
	struct again *a = container_of(head, struct again, head);
	struct orphan_sum now = {.length = a->length, .hash = end_hash(&a->hash)};

	if (!rc && !orphans_same(&a->first, &now))
		say_other(a);
	free(a);
	if (p2p.coord) {
		coord_compared(p2p.coord);
		p2p_noted();
	}
	engine_completed(); /* somebody may be waiting until all are */
}

void p2p_orphan_unplace(struct object *head)
{
	free(container_of(head, struct again, head));
	if (p2p.coord)
		coord_compared(p2p.coord);
}
