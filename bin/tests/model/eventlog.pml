/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event Logging, for spin: three ranks, five envelopes, three lines. doc/coord.md has the rules, in the
 * words used here. Each envelope is a channel of its own, so messages of different envelopes overtake
 * each other at will, and so do reports of different pairs; only what has one envelope, or the reports
 * of one pair, keep their order. A rank may be as many lines ahead as its program lets it be.
 *
 * A message's content is its number in the program. The protocol never looks at it: it counts arrivals
 * and sends. A receive says which content the undisturbed run gives it, and asserts that. At a timeout
 * (nothing can happen any more) every program must have ended, nothing may be left over, and every line
 * that all have begun must be committed, unless it was given up.
 *
 * In story 7 the messages of one envelope are those of a window: no line may have one of them. In story 8
 * a rank sends on what came first, so that it may send something else when it is run again: then
 * `differed` must be set, or all that remember what was sent must remember the same.
 *
 * With IMAGES a rank's part has an image of its memory: what lies there and was not received comes back
 * with it, and counts as received. The counts of the image itself are void in the process that wakes up.
 *
 * STORY chooses the programs (stories.h), FAILURES how many failures there are at most: each at any moment,
 * and each either ends all ranks, who then go on from the last committed line, or spoils a line. The
 * BREAK_... leave out a rule each; run.sh expects spin to find every one.
 */
#ifndef FAILURES
#define FAILURES 1
#endif

#define RANKS 3
#define ENVELOPES 5
#define PAIRS 4
#define LINES 3
#define MOST 4 /* messages with one envelope: indices 1 to 3 */

/* by envelope: 0 and 1: rank 0 to 1, 2: rank 1 to 2, 3: rank 2 to 0, 4: rank 2 to 1 */
#define TO(e) ((e) == 3 -> 0 : ((e) == 2 -> 2 : 1))
#define PAIR(e) ((e) < 2 -> 0 : (e) - 1)
/* by pair: 0: 0 to 1, 1: 1 to 2, 2: 2 to 0, 3: 2 to 1 */
#define SENDER(p) ((p) == 3 -> 2 : (p))
#define RECEIVER(p) ((p) == 2 -> 0 : ((p) == 1 -> 2 : 1))

#define BIT(k) (1 << (k))
#define UP_TO(k) ((1 << ((k) + 1)) - 2) /* the indices 1 to k */

/* tables by line */
#define LE(i, e) (((i) - 1) * ENVELOPES + (e))
#define LP(i, p) (((i) - 1) * PAIRS + (p))
#define LR(i, r) (((i) - 1) * RANKS + (r))
/* all have */
#define BEGUN(i) (line[0] >= (i) && line[1] >= (i) && line[2] >= (i))

#if STORY == 7
#define WINDOW(e) ((e) == 4)
#else
#define WINDOW(e) false
#endif

#define SEND 1
#define RECV 2	/* the oldest message that was not received */
#define LATER 3 /* the second oldest: of two open receives, the second is finished first */
#define CKPT 4
#define END 5
#define FIRST 6 /* any message of envelopes 0 and 4: which one it was is to be sent */
#define PASS_ON 7 /* sends that */
#define LEARN 8 /* receives it */

/* ---- what the ranks know; gone with a failure ---- */

byte pc[RANKS], op[RANKS], env[RANKS], num[RANKS];
byte line[RANKS];

chan net[ENVELOPES] = [3] of { byte };	    /* contents on their way */
byte sent[ENVELOPES];			    /* sender: in this interval */
byte arrived[ENVELOPES];		    /* receiver: how many, so the latest's index */
byte waiting[ENVELOPES];		    /* the set of those that were not received */
byte suppress[ENVELOPES];		    /* the set of those to throw away when they come */
byte content[ENVELOPES * MOST];		    /* by index; the protocol does not look at it */
byte reported[ENVELOPES];		    /* sent up to the latest line that its sender closed */

chan reports[PAIRS] = [LINES] of { byte, byte, byte }; /* line, increments of one or two tags */
/* there is a report; all know of it from the tree of counts when all have begun */
bool has_reported[LINES * PAIRS];
bool closed[LINES * PAIRS];

byte delivered[LINES * ENVELOPES]; /* D: the set */
byte total[LINES * ENVELOPES];	   /* S, once the pair is closed */
byte candidates[LINES * ENVELOPES]; /* the set of those whose contents are kept for this line */
bool ready[LINES * RANKS];
bool given_up[LINES];

#if STORY == 8
byte came, learnt;   /* of the programs of ranks 1 and 2 */
bool differed;	     /* an orphan came again, and was another: the job has ended */
#define OVER differed
#else
#define OVER false
#endif

/* ---- what is on the disk ---- */

byte committed;
byte saved_pc[LINES * RANKS];
byte saved[LINES * ENVELOPES];	 /* in transit: the set of contents, which has their order */
byte orphans[LINES * ENVELOPES]; /* the set of numbers, counted from the line on */

#ifdef IMAGES
byte image[LINES * ENVELOPES];	    /* not received, but in memory: the set of contents */
byte image_sent[LINES * ENVELOPES]; /* what the sender had counted */
#define SAVED(i, e) (saved[LE(i, e)] | image[LE(i, e)])
#else
#define SAVED(i, e) saved[LE(i, e)]
#endif

#if STORY == 8
byte sums[LINES * ENVELOPES * MOST]; /* of orphans, by number: what they contain */
byte saved_came[LINES], saved_learnt[LINES];
#endif

byte failures, allowed;

hidden byte e, i, k, n, p, q, s, all;

#include "stories.h"

/* ---- a line ---- */

/* Is rank r's part of line i whole? Then it is written. */
inline whole(r)
{
	all = true;
	for (p : 0 .. PAIRS - 1) {
		all = all && (RECEIVER(p) != r || closed[LP(i, p)])
	}
	for (e : 0 .. ENVELOPES - 1) {
		if
#ifndef BREAK_NO_WAIT_FOR_ARRIVALS
		:: TO(e) == r && all ->
#ifdef BREAK_NO_WAIT_FOR_SUPPRESSED
			/* what is in transit and has not come */
			all = !(UP_TO(total[LE(i, e)]) & ~UP_TO(arrived[e]) & ~delivered[LE(i, e)])
#else
			/* all that was sent before the line has come; also orphans to suppress, to be compared */
			all = arrived[e] >= total[LE(i, e)]
#endif
#endif
		:: else
		fi
	}
	if
	:: all && !ready[LR(i, r)] && !given_up[i - 1] && i > committed -> write(r)
	:: else
	fi
}

inline write(r)
{
	ready[LR(i, r)] = true;
	for (e : 0 .. ENVELOPES - 1) {
		if
		:: TO(e) == r ->
			s = candidates[LE(i, e)] & UP_TO(total[LE(i, e)]) & ~delivered[LE(i, e)];
			n = delivered[LE(i, e)] & ~UP_TO(total[LE(i, e)]);
			orphans[LE(i, e)] = n >> total[LE(i, e)];
#ifdef BREAK_COUNTS_ONLY
			/* as if receives finished in order always: counts in place of sets */
			n = 0;
			for (k : 1 .. MOST - 1) {
				n = n + ((delivered[LE(i, e)] >> k) & 1)
			}
			s = candidates[LE(i, e)] & UP_TO(total[LE(i, e)]) & ~UP_TO(n);
			orphans[LE(i, e)] = (n > total[LE(i, e)] -> UP_TO(n - total[LE(i, e)]) : 0);
#endif
#ifndef BREAK_WINDOW_CUT
			if
			:: WINDOW(e) && (n || (UP_TO(total[LE(i, e)]) & ~delivered[LE(i, e)])) ->
				given_up[i - 1] = true
			:: else
			fi;
#endif
#if STORY == 8
			for (k : 1 .. MOST - 1) {
				if
				:: orphans[LE(i, e)] & BIT(k) ->
					sums[LE(i, e) * MOST + k] = content[e * MOST + total[LE(i, e)] + k]
				:: else
				fi
			}
#endif
			for (k : 1 .. MOST - 1) {
				if
				:: s & BIT(k) -> saved[LE(i, e)] = saved[LE(i, e)] | BIT(content[e * MOST + k])
				:: else
				fi
			}
			candidates[LE(i, e)] = 0
		:: else
		fi
	}
}

/* What the sender of pair c reported up to now is all that it sent before line i. */
inline close(c)
{
	closed[LP(i, c)] = true;
	for (e : 0 .. ENVELOPES - 1) {
		if
		:: PAIR(e) == c -> total[LE(i, e)] = reported[e]
		:: else
		fi
	}
}

/* Checkpoint of rank r: its cut, and its reports. */
inline checkpoint(r)
{
	line[r]++;
	i = line[r];
	saved_pc[LR(i, r)] = pc[r] + 1;
#if STORY == 8
	if
	:: r == 1 -> saved_came[i - 1] = came
	:: r == 2 -> saved_learnt[i - 1] = learnt
	:: else
	fi;
#endif
	for (e : 0 .. ENVELOPES - 1) {
		if
		:: TO(e) == r ->
			delivered[LE(i, e)] = UP_TO(arrived[e]) & ~waiting[e];
#ifdef IMAGES
			for (k : 1 .. MOST - 1) {
				if
				:: waiting[e] & BIT(k) ->
					image[LE(i, e)] = image[LE(i, e)] | BIT(content[e * MOST + k])
				:: else
				fi
			}
#ifndef BREAK_MEMORY_NOT_RECEIVED
			delivered[LE(i, e)] = UP_TO(arrived[e]);
#endif
#endif
#ifndef BREAK_SUPPRESSED_NOT_CARRIED
			delivered[LE(i, e)] = delivered[LE(i, e)] | suppress[e];
#endif
#if !defined(BREAK_NO_QUEUE_SAVED) && !defined(IMAGES)
			candidates[LE(i, e)] = waiting[e];
#endif
			total[LE(i, e)] = (closed[LP(i, PAIR(e))] -> reported[e] : 0)
		:: else
		fi;
#ifdef IMAGES
		if
		:: SENDER(PAIR(e)) == r -> image_sent[LE(i, e)] = sent[e]
		:: else
		fi
#endif
	}
	for (q : 0 .. PAIRS - 1) {
		if
		:: SENDER(q) == r -> report(q)
		:: else
		fi
	}
	whole(r)
}

inline report(c)
{
	if
	:: c == 0 && sent[0] + sent[1] > 0 ->
		reports[0]!i, sent[0], sent[1];
		has_reported[LP(i, 0)] = true;
		sent[0] = 0;
		sent[1] = 0
	:: c > 0 && sent[c + 1] > 0 ->
		reports[c]!i, sent[c + 1], 0;
		has_reported[LP(i, c)] = true;
		sent[c + 1] = 0
	:: else /* nothing was sent: there is no report */
	fi
}

/* A report of a later interval waits until its receiver gets there. */
#ifdef BREAK_REPORT_AT_ONCE
#define CAN_READ(c) nempty(reports[c])
#else
#define CAN_READ(c)                                                                                \
	(reports[c]?[1, _, _] || (line[RECEIVER(c)] > 0 && reports[c]?[2, _, _]) ||                \
		(line[RECEIVER(c)] > 1 && reports[c]?[3, _, _]))
#endif

inline read_report(c)
{
	reports[c]?n, s, k;
	q = RECEIVER(c);
	/* it closes the lines before its own, too: nothing was sent then */
	for (i : 1 .. n - 1) {
		if
		:: !closed[LP(i, c)] -> close(c)
		:: else
		fi
	}
	if
	:: c == 0 -> reported[0] = reported[0] + s; reported[1] = reported[1] + k
	:: else -> reported[c + 1] = reported[c + 1] + s
	fi;
	i = n;
	close(c);
	for (i : 1 .. LINES) {
		if
		:: line[q] >= i -> whole(q)
		:: else
		fi
	}
}

/* Rank r knows that all have begun line i, and has as many reports of it as there are: ranks that did
 * not report it have nothing to report. Lines of a pair are closed in their order. */
#define REPORTED(j, c, r) (RECEIVER(c) != r || !has_reported[LP(j, c)] || closed[LP(j, c)])
#define ALL_REPORTED(j, r)                                                                         \
	(REPORTED(j, 0, r) && REPORTED(j, 1, r) && REPORTED(j, 2, r) && REPORTED(j, 3, r))
#define SILENT(j, c, r)                                                                            \
	(RECEIVER(c) == r && !closed[LP(j, c)] && (j == 1 || closed[LP(j > 1 -> j - 1 : 1, c)]))
#define SOME_SILENT(j, r) (SILENT(j, 0, r) || SILENT(j, 1, r) || SILENT(j, 2, r) || SILENT(j, 3, r))

#if defined(BREAK_CLOSE_BEFORE_COUNTS)
#define CAN_CLOSE(j, r) (line[r] >= j && ALL_REPORTED(j, r))
#elif defined(BREAK_CLOSE_BEFORE_REPORTS)
#define CAN_CLOSE(j, r) (BEGUN(j))
#else
#define CAN_CLOSE(j, r) (BEGUN(j) && ALL_REPORTED(j, r))
#endif

#ifdef BREAK_CLOSE_OUT_OF_ORDER
#undef SILENT
#define SILENT(j, c, r) (RECEIVER(c) == r && !closed[LP(j, c)])
#endif

inline close_silent(j, r)
{
	i = j;
	for (q : 0 .. PAIRS - 1) {
		if
		:: SILENT(i, q, r) -> close(q)
		:: else
		fi
	}
	whole(r)
}

/* ---- messages ---- */

inline arrive(m)
{
	arrived[m]++;
	k = arrived[m];
	if
	:: suppress[m] & BIT(k) ->
		net[m]?n;
		suppress[m] = suppress[m] & ~BIT(k);
#if STORY == 8 && !defined(BREAK_NO_CHECKSUMS)
		differed = differed || n != content[m * MOST + k]
#endif
	:: else ->
		net[m]?n;
		content[m * MOST + k] = n;
		waiting[m] = waiting[m] | BIT(k);
#ifndef BREAK_NO_ARRIVALS_SAVED
		for (i : 1 .. LINES) {
			if
			:: line[TO(m)] >= i && i > committed && !given_up[i - 1] && !ready[LR(i, TO(m))] &&
				(!closed[LP(i, PAIR(m))] || k <= total[LE(i, m)]) ->
				candidates[LE(i, m)] = candidates[LE(i, m)] | BIT(k)
			:: else
			fi
		}
#endif
	fi;
	q = TO(m);
	for (i : 1 .. LINES) {
		if
		:: line[q] >= i -> whole(q)
		:: else
		fi
	}
}

/* The n-th oldest that waits is received: its content is what the program expects. */
inline receive(m, nth)
{
	n = 0;
	for (k : 1 .. MOST - 1) {
		n = n + ((waiting[m] >> k) & 1);
		if
		:: n == nth && (waiting[m] & BIT(k)) -> break
		:: else
		fi
	}
	waiting[m] = waiting[m] & ~BIT(k);
	assert(content[m * MOST + k] == num[self])
}

#if STORY == 8
inline oldest(m)
{
	for (k : 1 .. MOST - 1) {
		if
		:: waiting[m] & BIT(k) -> break
		:: else
		fi
	}
	waiting[m] = waiting[m] & ~BIT(k)
}

inline take_first(m)
{
	oldest(m);
	came = (came -> came : 1 + m)
}

inline learn()
{
	oldest(2);
	learnt = content[2 * MOST + k]
}
#endif

/* ---- failures ---- */

inline forget_line()
{
	for (e : 0 .. ENVELOPES - 1) {
		delivered[LE(i, e)] = 0;
		total[LE(i, e)] = 0;
		candidates[LE(i, e)] = 0;
		saved[LE(i, e)] = (i == committed -> saved[LE(i, e)] : 0);
#ifdef IMAGES
		image[LE(i, e)] = (i == committed -> image[LE(i, e)] : 0);
		image_sent[LE(i, e)] = (i == committed -> image_sent[LE(i, e)] : 0);
#endif
		orphans[LE(i, e)] = (i == committed -> orphans[LE(i, e)] : 0)
	}
	for (q : 0 .. RANKS - 1) {
		ready[LR(i, q)] = false;
		saved_pc[LR(i, q)] = (i == committed -> saved_pc[LR(i, q)] : 0)
	}
}

inline forget()
{
	for (i : 1 .. LINES) {
		forget_line();
		for (p : 0 .. PAIRS - 1) {
			has_reported[LP(i, p)] = false;
			closed[LP(i, p)] = i <= committed
		}
		given_up[i - 1] = false
	}
	for (p : 0 .. PAIRS - 1) {
		do
		:: nempty(reports[p]) -> reports[p]?_, _, _
		:: empty(reports[p]) -> break
		od
	}
}

/* All ranks go back to the committed line, or to the beginning: numbers are counted from there. */
inline restore()
{
	forget();
	i = committed;
	for (e : 0 .. ENVELOPES - 1) {
		do
		:: nempty(net[e]) -> net[e]?_
		:: empty(net[e]) -> break
		od;
		sent[e] = 0;
		arrived[e] = 0;
#ifdef BREAK_COUNTS_OF_IMAGE
		sent[e] = (i > 0 -> image_sent[LE((i > 0 -> i : 1), e)] : 0);
#endif
		for (k : 1 .. MOST - 1) {
			content[e * MOST + k] = 0;
		}
		for (k : 1 .. MOST - 1) {
			if
			:: i > 0 && (SAVED((i > 0 -> i : 1), e) & BIT(k)) ->
				arrived[e]++;
				content[e * MOST + arrived[e]] = k
			:: else
			fi
		}
		waiting[e] = UP_TO(arrived[e]);
		reported[e] = arrived[e];
		suppress[e] = (i > 0 -> orphans[LE((i > 0 -> i : 1), e)] << arrived[e] : 0);
		/* a rank that is restored has no window */
		assert(!WINDOW(e) || (!arrived[e] && !suppress[e]));
#if STORY == 8
		for (k : 1 .. MOST - 1) {
			if
			:: suppress[e] & BIT(k) -> content[e * MOST + k] = sums[LE(i, e) * MOST + k - arrived[e]]
			:: else
			fi
		}
#endif
#ifdef BREAK_NO_SUPPRESSION
		suppress[e] = 0;
#endif
	}
	for (q : 0 .. RANKS - 1) {
		pc[q] = (i > 0 -> saved_pc[LR((i > 0 -> i : 1), q)] : 0);
		line[q] = i;
		fetch(q)
	}
#if STORY == 8
	came = (i > 0 -> saved_came[(i > 0 -> i : 1) - 1] : 0);
	learnt = (i > 0 -> saved_learnt[(i > 0 -> i : 1) - 1] : 0);
#endif
}

/* ---- processes ---- */

#define SEVERAL(set) ((set) & ((set) - 1))

proctype Rank(byte self)
{
end:	do
	:: d_step {
		op[self] == SEND ->
		net[env[self]]!num[self];
		sent[env[self]]++;
		pc[self]++;
		fetch(self)
	}
	:: d_step { op[self] == RECV && waiting[env[self]] -> receive(env[self], 1); pc[self]++; fetch(self) }
	:: d_step {
		op[self] == LATER && SEVERAL(waiting[env[self]]) ->
		receive(env[self], 2);
		pc[self]++;
		fetch(self)
	}
	:: d_step { op[self] == CKPT -> checkpoint(self); pc[self]++; fetch(self) }
#if STORY == 8
	:: d_step { op[self] == FIRST && waiting[0] -> take_first(0); pc[self]++; fetch(self) }
	:: d_step { op[self] == FIRST && waiting[4] -> take_first(4); pc[self]++; fetch(self) }
	:: d_step { op[self] == PASS_ON && !OVER -> net[2]!came; sent[2]++; pc[self]++; fetch(self) }
	:: d_step { op[self] == LEARN && waiting[2] -> learn(); pc[self]++; fetch(self) }
#endif
	od
}

#define ARRIVE(m) :: d_step { nempty(net[m]) -> arrive(m); skip }
#define READ(c) :: d_step { CAN_READ(c) -> read_report(c); skip }
#define CLOSE(j, r) :: d_step { CAN_CLOSE(j, r) && SOME_SILENT(j, r) -> close_silent(j, r); skip }

proctype Network()
{
end:	do
	ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3) ARRIVE(4)
	READ(0) READ(1) READ(2) READ(3)
	CLOSE(1, 0) CLOSE(1, 1) CLOSE(1, 2) CLOSE(2, 0) CLOSE(2, 1) CLOSE(2, 2)
	CLOSE(3, 0) CLOSE(3, 1) CLOSE(3, 2)
	od
}

#ifdef BREAK_COMMIT_EARLY
#define ALL_READY(j) (BEGUN(j) && ready[LR(j, 0)] && ready[LR(j, 1)])
#else
#define ALL_READY(j) (ready[LR(j, 0)] && ready[LR(j, 1)] && ready[LR(j, 2)])
#endif
#define COMMIT(j) :: d_step { j > committed && ALL_READY(j) && !given_up[j - 1] -> commit(j); skip }

/* Older lines are given up, and removed. */
inline commit(j)
{
	committed = j;
	for (i : 1 .. j) {
		forget_line()
	}
}

proctype Store()
{
end:	do
	COMMIT(1) COMMIT(2) COMMIT(3)
	od
}

/* A rank could not write: nobody keeps the line, everybody goes on. */
#define SPOIL(j) :: d_step { failures < allowed && j > committed && !given_up[j - 1] && BEGUN(j) -> \
	failures++; given_up[j - 1] = true; i = j; forget_line(); skip }

inline check_end()
{
#if STORY == 8
	/* a rank that learnt it remembers what was sent */
	assert(differed || learnt == came);
#endif
	for (q : 0 .. RANKS - 1) {
		assert(OVER || op[q] == END)
	}
	for (e : 0 .. ENVELOPES - 1) {
		assert(OVER || !waiting[e]);
		assert(OVER || !suppress[e])
	}
	for (i : 1 .. LINES) {
		assert(OVER || !BEGUN(i) || given_up[i - 1] || committed >= i)
	}
}

proctype Failure()
{
	do
	:: d_step { failures < allowed -> failures++; restore(); skip }
	SPOIL(1) SPOIL(2) SPOIL(3)
	:: d_step { timeout -> check_end(); skip } -> break
	od
}

init
{
	byte r, x;

	atomic {
		choose_places();
		select(x : 0 .. FAILURES);
		allowed = x;
		x = 0;
		r = 0
	}
	d_step {
		for (q : 0 .. RANKS - 1) {
			fetch(q)
		}
		skip
	}
	atomic {
		run Rank(0);
		run Rank(1);
		run Rank(2);
		run Network();
		run Store();
		run Failure()
	}
}
