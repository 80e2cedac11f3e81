/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coordination of checkpoints: which messages a recovery line has to hold, and how the ranks come
 * to one. A protocol is chosen at launch by its name; a program needs no change for it.
 *
 * A protocol is a step function: events go in, and what is to be done comes out as a list of
 * actions (coord_next_action), each of which is done before the next is taken. lib/mpi tells it of
 * every message of the program (coord_sent, coord_discards, coord_arrived; the protocol's own
 * messages are not told). Nothing here waits, and nothing calls back but to end the job. The caller
 * holds the lock that guards messages.
 *
 * A message is named by its envelope (peer, context, tag) and its index: it is the N-th with this
 * envelope. Messages of one envelope keep their order, so sender and receiver agree on it.
 * What is told here as the tag may be coarser than the message's tag, if the order is kept there,
 * too.
 */
#ifndef FTMPI_COORD_COORD_H
#define FTMPI_COORD_COORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/suppress.h"
#include "coord/envelope_counters.h"

struct coord;

struct coord_message {
	int peer;
	int32_t tag;
	uint64_t context;
	uint64_t index; /* what coord_arrived or coord_injected said */
	uint32_t stamp; /* what its sender's coord_stamp said; 0: it was injected */
};

/*
 * Contexts of windows: bit 63 is set, or of the upper three bit 61 alone. A line can hold none of
 * their messages: these change memory of several ranks, and a restored rank does not know the
 * window. They are counted as all are, and a line that one of them crosses, either way, is given up
 * (E10).
 */
static inline bool coord_is_uncut(uint64_t context)
{
	return context >> 63 || context >> 61 == 1;
}

/* With respect to a line that is being made, a message that was not received before it is */
enum coord_fate {
	COORD_OUT,  /* sent after the line: it will be sent again */
	COORD_IN,   /* in transit: the line has to hold it */
	COORD_OPEN, /* not known yet: it may have to */
};

/* One rank's part of a line, durable. */
struct coord_part {
	uint64_t ok; /* 0: there is none */
	uint64_t seal, bytes;
};

/* Messages that have arrived and that the program has not received (its receive is open: matched or
 * even done, but not waited for; or the message waits for a receive). */
struct coord_undelivered {
	struct coord_message *v;
	size_t n, room;
	bool incomplete; /* there was no memory for all of them */
};

/* One more; list: a struct coord_undelivered. */
void coord_undelivered_add(void *list, const struct coord_message *m);
void coord_undelivered_free(struct coord_undelivered *u);

/*
 * What is to be done, one after the other. Each of the first group is asked for by a call of the
 * program, may wait for other ranks, and is answered (coord_answer) before there is another of
 * them.
 */
enum coord_action_kind {
	COORD_NOTHING,

	/* All ranks say how many messages they have sent to each (coord.sent). Number: what all
	 * have sent to this one. Collective. */
	COORD_EXCHANGE,

	/* Let messages come, and do what is asked meanwhile, until coord_wait_is_over says that it
	 * is enough. */
	COORD_WAIT,

	/* Bring every message that was sent and not received by the program into this process's
	 * memory, contents and all. line: for a line; 0: for a restore. Not ok: no memory. */
	COORD_SECURE,

	/* Write this rank's part of `line` durably; with coord_commit_later: copy it, and write it
	 * when COORD_FINISH comes. Not ok: it could not; the reason was said. The action not ok
	 * (coord_commit_later alone): COORD_SECURE was not, and there is no part. */
	COORD_SAVE,

	/* Has every rank its copy for `line` (this one: ok)? No rank begins a message before all
	 * have said so. Ok: all have: the same answer everywhere. Collective. */
	COORD_MEET,

	/* Commit `line` if every rank is ready (this one: ok), else give it up. Ok: it is
	 * committed: the same answer everywhere. Collective. */
	COORD_CONCLUDE,

	/* Agree on the line to go back to. Ok: there is one. Number: the highest that a line ever
	 * had; the same on all ranks. Collective. */
	COORD_FIND,

	/* What the program has begun, and what goes on without it (operations that nobody waits
	 * for), comes to its end on all ranks. From here until COORD_TAKE is done no rank begins a
	 * message. Collective. */
	COORD_QUIET,

	/* Throw away all messages that were not received. After COORD_SECURE. What has been
	 * received, or was matched, by then is no message of the program any more for undelivered
	 * and fate. */
	COORD_FORGET,

	/* Take everything from the line, its messages too; when this begins all ranks have
	 * forgotten, when it is answered all have taken. Collective. */
	COORD_TAKE,

	/* The least of what all ranks say, here coord.line, is the number. Collective. */
	COORD_MINIMUM,

	/* ---- these wait for nobody, and nothing else is done from within one ---- */

	/* Copy this rank's state for `line`; not ok: there is no memory for its cut, say so and
	 * answer not ok. From now on until COORD_OVER, hold on to the contents
	 * of every message, undelivered now or arriving later, that coord_fate(line) does not call
	 * COORD_OUT. Answered. Not ok: it could not; the reason was said. COORD_OVER comes all the
	 * same. */
	COORD_CAPTURE,

	/* Of messages from peer nothing is COORD_OPEN any more with respect to `line`: ask again;
	 * let go of those that are out, see that the contents of those that are in come here at
	 * once. */
	COORD_SETTLE,

	/* No message will be added to `line` any more: when the contents of all that are in are
	 * here, write it, then say coord_written. Not asked when COORD_CAPTURE failed, or
	 * COORD_MEET on any rank. */
	COORD_FINISH,

	/* Rank 0: every part is durable (parts[0 .. size-1], gone after the next event): commit the
	 * line, then say coord_committed. */
	COORD_COMMIT,

	/* The line is committed (ok) or given up: let go of everything that is held for it. */
	COORD_OVER,

	/* Send len bytes to peer, whose coord_control gets them, in order for each pair; never to
	 * oneself. Before they are sent, coord_finish_bytes, which need not be in the program's
	 * call. The caller that takes the action frees the bytes. */
	COORD_SEND,

	/* Say coord_listed. */
	COORD_LIST,
};

struct coord_action {
	enum coord_action_kind kind;
	uint32_t line;
	bool ok;
	int peer;
	uint8_t *bytes;
	size_t len;
	const struct coord_part *parts;
};

/* Two ways to classify disagree, or memory is short for a count that cannot be lost: one sentence.
 * Does not return. */
typedef void coord_fatal(void *user, const char *sentence);

/* Bits say how messages are looked at. coord_choose and coord_commit_later lead from one to
 * another; coord.c has the table. */
enum coord_protocol {
	COORD_BLOCKING = 0,
	COORD_EVENTLOG = 1,
	COORD_TAGGING = 2,
	COORD_COMPARE = COORD_EVENTLOG | COORD_TAGGING,
	COORD_AUTO = COORD_COMPARE | 4, /* both, as the choice is still to come */
	COORD_LATER = 8, /* blocking, and lines are committed while the program runs (B5) */
	COORD_PROTOCOLS
};

/* What a call of the program waits for; calls.c has the table. */
enum coord_state {
	COORD_IDLE,
	COORD_CAPTURING,     /* a line that nobody waits for */
	COORD_LINE_COUNTING, /* blocking */
	COORD_LINE_DRAINING,
	COORD_LINE_SECURING,
	COORD_LINE_SAVING,
	COORD_LINE_MEETING, /* coord_commit_later */
	COORD_LINE_CONCLUDING,
	COORD_FINDING, /* a restore */
	COORD_QUIETING,
	COORD_RESTORE_COUNTING,
	COORD_RESTORE_DRAINING,
	COORD_RESTORE_SECURING,
	COORD_FORGETTING,
	COORD_TAKING,
	COORD_END_COUNTING, /* coord_close */
	COORD_END_DRAINING,
	COORD_END_MINIMUM,
	COORD_END_FINISHING,
	COORD_ENDED,
	COORD_STATES
};

/* What this rank has of the line that a call makes; it is part of the call's state, and calls.c has
 * it in the same table. */
enum coord_has {
	COORD_HAS_NOTHING, /* yet; or there was no memory, or no room on the disk */
	COORD_HAS_CUT, /* eventlog, tagging: the cut between messages received before and after */
	COORD_HAS_SECURED, /* blocking: all messages are here */
	COORD_HAS_PART,	   /* blocking: its part is written, or copied */
};

struct coord_lines;

/* Counts by envelope (eventlog). */
struct coord_peer {
	struct envelope_counters log;  /* a: sent to it in this interval, and not reported */
	struct envelope_counters seen; /* a: arrived from it; s: it says that it has sent */
	uint32_t forget_at;	       /* so many of them */
};

/* What is to be done and was not taken yet. */
struct coord_action_list {
	struct coord_action *v;
	size_t at, n, room;
};

/* All but `line` and `sent`, which may be read by all, is lib/coord's. */
struct coord {
	uint32_t line; /* the latest that this rank has begun, or what COORD_FIND said */
	enum coord_protocol protocol;
	/* Two answers that are kept, as they are asked for at every message: busy follows from the
	 * protocol and the lines; due is set by any event, in whatever state call and lines are. */
	bool busy;	 /* an arrival is more than a count */
	bool due;	 /* something is to be done */
	unsigned making; /* lines with a part of this rank that is not lost */
	int self, size;
	coord_fatal *fatal;
	void *user;	  /* its */
	uint64_t *sent;	  /* by rank: messages of the program to it */
	uint64_t arrived; /* messages of the program that have come here, received or not */
	struct coord_peer *peers;
	struct suppress suppress;
	struct coord_lines *lines; /* NULL: blocking from the start, and nothing comes later */
	enum coord_state state;	   /* of a call of the program */
	enum coord_has has;
	struct coord_action_list actions;
	uint32_t restores; /* how often this run of the ranks has gone back to a line */
	/* Not one: a restore has a result, too, and that it found no line does not mean that the
	 * latest one has failed. */
	bool concluded;	    /* blocking: the latest line was committed, or there was none */
	bool result;	    /* of the latest call */
	uint64_t expected;  /* messages that all ranks have sent to this one */
	uint32_t common;    /* at the end: the latest line that every rank has begun */
	unsigned comparing; /* lib/mpi's: orphans sent again, whose contents are not here yet */
};

/* 0, FT_EINVAL (no protocol of that name; coord_names tells them) or FT_ENOMEM. Names: "blocking",
 * "eventlog", "tagging", "compare" (eventlog and tagging side by side on the same traffic; ends the
 * job when they disagree), "auto" (eventlog until coord_choose says otherwise). */
int coord_init(
	struct coord *c, const char *name, int self, int size, coord_fatal *fatal, void *user);
void coord_fini(struct coord *c);

/* Under blocking, before the first line: nobody waits until a line is written and committed (B5).
 * A part is copied in COORD_SAVE, coord_checkpoint is over when all ranks have their copies
 * (COORD_MEET), and COORD_OVER tells the end of the line, as under the others. Before it begins
 * a line the caller asks coord_lines_over (B6). 0 or FT_ENOMEM. */
int coord_commit_later(struct coord *c);

static inline bool coord_commits_later(const struct coord *c)
{
	return c->protocol == COORD_LATER;
}

/* The names of all protocols, separated by ", ". */
const char *coord_names(void);

/* The program asks for a protocol: has effect under "auto", before the first line. true: it has, or
 * that protocol is in use anyway. All ranks ask for the same. */
bool coord_choose(struct coord *c, const char *name);

/* May the program still choose? */
static inline bool coord_is_auto(const struct coord *c)
{
	return c->protocol == COORD_AUTO;
}

/* Are messages counted by envelope? Are their stamps looked at? */
static inline bool coord_logs(const struct coord *c)
{
	return c->protocol & COORD_EVENTLOG;
}

static inline bool coord_tags(const struct coord *c)
{
	return c->protocol & COORD_TAGGING;
}

/* Does making a line wait for all ranks? */
static inline bool coord_is_blocking(const struct coord *c)
{
	return !(c->protocol & COORD_COMPARE);
}

/* ---- every message of the program ---- */

/* What is not hot of what follows. */
struct envelope_slot *coord_log_entry(struct coord *c, int peer, uint64_t context, int32_t tag);
uint64_t coord_arrived_busy(
	struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp);
struct envelope_slot *coord_seen_entry(struct coord *c, int peer, uint64_t context, int32_t tag);
bool coord_discards_orphan(
	struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp);

/* A message to peer begins. true: something is to be done (coord_asks). */
static inline bool coord_sent(struct coord *c, int peer, uint64_t context, int32_t tag)
{
	struct envelope_slot *e;
	bool asks = false;

	if (coord_logs(c)) {
		e = envelope_counters_last(&c->peers[peer].log, context, tag);
		if (!e) {
			e = coord_log_entry(c, peer, context, tag);
			asks = c->due;
		}
		e->a++;
	}
	c->sent[peer]++;
	return asks;
}

/* What goes into its envelope. */
static inline uint32_t coord_stamp(const struct coord *c)
{
	return c->line + 1;
}

/* The next message from peer with this envelope has come: true: it is an orphan sent again,
 * received before the line that was restored; throw it away (it is counted). Asked before
 * coord_arrived and before matching. Under every protocol: a line made by one can be restored under
 * another. */
static inline bool coord_discards(
	struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp)
{
	return c->suppress.left && coord_discards_orphan(c, peer, context, tag, stamp);
}

/* Does coord_discards count what it does not throw away? Then it is asked once of each message. */
static inline bool coord_counts(const struct coord *c)
{
	return c->suppress.left > 0;
}

/* Of the message that coord_discards has just thrown away: what it was when it was received. When
 * its contents are here they are compared (orphans_same): another message would have to be
 * received, and cannot be any more. coord_compared: it is the same, or does not come (its sender is
 * lost). No line is finished before. */
static inline const struct orphan_sum *coord_expected(const struct coord *c)
{
	return &c->suppress.latest;
}

void coord_compared(struct coord *c);

/* A message with this stamp, whose contents are here: may it become an orphan? Then they are told
 * before the program can receive it. */
static inline bool coord_is_early(const struct coord *c, uint32_t stamp)
{
	return stamp > c->line + 1;
}

/* It is received; or an image that is taken now has it in its memory as a whole (C10), and then it
 * may be told again, and when it is received. */
void coord_received(
	struct coord *c, const struct coord_message *m, const struct orphan_sum *contents);

/* It has come and is not thrown away: its index (0 under blocking). Once it is in place, so that
 * coord_fate and lists of what is undelivered find it, ask coord_asks. */
static inline uint64_t coord_arrived(
	struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp)
{
	struct envelope_slot *e;

	c->arrived++;
	if (c->busy)
		return coord_arrived_busy(c, peer, context, tag, stamp);
	if (!coord_logs(c))
		return 0;
	e = envelope_counters_last(&c->peers[peer].seen, context, tag);
	if (!e)
		e = coord_seen_entry(c, peer, context, tag);
	return ++e->a;
}

/* Is any line being made? Only then coord_fate is of interest. */
static inline bool coord_making(const struct coord *c)
{
	return c->making > 0;
}

/* blocking: this rank's part of a line is made, or is about to be, and others may not know. */
static inline bool coord_is_saving(const struct coord *c)
{
	return c->state == COORD_LINE_SAVING || c->state == COORD_LINE_MEETING ||
	       c->state == COORD_LINE_CONCLUDING;
}

/* Lines that are being made on this rank, oldest first: first with line 0; 0: no more. */
uint32_t coord_next_line(const struct coord *c, uint32_t after);

enum coord_fate coord_fate(const struct coord *c, uint32_t line, const struct coord_message *m);

/* ---- lines ---- */

/* Does a message of a window cross this line? Has it more orphans than checksums are kept of
 * (ORPHAN_SUMS_MOST)? Then it must not be restored. Asked in finish, when the answer is final. */
bool coord_torn(const struct coord *c, uint32_t line);
bool coord_crowded(const struct coord *c, uint32_t line);

/* These begin a call of the program. It is over when nothing is to be done any more; coord_result
 * is what it says. One at a time. */

/* Make a line; u: what is undelivered (NULL under blocking). blocking: true: it is committed; with
 * coord_commit_later: all ranks have their copies. Else: true: this rank's state is captured. Under
 * number c->line; where it is not over yet COORD_OVER tells the end. Collective only under
 * blocking. A number is used once, whatever becomes of the line. */
void coord_checkpoint(struct coord *c, struct coord_undelivered *u);

/* Take the latest one; true: it was taken. Collective, waits, under every protocol. In COORD_TAKE
 * lib/mpi gives each message of the line back (coord_injected, in their order) and the orphans
 * (coord_load). */
void coord_restore(struct coord *c);

/* The program ends: lines that every rank has begun are finished, the others given up; after a
 * restore all has to come that was sent, and what is never sent again is told. Collective, waits
 * (not under blocking, but after a restore or for a line that is committed later). */
void coord_close(struct coord *c);

/* Are the lines of this rank over? Whoever waits for that begins no call: another thread may make a
 * line meanwhile. A rank that never comes to one would be waited for for ever; coord_close is for
 * the end. */
bool coord_lines_over(const struct coord *c);

/* When they are: was the latest committed, or is there none? */
bool coord_lines_made(const struct coord *c);

static inline bool coord_result(const struct coord *c)
{
	return c->result;
}

/* Is something to be done? Asked after every event. */
static inline bool coord_asks(const struct coord *c)
{
	return c->due;
}

/* What is to be done next. It is taken and done until there is nothing more (false), one after the
 * other: events within an action that waits are followed by their own actions, those within another
 * by what is done after it. */
bool coord_next_action(struct coord *c, struct coord_action *a);

/* The bytes of a COORD_SEND become what is sent: a report of many envelopes is sorted here. Once.
 * Needs no lock. */
void coord_finish_bytes(uint8_t *bytes, size_t len);

/* What is answered is done. ok, number: where it says what they are. */
void coord_answer(struct coord *c, bool ok, uint64_t number);

/* In COORD_WAIT: is it enough? */
bool coord_wait_is_over(const struct coord *c);

/*
 * In a process that woke up from its image, which was taken in COORD_CAPTURE or COORD_SAVE, or
 * while no call was under way: in place of the answer, if there was to be one. That call is over,
 * true; `highest` is the highest number that a line ever had, the same on all ranks. Lines that
 * were being made are over, too (COORD_OVER), and nothing else is left to be done. Then
 * coord_injected for each message that lies in the memory of the image and was not received, and
 * for each of the line, and coord_load, before anything is told of messages of the new pairs.
 */
void coord_woke(struct coord *c, uint32_t highest);

uint64_t coord_injected(struct coord *c, int peer, uint64_t context, int32_t tag);

/* Contents of CKPT_ORPHANS of `line` (blocking: of the line being saved): *out malloc'ed. Not
 * before finish. false: no memory, or one of them was taken back by its sender. Layout,
 * little-endian: u32 count, then for each range: u32 peer, i32 tag, u64 context, u64 first, u64
 * count: of the messages that the peer sends with this envelope after the line, those with number
 * first (from 1) to first + count - 1 were received before it. Sorted by peer, context, tag, first.
 * Then for each of these messages, in this order: u64 length, u64 hash (struct orphan_sum). */
bool coord_save(struct coord *c, uint32_t line, uint8_t **out, size_t *len);
bool coord_valid(const uint8_t *bytes, size_t len, int size);

/* What coord_valid accepted. false: no memory. */
bool coord_load(struct coord *c, const uint8_t *bytes, size_t len);

/* What is undelivered now. */
void coord_listed(struct coord *c, const struct coord_undelivered *u);

/* This rank's part is durable; NULL: it could not be written, or not be held (at any time between
 * COORD_CAPTURE, or COORD_FINISH where all meet, and COORD_OVER). */
void coord_written(struct coord *c, uint32_t line, const struct coord_part *part);
void coord_committed(struct coord *c, uint32_t line, bool ok);

/* A control message of peer has come. false: they make no sense (nothing was done). */
bool coord_control(struct coord *c, int peer, const uint8_t *bytes, size_t len);

/* ---- time (eventlog, tagging; blocking asks rank 0 in lib/mpi) ---- */

/* Shall this rank make a line at its next occasion? elapsed: its interval is over. A rank whose
 * interval is over asks all others (over a tree), who are due then, too; requests of several ranks
 * make one line (C7). Never while it is not known whether this rank's part of its last line is
 * durable: where the disk or another rank is slower than the interval, lines come at their pace
 * (C8). */
bool coord_due(struct coord *c, bool elapsed);

/* Is it not known yet whether this rank's part of its last line is durable? Any protocol. */
bool coord_is_writing(const struct coord *c);

#endif
