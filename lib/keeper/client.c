/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/client.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void keeper_client_init(struct keeper_client *c, const struct keeper_client_job *job)
{
	memset(c, 0, sizeof *c);
	c->c = *job;
	c->given = c->covered = job->covered;
}

void keeper_client_fini(struct keeper_client *c)
{
	auth_wipe(c, sizeof *c);
}

/* ---- the connection ---- */

static void send_bytes(struct keeper_client *c, const void *bytes, size_t len)
{
	memcpy(c->out, bytes, len);
	c->out_at = 0;
	c->out_len = len;
}

void keeper_client_connected(struct keeper_client *c)
{
	struct keeper_hello who = {.wants = c->begun ? KEEPER_GO_ON : KEEPER_BEGIN,
		.rank = c->c.rank,
		.incarnation = c->c.incarnation,
		.after = c->begun ? 0 : c->given};

	keeper_client_lost(c);
	if (c->state == CLIENT_REFUSED)
		return;
	keeper_handshake_hello(&c->handshake, &c->c.job, &who);
	send_bytes(c, &c->handshake.hello, sizeof c->handshake.hello);
	c->state = CLIENT_CHALLENGE;
}

void keeper_client_lost(struct keeper_client *c)
{
	c->in.at = c->in.have = c->out_at = c->out_len = 0;
	if (c->state != CLIENT_REFUSED)
		c->state = CLIENT_CLOSED;
}

uint8_t *keeper_client_room(struct keeper_client *c, size_t *room)
{
	return frames_room(&c->in, room);
}

void keeper_client_came(struct keeper_client *c, size_t n)
{
	frames_came(&c->in, n);
}

/* ---- what the keeper says ---- */

enum step { STEP_NONE, STEP_AGAIN, STEP_EVENT };

static enum step broke(struct keeper_client *c, struct keeper_client_event *e, int error)
{
	keeper_client_lost(c);
	*e = (struct keeper_client_event){.what = CLIENT_BROKE, .error = error};
	return STEP_EVENT;
}

static enum step on_challenge(struct keeper_client *c, struct keeper_client_event *e)
{
	struct keeper_challenge in;
	struct keeper_proof proof;
	int rc;

	if (!frames_take(&c->in, &in, sizeof in))
		return STEP_NONE;
	rc = keeper_handshake_take_challenge(&c->handshake, &c->c.job, &in, &proof);
	if (rc)
		return broke(c, e, rc);
	send_bytes(c, &proof, sizeof proof);
	c->state = CLIENT_STATE;
	return STEP_AGAIN;
}

/* The connection broke, or the keeper was started again: what it lacks is told again. What it has
 * acknowledged and lacks now is lost; so is, for it, what a checkpoint has covered meanwhile. */
static void go_on(struct keeper_client *c, const struct keeper_frame *f)
{
	c->lost = (f->flags & KEEPER_STATE_LOST) ||
		  (f->other < c->promised && c->covered < c->promised);
	c->feed = c->lost || f->other < c->covered;
	c->told = larger(f->other, c->covered);
	if (c->lost)
		c->acknowledged = c->reported = c->covered;
	c->acknowledged = larger(c->acknowledged, c->told);
	c->promised = larger(c->promised, f->other);
	c->state = CLIENT_LIVE;
}

static enum step on_state(
	struct keeper_client *c, const struct keeper_frame *f, struct keeper_client_event *e)
{
	if (c->state != CLIENT_STATE || f->number > f->other)
		return broke(c, e, FT_EPROTO);
	if (c->begun ? f->other > c->last : f->flags || f->other < c->given || f->number > c->given)
		return broke(c, e, FT_EPROTO);
	c->said_covered = f->number;
	if (c->begun) {
		go_on(c, f);
	} else {
		c->end = f->other;
		c->state = CLIENT_GIVEN;
	}
	return STEP_AGAIN;
}

static enum step on_records(struct keeper_client *c, const struct keeper_frame *f,
	const uint8_t *records, struct keeper_client_event *e)
{
	if (c->state != CLIENT_GIVEN || f->number != c->given + 1 || f->count > c->end - c->given)
		return broke(c, e, FT_EPROTO);
	c->given += f->count;
	*e = (struct keeper_client_event){
		.what = CLIENT_RECORDS, .number = f->number, .count = f->count, .records = records};
	return STEP_EVENT;
}

static enum step on_ack(
	struct keeper_client *c, const struct keeper_frame *f, struct keeper_client_event *e)
{
	if (c->state != CLIENT_LIVE || f->number > c->told)
		return broke(c, e, FT_EPROTO);
	c->acknowledged = larger(c->acknowledged, f->number);
	c->promised = larger(c->promised, f->number);
	return STEP_AGAIN;
}

static enum step on_refused(
	struct keeper_client *c, const struct keeper_frame *f, struct keeper_client_event *e)
{
	if (f->flags == KEEPER_TAKEN)
		return broke(c, e, FT_EPROTO);
	keeper_client_lost(c);
	c->state = CLIENT_REFUSED;
	*e = (struct keeper_client_event){
		.what = CLIENT_IS_REFUSED, .number = f->number, .reason = f->flags};
	return STEP_EVENT;
}

static enum step on_frame(struct keeper_client *c, struct keeper_client_event *e)
{
	struct keeper_frame f;
	const uint8_t *records;
	int rc = frames_next(&c->in, FRAMES_OF_KEEPER, &f, &records);

	if (rc <= 0)
		return rc ? broke(c, e, rc) : STEP_NONE;
	switch (f.kind) {
	case KEEPER_STATE:
		return on_state(c, &f, e);
	case KEEPER_RECORDS:
		return on_records(c, &f, records, e);
	case KEEPER_ACK:
		return on_ack(c, &f, e);
	default:
		return on_refused(c, &f, e);
	}
}

static enum step ready(struct keeper_client *c, struct keeper_client_event *e)
{
	c->state = CLIENT_LIVE;
	c->begun = true;
	c->last = c->told = c->acknowledged = c->promised = c->reported = c->end;
	*e = (struct keeper_client_event){.what = CLIENT_READY, .number = c->end};
	return STEP_EVENT;
}

static enum step next_step(struct keeper_client *c, struct keeper_client_event *e)
{
	if (c->lost) {
		c->lost = false;
		*e = (struct keeper_client_event){.what = CLIENT_LOST, .number = c->reported};
		return STEP_EVENT;
	}
	if (c->acknowledged > c->reported) {
		c->reported = c->acknowledged;
		*e = (struct keeper_client_event){
			.what = CLIENT_ACKNOWLEDGED, .number = c->reported};
		return STEP_EVENT;
	}
	switch (c->state) {
	case CLIENT_CLOSED:
	case CLIENT_REFUSED:
		return STEP_NONE;
	case CLIENT_CHALLENGE:
		return on_challenge(c, e);
	default:
		return c->state == CLIENT_GIVEN && c->given == c->end ? ready(c, e)
								      : on_frame(c, e);
	}
}

bool keeper_client_next(struct keeper_client *c, struct keeper_client_event *e)
{
	enum step step;

	do
		step = next_step(c, e);
	while (step == STEP_AGAIN);
	return step == STEP_EVENT;
}

/* ---- what the rank says ---- */

void keeper_client_tell(struct keeper_client *c, uint64_t last)
{
	assert(c->begun && last >= c->last);
	c->last = last;
}

void keeper_client_cover(struct keeper_client *c, uint64_t number)
{
	assert(c->begun && number <= c->last);
	c->covered = larger(c->covered, number);
	c->acknowledged = larger(c->acknowledged, c->covered);
	c->reported = larger(c->reported, c->covered);
}

static void send_frame(struct keeper_client *c, const struct keeper_frame *f)
{
	send_bytes(c, f, sizeof *f);
}

/* What the keeper was never told, it cannot forget: it begins behind that. */
static void say_covered(struct keeper_client *c)
{
	if (c->feed || c->covered > c->told)
		send_frame(c,
			&(struct keeper_frame){
				.kind = KEEPER_FEED, .number = c->covered, .other = c->promised});
	else
		send_frame(c, &(struct keeper_frame){.kind = KEEPER_FORGET, .number = c->covered});
	c->feed = false;
	c->said_covered = c->covered;
	c->told = larger(c->told, c->covered);
}

static void say_records(struct keeper_client *c, uint64_t end)
{
	struct keeper_frame f = {.kind = KEEPER_TELL, .number = c->told + 1};

	f.count = end - c->told < CLIENT_PIECE ? (uint32_t)(end - c->told) : CLIENT_PIECE;
	c->c.read(c->c.ctx, f.number, f.count, c->out + sizeof f);
	send_frame(c, &f);
	c->out_len += (size_t)f.count * KEEPER_RECORD_BYTES;
	c->told += f.count;
}

const uint8_t *keeper_client_out(struct keeper_client *c, size_t *n)
{
	uint64_t end = c->acknowledged + KEEPER_WINDOW;

	if (end > c->last)
		end = c->last;
	if (c->out_at == c->out_len && c->state == CLIENT_LIVE) {
		if (c->feed || c->covered > c->said_covered)
			say_covered(c);
		else if (c->told < end)
			say_records(c, end);
	}
	*n = c->out_len - c->out_at;
	return *n ? c->out + c->out_at : NULL;
}

void keeper_client_sent(struct keeper_client *c, size_t n)
{
	c->out_at += n;
}
