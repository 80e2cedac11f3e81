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
#include "handshake_talk.h"

struct scene h;

/* ---- the member's user ---- */

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	(void)user;
	(void)e;
	(void)length;
	h.messages[peer]++;
	return (struct tp_place){0};
}

static void on_held(void *user, struct tp_unexpected *held)
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

static bool on_withdraw(void *user, const struct tp_withdrawal *w)
{
	(void)user;
	return w->unexpected != NULL;
}

static enum tp_sync on_open(void *user, int peer, uint64_t sync)
{
	(void)user;
	(void)peer;
	(void)sync;
	return TP_SYNC_MATCHED;
}

static const struct tp_upcalls upcalls = {.match = on_match,
	.keep = on_held,
	.forget = on_held,
	.received = on_received,
	.sent = on_sent,
	.lost = on_lost,
	.notify = on_notify,
	.withdraw = on_withdraw,
	.open = on_open};

/* ---- sockets and turns ---- */

static void listen_as(int rank)
{
	struct net_address *a = &h.addresses[rank];
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
	struct handshake_job theirs = fuzz_job(script_u8(in) % RANKS);
	struct handshake ht;
	struct wire_challenge c = {.magic = WIRE_MAGIC};

	if (!t->ours) {
		handshake_hello(&ht, &theirs, &(struct handshake_peer){.rank = SELF});
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
	handshake_judge(t, before);
}

/* ---- a run ---- */

static void begin(void)
{
	struct handshake_job job = fuzz_job(SELF);
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
	lock_take(&h.lock);
	FUZZ_CHECK(h.tp && h.loop && tp_attach(h.tp, &phys) == 0, "no transport");
	lock_give(&h.lock);
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
	tp_detach(h.tp, TP_CLOSE);
	loop_free(h.loop);
	tp_free(h.tp);
	lock_fini(&h.lock);
	for (int rank = 0; rank < RANKS; rank++)
		if (rank != SELF)
			close(h.listeners[rank]);
}
