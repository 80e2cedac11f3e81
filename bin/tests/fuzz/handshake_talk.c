/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole conversations: a member listens, accepts and connects (over sockets of the Unix domain, in
 * one thread), and the script plays the others. What each of them said is kept; who is attached
 * after a step is worked out from that alone and compared. Attempts have no time, so that one that
 * fails is the last: nothing here depends on a clock.
 */
#include <event2/event.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "handshake.h"
#include "transport/tp.h"

enum { TALKS = 6, LOG_BYTES = 512, STEPS = 60, PASSES = 5 };
enum { HELLO = sizeof(struct wire_hello), CHALLENGE = sizeof(struct wire_challenge) };
enum { PROOF = sizeof(struct wire_proof), VERDICT = sizeof(struct wire_verdict) };

struct log {
	size_t len;
	uint8_t bytes[LOG_BYTES];
};

struct talk {
	int fd;	   /* -1: not there */
	bool ours; /* the member connected to us, who are this rank */
	bool over;
	uint32_t rank;
	struct log said, heard;
};

static struct {
	struct tp *tp;
	struct loop *loop;
	struct lock lock;
	int listeners[RANKS];
	struct tp_address addresses[RANKS];
	struct talk talks[TALKS];
	bool proved[RANKS];
	unsigned messages[RANKS];
} h;

/* ---- the member's user ---- */

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	(void)user;
	(void)e;
	(void)length;
	h.messages[peer]++;
	return (struct tp_place){0};
}

static void on_held(void *user, struct tp_held *held)
{
	(void)user;
	(void)held;
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	(void)user;
	(void)cookie;
	(void)length;
	(void)rc;
}

static void on_sent(void *user, void *cookie, int rc)
{
	(void)user;
	(void)cookie;
	(void)rc;
}

static void on_lost(void *user, int peer, const char *why)
{
	(void)user;
	FUZZ_CHECK(peer != SELF && why && *why, "lost without a reason");
}

static void on_notify(void *user)
{
	(void)user;
}

static const struct tp_upcalls upcalls = {
	on_match, on_held, on_held, on_received, on_sent, on_lost, on_notify};

/* ---- sockets and turns ---- */

static void listen_as(int rank)
{
	struct tp_address *a = &h.addresses[rank];
	sa_family_t family = AF_UNIX;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	a->len = sizeof a->addr;
	FUZZ_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&family, sizeof family) == 0 &&
			   listen(fd, 16) == 0 &&
			   getsockname(fd, (struct sockaddr *)&a->addr, &a->len) == 0,
		"no listening socket");
	h.listeners[rank] = fd;
}

static void hear(struct talk *t)
{
	ssize_t n =
		recv(t->fd, t->heard.bytes + t->heard.len, LOG_BYTES - t->heard.len, MSG_DONTWAIT);

	if (n > 0)
		t->heard.len += (size_t)n;
}

static void turn(void)
{
	for (int pass = 0; pass < PASSES; pass++) {
		event_base_loop(loop_base(h.loop), EVLOOP_NONBLOCK);
		lock_take(&h.lock);
		tp_flush(h.tp);
		tp_look(h.tp, -1);
		lock_give(&h.lock);
	}
	for (int i = 0; i < TALKS; i++)
		if (h.talks[i].fd >= 0)
			hear(&h.talks[i]);
}

static void say(struct talk *t, const void *bytes, size_t len)
{
	if (len > LOG_BYTES - t->said.len)
		len = LOG_BYTES - t->said.len;
	memcpy(t->said.bytes + t->said.len, bytes, len);
	t->said.len += len;
	send(t->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- who must be attached ---- */

static enum tp_peer_state state_of(uint32_t rank)
{
	return h.tp->peers[rank].state;
}

static bool is_member(const struct wire_hello *hello)
{
	struct hs_job job = handshake_job(SELF);

	return hello->magic == WIRE_MAGIC && hello->version == WIRE_VERSION && !hello->zero &&
	       memcmp(hello->session, job.session, sizeof job.session) == 0 &&
	       hello->epoch == EPOCH && hello->to == SELF && hello->from < RANKS &&
	       hello->from != SELF;
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

static const struct wire_frame first_frame = {.kind = WIRE_EAGER, .epoch = EPOCH, .seq = 1};

/* Who is in, and has said a first frame in the same breath as the last word, was heard. */
static void judge_first_frame(const struct talk *t, uint32_t rank, size_t at)
{
	bool said = t->said.len >= at + sizeof first_frame &&
		    memcmp(t->said.bytes + at, &first_frame, sizeof first_frame) == 0;

	FUZZ_CHECK(!said || h.messages[rank] == 1, "the first frame is lost");
}

/* A stranger has spoken; `before` was the state of all peers. */
static void judge_stranger(struct talk *t, const enum tp_peer_state *before)
{
	uint32_t rank, heard = verdict_heard(t);
	bool busy, welcome;

	if (!proved(t, &rank)) {
		FUZZ_CHECK(!heard, "a verdict for somebody who proved nothing");
		return;
	}
	t->over = true;
	busy = before[rank] == TP_CONNECTING && rank > SELF;
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

static void judge(struct talk *t, const enum tp_peer_state *before)
{
	if (!t->over && t->fd >= 0)
		(t->ours ? judge_call : judge_stranger)(t, before);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		FUZZ_CHECK(
			h.proved[rank] || state_of(rank) != TP_UP, "a stranger is rank %u", rank);
		FUZZ_CHECK(h.proved[rank] || !h.messages[rank], "a message of a stranger");
	}
}

/* ---- what the script does ---- */

static void hang_up(struct talk *t)
{
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct talk){.fd = -1};
}

static void connect_in(struct talk *t)
{
	hang_up(t);
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	FUZZ_CHECK(t->fd >= 0 && connect(t->fd, (struct sockaddr *)&h.addresses[SELF].addr,
					 h.addresses[SELF].len) == 0,
		"cannot connect");
}

/* The member has something for us. */
static void call_us(struct talk *t, uint32_t rank)
{
	static const struct tp_envelope e;

	if (rank == SELF)
		return;
	hang_up(t);
	lock_take(&h.lock);
	tp_send(h.tp, (int)rank, &e, "12345678", 8, 0, &h);
	lock_give(&h.lock);
	turn();
	*t = (struct talk){.fd = accept4(h.listeners[rank], NULL, NULL, SOCK_CLOEXEC),
		.ours = true,
		.rank = rank};
}

static void say_first(struct talk *t, struct script *in)
{
	struct hs_job theirs = handshake_job(script_u8(in) % RANKS);
	struct hs_talk ht;
	struct wire_challenge c = {.magic = WIRE_MAGIC};

	if (!t->ours) {
		hs_hello(&ht, &theirs, SELF);
		handshake_spoil(in, &ht.hello, sizeof ht.hello);
		say(t, &ht.hello, sizeof ht.hello);
		return;
	}
	if (t->heard.len >= HELLO) {
		memset(c.nonce, 0x77, sizeof c.nonce);
		memcpy(&ht.hello, t->heard.bytes, HELLO);
		handshake_mac("accept", &ht.hello, c.nonce, c.mac);
	}
	handshake_spoil(in, &c, sizeof c);
	say(t, &c, sizeof c);
}

/* The last word, and perhaps the first frame in the same breath. */
static void say_last(struct talk *t, struct script *in)
{
	uint8_t last[PROOF + sizeof first_frame] = {0};
	struct wire_verdict v = {.magic = WIRE_MAGIC, .code = t->ours ? script_u8(in) : 0};
	size_t len = t->ours ? sizeof v : PROOF;
	struct wire_hello hello;

	if (t->ours) {
		memcpy(last, &v, sizeof v);
	} else if (t->heard.len >= CHALLENGE && t->said.len >= HELLO) {
		memcpy(&hello, t->said.bytes, sizeof hello);
		handshake_mac("connect", &hello,
			t->heard.bytes + offsetof(struct wire_challenge, nonce), last);
	}
	handshake_spoil(in, last, len);
	memcpy(last + len, &first_frame, sizeof first_frame);
	say(t, last, len + (script_u8(in) & 1 ? sizeof first_frame : 0));
}

static void say_raw(struct talk *t, struct script *in)
{
	const uint8_t *bytes;
	size_t n = script_bytes(in, &bytes, script_u8(in));

	say(t, bytes, n);
}

static void step(struct script *in)
{
	uint8_t what = script_u8(in);
	struct talk *t = &h.talks[(what >> 4) % TALKS];
	enum tp_peer_state before[RANKS];

	for (uint32_t rank = 0; rank < RANKS; rank++)
		before[rank] = state_of(rank);
	if (what % 8 == 0)
		connect_in(t);
	else if (what % 8 == 1)
		call_us(t, script_u8(in) % RANKS);
	else if (what % 8 == 2)
		hang_up(t);
	else if (t->fd >= 0)
		(what % 8 == 3 ? say_raw : what & 1 ? say_first : say_last)(t, in);
	turn();
	judge(t, before);
}

/* ---- a run ---- */

static void begin(void)
{
	struct hs_job job = handshake_job(SELF);
	struct tp_config config = {.self = SELF,
		.size = RANKS,
		.eager_limit = 64,
		.unexpected_limit = 4096,
		.lock = &h.lock,
		.up = &upcalls};
	struct tp_physical phys = {.addresses = h.addresses,
		.session = job.session,
		.secret = job.secret,
		.epoch = EPOCH};

	memset(&h, 0, sizeof h);
	lock_init(&h.lock);
	for (int i = 0; i < TALKS; i++)
		h.talks[i].fd = -1;
	for (int rank = 0; rank < RANKS; rank++)
		listen_as(rank);
	h.tp = tp_new(&config);
	phys.loop = h.loop = loop_new("fuzz");
	phys.listen_fd = h.listeners[SELF];
	FUZZ_CHECK(h.tp && h.loop && tp_attach(h.tp, &phys) == 0, "no transport");
}

void handshake_talk(struct script *in)
{
	begin();
	for (int i = 0; i < STEPS && !script_ended(in); i++)
		step(in);
	for (int i = 0; i < TALKS; i++)
		hang_up(&h.talks[i]);
	turn();
	for (uint32_t rank = 0; rank < RANKS; rank++)
		FUZZ_CHECK(state_of(rank) != TP_UP, "its connection is gone, and it is there");
	tp_detach(h.tp, false);
	loop_free(h.loop);
	tp_free(h.tp);
	lock_fini(&h.lock);
	for (int rank = 0; rank < RANKS; rank++)
		if (rank != SELF)
			close(h.listeners[rank]);
}
