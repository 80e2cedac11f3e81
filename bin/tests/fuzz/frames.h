/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames target: one transport with two peers at the far ends of socket pairs, driven by a
 * script. frames.c reads the script; frames_user.c is the transport's user; frames_in.c is a
 * second, plain reading of doc/wire.md that says which frames must be believed and which must end
 * the connection; frames_out.c reads what the transport sends and holds it against what it was
 * told.
 *
 * Every step of a script ends with the transport having nothing left to do. Then frames_in.c reads
 * the bytes that were fed. What it knew before the step is certain; an id or credit that came out
 * during the step may have been there for a frame or not, so its verdict then is MODEL_EITHER.
 */
#ifndef FTMPI_TESTS_FUZZ_FRAMES_H
#define FTMPI_TESTS_FUZZ_FRAMES_H

#include "base/lock.h"
#include "fuzz.h"
#include "transport/tp.h"

enum { RANKS = 3, SELF = 1, EPOCH = 3, BODY_MOST = 1 << 17 };
enum { MESSAGES = 512, SENDS = 256, RECEIVES = 1024, ASKS = 512 };

struct side;

/* A receive: a buffer of just its room, so that the sanitizer sees a byte too much. */
struct receive {
	uint8_t *buf;
	size_t room;
	uint8_t tag;
	bool posted, done, checked;
	int rc;
	uint64_t length;
	struct side *from; /* when it has its message */
	struct message *message;
};

/* A message of a peer; its number is its place in the array. The user's half is filled when the
 * transport asks for its place, the model's when its header is read from what was fed. */
struct message {
	struct receive *to;
	struct tp_unexpected *held;
	bool dropped, forgotten, old; /* old: it was there before this step */
	uint64_t sync;		      /* it was taken before it was matched: its sender's name */
	/* the model's */
	bool known;
	uint8_t kind;
	bool whole;
	uint64_t length, id;
	const uint8_t *payload; /* SELF */
	size_t body_at;		/* in the bytes that were fed */
};

struct send {
	struct side *to;
	uint8_t *payload;
	size_t len;
	uint8_t tag;
	bool sync, eager, old, withdrawn_asked, cts, over, given_up, answered;
	bool early, matched; /* its CTS said that no receive has it; one has */
	int rc;
	uint64_t id;	  /* its RTS was seen going out */
	uint64_t peer_id; /* what the peer called it in his CTS */
	bool data_seen, data_old;
	uint64_t data_id;
};

/* A CTS that went out. */
struct cts {
	uint64_t id, peer_id;
	bool old, used;
};

struct bytes {
	uint8_t *at;
	size_t len, room;
};

struct side {
	int rank, fd;
	bool lost;    /* the transport has ended it */
	bool closed;  /* we have */
	bool stalled; /* we do not read what it sends */
	bool blind;  /* the model has lost track: only memory and answers are checked from now on */
	bool judged; /* its end was right */
	bool bye_in, bye_out;
	int lost_calls;
	/* what the user sees */
	struct message messages[MESSAGES];
	size_t matched;
	struct message *asks[ASKS]; /* that got a place, in this order */
	size_t nasks;
	/* towards the transport */
	struct bytes pending, fed;
	size_t queued_messages; /* in pending */
	size_t parsed, body_left;
	bool bad; /* the model: this connection must be ended */
	uint64_t seq_in;
	size_t known;
	struct message *body;			       /* of this message */
	uint64_t eager_in, credit_out, credit_out_old; /* bytes of the receiver's window */
	unsigned forgets;
	unsigned matches, opened_matched, opened_back; /* said of synchronous messages */
	/* from the transport */
	struct bytes out;
	uint64_t seq_out;
	struct send *sends[SENDS];
	size_t nsends, sends_seen;
	struct cts cts[ASKS];
	size_t ncts;
	uint64_t eager_out, eager_out_old, credit_in;
	unsigned withdrawn_out, matched_out;
};

static inline bool is_announced(uint8_t kind)
{
	return kind == WIRE_RTS || kind == WIRE_SYNC;
}

struct frames {
	struct tp *tp;
	struct loop *loop;
	struct lock lock;
	uint32_t window;
	size_t eager_limit;
	struct side sides[RANKS];
	struct receive receives[RECEIVES];
	size_t nreceives;
	struct send sends[SENDS];
	size_t nsends;
	bool claim_at_once, send_back, take_early, bye;
	unsigned pieces; /* fed so far */
};

extern struct frames frames;

/* frames.c: until nothing moves any more; then all are judged */
void frames_settle(void);

/* frames_say.c: gather what a peer will say, and feed n bytes of it (0: all) in pieces */
void say_feed(struct side *s, size_t n, size_t piece);
void say_add_body(struct side *s, size_t len);
void say_add_frame(struct side *s, struct script *in, uint8_t tag);
void say_add_raw(struct side *s, struct script *in);
size_t frames_longer(size_t n, unsigned shift);

/* frames_user.c */
extern const struct tp_upcalls frames_upcalls;
void user_post(uint8_t tag, size_t room);
void user_drop(uint8_t tag);
void user_send(int rank, uint8_t tag, size_t len, unsigned flags);
void user_withdraw(size_t which);
void user_claim(struct message *m, size_t room);
void user_check(struct side *s);
void user_check_answered(struct side *s);
void user_free(void);

/* BODY_MOST bytes; the first of each of 256 seeds is another */
const uint8_t *frames_body(unsigned seed);

/* frames_in.c */
void model_read(struct side *s);
uint64_t model_consumed(const struct side *s);

/* frames_out.c: gather what it sends (false: nothing came); understand it; was all of it due? */
bool out_drain(struct side *s);
void out_read(struct side *s);
void out_check(struct side *s);

void bytes_add(struct bytes *b, const void *data, size_t len);
void bytes_drop(struct bytes *b, size_t len);

#endif
