/* SPDX-License-Identifier: BSD-3-Clause */
/* What the script makes the peers of the frames target say. */
#include <errno.h>
#include <sys/socket.h>

#include "frames.h"

enum { PIECES = 200, FED_MOST = 2 << 20 };

size_t frames_longer(size_t n, unsigned shift)
{
	return n << (shift % 8);
}

/* The first n bytes (0: all) of what is pending, in pieces while there are PIECES left in this run.
 */
void say_feed(struct side *s, size_t n, size_t piece)
{
	if (n == 0 || n > s->pending.len)
		n = s->pending.len;
	for (size_t at = 0; at < n && !s->lost && !s->closed; frames_settle()) {
		size_t len = n - at < piece || frames.pieces > PIECES ? n - at : piece;
		ssize_t done = send(s->fd, s->pending.at + at, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		frames.pieces++;
		if (done < 0 && errno != EAGAIN)
			break;
		if (done > 0) {
			bytes_add(&s->fed, s->pending.at + at, (size_t)done);
			at += (size_t)done;
		}
	}
	bytes_drop(&s->pending, n);
}

void say_add_body(struct side *s, size_t len)
{
	len = len < BODY_MOST ? len : BODY_MOST;
	if (s->fed.len + s->pending.len + len <= FED_MOST)
		bytes_add(&s->pending, frames_body((unsigned)s->pending.len + 1), len);
}

/* An id that the peer can know, or nearly: from 128 on they are those that the other one knows. */
static uint64_t known_id(const struct side *s, enum wire_kind kind, uint8_t which)
{
	if (kind == WIRE_DATA)
		return s->ncts ? s->cts[which % s->ncts].peer_id : 0;
	if (kind == WIRE_WITHDRAW)
		return s->known ? s->messages[which % s->known].id : 0;
	return s->nsends ? s->sends[which % s->nsends]->id : 0;
}

static const struct side *whose(const struct side *s, uint8_t which)
{
	return which < 128 ? s : &frames.sides[s->rank == 0 ? 2 : 0];
}

/* That the DATA for a CTS must have. */
static uint64_t asked_length(const struct side *s, uint64_t peer_id)
{
	for (size_t i = 0; i < s->ncts; i++)
		for (size_t k = 0; s->cts[i].peer_id == peer_id && k < s->known; k++)
			if (is_announced(s->messages[k].kind) && s->messages[k].id == s->cts[i].id)
				return s->messages[k].length;
	return 0;
}

/* The next number, if all of what is pending were frames of our making. */
static uint64_t next_seq(const struct side *s)
{
	return s->seq_in + s->queued_messages + 1;
}

enum { FRAME_BODY = 1, FRAME_CHANGED = 2, FRAME_CREDIT = 4, FRAME_ID = 8 };

/* The first ten kinds, and the last bytes: SYNC, MATCHED, OPEN. */
static uint8_t kind_of(uint8_t byte)
{
	return byte >= 253 ? (uint8_t)(WIRE_SYNC + byte - 253) : byte % 10;
}

/* kind, how, length, which id; then as `how` says: credit, a changed byte. Of itself it is what the
 * peer may say. */
void say_add_frame(struct side *s, struct script *in, uint8_t tag)
{
	struct wire_frame f = {.kind = kind_of(script_u8(in)), .epoch = EPOCH, .envelope = {tag}};
	uint8_t how = script_u8(in), which;
	size_t at;

	f.length = frames_longer(script_u16(in), how >> 4);
	which = script_u8(in);
	if (f.kind == WIRE_EAGER || is_announced(f.kind))
		f.seq = next_seq(s);
	if (f.kind == WIRE_CTS)
		f.length %= 2;
	f.id = is_announced(f.kind) || f.kind == WIRE_OPEN || (how & FRAME_ID)
		       ? which
		       : known_id(whose(s, which), f.kind, which & 127);
	f.peer_id = f.kind == WIRE_DATA ? f.id : which;
	if (f.kind == WIRE_DATA)
		f.length = asked_length(whose(s, which), f.id);
	if (how & FRAME_CREDIT)
		f.credit = (uint32_t)frames_longer(script_u8(in), 6);
	if (how & FRAME_CHANGED) {
		at = script_u8(in) % sizeof f;
		((uint8_t *)&f)[at] ^= script_u8(in);
	}
	bytes_add(&s->pending, &f, sizeof f);
	s->queued_messages += f.kind == WIRE_EAGER || is_announced(f.kind);
	if ((how & FRAME_BODY) && (f.kind == WIRE_EAGER || f.kind == WIRE_DATA))
		say_add_body(s, f.length < BODY_MOST ? (size_t)f.length : BODY_MOST);
}

void say_add_raw(struct side *s, struct script *in)
{
	const uint8_t *bytes;
	size_t n = script_bytes(in, &bytes, script_u8(in));

	bytes_add(&s->pending, bytes, n);
}
