/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cluster over the real lib/coord: each rank a struct coord, its environment played by the
 * simulator. A world is one schedule: a random program, and what happens to it is chosen at random
 * as well. Messages of different envelopes overtake each other, what protocols tell each other is
 * late as it likes (in order for each pair), ranks run ahead of others by any number of lines,
 * parts are written late or never, commits too, and everything can crash between any two of these.
 *
 * A message's content is its number among those that the program sends with its envelope, and
 * another number that is the same when it is sent again; or is not, which has to be found out. What
 * a rank has received is therefore a set of numbers for each envelope, and what it has sent a
 * count, and both are part of its state, so what a line has to hold is known by definition,
 * whatever happened before (coord_part.c).
 */
#ifndef FTMPI_TESTS_COORD_SIM_H
#define FTMPI_TESTS_COORD_SIM_H

#include "coord/coord.h"
#include "rng.h"

enum {
	RANKS = 6,
	ENVELOPES = 96,
	MESSAGES = 60, /* with one envelope; numbers are bits of a set */
	OPS = 640,
	POSTS = 200,
	PORTS = 96,
	LINES = 48, /* in one epoch */
	MAILS = 1024,
	KEPT = 2, /* committed lines */
	CONTROL_KINDS = 7,
};

/* ---- the program (coord_program.c) ---- */

enum op_kind { OP_SEND, OP_POST, OP_WAIT, OP_CKPT, OP_DUE, OP_SETTLED, OP_END };

struct op {
	enum op_kind kind;
	int what; /* envelope, or post */
};

struct envelope {
	int from, to;
	uint64_t context;
	int32_t tag;
	int port;
	unsigned n; /* messages */
};

/* Which envelopes a receive takes: one, or several (wildcards). */
struct port {
	int to, from; /* from -1: any */
	uint64_t context;
	int32_t tag; /* -1: any */
	unsigned sent, posted;
};

struct post {
	int port;
	unsigned ordinal; /* among the posts of its port: what it gets, when that is one envelope */
	bool waited;
};

struct program {
	int ranks, nenvs, nports;
	bool aligned; /* lines can be made by those who wait: all ranks at once */
	bool by_time;
	struct envelope envs[ENVELOPES];
	struct port ports[PORTS];
	struct op ops[RANKS][OPS];
	int nops[RANKS];
	struct post posts[RANKS][POSTS];
	int nposts[RANKS];
};

void program_make(struct program *p, struct rng *rng);

/* ---- ranks ---- */

/* What a checkpoint holds of a program. */
struct state {
	int pc;
	uint8_t sent[ENVELOPES];
	uint64_t got[ENVELOPES];	      /* sets of numbers */
	uint8_t put[ENVELOPES][MESSAGES + 1]; /* of what was sent: the contents */
	uint8_t had[ENVELOPES][MESSAGES + 1]; /* of what was received: the contents */
	bool open[POSTS];		      /* posted and not waited for */
};

struct mail {
	int env;
	unsigned number; /* 0: sent before a restore, never to be received */
	uint8_t contents;
	bool noted; /* its receive is done: the protocol knows the contents if it may want to */
	uint32_t stamp;
	uint64_t index;
	int post;      /* that takes it, or -1 */
	bool whole;    /* its contents are here */
	bool pull;     /* they are asked for */
	unsigned more; /* of an operation that nobody waits for: so many rounds follow this one */
};

struct mails {
	int v[MAILS];
	int n;
};

/* What a rank has of a line. */
struct part {
	bool begun, captured, finished, durable, lost, over, committed;
	bool torn;    /* a message of a window crosses it */
	bool crowded; /* it has too many orphans */
	struct state state;
	struct mails candidates; /* candidates; once finished what is in transit */
	struct mails kept;	 /* in the image; `state` has them as received */
	int kept_by[MAILS];	 /* the posts that have them, or -1 */
	uint8_t *orphans;
	size_t norphans;
};

struct rank {
	struct world *w;
	int self;
	struct coord c;
	struct state state;
	int matched[POSTS]; /* mail, or -1 */
	struct mails inbox; /* arrived and not received, in order */
	struct part parts[LINES];
	uint64_t woke[ENVELOPES]; /* sets of numbers that came with its image */
	bool chosen;
	bool meets;    /* it has copied its part, and has not gone on yet */
	uint32_t left; /* the line from which it went on last */
};

struct control {
	struct control *next;
	size_t len;
	uint8_t bytes[];
};

struct stored_mail {
	int env;
	unsigned number;
	uint8_t contents;
};

struct stored_image {
	struct stored_mail mail[MAILS];
	int post[MAILS];
	int n;
};

/* A line that is on disk. */
struct stored {
	uint32_t line;
	struct state state[RANKS];
	struct stored_mail mail[RANKS][MAILS];
	int nmail[RANKS];
	struct stored_image image[RANKS];
	uint8_t *orphans[RANKS];
	size_t norphans[RANKS];
};

/* How often of a thousand. */
struct rates {
	unsigned crash, program, control, spoil, drain, late, elapsed, slow;
};

struct seen {
	unsigned long lines, committed, given_up, restores, transit, orphans, both, thrown, ahead,
		blocking, later, oracle, control, torn, crowded, other, woken, kept;
};

struct world {
	uint64_t seed, trace;
	bool talks;
	bool images; /* lines hold messages that lie in memory as memory */
	struct rng rng;
	struct rates rates;
	struct seen *seen;
	struct program program;
	const char *protocol, *choice;
	struct rank ranks[RANKS];
	struct mail mails[MAILS];
	int nmails;
	struct mails flying[ENVELOPES];
	struct control *control[RANKS][RANKS], **control_end[RANKS][RANKS];
	uint32_t base;		    /* the number before the first line of this epoch */
	uint32_t latest;	    /* the highest that a line had */
	uint32_t committing;	    /* rank 0 was asked to commit it */
	bool commit_known;	    /* it is on disk, rank 0 will hear so */
	bool verdict;		    /* blocking: of the line being made */
	bool later;		    /* blocking: a line is committed while programs run (B5) */
	uint32_t meeting;	    /* which ranks come to, or go on from; 0: none */
	bool unmet;		    /* they do not wait for each other there: a rule is left out */
	struct stored *store[KEPT]; /* newest first */
	int nstore;
	struct stored *restored; /* what this epoch began from, or NULL */
	int crashes_left, slow_rank;
	bool before_restore, one_ahead_only;
	uint8_t sends[ENVELOPES]; /* what it puts into its messages, now */
	bool other;		  /* one came again with other contents: the job has ended */
	unsigned control_of[LINES]
			   [CONTROL_KINDS]; /* by line and kind, as on the wire; 0: last REPORTs */
	unsigned asked;			    /* requests by time that made a line */
};

#define BIT(k) ((uint64_t)1 << (k))
#define UP_TO(k) (BIT((k) + 1) - 2) /* {1 .. k} */

/* Says what was seen, with the seed, and ends the process. */
void world_fails(const struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void world_says(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void mails_add(struct mails *m, int id);
int mails_take(struct mails *m, int at);
struct part *part_of(struct rank *r, uint32_t line);
struct coord_message message_of(const struct world *w, int id);

/* ---- coord_env.c: what is asked for of a line ---- */

bool capture_line(struct rank *r, uint32_t line);
void settle_peer(struct rank *r, uint32_t line, int peer);
void finish_line(struct rank *r, uint32_t line);
void commit_line(struct rank *r, uint32_t line, const struct coord_part *parts);
void end_line(struct rank *r, uint32_t line, bool committed);
void save_line(struct rank *r, uint32_t line, bool ok);
void send_control(struct rank *r, int peer, const uint8_t *bytes, size_t len);

/* ---- coord_image.c ---- */

/* What stays in the image counts as received from here on, for this part. */
void image_cut(struct rank *r, struct part *part);
bool image_has(const struct part *part, int id);
void image_store(const struct world *w, const struct part *part, struct stored_image *s);
void image_wake(struct rank *r, const struct stored_image *s);

/* ---- coord_drive.c ---- */

/* Does what its protocol asks for, until there is nothing more; after every event. */
void drive(struct rank *r);

/* Calls of the program, to their end. */
bool drive_checkpoint(struct rank *r);
bool drive_restore(struct rank *r);
bool drive_wait(struct rank *r);
void drive_close(struct rank *r);
bool drive_due(struct rank *r, bool elapsed);

/* ---- coord_moves.c ---- */

/* Something happens that needs no program: a message comes, a part is written ... false: nothing
 * can. */
bool move_network(struct world *w);

/* Has every program ended? */
bool all_ended(const struct world *w);

/* A checksum of a message, so to say. */
struct orphan_sum sum_of(int env, unsigned number, uint8_t contents);

/* The receive that has it is done. */
void note_contents(struct rank *r, int id);

bool deliver_to(struct world *w, int rank);
void send_mail(struct world *w, struct rank *r, int env, unsigned number);

/* A message of an operation that nobody waits for: who gets it sends the next one, whatever its
 * program does, and wherever it is in a restore; so `more` times. */
void send_round(struct world *w, int env, unsigned more);

/* All of these come to their end. */
void end_operations(struct world *w);
void match_posts(struct rank *r);

/* ---- coord_steps.c ---- */

/* A program goes one step. false: none can. */
bool move_program(struct world *w);

/* What the program's state is at the line; kept also when it cannot be captured. */
void cut_part(struct rank *r, uint32_t line);

/* ---- coord_meet.c ---- */

/* This rank comes to the line that all make now, or goes on from it. false: it cannot yet. */
bool step_later_line(struct rank *r);

/* COORD_FINISH of such a line. */
void write_later(struct rank *r, uint32_t line);

/* ---- coord_restart.c ---- */

/* wakes: from images of a line that is on disk: the ranks' protocols go on with what they have, in
 * place of new ones. */
void world_begin_epoch(struct world *w, bool wakes);
void world_end_epoch(struct world *w, bool wakes);
void store_add(struct world *w, uint32_t line);
void store_clear(struct world *w);
void take_line(struct rank *r);
bool find_line(struct rank *r, uint64_t *latest);

/* A message of the line is there again: its number among the mails. */
int inject(struct rank *r, const struct stored_mail *m);

/* ---- coord_part.c ---- */

/* A line's part holds what it has to, and is known to be torn when it is. */
void check_part(struct rank *r, uint32_t line);

/* ---- coord_checks.c ---- */

/* What is received is what the program asks for. */
void check_received(struct rank *r, int post, int id);
void check_arrived(struct rank *r, int id, bool thrown);
void check_again(struct rank *r, int id);

/* It is asked for a line: its part of the last one is written, or never will be. */
void check_paced(struct rank *r);

/* All that was sent or told has come: what all have begun is over. */
void check_drained(struct world *w);

/* Every program has ended. */
void check_end(struct world *w);

/* Protocols have ended, too. */
void check_closed(struct world *w);

/* And all has come that was sent again without need. */
void check_left(struct world *w);

#endif
