/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/frames.h"

#include <string.h>

#include "base/error.h"

uint8_t *frames_room(struct frames *in, size_t *room)
{
	if (in->at > 0) {
		in->have -= in->at;
		memmove(in->bytes, in->bytes + in->at, in->have);
		in->at = 0;
	}
	*room = sizeof in->bytes - in->have;
	return in->bytes + in->have;
}

void frames_came(struct frames *in, size_t n)
{
	in->have += n;
}

bool frames_take(struct frames *in, void *out, size_t n)
{
	if (in->have - in->at < n)
		return false;
	memcpy(out, in->bytes + in->at, n);
	in->at += n;
	return true;
}

/* What each kind of frame may have beside its number. */
static const struct {
	enum frames_sender sender;
	bool records, other;
	uint8_t flags_most;
} kinds[KEEPER_KIND_END] = {
	[KEEPER_TELL] = {FRAMES_OF_RANK, true, false, 0},
	[KEEPER_FORGET] = {FRAMES_OF_RANK, false, false, 0},
	[KEEPER_FEED] = {FRAMES_OF_RANK, false, true, 0},
	[KEEPER_STATE] = {FRAMES_OF_KEEPER, false, true, KEEPER_STATE_LOST},
	[KEEPER_RECORDS] = {FRAMES_OF_KEEPER, true, false, 0},
	[KEEPER_ACK] = {FRAMES_OF_KEEPER, false, false, 0},
	[KEEPER_REFUSED] = {FRAMES_OF_KEEPER, false, true, KEEPER_FRAME},
};

static bool makes_sense(const struct keeper_frame *f, enum frames_sender sender)
{
	if (f->kind == 0 || f->kind >= KEEPER_KIND_END || kinds[f->kind].sender != sender)
		return false;
	if (f->zero[0] || f->zero[1] || f->flags > kinds[f->kind].flags_most)
		return false;
	if (f->number > KEEPER_NUMBER_MAX || f->other > KEEPER_NUMBER_MAX)
		return false;
	if (f->other && !kinds[f->kind].other)
		return false;
	if (!kinds[f->kind].records)
		return f->count == 0;
	return f->number > 0 && f->count > 0 && f->count <= KEEPER_WINDOW;
}

int frames_next(struct frames *in, enum frames_sender sender, struct keeper_frame *frame,
	const uint8_t **records)
{
	size_t here = in->have - in->at, len;

	if (here < sizeof *frame)
		return 0;
	memcpy(frame, in->bytes + in->at, sizeof *frame);
	if (!makes_sense(frame, sender))
		return FT_EPROTO;
	len = (size_t)frame->count * KEEPER_RECORD_BYTES;
	if (here - sizeof *frame < len)
		return 0;
	*records = in->bytes + in->at + sizeof *frame;
	in->at += sizeof *frame + len;
	return 1;
}
