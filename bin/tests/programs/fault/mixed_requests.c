/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's requests that are open across steps: several messages of one envelope, whose receives are
 * posted before or after they are sent and finished in any order. A line finds them unsent, on
 * their way, matched, whole, and with holes between those that the program has.
 */
#include "mixed.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 2, MOST = 4, EARLY = 2, LATE = 2, ROOM = 1024 };

_Static_assert(LATE + MOST <= MIXED_LAG, "a receive may be waited for so long after its message");

/* The j-th message of the burst that source sends at this step. */
struct burst {
	int64_t step;
	int32_t source, j;
};

/* Receives that are open, in the order in which they were posted. */
static struct {
	int64_t count;
	struct burst of[ROOM];
} open;
static struct {
	MPI_Request request;
	void *buffer;
} at[ROOM];
static struct mixed_sends sends;

static uint64_t about(const struct mixed *m, struct burst b, int what)
{
	return mixed_random(m, MIXED_REQUESTS, b.step,
		((uint64_t)b.source * (MOST + 1) + (uint64_t)b.j) * 4 + (uint64_t)what);
}

static int tag_of(struct burst b)
{
	return (int)(b.step % TAGS);
}

static bool has_items(struct burst b)
{
	return tag_of(b) == 1;
}

static int dest_of(const struct mixed *m, struct burst b)
{
	b.j = MOST;
	return (int)(about(m, b, 0) % (uint64_t)m->prog->size);
}

/* 0 .. MOST messages */
static int count_of(const struct mixed *m, struct burst b)
{
	b.j = MOST;
	return b.step < 1 || b.step > m->steps ? 0 : (int)(about(m, b, 1) % (MOST + 1));
}

static long bytes_of(const struct mixed *m, struct burst b)
{
	uint64_t random = about(m, b, 2);
	return mixed_bytes(m, &random, MIXED_ITEM);
}

static uint64_t key_of(const struct mixed *m, struct burst b)
{
	return about(m, b, 3);
}

/* The same for all messages of an envelope, whose receives must be posted in their order. */
static long post_step(const struct mixed *m, struct burst b)
{
	uint64_t envelope = ((uint64_t)b.source * 1000 + (uint64_t)m->prog->rank) * TAGS;
	uint64_t random = mixed_random(m, MIXED_REQUESTS, -1, envelope + (uint64_t)tag_of(b));
	long step = b.step - EARLY + (long)(random % (EARLY + LATE + 1));
	return step < 1 ? 1 : step;
}

static long finish_step(const struct mixed *m, struct burst b)
{
	long least = post_step(m, b) > b.step ? post_step(m, b) : b.step;
	return least + (long)(about(m, b, 0) % (MOST + 1));
}

/* How the data lies: as bytes, as items, or as items the last of which comes first in memory. */
enum lay { BYTES, ITEMS, BACKWARDS };

static enum lay lies_here(const struct mixed *m, struct burst b)
{
	if (!has_items(b))
		return BYTES;
	return (about(m, b, 0) >> 8) % 2 ? BACKWARDS : ITEMS;
}

static enum lay lies_there(const struct mixed *m, struct burst b)
{
	return (enum lay)((about(m, b, 1) >> 8) % 3);
}

/* Bytes that the receive has room for. */
static long room_of(const struct mixed *m, struct burst b)
{
	long room = about(m, b, 1) % 2 ? m->most : bytes_of(m, b);
	return room - room % MIXED_ITEM;
}

static void post(struct mixed *m, struct burst b)
{
	long room = room_of(m, b);
	int64_t i = open.count++;
	if (i == ROOM)
		prog_wrong(m->prog, "more than %d receives are open", ROOM);
	open.of[i] = b;
	if (lies_here(m, b) == BACKWARDS) {
		MPI_Datatype type = mixed_backwards(m, room);
		at[i].buffer = mixed_blank(m, room);
		MPI_Irecv(at[i].buffer, 1, type, b.source, tag_of(b), m->comm[MIXED_OPEN],
			&at[i].request);
		MPI_Type_free(&type);
	} else if (lies_here(m, b) == ITEMS) {
		at[i].buffer = mixed_blank(m, room);
		MPI_Irecv(at[i].buffer, (int)(room / MIXED_ITEM), m->item, b.source, tag_of(b),
			m->comm[MIXED_OPEN], &at[i].request);
	} else {
		at[i].buffer = prog_alloc(m->prog, (size_t)room);
		MPI_Irecv(at[i].buffer, (int)room, MPI_BYTE, b.source, tag_of(b),
			m->comm[MIXED_OPEN], &at[i].request);
	}
}

static void post_due(struct mixed *m, long step)
{
	for (long s = step - LATE; s <= step + EARLY; s++)
		for (int source = 0; source < m->prog->size; source++) {
			struct burst b = {s, source, 0};
			int count = count_of(m, b);
			if (count == 0 || dest_of(m, b) != m->prog->rank || post_step(m, b) != step)
				continue;
			for (; b.j < count; b.j++)
				post(m, b);
		}
}

/* Its type is freed while the message may be anywhere. */
static void send_items(struct mixed *m, struct burst b, int dest, void *data, bool backwards)
{
	long bytes = bytes_of(m, b);
	void *items = mixed_spread(m, data, bytes);
	MPI_Datatype type;
	if (backwards) {
		mixed_turn(items, bytes);
		type = mixed_backwards(m, bytes);
	} else {
		MPI_Type_contiguous((int)(bytes / MIXED_ITEM), m->item, &type);
		MPI_Type_commit(&type);
	}
	(about(m, b, 1) % 3 ? MPI_Isend : MPI_Issend)(items, 1, type, dest, tag_of(b),
		m->comm[MIXED_OPEN], mixed_send_add(m, &sends, items));
	MPI_Type_free(&type);
	free(data);
}

static void send_due(struct mixed *m, long step)
{
	struct burst b = {step, m->prog->rank, 0};
	int count = count_of(m, b), dest = dest_of(m, b);
	for (; b.j < count; b.j++) {
		long bytes = bytes_of(m, b);
		void *buffer = prog_alloc(m->prog, (size_t)bytes);
		mixed_fill(key_of(m, b), buffer, bytes);
		if (lies_there(m, b) != BYTES)
			send_items(m, b, dest, buffer, lies_there(m, b) == BACKWARDS);
		else
			(about(m, b, 1) % 3 ? MPI_Isend : MPI_Issend)(buffer, (int)bytes, MPI_BYTE,
				dest, tag_of(b), m->comm[MIXED_OPEN],
				mixed_send_add(m, &sends, buffer));
	}
}

/* The bytes of the items of a receive, whose buffer is freed. */
static void *collected(struct mixed *m, struct burst b, void *items, const MPI_Status *status)
{
	long bytes = bytes_of(m, b);
	void *data = prog_alloc(m->prog, (size_t)bytes);
	int elements = -1;
	MPI_Get_elements(status, m->item, &elements);
	if (elements != 2 * bytes / MIXED_ITEM)
		prog_wrong(m->prog, "step %" PRId64 ": %d elements in items of %ld bytes", b.step,
			elements, bytes);
	if (lies_here(m, b) == BACKWARDS)
		mixed_turn(items, room_of(m, b));
	mixed_collect(m, data, bytes, items);
	free(items);
	return data;
}

static void take(struct mixed *m, int64_t i)
{
	struct burst b = open.of[i];
	long bytes = bytes_of(m, b);
	void *data = at[i].buffer;
	MPI_Status status;
	MPI_Wait(&at[i].request, &status);
	if (has_items(b))
		data = collected(m, b, data, &status);
	mixed_enter_known(
		m, MIXED_REQUESTS, (long)b.step, &status, tag_of(b), key_of(m, b), data, bytes);
	free(data);
	open.count--;
	memmove(&open.of[i], &open.of[i + 1], (size_t)(open.count - i) * sizeof(open.of[0]));
	memmove(&at[i], &at[i + 1], (size_t)(open.count - i) * sizeof(at[0]));
}

/* What is waited for was sent at this step or before; the newest first. */
static void finish_due(struct mixed *m, long step)
{
	for (int64_t i = open.count; i-- > 0;)
		if (finish_step(m, open.of[i]) == step)
			take(m, i);
}

static void bursts_step(struct mixed *m, long step)
{
	if (step % 2 == 0)
		post_due(m, step);
	send_due(m, step);
	if (step % 2 != 0)
		post_due(m, step);
	finish_due(m, step);
	mixed_sends_test(&sends);
}

static void bursts_begin(struct mixed *m)
{
	mixed_protect(m, MIXED_REQUESTS, &open, sizeof(open));
}

static void bursts_restored(struct mixed *m)
{
	int64_t count = open.count;
	open.count = 0;
	if (count < 0 || count > ROOM)
		prog_wrong(m->prog, "the line holds %" PRId64 " open receives", count);
	for (int64_t i = 0; i < count; i++)
		post(m, open.of[i]);
}

static uint64_t bursts_expect(const struct mixed *m, long step)
{
	uint64_t sum = 0;
	for (int source = 0; source < m->prog->size; source++) {
		struct burst b = {step, source, 0};
		int count = dest_of(m, b) == m->prog->rank ? count_of(m, b) : 0;
		for (; b.j < count; b.j++)
			sum += mixed_worth_of(m, source, tag_of(b), key_of(m, b), bytes_of(m, b));
	}
	return sum;
}

static void bursts_end(struct mixed *m)
{
	if (open.count != 0)
		prog_wrong(m->prog, "%" PRId64 " receives are left", open.count);
	mixed_sends_end(&sends);
}

const struct mixed_part mixed_requests = {
	.name = "requests",
	.begin = bursts_begin,
	.restored = bursts_restored,
	.step = bursts_step,
	.expect = bursts_expect,
	.end = bursts_end,
};
