/* SPDX-License-Identifier: BSD-3-Clause */
/* Who must be attached, by what was said and heard alone. */
#include "handshake_talk.h"

enum tp_peer_state state_of(uint32_t rank)
{
	return h.tp->peers[rank].state;
}

static bool is_member(const struct wire_hello *hello)
{
	struct handshake_job job = fuzz_job(SELF);

	return hello->magic == WIRE_MAGIC && hello->version == WIRE_VERSION &&
	       memcmp(hello->session, job.session, sizeof job.session) == 0 &&
	       hello->epoch == EPOCH && hello->to == SELF && hello->from < RANKS &&
	       hello->from != SELF && hello->from_incarnation == 0 && hello->to_incarnation == 0;
}

/* Has this stranger proved to be a rank? */
static bool proved(const struct talk *t, uint32_t *rank)
{
	struct wire_hello hello;
	struct wire_challenge challenge;
	uint8_t want[PROOF];

	if (t->said.len < HELLO + PROOF || t->heard.len < CHALLENGE)
		return false;
	memcpy(&hello, t->said.bytes, sizeof hello);
	memcpy(&challenge, t->heard.bytes, sizeof challenge);
	*rank = hello.from;
	handshake_mac("connect", &hello, challenge.nonce, want);
	return is_member(&hello) && memcmp(want, t->said.bytes + HELLO, PROOF) == 0;
}

/* Did we answer a call of the member's as its peer must, and how? 0: not. */
static uint32_t verdict_given(const struct talk *t)
{
	struct wire_hello hello;
	struct wire_challenge challenge;
	struct wire_verdict verdict;
	uint8_t want[AUTH_MAC_BYTES];

	if (t->said.len < CHALLENGE + VERDICT || t->heard.len < HELLO)
		return 0;
	memcpy(&hello, t->heard.bytes, sizeof hello);
	memcpy(&challenge, t->said.bytes, sizeof challenge);
	memcpy(&verdict, t->said.bytes + CHALLENGE, sizeof verdict);
	handshake_mac("accept", &hello, challenge.nonce, want);
	if (challenge.magic != WIRE_MAGIC || memcmp(want, challenge.mac, sizeof want) != 0)
		return 0;
	return verdict.magic == WIRE_MAGIC ? verdict.code : 0;
}

static uint32_t verdict_heard(const struct talk *t)
{
	struct wire_verdict v = {0};

	if (t->heard.len >= CHALLENGE + VERDICT)
		memcpy(&v, t->heard.bytes + CHALLENGE, sizeof v);
	return v.magic == WIRE_MAGIC ? v.code : 0;
}

/* Who is in, and has said a first frame in the same breath as the last word, was heard. */
static void judge_first_frame(const struct talk *t, uint32_t rank, size_t at)
{
	bool said = t->said.len >= at + sizeof first_frame &&
		    memcmp(t->said.bytes + at, &first_frame, sizeof first_frame) == 0;

	FUZZ_CHECK(!said || h.messages[rank] == 1, "the first frame is lost");
}

/* The member has connected to us, who are this rank, and we have sent a challenge: only then may it
 * prefer that connection to another one. */
static bool has_challenged(uint32_t rank)
{
	for (int i = 0; i < TALKS; i++) {
		const struct talk *t = &h.talks[i];

		if (t->ours && t->rank == rank && t->said.len >= CHALLENGE)
			return true;
	}
	return false;
}

/* A stranger has spoken; `before` was the state of all peers. */
static void judge_unauthenticated(struct talk *t, const enum tp_peer_state *before)
{
	uint32_t rank, heard = verdict_heard(t);
	bool busy, welcome;

	if (!proved(t, &rank)) {
		FUZZ_CHECK(!heard, "a verdict for somebody who proved nothing");
		return;
	}
	t->over = true;
	busy = before[rank] == TP_CONNECTING && rank > SELF && has_challenged(rank) &&
	       heard == WIRE_BUSY;
	welcome = !busy && before[rank] != TP_UP && before[rank] != TP_LOST;
	FUZZ_CHECK(heard == (busy	      ? WIRE_BUSY
				    : welcome ? WIRE_WELCOME
					      : 0u),
		"rank %u, which was in state %d, was told %u", rank, before[rank], heard);
	h.proved[rank] |= welcome;
	FUZZ_CHECK(!welcome || state_of(rank) == TP_UP || state_of(rank) == TP_LOST,
		"a member was not let in");
	if (welcome)
		judge_first_frame(t, rank, HELLO + PROOF);
}

static void judge_call(struct talk *t, const enum tp_peer_state *before)
{
	uint32_t code = verdict_given(t);
	bool waits = before[t->rank] == TP_CONNECTING || before[t->rank] == TP_AWAITING;

	if (t->said.len < CHALLENGE + VERDICT || !waits)
		return;
	t->over = true;
	h.proved[t->rank] |= code == WIRE_WELCOME;
	if (code == WIRE_WELCOME) {
		FUZZ_CHECK(state_of(t->rank) == TP_UP || state_of(t->rank) == TP_LOST,
			"WELCOME, and it is not attached");
		judge_first_frame(t, t->rank, CHALLENGE + VERDICT);
	}
	if (code == WIRE_BUSY && before[t->rank] == TP_CONNECTING)
		FUZZ_CHECK(state_of(t->rank) == TP_AWAITING, "BUSY, and it does not wait");
}

void handshake_judge(struct talk *t, const enum tp_peer_state *before)
{
	if (!t->over && t->fd >= 0)
		(t->ours ? judge_call : judge_unauthenticated)(t, before);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		FUZZ_CHECK(
			h.proved[rank] || state_of(rank) != TP_UP, "a stranger is rank %u", rank);
		FUZZ_CHECK(h.proved[rank] || !h.messages[rank], "a message of a stranger");
	}
}
