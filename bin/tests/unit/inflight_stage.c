/* SPDX-License-Identifier: BSD-3-Clause */
#include "inflight_stage.h"

#include <stdio.h>
#include <string.h>

#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_sync.h"
#include "unit.h"

enum { CONTEXT = 6 };

enum coord_fate fates[STAGE_LINES][STAGE_MESSAGES];
struct inflight_line line[STAGE_LINES];
int readies[STAGE_LINES];
struct match_msg waiting[STAGE_MESSAGES];
struct stored *pulled[STAGE_MESSAGES];
int pulls, copies;
bool no_memory;
struct request receives[STAGE_MESSAGES];
uint64_t sequence, state, length;
uint64_t syncs[STAGE_MESSAGES];

/* ---- what inflight.c asks for ---- */

struct lock engine_mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER};

enum coord_fate coord_fate(const struct coord *c, uint32_t number, const struct coord_message *m)
{
	(void)c;
	ck_assert_uint_lt(m->index, STAGE_MESSAGES);
	return fates[number][m->index];
}

static bool pull(struct match_msg *msg)
{
	struct stored *m = no_memory ? NULL : stored_new(msg, sizeof msg->index);

	if (!m)
		return false;
	pulls++;
	pulled[msg->index] = m;
	if (m->msg.inflight)
		inflight_stored(m->msg.inflight, m);
	return true;
}

uint64_t p2p_sync_name(const struct match_msg *msg)
{
	return syncs[msg->index];
}

static struct stored *made(uint64_t index)
{
	struct match_msg msg = {.index = index};
	struct stored *m = stored_new(&msg, sizeof index);

	ck_assert_ptr_nonnull(m);
	memcpy(m->bytes, &index, sizeof index);
	m->whole = true;
	return m;
}

struct stored *p2p_copy(const struct request *r)
{
	struct stored *m = no_memory ? NULL : made(r->index);

	copies++;
	if (m && length)
		m->length = length;
	return m;
}

/* ---- the stage ---- */

static void on_ready(struct inflight_line *l)
{
	readies[l->number]++;
}

void stage_setup(void)
{
	if (!engine_held())
		lock_take(&engine_mutex);
	memset(fates, 0, sizeof fates);
	memset(readies, 0, sizeof readies);
	memset(receives, 0, sizeof receives);
	memset(syncs, 0, sizeof syncs);
	pulls = copies = 0;
	no_memory = false;
	sequence = state = length = 0;
	ck_assert_int_eq(inflight_init(NULL, STAGE_PEERS, pull), 0);
}

void stage_begin(uint32_t number)
{
	line[number] = (struct inflight_line){
		.number = number, .at = sequence + 1, .state = state, .ready = on_ready};
	inflight_begin(&line[number]);
}

void stage_end(uint32_t number)
{
	inflight_end(&line[number]);
	inflight_line_free(&line[number]);
}

struct match_msg *stage_comes(uint64_t index)
{
	waiting[index] = (struct match_msg){.context = CONTEXT,
		.peer = (int)(index % STAGE_PEERS),
		.tag = 100 + (int)index,
		.index = index,
		.arrived = ++sequence};
	return &waiting[index];
}

void stage_fill(uint64_t index)
{
	memcpy(pulled[index]->bytes, &index, sizeof index);
	pulled[index]->whole = true;
	if (pulled[index]->msg.inflight)
		inflight_whole(pulled[index]->msg.inflight);
}

struct request *stage_matched(uint64_t index, uint64_t arrived, bool done)
{
	struct request *r = &receives[index];

	*r = (struct request){.kind = REQUEST_RECV,
		.state = done ? REQUEST_DONE : REQUEST_MATCHED,
		.match.context = CONTEXT,
		.peer = (int)(index % STAGE_PEERS),
		.got_tag = 100 + (int)index,
		.index = index,
		.arrived = arrived,
		.matched = ++sequence};
	return r;
}

const char *stage_holds(uint32_t number)
{
	static char text[128];
	struct section_message e;
	const uint8_t *bytes;
	uint8_t *all;
	struct cursor c;
	size_t len, n = 0;

	text[0] = '\0';
	ck_assert(inflight_bytes(&line[number], &all, &len));
	c = cursor_over(all, len);
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		uint64_t index;

		ck_assert(section_messages_read(&c, &e, &bytes));
		memcpy(&index, bytes, sizeof index);
		ck_assert_int_eq(e.tag, 100 + (int)index);
		ck_assert_int_eq(e.peer, (int)(index % STAGE_PEERS));
		ck_assert_uint_eq(e.sync, syncs[index]);
		n += (size_t)snprintf(text + n, sizeof text - n, " %d" + !n, (int)index);
	}
	ck_assert(cursor_done(&c));
	free(all);
	return text;
}
