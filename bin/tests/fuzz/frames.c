/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames target's script. An input begins with one byte of settings; then come steps: a byte
 * whose low nibble is the kind of step, bits 4 and 5 the tag, bit 6 the peer, and the arguments of
 * the step.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "frames.h"

enum { STEPS = 200, PIECES = 200, FED_MOST = 2 << 20, TURNS_MOST = 100000, SMALL_BUFFER = 4096 };
enum {
	SET_SMALL_BUFFERS = 1,
	SET_WIDE = 2,
	SET_CLAIM_AT_ONCE = 4,
	SET_SEND_BACK = 8,
	SET_TAKE_EARLY = 16
};

struct frames frames;

/* ---- one step is over when nothing moves any more ---- */

static void judge_end(struct side *s)
{
	bool orderly = frames.bye && s->bye_in;

	if (s->closed || s->blind || s->judged)
		return;
	s->judged = s->lost;
	FUZZ_CHECK(s->lost || !s->bad, "rank %d broke the protocol and was believed", s->rank);
	FUZZ_CHECK(s->bad || !s->lost, "rank %d kept to the protocol and was lost", s->rank);
	FUZZ_CHECK(!s->lost || s->lost_calls == !orderly, "lost was told %d times", s->lost_calls);
}

static void remember(struct side *s)
{
	s->credit_out_old = s->credit_out;
	s->eager_out_old = s->eager_out;
	for (size_t i = 0; i < s->nsends; i++) {
		s->sends[i]->old = s->sends[i]->id != 0;
		s->sends[i]->data_old = s->sends[i]->data_seen;
	}
	for (size_t i = 0; i < s->ncts; i++)
		s->cts[i].old = true;
}

static bool move(void)
{
	bool moved = tp_look(frames.tp, -1);

	for (int rank = 0; rank < RANKS; rank++)
		if (rank != SELF)
			moved |= out_drain(&frames.sides[rank]);
	return moved;
}

void frames_settle(void)
{
	struct tp_counts counts;
	int turns = 0;

	for (int still = 0; still < 2; still = move() ? 0 : still + 1)
		FUZZ_CHECK(++turns < TURNS_MOST, "it does not come to rest");
	for (int rank = 0; rank < RANKS; rank++) {
		struct side *s = &frames.sides[rank];

		if (rank != SELF) {
			out_read(s);
			model_read(s);
			out_check(s);
			judge_end(s);
		}
		user_check(s);
		remember(s);
	}
	tp_read_counts(frames.tp, &counts);
	FUZZ_CHECK(counts.unexpected_bytes <= (uint64_t)frames.window * (RANKS - 1),
		"%zu bytes are held", (size_t)counts.unexpected_bytes);
}

static void close_end(struct side *s)
{
	if (s->closed)
		return;
	close(s->fd);
	s->closed = true;
	s->stalled = false;
	frames_settle();
	user_check_answered(s);
}

/* ---- what the user does besides (frames_user.c) ---- */

static void say_bye(void)
{
	frames.bye = true;
	tp_bye(frames.tp);
}

/* What both sides gave up by their BYE is answered. */
static void finished(void)
{
	for (size_t i = 0; i < frames.nsends; i++)
		frames.sends[i].given_up |= frames.bye && frames.sends[i].to->bye_in;
	tp_finished(frames.tp);
}

enum step_kind {
	STEP_FRAME,
	STEP_RAW,
	STEP_BODY,
	STEP_FEED,
	STEP_FEED_PIECES,
	STEP_POST,
	STEP_DROP,
	STEP_SEND,
	STEP_WITHDRAW,
	STEP_STALL,
	STEP_BYE,
	STEP_CLOSE,
	STEP_SLEEP,
	STEP_SEND_SELF,
	STEP_FINISHED,
	STEP_EXPECT
};

static void peer_step(enum step_kind kind, struct side *s, uint8_t tag, struct script *in)
{
	switch (kind) {
	case STEP_FRAME:
		say_add_frame(s, in, tag);
		break;
	case STEP_RAW:
		say_add_raw(s, in);
		break;
	case STEP_BODY:
		say_add_body(s, frames_longer(script_u16(in), tag * 2));
		break;
	case STEP_FEED:
		say_feed(s, script_u16(in), SIZE_MAX);
		s->queued_messages = 0;
		break;
	case STEP_FEED_PIECES:
		say_feed(s, 0, script_u8(in) + 1u);
		s->queued_messages = 0;
		break;
	case STEP_STALL:
		s->stalled = !s->stalled;
		break;
	case STEP_CLOSE:
		close_end(s);
		break;
	default:
		tp_look(frames.tp, s->rank);
	}
}

static void user_step(enum step_kind kind, struct side *s, uint8_t tag, struct script *in)
{
	size_t len;

	switch (kind) {
	case STEP_POST:
		len = script_u16(in);
		user_post(tag, frames_longer(len, script_u8(in)));
		break;
	case STEP_DROP:
		user_drop(tag);
		break;
	case STEP_SEND:
	case STEP_SEND_SELF:
		len = frames_longer(script_u16(in), tag);
		user_send(kind == STEP_SEND ? s->rank : SELF, tag, len, script_u8(in) & TP_SYNC);
		break;
	case STEP_WITHDRAW:
		user_withdraw(script_u8(in));
		break;
	case STEP_BYE:
		say_bye();
		break;
	case STEP_SLEEP:
		tp_kick(frames.tp);
		tp_sleep(frames.tp, 0);
		break;
	case STEP_FINISHED:
		finished();
		break;
	default:
		break;
	}
}

static void step(struct script *in)
{
	uint8_t what = script_u8(in), tag = what >> 4 & 3;
	enum step_kind kind = what & 15;
	struct side *s = &frames.sides[what & 64 ? 2 : 0];
	bool is_peer = kind <= STEP_FEED_PIECES || kind == STEP_STALL || kind == STEP_CLOSE ||
		       kind == STEP_EXPECT;

	(is_peer ? peer_step : user_step)(kind, s, tag, in);
	frames_settle();
}

/* ---- a run ---- */

static int attach(void)
{
	static const uint8_t session[WIRE_SESSION_BYTES], secret[AUTH_KEY_BYTES];
	static const struct net_address addresses[RANKS];
	struct tp_physical phys = {.loop = frames.loop = loop_new("fuzz"),
		.listen_fd = -1,
		.addresses = addresses,
		.session = session,
		.secret = secret,
		.epoch = EPOCH};

	return frames.loop ? tp_attach(frames.tp, &phys) : FT_ENOMEM;
}

static void connect_side(int rank, bool small)
{
	int fds[2], size = SMALL_BUFFER;
	struct side *s = &frames.sides[rank];

	s->rank = rank;
	if (rank == SELF)
		return;
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0, "no socket pair");
	s->fd = fds[0];
	if (small)
		setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	tp_peer_up(frames.tp, &frames.tp->peers[rank], fds[1]);
}

static void begin(uint8_t settings)
{
	memset(&frames, 0, sizeof frames);
	frames.window = settings & SET_WIDE ? 4 << 20 : 32768;
	frames.eager_limit = settings & SET_WIDE ? 1 << 20 : 8192;
	frames.claim_at_once = settings & SET_CLAIM_AT_ONCE;
	frames.send_back = settings & SET_SEND_BACK;
	frames.take_early = settings & SET_TAKE_EARLY;
	lock_init(&frames.lock);
	frames.tp = tp_new(&(struct tp_config){.self = SELF,
		.size = RANKS,
		.eager_limit = frames.eager_limit,
		.unexpected_limit = frames.window,
		.lock = &frames.lock,
		.up = &frames_upcalls});
	lock_take(&frames.lock);
	FUZZ_CHECK(frames.tp && attach() == 0, "no transport");
	for (int rank = 0; rank < RANKS; rank++)
		connect_side(rank, settings & SET_SMALL_BUFFERS);
}

/* Of what is held some is claimed while its sender lives, some later, some never. */
static void claim_held(size_t turn)
{
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < frames.sides[rank].matched; i++)
			if (frames.sides[rank].messages[i].held && i % 3 == turn)
				user_claim(&frames.sides[rank].messages[i], 64 * i);
	frames_settle();
}

static void finish(void)
{
	for (int rank = 0; rank < RANKS; rank++)
		frames.sides[rank].stalled = false;
	frames_settle();
	for (int rank = 0; rank < RANKS; rank++)
		say_feed(&frames.sides[rank], 0, SIZE_MAX);
	claim_held(0);
	for (int rank = 0; rank < RANKS; rank++)
		if (rank != SELF)
			close_end(&frames.sides[rank]);
	claim_held(1);
	FUZZ_CHECK(tp_finished(frames.tp), "all are gone, and it is not finished");
	lock_give(&frames.lock);
	tp_detach(frames.tp, TP_CLOSE);
	loop_free(frames.loop);
	tp_free(frames.tp);
	user_free();
	lock_fini(&frames.lock);
	for (int rank = 0; rank < RANKS; rank++) {
		free(frames.sides[rank].pending.at);
		free(frames.sides[rank].fed.at);
		free(frames.sides[rank].out.at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int fd = fuzz_lowest_fd();

	begin(script_u8(&in));
	for (int i = 0; i < STEPS && !script_ended(&in); i++)
		step(&in);
	finish();
	FUZZ_CHECK(fuzz_lowest_fd() == fd, "a descriptor was left open");
	return 0;
}
