/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/peer.h"

#include <string.h>

#include "base/error.h"

static const struct events_rank *log_of(const struct keeper_peer *p)
{
	return &p->events->v[p->hello.rank];
}

void keeper_peer_refuse(struct keeper_peer *p, enum keeper_refusal why)
{
	if (p->state == PEER_REFUSED)
		return;
	p->state = PEER_REFUSED;
	p->refusal = (struct keeper_frame){.kind = KEEPER_REFUSED,
		.flags = (uint8_t)why,
		.number = why == KEEPER_FENCED ? log_of(p)->incarnation : log_of(p)->forgotten,
		.other = log_of(p)->last};
}

void keeper_peer_open(
	struct keeper_peer *p, struct events *events, const struct keeper_hello *hello)
{
	int rc;

	p->events = events;
	p->hello = *hello;
	p->state = PEER_OPENING;
	p->next = p->end = p->acknowledged = 0;
	p->refusal_said = false;
	p->in.at = p->in.have = p->out_at = p->out_len = 0;
	rc = events_open(events, hello);
	if (rc)
		keeper_peer_refuse(p, (enum keeper_refusal)rc);
}

uint8_t *keeper_peer_room(struct keeper_peer *p, size_t *room)
{
	return frames_room(&p->in, room);
}

/* What its log answers. */
static int obey(struct keeper_peer *p, const struct keeper_frame *f, const uint8_t *records)
{
	uint32_t rank = p->hello.rank;

	if (events_fenced(p->events, rank, p->hello.incarnation))
		return KEEPER_FENCED;
	switch (f->kind) {
	case KEEPER_TELL:
		return events_tell(p->events, rank, f->number, f->count, records);
	case KEEPER_FORGET:
		/* it cannot know what it has not read yet */
		if (p->state == PEER_GIVING && f->number >= p->next)
			return KEEPER_FRAME;
		return events_forget(p->events, rank, f->number);
	default:
		return p->state == PEER_GIVING ? KEEPER_FRAME
					       : events_feed(p->events, rank, f->number, f->other);
	}
}

int keeper_peer_came(struct keeper_peer *p, size_t n)
{
	struct keeper_frame frame;
	const uint8_t *records;

	frames_came(&p->in, n);
	while (p->state == PEER_GIVING || p->state == PEER_LIVE) {
		int rc = frames_next(&p->in, FRAMES_OF_RANK, &frame, &records);

		if (rc == 0)
			return 0;
		rc = rc < 0 ? KEEPER_FRAME : obey(p, &frame, records);
		if (rc < 0)
			return rc;
		if (rc)
			keeper_peer_refuse(p, (enum keeper_refusal)rc);
	}
	if (p->state == PEER_REFUSED)
		p->in.at = p->in.have = 0;
	return 0;
}

/* ---- what is said ---- */

static void say(struct keeper_peer *p, const struct keeper_frame *f, const uint8_t *records)
{
	size_t len = records ? (size_t)f->count * KEEPER_RECORD_BYTES : 0;

	memcpy(p->out, f, sizeof *f);
	if (records)
		memcpy(p->out + sizeof *f, records, len);
	p->out_at = 0;
	p->out_len = sizeof *f + len;
}

static void say_state(struct keeper_peer *p)
{
	const struct events_rank *log = log_of(p);
	struct keeper_frame f = {
		.kind = KEEPER_STATE, .number = log->forgotten, .other = log->durable};

	if (!events_whole(p->events, p->hello.rank))
		f.flags = KEEPER_STATE_LOST;
	p->acknowledged = p->end = log->durable;
	p->next = p->hello.after + 1;
	p->state = p->hello.wants == KEEPER_BEGIN && p->next <= p->end ? PEER_GIVING : PEER_LIVE;
	say(p, &f, NULL);
}

static void say_records(struct keeper_peer *p)
{
	struct keeper_frame f = {.kind = KEEPER_RECORDS, .number = p->next};
	const uint8_t *records = events_piece(p->events, p->hello.rank, p->next, &f.count);

	if (f.count > p->end + 1 - p->next)
		f.count = (uint32_t)(p->end + 1 - p->next);
	p->next += f.count;
	if (p->next > p->end)
		p->state = PEER_LIVE;
	say(p, &f, records);
}

/* What is durable now may be of a newer incarnation: this one is told of none of it. */
static void say_next(struct keeper_peer *p)
{
	if (events_fenced(p->events, p->hello.rank, p->hello.incarnation))
		keeper_peer_refuse(p, KEEPER_FENCED);
	switch (p->state) {
	case PEER_OPENING:
		if (!log_of(p)->changed)
			say_state(p);
		break;
	case PEER_GIVING:
		say_records(p);
		break;
	case PEER_LIVE:
		if (log_of(p)->durable > p->acknowledged) {
			p->acknowledged = log_of(p)->durable;
			say(p,
				&(struct keeper_frame){
					.kind = KEEPER_ACK, .number = p->acknowledged},
				NULL);
		}
		break;
	default:
		if (!p->refusal_said)
			say(p, &p->refusal, NULL);
		p->refusal_said = true;
	}
}

const uint8_t *keeper_peer_out(struct keeper_peer *p, size_t *n)
{
	if (p->out_at == p->out_len)
		say_next(p);
	*n = p->out_len - p->out_at;
	return *n ? p->out + p->out_at : NULL;
}

void keeper_peer_sent(struct keeper_peer *p, size_t n)
{
	p->out_at += n;
}

bool keeper_peer_over(const struct keeper_peer *p)
{
	return p->refusal_said && p->out_at == p->out_len;
}
