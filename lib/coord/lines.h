/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that nobody waits for (eventlog, tagging), and those of blocking that are committed later:
 * what is behind struct coord.
 *
 * Each file calls only those below it:
 *
 *   arrivals.c     a message of the program arrives
 *   calls.c        a call of the program goes its way
 *   coord.c        the rest of coord.h
 *   step.c         a line is begun; what is to be done
 *   state.c        all of it, made and cleared
 *   agree.c        on the tree: whose part is durable, the verdict; that a line is wanted
 *   reports.c      how much was sent: to others, by others
 *   counts.c       on the tree: how many reports come
 *   lines.c        the lines of this rank: what they lack, peers that close them
 *   line_cut.c     the cut of a line; compare.c: two ways to make it
 *   sums.c         what is summed up on the tree, by line
 *   actions.c      the list of what is to be done
 *   environment.c  the head of a control message, and ending the job
 *
 * and these know nothing of struct coord_lines: cut.c, early.c, tagging.c, message_sort.c,
 * control_message.c, reduction.c, undelivered.c.
 *
 * What is to be done is found by step.c, or by agree_step for it, one thing at a time, when the
 * state is whole: lib/mpi may tell coord_* of events while it does it.
 */
#ifndef FTMPI_COORD_LINES_H
#define FTMPI_COORD_LINES_H

#include "coord/coord.h"
#include "coord/cut.h"
#include "coord/early.h"
#include "coord/control_message.h"
#include "coord/tagging.h"
#include "coord/reduction.h"

enum line_state {
	LINE_MAKING,	/* messages may be added to it */
	LINE_FINISHED,	/* COORD_FINISH was asked for: this rank's part is being written */
	LINE_DURABLE,	/* this rank's part is written */
	LINE_LOST,	/* this rank has no part of it */
	LINE_COMMITTED, /* on all ranks; COORD_OVER is to come */
	LINE_GIVEN_UP,	/* on all ranks, or at the end; COORD_OVER is to come */
	LINE_STATES
};

/* A line that this rank has begun. */
struct line {
	struct line *next; /* ordered by number */
	uint32_t line;
	enum line_state state;
	struct cut *cut;     /* eventlog */
	struct tag_cut *tag; /* tagging */
	struct early_cut *early;
	int open;    /* peers that have not closed it */
	int *settle; /* peers that have, in this order */
	int nsettle, settled;
};

/* A report for an interval after this rank's own. */
struct early_report {
	struct early_report *next;
	int peer;
	size_t len;
	uint8_t bytes[];
};

/* What a peer has said. */
struct from {
	uint32_t interval; /* of the latest report */
	bool ended;	   /* it was the last of its interval */
	uint64_t entries;  /* sum of the interval's entries */
	uint64_t sent;	   /* before line `closed` */
	uint32_t closed;
};

/* What a peer was sent. */
struct to {
	uint64_t before;   /* coord.sent at the latest line */
	uint64_t reported; /* in this interval */
};

struct coord_lines {
	uint32_t base;	     /* numbers of lines begin after it */
	uint32_t closed;     /* by all peers, and all lines before */
	uint32_t committed;  /* the latest */
	uint32_t committing; /* rank 0: COORD_COMMIT was not answered yet */
	uint32_t wanted;     /* the latest that somebody asked for */
	uint64_t injected;   /* messages, in all restores */
	bool listing;	     /* COORD_LIST was not answered yet */
	struct line *list;
	struct reduction *reductions;
	struct early_report *early, **early_end;
	struct from *from;
	struct to *to;
	struct tagging tagging;
	struct early received; /* from later intervals */
};

/* How many lines a rank may be ahead of another. */
enum { LINES_AHEAD = 1 << 20 };

/* No control message is sent, and those that come are of no interest: the program has ended, or has
 * chosen to wait. */
static inline bool coord_is_silent(const struct coord *c)
{
	return c->protocol == COORD_BLOCKING || c->state == COORD_ENDED;
}

/* ---- environment.c ---- */

_Noreturn void environment_fatal(const struct coord *c, const char *sentence);
_Noreturn void environment_no_memory(const struct coord *c);

/* The header of a control message about `line`. */
struct control_message environment_head(
	const struct coord *c, enum control_kind kind, uint32_t line);

/* ---- sums.c ---- */

/* Makes it when there is none. */
struct reduction *sums_at(struct coord *c, uint32_t line);

/* Nothing more is to be counted for this line. */
bool sums_passed(const struct coord *c, uint32_t line);

/* This rank's part is durable, or (ok: 0) there will be none. */
void sums_ready(struct coord *c, uint32_t line, const struct coord_part *part);

/* ---- line_cut.c ---- */

/* For a line just begun; sorts u. false: no memory. */
bool line_cut(struct coord *c, struct line *l, struct coord_undelivered *u);

/* ---- compare.c: does not return when they differ ---- */

void compare_fate(const struct coord *c, const struct line *l, const struct coord_message *m,
	enum coord_fate tagging);

/* Peer has closed the line. */
void compare_missing(const struct coord *c, const struct line *l, int peer);

/* Nothing is missing. */
void compare_orphans(const struct coord *c, const struct line *l);

/* ---- lines.c ---- */

/* Number c->line, behind all others. */
struct line *lines_add(struct coord *c);
struct line *lines_find(const struct coord *c, uint32_t line);
void lines_free(struct line *l);

/* It comes to another state, to which the present one leads. */
void lines_become(struct line *l, enum line_state state);

/* COMMITTED or GIVEN_UP: only COORD_OVER is still to come. */
bool lines_is_over(const struct line *l);

/* It is not known yet whether this rank's part will be durable: MAKING or FINISHED. */
bool lines_is_open(const struct line *l);

/* All lines are over: those that are not yet are given up. */
void lines_give_up(struct coord *c);

/* Peer has closed all lines up to this; this line alone, which is begun when peer had closed it. */
void lines_close(struct coord *c, int peer, uint32_t line);
void lines_close_one(struct coord *c, struct line *l, int peer);

/* This rank's part is durable; NULL: it has, or will have, none. */
void lines_said(struct coord *c, struct line *l, const struct coord_part *part);

/* What an arrival means to lines that are being made. */
void lines_arrived(struct coord *c, const struct coord_message *m);

/* Nothing will be added to it any more; and what came again of the line that was restored was the
 * same (E11): with respect to this one it may be an orphan no more, and nobody would look at it
 * again. */
bool lines_identified(const struct coord *c, const struct line *l);

/* What coord.busy and coord.making are to be. */
void lines_busy(struct coord *c);

/* ---- counts.c ---- */

/* This rank's own: how many last reports it has for each rank. */
void counts_add(struct coord *c, uint32_t line, const uint32_t *counts);

/* A child's sums, the parent's. false: they make no sense. */
bool counts_got_up(struct coord *c, int peer, const struct control_message *r);
bool counts_got_down(struct coord *c, int peer, const struct control_message *r);

/* When all reports for the next line have come, a peer that has sent none has closed it. */
void counts_sweep(struct coord *c);

/* ---- reports.c ---- */

/* The interval before c->line is over: tell all peers; counts[q] becomes 1 for those who get it. */
void reports_send(struct coord *c, uint32_t *counts);

bool reports_got(struct coord *c, int peer, const struct control_message *r, const uint8_t *bytes,
	size_t len);

/* Those that waited for this interval. */
void reports_got_early(struct coord *c);

/* Forget entries by envelope that nobody needs. No line may be in the making. */
void reports_forget(struct coord *c, const struct coord_undelivered *u);

/* ---- agree.c ---- */

/* Is there something to be done? Then it was. */
bool agree_step(struct coord *c);

void agree_committed(struct coord *c, uint32_t line, bool ok);

/* All ranks know already that it is given up: nothing is said about it. */
void agree_forgo(struct coord *c, uint32_t line);
bool agree_got(struct coord *c, int peer, const struct control_message *r);
void agree_want(struct coord *c, uint32_t line, int from);

/* ---- state.c ---- */

int state_init(struct coord *c);
void state_fini(struct coord *c);

/* All begins anew after c->line. All lines are gone. */
void state_clear(struct coord *c);

/* ---- step.c ---- */

/* A line begins. Its cut is made; false: no memory. Then, when this rank's state is captured, or is
 * not: step_begun. */
bool step_begin(struct coord *c, struct coord_undelivered *u);
void step_begun(struct coord *c, bool captured);

/* One that is committed later begins: all ranks are here, and have closed it. Then, when all have
 * their copies, or not all (ok: the same everywhere): step_met. */
void step_begin_later(struct coord *c);
void step_met(struct coord *c, bool ok);

/* What is to be done next. false: nothing. */
bool step_next(struct coord *c, struct coord_action *a);

/* What is undelivered is to be listed, for reports_forget. false: not now. */
bool step_list(struct coord *c);

/* A restore: all lines are given up, and all begins anew after c->line. */
void step_clear(struct coord *c);

#endif
