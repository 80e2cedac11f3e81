/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer of this host writes into the memory that it shares: records, whole and spoiled,
 * frames in them, any bytes anywhere, what its side of our ring says, any bits of our mailbox.
 * Nothing is read or written outside, what is kept for the peer stays bounded, every receive is
 * answered once, and whoever breaks the rules is lost.
 *
 * A step: a kind; then its arguments. A record is put where the transport reads next.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz.h"
#include "transport/memory.h"

enum {
	RANKS = 2,
	SELF = 0,
	PEER = 1,
	WINDOW = 32768,
	EAGER = 8192,
	RECEIVES = 64,
	LOOKS = 8,
	STEPS_MOST = 400
};

enum step { SHORT, FRAME, RAW, WORD, LOOK, POST, SEND, ROOM, SCRIBBLE, BELL, STEPS };

struct receive {
	uint8_t *buf;
	size_t room;
	bool matched, done;
};

static struct {
	struct tp *tp;
	struct loop *loop;
	struct lock lock;
	struct tp_memory *memory;
	int fd;	     /* the peer's end of the socket */
	uint32_t at; /* the cell of the next record that this side puts */
	struct receive receives[RECEIVES];
	size_t nreceives, nmatched, unexpected;
	int lost;
	struct tp_unexpected *kept[RECEIVES];
	size_t nkept;
	uint8_t out[3 * EAGER];
} w;

/* ---- the user: receives match in their order, what has none is kept, or claimed later ---- */

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	struct receive *r = &w.receives[w.nmatched];

	(void)user, (void)e, (void)length;
	FUZZ_CHECK(peer == PEER, "a message of rank %d", peer);
	if (w.nmatched == w.nreceives)
		return (struct tp_place){0};
	w.nmatched++;
	r->matched = true;
	return (struct tp_place){.buf = r->buf, .room = r->room, .cookie = r};
}

static void on_keep(void *user, struct tp_unexpected *m)
{
	(void)user;
	if (w.nkept < RECEIVES)
		w.kept[w.nkept++] = m;
}

static void on_forget(void *user, struct tp_unexpected *m)
{
	(void)user;
	for (size_t i = 0; i < w.nkept; i++)
		if (w.kept[i] == m)
			w.kept[i] = w.kept[--w.nkept];
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct receive *r = cookie;

	(void)user, (void)length, (void)rc;
	FUZZ_CHECK(r->matched && !r->done, "a receive is answered twice, or was never asked for");
	r->done = true;
}

static void on_sent(void *user, void *cookie, int rc)
{
	(void)user, (void)cookie, (void)rc;
}

static void on_lost(void *user, int peer, const char *why)
{
	(void)user, (void)peer, (void)why;
	w.lost++;
}

static void on_notify(void *user)
{
	(void)user;
}

static bool on_withdraw(void *user, const struct tp_withdrawal *m)
{
	(void)user;
	return m->unexpected != NULL;
}

static enum tp_sync on_open(void *user, int peer, uint64_t sync)
{
	(void)user, (void)peer;
	return (enum tp_sync)(sync % 3);
}

static const struct tp_upcalls upcalls = {.match = on_match,
	.keep = on_keep,
	.forget = on_forget,
	.received = on_received,
	.sent = on_sent,
	.lost = on_lost,
	.notify = on_notify,
	.withdraw = on_withdraw,
	.open = on_open};

/* ---- the peer ---- */

static struct tp_peer *peer(void)
{
	return &w.tp->peers[PEER];
}

/* As a writer does it, with what it says in its place. */
static void put(uint32_t word, const void *bytes, size_t len)
{
	struct byte_ring *ring = w.memory->in.ring;
	size_t room = sizeof ring->cells - (size_t)w.at * BYTE_RING_CELL;
	uint32_t cells, zero = 0;

	if (len + sizeof word > room) {
		word = 3u << 24;
		len = 0;
	}
	cells = (uint32_t)((len + sizeof word + BYTE_RING_CELL - 1) / BYTE_RING_CELL);
	memcpy(ring->cells + (size_t)w.at * BYTE_RING_CELL, &word, sizeof word);
	if (len)
		memcpy(ring->cells + (size_t)w.at * BYTE_RING_CELL + sizeof word, bytes, len);
	w.at = word == 3u << 24 || w.at + cells >= BYTE_RING_CELLS ? 0 : w.at + cells;
	memcpy(ring->cells + (size_t)w.at * BYTE_RING_CELL, &zero, sizeof zero);
}

static void put_short(struct script *in)
{
	uint8_t bytes[BYTE_RING_RECORD_MAX] = {0};
	uint32_t said = script_u16(in), len = said % (BYTE_RING_SHORT_MAX + 1);
	uint32_t credit = script_u8(in);

	memcpy(bytes, &credit, sizeof credit);
	if (script_u8(in) == 255)
		len = said;
	said %= BYTE_RING_SHORT_MAX + 1;
	put(2u << 24 | len, bytes, byte_ring_short_head(said) - sizeof len + said);
}

/* A header whose number and length are right unless the script spoils them, and some of its
 * payload. */
static void put_frame(struct script *in)
{
	struct {
		uint32_t nothing;
		struct wire_frame f;
		uint8_t payload[1024];
	} __attribute__((packed))
	r = {.f = {.kind = script_u8(in) % (WIRE_KIND_END + 1), .epoch = 1}};
	uint8_t spoil = script_u8(in), cut = script_u8(in);
	size_t len = script_u16(in) % sizeof r.payload;

	r.f.seq = peer()->recv_seq + 1 + (spoil & 1);
	r.f.length = r.f.kind == WIRE_EAGER || r.f.kind == WIRE_DATA ? len : script_u16(in);
	r.f.length ^= (uint64_t)(spoil & 2) << 40;
	r.f.id = script_u16(in) | (uint64_t)(spoil & 4) << 30;
	r.f.peer_id = spoil & 8 ? (uint64_t)(uintptr_t)w.out : script_u8(in);
	r.f.credit = spoil & 16 ? script_u16(in) : 0;
	len += sizeof r.f;
	len -= cut % (len + 1);
	if (len > 0)
		put(1u << 24 | (uint32_t)len, &r, sizeof r.nothing + len);
}

static void put_raw(struct script *in)
{
	size_t at = script_u16(in) % sizeof w.memory->in.ring->cells;
	const uint8_t *bytes;
	size_t n = script_bytes(in, &bytes, script_u8(in));

	if (n > sizeof w.memory->in.ring->cells - at)
		n = sizeof w.memory->in.ring->cells - at;
	memcpy(w.memory->in.ring->cells + at, bytes, n);
}

static uint32_t number(struct script *in)
{
	uint32_t low = script_u16(in);

	return low | (uint32_t)script_u16(in) << 16;
}

static void ring_bell(struct script *in)
{
	uint8_t byte = script_u8(in) == 255;

	if (send(w.fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

/* ---- ours ---- */

static void look(void)
{
	for (int i = 0; i < LOOKS; i++)
		tp_look(w.tp, i % 2 ? TP_EVERYBODY : PEER);
	FUZZ_CHECK(w.lost <= 1, "the peer was lost %d times", w.lost);
	FUZZ_CHECK(peer()->state == TP_LOST || peer()->unconsumed_in <= WINDOW, "%u bytes are kept",
		peer()->unconsumed_in);
}

static void post(struct script *in)
{
	size_t room = script_u16(in) % 2000;
	struct receive *r = &w.receives[w.nreceives];

	if (w.nreceives == RECEIVES || w.nmatched < w.nreceives)
		return;
	*r = (struct receive){.buf = malloc(room ? room : 1), .room = room};
	FUZZ_CHECK(r->buf, "out of memory");
	w.nreceives++;
	if (w.nkept == 0)
		return;
	w.nmatched++;
	r->matched = true;
	tp_claim(w.tp, w.kept[--w.nkept],
		(struct tp_place){.buf = r->buf, .room = room, .cookie = r});
}

/* Into the words of the mailbox, or of the line beside a ring. */
static void scribble(struct script *in)
{
	struct mailbox *box = w.tp->mail.box;
	uint8_t where = script_u8(in);
	uint32_t high = number(in), low = number(in);

	atomic_store(&box->groups[where % MAILBOX_GROUPS], (uint64_t)high << 32 | low);
	if (where % 4 == 0)
		atomic_store(&box->asleep, high);
	if (where % 8 == 0)
		atomic_store(&w.memory->in.ring->closed, low);
}

static void step(struct script *in)
{
	struct byte_ring *out = w.memory->out.ring;

	switch ((enum step)(script_u8(in) % STEPS)) {
	case SHORT:
		put_short(in);
		break;
	case FRAME:
		put_frame(in);
		break;
	case RAW:
		put_raw(in);
		break;
	case WORD:
		put(number(in), NULL, 0);
		break;
	case LOOK:
		look();
		break;
	case POST:
		post(in);
		break;
	case SEND:
		tp_send(w.tp, PEER, &(struct tp_envelope){{0}}, w.out,
			script_u16(in) % sizeof w.out, 0, w.out);
		break;
	case ROOM:
		atomic_store(&out->returned, script_u8(in) % 2 ? w.memory->out.sent : number(in));
		atomic_store(&w.memory->in.ring->wanted, script_u8(in) % 2);
		break;
	case SCRIBBLE:
		scribble(in);
		break;
	case BELL:
		ring_bell(in);
		break;
	case STEPS:
		break;
	}
}

/* Both sides have agreed already: the frames for that are the frames target's. */
static void share(void)
{
	struct tp_peer *p = peer();
	uint64_t slot;
	int fd;

	w.memory = calloc(1, sizeof *w.memory);
	FUZZ_CHECK(w.memory && tp_memory_slot(w.tp, p, &slot), "no mailbox");
	*w.memory = (struct tp_memory){
		.state = TP_MEMORY_ON, .fd = -1, .own = (unsigned)slot, .pid = getpid()};
	w.memory->rings = tp_memory_make("rings", w.tp->mail.name, TP_RINGS_BYTES, &fd);
	FUZZ_CHECK(w.memory->rings, "no memory");
	close(fd);
	w.memory->theirs =
		tp_memory_make("mailbox", w.tp->mail.name, sizeof *w.memory->theirs, &fd);
	FUZZ_CHECK(w.memory->theirs, "no memory");
	close(fd);
	w.memory->out.ring = &w.memory->rings[0];
	w.memory->in.ring = &w.memory->rings[1];
	p->memory = w.memory;
	p->out_ring = &w.memory->out;
	p->in_ring = &w.memory->in;
	w.tp->sockets--;
}

static void begin(void)
{
	static const uint8_t session[WIRE_SESSION_BYTES], secret[AUTH_KEY_BYTES];
	static const struct net_address addresses[RANKS];
	static const bool near[RANKS] = {true, true};
	struct tp_physical phys = {.listen_fd = -1,
		.addresses = addresses,
		.session = session,
		.secret = secret,
		.epoch = 1,
		.near = near};
	int fds[2];

	memset(&w, 0, sizeof w);
	lock_init(&w.lock);
	w.tp = tp_new(&(struct tp_config){.self = SELF,
		.size = RANKS,
		.eager_limit = EAGER,
		.unexpected_limit = WINDOW,
		.lock = &w.lock,
		.up = &upcalls});
	w.loop = phys.loop = loop_new("fuzz");
	lock_take(&w.lock);
	FUZZ_CHECK(w.tp && w.loop && tp_attach(w.tp, &phys) == 0, "no transport");
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0, "no socket pair");
	w.fd = fds[0];
	peer()->near = false;
	tp_peer_up(w.tp, peer(), fds[1]);
	peer()->near = true;
	share();
}

static void finish(void)
{
	look();
	close(w.fd);
	for (int i = 0; i < LOOKS && peer()->state != TP_LOST; i++)
		look();
	FUZZ_CHECK(peer()->state == TP_LOST, "the peer is gone, and not lost");
	while (w.nkept > 0)
		tp_drop(w.tp, w.kept[--w.nkept]);
	for (size_t i = 0; i < w.nreceives; i++) {
		struct receive *r = &w.receives[i];

		FUZZ_CHECK(r->done == r->matched, "a matched receive is not answered");
		free(r->buf);
	}
	lock_give(&w.lock);
	tp_detach(w.tp, TP_CLOSE);
	loop_free(w.loop);
	tp_free(w.tp);
	lock_fini(&w.lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);

	FUZZ_CHECK(auth_init() == 0, "no random bytes");
	begin();
	for (int i = 0; i < STEPS_MOST && !script_ended(&in) && peer()->state == TP_UP; i++)
		step(&in);
	finish();
	return 0;
}
