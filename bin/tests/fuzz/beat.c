/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes over an accepted connection for heartbeats, in any pieces: beats that are right,
 * spoiled, replayed, of others, or any bytes. Nothing is believed but what was made with the secret
 * for this connection, once.
 *
 * A step: a kind; then for BEAT what is wrong with it (0: nothing), and numbers; for RAW bytes.
 */
#include "base/error.h"
#include "fuzz.h"
#include "heartbeat/record.h"

enum { EPOCH = 4, SELF = 2, STREAM_MOST = 64 * RECORD_BYTES };

enum step { BEAT, RAW, REPLAY, PIECES, STEPS };

enum wrong { NOTHING, BIT, OTHER_EPOCH, OTHER_RECEIVER, OTHER_NONCE, OTHER_SECRET, HUGE_SENDER };

/* What was sent, and what of it must come out: up to the first byte that is wrong. */
static uint8_t sent[STREAM_MOST];
static size_t nsent;
static struct record right[STREAM_MOST / RECORD_BYTES];
static int nright;
static bool spoiled;
static int why; /* the error that must come; 1: any */

static const struct record_key key = {{7}, {9}};
static uint8_t nonce[AUTH_NONCE_BYTES] = {3};

static void spoil(int rc)
{
	if (!spoiled)
		why = rc;
	spoiled = true;
}

static void append(const uint8_t *bytes, size_t len)
{
	if (nsent + len > sizeof sent)
		return;
	memcpy(sent + nsent, bytes, len);
	nsent += len;
}

/* Would the beat be taken, were all before it? */
static void expect(const struct record *r)
{
	const struct record *last = nright ? &right[nright - 1] : NULL;

	if (r->epoch != EPOCH)
		spoil(FT_ESTALE);
	else if (r->to != SELF || r->from > INT32_MAX || r->seq <= (last ? last->seq : 0) ||
		 (last && last->from != r->from))
		spoil(FT_EPROTO);
	else if (!spoiled)
		right[nright++] = *r;
}

static void add_beat(struct script *in)
{
	enum wrong wrong = script_u8(in) % 16;
	struct record r = {.epoch = wrong == OTHER_EPOCH ? EPOCH - 1 : EPOCH,
		.from = wrong == HUGE_SENDER ? 0x80000000u : script_u8(in) % 2,
		.to = wrong == OTHER_RECEIVER ? SELF + 1 : SELF,
		.seq = script_u8(in),
		.progress = script_u16(in),
		.leaving = script_u8(in) & 1};
	struct record_key k = key;
	uint8_t n[AUTH_NONCE_BYTES], out[RECORD_BYTES];
	uint8_t at = script_u8(in) % RECORD_BYTES, bit = script_u8(in) % 8;

	if (nsent + RECORD_BYTES > sizeof sent)
		return;
	memcpy(n, nonce, sizeof n);
	n[5] ^= wrong == OTHER_NONCE;
	k.secret[9] ^= wrong == OTHER_SECRET;
	record_make(&k, n, &r, out);
	if (wrong == BIT) {
		out[at] ^= (uint8_t)(1 << bit);
		spoil(1);
	} else if (wrong == OTHER_NONCE || wrong == OTHER_SECRET) {
		spoil(FT_EAUTH);
	} else {
		expect(&r);
	}
	append(out, sizeof out);
}

/* Any bytes: the beat that they begin, or are the middle of, is none. */
static void add_raw(struct script *in)
{
	const uint8_t *bytes;
	size_t n = script_bytes(in, &bytes, 1 + script_u8(in) % 64);

	append(bytes, n);
	if (n)
		spoil(1);
}

static void replay(void)
{
	uint8_t again[RECORD_BYTES];

	if (nsent < RECORD_BYTES || nsent + RECORD_BYTES > sizeof sent)
		return;
	memcpy(again, sent + nsent - RECORD_BYTES, sizeof again);
	spoil(FT_EPROTO);
	append(again, sizeof again);
}

static void check_beat(const struct record *r, int i)
{
	const struct record *want = &right[i];

	FUZZ_CHECK(i < nright, "beat %d was believed", i);
	FUZZ_CHECK(r->epoch == EPOCH && r->to == SELF && r->from == want->from &&
			   r->seq == want->seq && r->progress == want->progress &&
			   r->leaving == want->leaving,
		"beat %d is another one", i);
}

static void read_all(size_t piece)
{
	struct record_stream s = {.from = -1};
	struct record_reader reader = {&key, EPOCH, SELF};
	int taken = 0, rc = 0;

	memcpy(s.nonce, nonce, sizeof nonce);
	for (size_t at = 0; rc >= 0 && at < nsent; at += piece) {
		const uint8_t *p = sent + at;
		const uint8_t *end = nsent - at < piece ? sent + nsent : p + piece;
		struct record r;

		while ((rc = record_next(&s, &reader, &p, end, &r)) > 0)
			check_beat(&r, taken++);
		FUZZ_CHECK(rc < 0 || p == end, "bytes were left");
	}
	FUZZ_CHECK(taken == nright, "%d of %d beats", taken, nright);
	FUZZ_CHECK(rc <= 0 && (rc == 0 || spoiled), "refused with %d", rc);
	FUZZ_CHECK(!spoiled || why == 1 || rc == why, "%d, not %d", rc, why);
}

static void check_challenge(const uint8_t *data, size_t size)
{
	uint8_t said[RECORD_CHALLENGE_BYTES] = {0}, back[RECORD_CHALLENGE_BYTES];
	uint8_t got[AUTH_NONCE_BYTES];

	memcpy(said, data, size < sizeof said ? size : sizeof said);
	if (record_take_challenge(said, got) != 0)
		return;
	record_challenge(got, back);
	FUZZ_CHECK(memcmp(said, back, sizeof said) == 0, "another challenge");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	size_t piece = 1 + script_u8(&in) % 100;

	FUZZ_CHECK(auth_init() == 0, "no libsodium");
	check_challenge(data, size);
	nsent = 0;
	nright = 0;
	spoiled = false;
	while (!script_ended(&in))
		switch ((enum step)(script_u8(&in) % STEPS)) {
		case BEAT:
			add_beat(&in);
			break;
		case RAW:
			add_raw(&in);
			break;
		case REPLAY:
			replay();
			break;
		default:
			piece = 1 + script_u8(&in) % 100;
		}
	read_all(piece);
	return 0;
}
