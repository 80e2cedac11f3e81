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
enum { SET_SMALL_BUFFERS = 1, SET_WIDE = 2, SET_CLAIM_AT_ONCE = 4, SET_SEND_BACK = 8 };

struct frames frames;

static size_t longer(size_t n, unsigned shift)
{
	return n << (shift % 8);
}

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
	for (size_t i = 0; i < s->nsends; i++)
		s->sends[i]->old = s->sends[i]->id != 0;
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

static void settle(void)
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
	tp_count(frames.tp, &counts);
	FUZZ_CHECK(counts.held_bytes <= (uint64_t)frames.window * (RANKS - 1), "%zu bytes are held",
		(size_t)counts.held_bytes);
}

/* ---- what the peers say ---- */

/* The first n bytes (0: all) of what is pending, in pieces while there are PIECES left in this run.
 */
static void feed(struct side *s, size_t n, size_t piece)
{
	if (n == 0 || n > s->pending.len)
		n = s->pending.len;
	for (size_t at = 0; at < n && !s->lost && !s->closed; settle()) {
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

static void add_body(struct side *s, size_t len)
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
			if (s->messages[k].kind == WIRE_RTS && s->messages[k].id == s->cts[i].id)
				return s->messages[k].length;
	return 0;
}

/* The next number, if all of what is pending were frames of our making. */
static uint64_t next_seq(const struct side *s)
{
	return s->seq_in + s->queued_messages + 1;
}

enum { FRAME_BODY = 1, FRAME_CHANGED = 2, FRAME_CREDIT = 4, FRAME_ID = 8 };

/* kind, how, length, which id; then as `how` says: credit, a changed byte. Of itself it is what the
 * peer may say. */
static void add_frame(struct side *s, struct script *in, uint8_t tag)
{
	struct wire_frame f = {.kind = script_u8(in) % 10, .epoch = EPOCH, .envelope = {tag}};
	uint8_t how = script_u8(in), which;
	size_t at;

	f.length = longer(script_u16(in), how >> 4);
	which = script_u8(in);
	if (f.kind == WIRE_EAGER || f.kind == WIRE_RTS)
		f.seq = next_seq(s);
	f.id = f.kind == WIRE_RTS || (how & FRAME_ID)
		       ? which
		       : known_id(whose(s, which), f.kind, which & 127);
	f.peer_id = f.kind == WIRE_DATA ? f.id : which;
	if (f.kind == WIRE_DATA)
		f.length = asked_length(whose(s, which), f.id);
	if (how & FRAME_CREDIT)
		f.credit = (uint32_t)longer(script_u8(in), 6);
	if (how & FRAME_CHANGED) {
		at = script_u8(in) % sizeof f;
		((uint8_t *)&f)[at] ^= script_u8(in);
	}
	bytes_add(&s->pending, &f, sizeof f);
	s->queued_messages += f.kind == WIRE_EAGER || f.kind == WIRE_RTS;
	if ((how & FRAME_BODY) && (f.kind == WIRE_EAGER || f.kind == WIRE_DATA))
		add_body(s, f.length < BODY_MOST ? (size_t)f.length : BODY_MOST);
}

static void add_raw(struct side *s, struct script *in)
{
	const uint8_t *bytes;
	size_t n = script_bytes(in, &bytes, script_u8(in));

	bytes_add(&s->pending, bytes, n);
}

static void close_end(struct side *s)
{
	if (s->closed)
		return;
	close(s->fd);
	s->closed = true;
	s->stalled = false;
	settle();
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
		add_frame(s, in, tag);
		break;
	case STEP_RAW:
		add_raw(s, in);
		break;
	case STEP_BODY:
		add_body(s, longer(script_u16(in), tag * 2));
		break;
	case STEP_FEED:
		feed(s, script_u16(in), SIZE_MAX);
		s->queued_messages = 0;
		break;
	case STEP_FEED_PIECES:
		feed(s, 0, script_u8(in) + 1u);
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
		user_post(tag, longer(len, script_u8(in)));
		break;
	case STEP_DROP:
		user_drop(tag);
		break;
	case STEP_SEND:
	case STEP_SEND_SELF:
		len = longer(script_u16(in), tag);
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
	settle();
}

/* ---- a run ---- */

static int attach(void)
{
	static const uint8_t session[WIRE_SESSION_BYTES], secret[AUTH_KEY_BYTES];
	static const struct tp_address addresses[RANKS];
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
	lock_init(&frames.lock);
	frames.tp = tp_new(&(struct tp_config){.self = SELF,
		.size = RANKS,
		.eager_limit = frames.eager_limit,
		.unexpected_limit = frames.window,
		.lock = &frames.lock,
		.up = &frames_upcalls});
	FUZZ_CHECK(frames.tp && attach() == 0, "no transport");
	lock_take(&frames.lock);
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
	settle();
}

static void finish(void)
{
	for (int rank = 0; rank < RANKS; rank++)
		frames.sides[rank].stalled = false;
	settle();
	for (int rank = 0; rank < RANKS; rank++)
		feed(&frames.sides[rank], 0, SIZE_MAX);
	claim_held(0);
	for (int rank = 0; rank < RANKS; rank++)
		if (rank != SELF)
			close_end(&frames.sides[rank]);
	claim_held(1);
	FUZZ_CHECK(tp_finished(frames.tp), "all are gone, and it is not finished");
	lock_give(&frames.lock);
	tp_detach(frames.tp, false);
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
