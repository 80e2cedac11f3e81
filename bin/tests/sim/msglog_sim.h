/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated ranks over the real message logging of lib/coord: a random program that is
 * deterministic but for what comes first, ranks that are killed and come back alone, connections
 * that break, an event logger that is started again, checkpoints of data and images. A message's
 * content is a hash of all that its sender has done.
 */
#ifndef FTMPI_TESTS_MSGLOG_SIM_H
#define FTMPI_TESTS_MSGLOG_SIM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/msglog.h"
#include "rng.h"

enum {
	RANKS = 5,
	ROUNDS = 9,
	OPS = 400,
	QUEUE = 400,
	POSTED = 64,
	EXCHANGES = 16, /* of a rank, open at a time */
	SYNCS = 16,	/* the same */
	STAGES = 2,
	FRAMES = 1000,
	PAIR_MESSAGES = 200
};

/* A rule that is left out has to be found out. */
enum rule {
	RULE_NONE,
	RULE_GATE,	   /* M2: outcomes count as safe when they are told */
	RULE_NO,	   /* M3: that nothing was found is no outcome */
	RULE_DUPLICATES,   /* M4: what is here already is received again */
	RULE_OPEN,	   /* M4, M5: a message counts as arrived when it begins to arrive */
	RULE_EARLY_COVER,  /* M5: peers are told of a checkpoint before it is durable */
	RULE_LOG_SAVED,	   /* M5: the log is no part of a checkpoint */
	RULE_EVENTS_GC,	   /* M5: the event logger forgets all that it has acknowledged */
	RULE_PREFIX_KEPT,  /* M10: messages of the prefix are dropped, too */
	RULE_PREFIX_FIRST, /* M10: a prefix that runs again takes whatever comes */
	RULE_UNTOLD,	   /* an event logger that was started again is not told all */
	RULE_CANCELLED,	   /* M8: a receive that was cancelled before gets a message */
	RULE_HASTE,	   /* M8: a cancellation does not wait for the matches of before */
	RULE_FREE,	   /* M8: a receive of before gets what comes first */
	RULE_RESERVED,	   /* M4: messages of exchanges have numbers in the order they leave in */
	RULE_SEND_OVER,	   /* M10: that a checkpoint ended a send is no outcome */
	RULE_COVER, /* M5: a checkpoint covers an outcome that ended a send which is still to begin
		     */
	RULES
};

enum op_kind {
	OP_SEND,
	OP_POST, /* receive `slot` from `peer`; ANY: from any source */
	OP_WAIT, /* for `slot` */
	OP_TEST, /* of `slot`: yes receives it, and the next operation, its OP_WAIT, is left out */
	OP_EITHER, /* wait-any of `slot` and `other` */
	OP_REST,   /* what OP_EITHER did not name */
	OP_CANCEL, /* `slot`, which is posted anew if that succeeds */
	OP_PROBE,  /* any source */
	OP_BEGIN,  /* exchange `slot` with `peer` */
	OP_TRY, /* a test of it: yes ends it, and the next operation, its OP_FINISH, is left out */
	OP_FINISH, /* a wait for it */
	OP_SYNC,   /* a synchronous send `slot` */
	OP_ASK, /* a test of it: yes ends it, and the next operation, its OP_MET, is left out; so it
		   is when a checkpoint has ended it */
	OP_MET, /* a wait for it */
};

enum { ANY = -1 };

struct op {
	enum op_kind kind;
	int peer, slot, other, round;
};

struct message {
	int from, round;
	uint64_t number, content;
	bool whole;
};

/* A receive that is posted, and not waited for. */
struct receive {
	int slot, from, round;
	uint64_t number; /* outcomes_post; 0: of an exchange */
	bool matched;
	struct message message;
};

/* A nonblocking collective operation of two: each sends the other STAGES messages, and each message
 * but the first when that of the other's stage before is here, whatever the program does meanwhile.
 */
struct exchange {
	int slot, peer, round; /* its messages are of a round of their own */
	uint64_t first;	       /* its first number */
	uint64_t hash;	       /* of what the program had done when it began */
	int sent;
};

/* A synchronous send that the program has not seen end. It may have met its receive at any moment.
 */
struct sync {
	int slot, peer;
	uint64_t number;
	bool over; /* a checkpoint of data has ended it: a program that goes on from that has none
		    */
};

/* What a checkpoint holds of the program and of what it has not received. */
struct memory {
	int at;
	uint64_t hash;
	int rest;		       /* of OP_EITHER */
	struct receive posted[POSTED]; /* in that order */
	int nposted;
	struct message queue[QUEUE]; /* that met no receive */
	int n;
	struct exchange exchanges[EXCHANGES];
	int nexchanges;
	struct sync syncs[SYNCS];
	int nsyncs;
};

struct checkpoint {
	struct memory memory;
	uint8_t *bytes; /* of msglog; NULL: there is none */
	size_t len;
	uint64_t outcomes; /* that had happened */
};

enum frame_kind { FRAME_HELLO, FRAME_MESSAGE, FRAME_CONTENTS, FRAME_COVER };

struct frame {
	enum frame_kind kind;
	struct msglog_hello hello;
	struct message message; /* of FRAME_CONTENTS: the number and the content */
	bool is_long;		/* FRAME_CONTENTS comes later */
	uint64_t keep, covered;
};

struct wire {
	struct frame v[FRAMES];
	int n;
};

/* The event logger: what it has of one rank, and what is on the way to it. */
struct logger {
	uint64_t covered;
	struct outcome *v;
	size_t n, room;
	uint64_t lost; /* it was started again, and was told so many before */
	uint64_t told; /* on the way: up to this number, and these */
	struct outcome *way;
	size_t nway, way_room;
};

struct rank {
	bool up;
	struct msglog log;
	struct memory memory;
	bool came; /* data checkpoints: to its restore point, in this incarnation */
	struct checkpoint durable, writing;
	struct logger logger;
};

struct world {
	uint64_t seed;
	struct rng rng;
	enum rule without;
	bool talks, data;
	bool quiet; /* programs make few choices, but for tests of synchronous sends */
	int n, rounds, kills;
	struct op ops[RANKS][OPS];
	int nops[RANKS], restore_at[RANKS];
	int exchanges; /* so many pairs of them */
	struct rank ranks[RANKS];
	bool linked[RANKS][RANKS];
	struct wire wires[RANKS][RANKS];	/* from, to */
	struct wire contents[RANKS][RANKS];	/* of long messages: in any order */
	uint64_t told[RANKS][RANKS];		/* rank, peer: what the peer said that it has */
	bool left[RANKS][RANKS][PAIR_MESSAGES]; /* what has left in this connection */
	uint64_t seen[RANKS][RANKS]
		     [PAIR_MESSAGES]; /* contents, as the receiver's present state has them */
	struct {
		unsigned long kills, cuts, loggers, followed, bound, stages, again, prefixes,
			checkpoints, ended;
	} stats;
};

/* A rule does not hold: tells where, and ends. */
_Noreturn void world_fails(const struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void world_says(const struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* msglog_program.c */
void program_make(struct world *w);

/* A message of the program's, with its hash as contents: its number. */
uint64_t program_send(struct world *w, int p, const struct op *op);

/* The choice is made, as it was before where that is told; then it has to be of these kinds. */
void program_choose(struct world *w, int p, const struct outcome *told, const struct outcome *what);
void program_must_be(struct world *w, int p, const struct outcome *told, unsigned kinds);
void program_step(struct world *w, int p);
bool program_ended(const struct world *w, int p);
uint64_t content_mix(uint64_t hash, uint64_t more);

/* msglog_exchange.c */
void exchange_begin(struct world *w, int p, const struct op *op);

/* One of those that can sends its next message, if any can. */
void exchange_goes_on(struct world *w, int p);

/* All messages are sent, and here. */
bool exchange_is_done(struct world *w, int p, int slot);

/* What it has brought. It is over. */
uint64_t exchange_take(struct world *w, int p, int slot);

/* msglog_sync.c */
void sync_begin(struct world *w, int p, const struct op *op);
void sync_ask(struct world *w, int p, const struct op *op, const struct outcome *told);
void sync_wait(struct world *w, int p, const struct op *op);

/* Outcomes of before may have ended some. */
void sync_look(struct world *w, int p);

/* A checkpoint of data ends all that are open. */
void sync_end_all(struct world *w, int p);

/* msglog_match.c */

/* A message that begins to arrive meets its receive, or waits for one. */
void match_arrived(struct world *w, int p, const struct message *m);
void match_post(struct world *w, int p, const struct op *op);

/* Of an exchange: it has no number. */
void match_post_own(struct world *w, int p, const struct op *op);
bool match_is_done(const struct receive *r);

/* The one in this slot. */
struct receive *match_receive(struct world *w, int p, int slot);
void match_forget(struct memory *m, struct receive *r);

/* The message whose contents are still to come; NULL: it is none of these. */
struct message *match_open(struct memory *m, int from, uint64_t number);

/* A message of another rank has begun to arrive. */
bool match_has_begun(const struct world *w, int p, int from, uint64_t number);

/* Of a probe: one that waits; number 0: the first. */
const struct message *match_waiting(const struct memory *m, int from, int round, uint64_t number);

/* msglog_wires.c */

/* false: nothing is on its way from p to q, or it waits for something else. */
bool wire_move(struct world *w, int p, int q);
void wire_put(struct world *w, struct wire *wire, const struct frame *f);
void link_begins(struct world *w, int p, int q);
void link_ends(struct world *w, int p, int q);
void links_end(struct world *w, int p);

/* A message leaves its rank. */
void world_leave(struct world *w, int p, int q, const struct logged_message *m);

/* q has message `number` of p, or is about to: is it this one? */
void world_compare(struct world *w, int p, int q, uint64_t number, uint64_t content);

/* msglog_logger.c */
void logger_told(struct world *w, int p, const struct msglog_action *a);

/* The first of those on the way is durable. */
void logger_takes(struct world *w, int p);

/* The same, and the rank learns of it. false: none is on the way. */
bool logger_move(struct world *w, int p);
void logger_forgets(struct world *w, int p, uint64_t number);
bool logger_may_die(const struct world *w);
void logger_dies(struct world *w);
bool world_may_kill(const struct world *w);

/* msglog_world.c */
void world_begin(struct world *w);
void world_end(struct world *w);
void world_act(struct world *w, int p);	 /* what its message logging wants to have done */
void world_move(struct world *w, int p); /* something that is not a step of a program */
void world_kill(struct world *w, int p);
void world_restart(struct world *w, int p);
void world_restore_point(struct world *w, int p);
void world_settle(struct world *w); /* all that is on its way arrives */
void world_check_end(struct world *w);

#endif
