/* SPDX-License-Identifier: BSD-3-Clause */
#include "heartbeat/record.h"

#include <limits.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

enum { PROVED_BYTES = RECORD_BYTES - RECORD_MAC_BYTES, LABEL_BYTES = 8 };

/* keeps these macs apart from those of the handshake, which has the same key */
static const char label_beat[LABEL_BYTES] = "beat";

void record_challenge(const uint8_t nonce[AUTH_NONCE_BYTES], uint8_t out[RECORD_CHALLENGE_BYTES])
{
	struct writer w = writer_over(out, RECORD_CHALLENGE_BYTES);

	writer_u32(&w, RECORD_MAGIC);
	writer_bytes(&w, nonce, AUTH_NONCE_BYTES);
}

int record_take_challenge(const uint8_t in[RECORD_CHALLENGE_BYTES], uint8_t nonce[AUTH_NONCE_BYTES])
{
	struct cursor c = cursor_over(in, RECORD_CHALLENGE_BYTES);

	if (cursor_u32(&c) != RECORD_MAGIC)
		return FT_EPROTO;
	cursor_bytes(&c, nonce, AUTH_NONCE_BYTES);
	return 0;
}

static void mac_of(const struct record_key *key, const uint8_t *nonce, const uint8_t *proved,
	uint8_t out[AUTH_MAC_BYTES])
{
	uint8_t msg[LABEL_BYTES + RECORD_SESSION_BYTES + AUTH_NONCE_BYTES + PROVED_BYTES];
	struct writer w = writer_over(msg, sizeof msg);

	writer_bytes(&w, label_beat, sizeof label_beat);
	writer_bytes(&w, key->session, sizeof key->session);
	writer_bytes(&w, nonce, AUTH_NONCE_BYTES);
	writer_bytes(&w, proved, PROVED_BYTES);
	auth_mac(key->secret, msg, sizeof msg, out);
}

void record_make(const struct record_key *key, const uint8_t nonce[AUTH_NONCE_BYTES],
	const struct record *r, uint8_t out[RECORD_BYTES])
{
	struct writer w = writer_over(out, RECORD_BYTES);
	uint8_t mac[AUTH_MAC_BYTES];

	writer_u32(&w, RECORD_MAGIC);
	writer_u16(&w, RECORD_VERSION);
	writer_u16(&w, r->leaving ? RECORD_LEAVING : 0);
	writer_u32(&w, r->epoch);
	writer_u32(&w, r->from);
	writer_u32(&w, r->to);
	writer_u32(&w, r->progress);
	writer_u64(&w, r->seq);
	mac_of(key, nonce, out, mac);
	writer_bytes(&w, mac, RECORD_MAC_BYTES);
}

/* The first half of a mac is sent. */
static bool proved(const struct record_key *key, const uint8_t *nonce, const uint8_t *in)
{
	uint8_t want[AUTH_MAC_BYTES], got[AUTH_MAC_BYTES];

	mac_of(key, nonce, in, want);
	memcpy(got, want, sizeof got);
	memcpy(got, in + PROVED_BYTES, RECORD_MAC_BYTES);
	return auth_equal(want, got);
}

int record_take(const struct record_key *key, const uint8_t nonce[AUTH_NONCE_BYTES],
	const uint8_t in[RECORD_BYTES], struct record *r)
{
	struct cursor c = cursor_over(in, RECORD_BYTES);
	uint16_t flags;

	if (cursor_u32(&c) != RECORD_MAGIC || cursor_u16(&c) != RECORD_VERSION)
		return FT_EPROTO;
	flags = cursor_u16(&c);
	if (flags & ~RECORD_LEAVING)
		return FT_EPROTO;
	if (!proved(key, nonce, in))
		return FT_EAUTH;
	r->leaving = flags & RECORD_LEAVING;
	r->epoch = cursor_u32(&c);
	r->from = cursor_u32(&c);
	r->to = cursor_u32(&c);
	r->progress = cursor_u32(&c);
	r->seq = cursor_u64(&c);
	return 0;
}

static bool gather(struct record_stream *s, const uint8_t **at, const uint8_t *end)
{
	size_t n = RECORD_BYTES - s->have, left = (size_t)(end - *at);

	if (n > left)
		n = left;
	memcpy(s->part + s->have, *at, n);
	*at += n;
	s->have += n;
	return s->have == RECORD_BYTES;
}

int record_next(struct record_stream *s, const struct record_reader *reader, const uint8_t **at,
	const uint8_t *end, struct record *r)
{
	int rc;

	if (!gather(s, at, end))
		return 0;
	s->have = 0;
	rc = record_take(reader->key, s->nonce, s->part, r);
	if (rc)
		return rc;
	if (r->epoch != reader->epoch)
		return FT_ESTALE;
	if (r->to != reader->self || r->from > INT_MAX || r->seq <= s->seq ||
		(s->from >= 0 && r->from != (uint32_t)s->from))
		return FT_EPROTO;
	s->from = (int)r->from;
	s->seq = r->seq;
	return 1;
}
