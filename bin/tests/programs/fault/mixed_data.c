/* SPDX-License-Identifier: BSD-3-Clause */
#include "mixed.h"

#include <stdlib.h>
#include <string.h>

#include "mail_plan.h"

uint64_t mixed_random(const struct mixed *m, enum mixed_name part, long step, uint64_t which)
{
	return mail_random(m->seed + ((uint64_t)part << 56), (uint64_t)step, which);
}

long mixed_decide(uint64_t *random, long range)
{
	long answer = (long)(*random % (uint64_t)range);
	*random = mail_random(*random, 0, 0);
	return answer;
}

int mixed_letters(const struct mixed *m, enum mixed_name part, long step, int source, int most)
{
	if (step < 1 || step > m->steps)
		return 0;
	return (int)(mixed_random(m, part, step, (uint64_t)source << 8) % (unsigned)(most + 1));
}

long mixed_bytes(const struct mixed *m, uint64_t *random, long unit)
{
	static const long most[] = {0, 12, 64, 64, 200, 1024, 4096, 16384, 70000};
	enum { KINDS = sizeof(most) / sizeof(most[0]) };
	long kind = mixed_decide(random, 2 * KINDS + 1), limit = m->most;
	if (kind < 2 * KINDS && most[kind / 2] < limit)
		limit = most[kind / 2];
	return mixed_decide(random, limit / unit + 1) * unit;
}

void mixed_fill(uint64_t key, void *out, long bytes)
{
	struct mail_plan plan = {.seed = key};
	struct mail_message message = {.bytes = bytes};
	mail_fill(&plan, &message, out);
}

uint64_t mixed_worth(int source, int tag, const void *data, long bytes)
{
	return mail_random(mail_hash(tag, data, bytes), (uint64_t)source, (uint64_t)tag);
}

uint64_t mixed_worth_of(const struct mixed *m, int source, int tag, uint64_t key, long bytes)
{
	void *data = prog_alloc(m->prog, (size_t)bytes);
	mixed_fill(key, data, bytes);
	uint64_t worth = mixed_worth(source, tag, data, bytes);
	free(data);
	return worth;
}

void mixed_enter(
	struct mixed *m, enum mixed_name part, int source, int tag, const void *data, long bytes)
{
	m->state.sum[part] += mixed_worth(source, tag, data, bytes);
	m->state.received++;
}

void mixed_enter_known(struct mixed *m, enum mixed_name part, long step, const MPI_Status *status,
	int tag, uint64_t key, const void *data, long bytes)
{
	int count = 0, source = status->MPI_SOURCE;
	MPI_Get_count(status, MPI_BYTE, &count);
	if (count != bytes || status->MPI_TAG != tag)
		prog_wrong(m->prog,
			"part %d: %d bytes with tag %d came from rank %d, not the %ld bytes "
			"with tag %d of step %ld",
			part, count, status->MPI_TAG, source, bytes, tag, step);
	if (mixed_worth(source, tag, data, bytes) != mixed_worth_of(m, source, tag, key, bytes))
		prog_wrong(m->prog,
			"part %d: %ld bytes with tag %d from rank %d are not those of step %ld",
			part, bytes, tag, source, step);
	mixed_enter(m, part, source, tag, data, bytes);
}

/* ---- items: 4 bytes at 0, 8 bytes at 8, of 24 ---- */

enum { HOLE = 0x5a, SECOND = 8 };

void *mixed_blank(const struct mixed *m, long bytes)
{
	size_t room = (size_t)(bytes / MIXED_ITEM * MIXED_ITEM_EXTENT);
	return memset(prog_alloc(m->prog, room), HOLE, room);
}

void *mixed_spread(const struct mixed *m, const void *data, long bytes)
{
	uint8_t *items = mixed_blank(m, bytes);
	const uint8_t *from = data;
	for (long i = 0; i < bytes / MIXED_ITEM; i++) {
		memcpy(items + i * MIXED_ITEM_EXTENT, from + i * MIXED_ITEM, 4);
		memcpy(items + i * MIXED_ITEM_EXTENT + SECOND, from + i * MIXED_ITEM + 4, 8);
	}
	return items;
}

void mixed_collect(const struct mixed *m, void *data, long bytes, const void *items)
{
	uint8_t *to = data;
	for (long i = 0; i < bytes / MIXED_ITEM; i++) {
		const uint8_t *item = (const uint8_t *)items + i * MIXED_ITEM_EXTENT;
		memcpy(to + i * MIXED_ITEM, item, 4);
		memcpy(to + i * MIXED_ITEM + 4, item + SECOND, 8);
		for (int hole = 4; hole < MIXED_ITEM_EXTENT; hole++)
			if ((hole < SECOND || hole >= SECOND + 8) && item[hole] != HOLE)
				prog_wrong(m->prog, "item %ld: its hole at byte %d was written", i,
					hole);
	}
}

MPI_Datatype mixed_backwards(const struct mixed *m, long bytes)
{
	int n = (int)(bytes / MIXED_ITEM);
	int *places = prog_alloc(m->prog, (size_t)n * sizeof(*places));
	MPI_Datatype type;
	for (int i = 0; i < n; i++)
		places[i] = n - 1 - i;
	MPI_Type_create_indexed_block(n, 1, places, m->item, &type);
	MPI_Type_commit(&type);
	free(places);
	return type;
}

void mixed_turn(void *items, long bytes)
{
	uint8_t *low = items, *high = low + (bytes / MIXED_ITEM - 1) * MIXED_ITEM_EXTENT;
	for (; low < high; low += MIXED_ITEM_EXTENT, high -= MIXED_ITEM_EXTENT) {
		uint8_t item[MIXED_ITEM_EXTENT];
		memcpy(item, low, MIXED_ITEM_EXTENT);
		memcpy(low, high, MIXED_ITEM_EXTENT);
		memcpy(high, item, MIXED_ITEM_EXTENT);
	}
}

/* ---- sends that are open ---- */

MPI_Request *mixed_send_add(const struct mixed *m, struct mixed_sends *s, void *buffer)
{
	if (s->count == s->room) {
		s->room = s->room > 0 ? 2 * s->room : 64;
		s->at = realloc(s->at, s->room * sizeof(*s->at));
		if (s->at == NULL)
			prog_wrong(m->prog, "out of memory for %zu sends", s->room);
	}
	s->at[s->count] = (struct mixed_send){MPI_REQUEST_NULL, buffer};
	return &s->at[s->count++].request;
}

void mixed_sends_test(struct mixed_sends *s)
{
	for (size_t i = s->count; i-- > 0;) {
		int done = 0;
		MPI_Test(&s->at[i].request, &done, MPI_STATUS_IGNORE);
		if (!done)
			continue;
		free(s->at[i].buffer);
		s->at[i] = s->at[--s->count];
	}
}

void mixed_sends_end(struct mixed_sends *s)
{
	for (size_t i = 0; i < s->count; i++) {
		MPI_Wait(&s->at[i].request, MPI_STATUS_IGNORE);
		free(s->at[i].buffer);
	}
	free(s->at);
	*s = (struct mixed_sends){0};
}
