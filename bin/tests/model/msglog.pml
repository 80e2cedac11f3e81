/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message logging, for spin: three ranks, of which any may fail at any moment, also while another is
 * down or runs again. It comes back alone, from a checkpoint that it took alone, and nobody else goes
 * back. Comments name the rules M1 to M10.
 *
 * A rank's `mind` is all that it has seen; a message contains its sender's mind and the message's number
 * in its pair. What a rank sends again has to be what the receiver has got of it, now or in its
 * checkpoint: else the receiver would be an orphan. A receive asserts the number. At a timeout (nothing
 * can happen any more) every program must have ended, every message been received, and the logs hold what
 * no durable checkpoint covers, and nothing else but what a prefix needs.
 *
 * Three things that take time are one step here, as nothing that happens in between can tell:
 *   - A message leaves and begins to arrive. What may leave may do so later, and what was on its way as its
 *     sender failed, and came, might as well have come before. So there are no channels: a connection is
 *     the number up to which messages of the pair have left in it.
 *   - The event logger has an outcome, and the rank knows that it does. A rank that fails between the two
 *     has sent nothing that depends on it.
 *   - Two ranks connect, and each knows what the other has got, and covers. Until a message comes that is
 *     the same.
 *
 * Contents of a long message come after its envelope, and after messages behind it; so a connection that
 * breaks between two ranks that live leaves messages with and without contents, and duplicates come.
 *
 * With EARLY, from STORY 6 on, rank 1 posts receives before it waits for them, and cancels some. A
 * message meets its receive when it begins to arrive; so a receive from any source has its outcome then,
 * at no certain place of the program, and the outcome names the receive by its number. In the other
 * stories a receive is posted when it is waited for. Then its outcome has its place in the program, is
 * followed like a choice, and a checkpoint in a replay does no harm.
 *
 * With DATA a failed rank runs its program from the beginning to its restore point, and only there its
 * checkpoint is loaded (M10). Else a checkpoint is an image.
 *
 * STORY chooses the programs, FAILURES how many failures there are at most, CHECKPOINTS how many
 * checkpoints are begun at most; each by any rank at any moment. The BREAK_... leave out a rule each;
 * run expects spin to find every one:
 *
 *   M2   GATE                 messages do not wait for outcomes
 *   M3   NO_IS_NO_OUTCOME
 *        NO_BEHIND_MATCH      gets its number later than a match that happens after it
 *   M4   DUPLICATES           are received
 *        OPEN_COUNTS          as arrived, although contents are still to come
 *   M5   EARLY_COVER          peers are told of a checkpoint before it is durable
 *        LOG_NOT_SAVED        with the checkpoint
 *        LOGGER_FORGETS       all that it has, and not what the checkpoint covers
 *        COVERED_NOT_PASSED   what is covered is sent, since the connection began with less
 *        CHECKPOINT_IN_REPLAY is taken, and covers outcomes that have not happened again
 *   M6   OLD_OUTCOMES         what a failed process told reaches the logger after its successor began
 *        OLD_CHECKPOINT       what it wrote becomes durable after its successor began
 *   M8   NOT_FOLLOWED         the logger's outcomes
 *        MATCH_NOT_BOUND      a receive gets what comes first, and not what it got before
 *        CANCELLED_GETS       a message in the replay, the receive that was cancelled before
 *        CANCELS_EARLY        a receive, before all matches of before have happened again
 *   M9   LEAVES_EARLY         a rank that has ended, and its log with it
 *   M10  PREFIX_DROPPED       the prefix's messages, from the peers' logs
 *        PREFIX_TAKES_MORE    than it took the first time
 *        PREFIX_OF_FIRST_RUN  counts, although that was run again before there was a checkpoint
 */
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef CHECKPOINTS
#define CHECKPOINTS 2
#endif

#define RANKS 3
#define PAIRS 4
#if STORY < 6
#define OUTCOMES 3 /* of a rank, numbered from 1 on */
#else
#define EARLY
#define OUTCOMES 6 /* there is room for more than right ones */
#define PLACES 3   /* each has one receive of rank 1, or none */
#define ANYBODY PAIRS
#define NONE 255
#endif

#define BIT(k) (1 << (k))
#define UP_TO(k) ((1 << ((k) + 1)) - 2) /* the numbers 1 to k */

#define SEND 1	  /* to this pair */
#define RECV 2	  /* of this pair */
#define ANY 3	  /* of whatever pair: an outcome */
#define PROBE 4	  /* what could be received of whatever pair, or nothing: an outcome */
#define TEST 5	  /* receives of this pair, or says no: an outcome */
#define REST 6	  /* receives of this pair, unless TEST has */
#define FIRST 7	  /* sends to this pair, or the next: to the rank whose message ANY got */
#define SECOND 8  /* and to the other */
#define RESTORE 9 /* FTMPI_Restore */
#define END 10	  /* MPI_Finalize, where ranks wait for each other (M9) */

/* with EARLY, of the receive in this place, from 1 on: */
#define POST 11	    /* it is posted, and gets a message of pair 0; */
#define POST_ANY 12 /* or of whatever pair: an outcome, as soon as it has one */
#define TRY 13	    /* receives its message, or says no: an outcome */
#define WAIT 14	    /* receives its message, unless TRY has */
#define CANCEL 15   /* it is gone; or has a message, and stays: an outcome. If it stays the program
		     * leaves out the next operation, which posts another one in this place */

/* outcomes; a message of pair c: OF(c) */
#define NO 1
#define YES 2
#define OF(c) (3 + (c))

/* with EARLY, too: receive number i got this message, or was cancelled */
#define MATCH(i, message) (16 * (i) + (message))
#define CANCELLED(i) (16 * (i))
#define IS_MATCH(o) ((o) > 16 && ((o) & 15))
#define MESSAGE(c, n) (4 * (c) + (n))
#define PAIR_OF(message) ((message) >> 2)
#define NUMBER_OF(message) ((message) & 3)
#define NEVER 15 /* in place of a message: there is none, as the receive was cancelled */

/* ---- the programs, by STORY: rank, position, operation, pair ---- */

#if STORY == 3 || STORY == 4
/* 0: rank 0 to 1, 1: rank 1 to 2, 2: rank 2 to 0, 3: rank 2 to 1 */
#define SENDER(c) ((c) == 3 -> 2 : (c))
#define RECEIVER(c) ((c) == 2 -> 0 : ((c) == 1 -> 2 : 1))
#else
/* 0: rank 0 to 1, 1: rank 2 to 1, 2: rank 1 to 0, 3: rank 1 to 2 */
#define SENDER(c) ((c) == 0 -> 0 : ((c) == 1 -> 2 : 1))
#define RECEIVER(c) ((c) < 2 -> 1 : ((c) == 2 -> 0 : 2))
#endif

/* messages of a pair, numbered from 1 on */
#if STORY < 3
#define MOST 1
#elif STORY == 3
#define MOST 3 /* there is room for one that is received twice */
#else
#define MOST 2
#endif

#if STORY == 3 || STORY == 8
#define LONG(c, n) ((c) == 0 && (n) == 1)
#else
#define LONG(c, n) false
#endif

#if STORY == 5 || STORY == 8
#define DATA true
#else
#define DATA false
#endif

#define AT(r, at, o, c) :: who == r && pc[who] == at -> op[who] = o; arg[who] = c

inline fetch(who)
{
	if
#if STORY == 1
	/* Who comes first is answered first; and says something to that. */
	AT(0, 0, SEND, 0)
	AT(0, 1, RECV, 2)
	AT(1, 0, ANY, 0)
	AT(1, 1, FIRST, 2)
	AT(1, 2, ANY, 0)
	AT(1, 3, SECOND, 2)
	AT(2, 0, SEND, 1)
	AT(2, 1, RECV, 3)
#elif STORY == 2
	/* What was not there yet is told to others. */
	AT(0, 0, SEND, 0)
	AT(0, 1, RECV, 2)
	AT(1, 0, PROBE, 0)
	AT(1, 1, SEND, 3)
	AT(1, 2, TEST, 0)
	AT(1, 3, SEND, 2)
	AT(1, 4, REST, 0)
	AT(1, 5, RECV, 1)
	AT(2, 0, SEND, 1)
	AT(2, 1, RECV, 3)
#elif STORY == 3
	/* A ring, twice around, without outcomes. A message of it is long. */
	AT(0, 0, SEND, 0)
	AT(0, 1, SEND, 0)
	AT(0, 2, RECV, 2)
	AT(0, 3, RECV, 2)
	AT(1, 0, RECV, 0)
	AT(1, 1, SEND, 1)
	AT(1, 2, RECV, 0)
	AT(1, 3, SEND, 1)
	AT(2, 0, RECV, 1)
	AT(2, 1, SEND, 2)
	AT(2, 2, RECV, 1)
	AT(2, 3, SEND, 2)
#elif STORY == 4
	/* All messages but one are sent long before they are received. */
	AT(0, 0, SEND, 0)
	AT(0, 1, SEND, 0)
	AT(0, 2, RECV, 2)
	AT(1, 0, ANY, 0)
	AT(1, 1, ANY, 0)
	AT(1, 2, ANY, 0)
	AT(1, 3, SEND, 1)
	AT(2, 0, SEND, 3)
	AT(2, 1, SEND, 2)
	AT(2, 2, RECV, 1)
#elif STORY == 5
	/* Rank 1 receives before its restore point what rank 0 sent before its own, or what rank 2 sent
	 * after its own; and answers rank 0, which waits for that before its restore point. */
	AT(0, 0, SEND, 0)
	AT(0, 1, RECV, 2)
	AT(0, 2, RESTORE, 0)
	AT(0, 3, SEND, 0)
	AT(1, 0, ANY, 0)
	AT(1, 1, SEND, 2)
	AT(1, 2, RESTORE, 0)
	AT(1, 3, ANY, 0)
	AT(1, 4, SEND, 3)
	AT(1, 5, ANY, 0)
	AT(2, 0, RESTORE, 0)
	AT(2, 1, SEND, 1)
	AT(2, 2, RECV, 3)
#elif STORY == 6
	/* One from rank 0 is cancelled, and another is posted in its place. */
	AT(0, 0, SEND, 0)
	AT(0, 1, SEND, 0)
	AT(0, 2, RECV, 2)
	AT(1, 0, POST_ANY, 1)
	AT(1, 1, POST, 2)
	AT(1, 2, TRY, 1)
	AT(1, 3, SEND, 3)
	AT(1, 4, CANCEL, 2)
	AT(1, 5, POST, 2)
	AT(1, 6, POST_ANY, 3)
	AT(1, 7, WAIT, 1)
	AT(1, 8, WAIT, 2)
	AT(1, 9, WAIT, 3)
	AT(1, 10, SEND, 2)
	AT(2, 0, SEND, 1)
	AT(2, 1, RECV, 3)
#elif STORY == 7
	/* One from any rank is cancelled, and another is posted in its place. */
	AT(0, 0, SEND, 0)
	AT(0, 1, SEND, 0)
	AT(0, 2, RECV, 2)
	AT(1, 0, POST_ANY, 1)
	AT(1, 1, POST, 2)
	AT(1, 2, TRY, 2)
	AT(1, 3, SEND, 3)
	AT(1, 4, CANCEL, 1)
	AT(1, 5, POST_ANY, 1)
	AT(1, 6, POST_ANY, 3)
	AT(1, 7, WAIT, 1)
	AT(1, 8, SEND, 2)
	AT(1, 9, WAIT, 2)
	AT(1, 10, WAIT, 3)
	AT(2, 0, SEND, 1)
	AT(2, 1, RECV, 3)
#elif STORY == 8
	/* At its restore point rank 1 has a receive that is posted, and may have no message. The first
	 * message is long. */
	AT(0, 0, SEND, 0)
	AT(0, 1, RESTORE, 0)
	AT(0, 2, SEND, 0)
	AT(0, 3, RECV, 2)
	AT(1, 0, POST_ANY, 1)
	AT(1, 1, POST, 2)
	AT(1, 2, TRY, 1)
	AT(1, 3, SEND, 3)
	AT(1, 4, WAIT, 1)
	AT(1, 5, RESTORE, 0)
	AT(1, 6, POST_ANY, 3)
	AT(1, 7, WAIT, 2)
	AT(1, 8, SEND, 2)
	AT(1, 9, WAIT, 3)
	AT(2, 0, SEND, 1)
	AT(2, 1, RECV, 3)
	AT(2, 2, RESTORE, 0)
#endif
	:: else -> op[who] = END; arg[who] = 0
	fi
}

/* ---- what the ranks know; gone with the process ---- */

bool down[RANKS];
byte pc[RANKS], op[RANKS], arg[RANKS];
byte mind[RANKS];
byte chosen[RANKS];   /* whose message ANY got first */
byte happened[RANKS]; /* outcomes, up to now; with EARLY the next is a choice of before, or new */

/* by pair, the sender: */
byte sent[PAIRS];
byte log[PAIRS];	     /* the set of numbers in the sender's log, */
byte content[PAIRS * MOST];  /* their contents, */
byte need[PAIRS * MOST];     /* and the outcomes that must be safe before they leave; 0: they are */
byte held[PAIRS];	     /* the receiver said that its checkpoint holds them up to here */

/* the receiver: */
byte got[PAIRS];	 /* what has begun to arrive */
byte open[PAIRS];	 /* the set of those whose contents are not here */
byte received[PAIRS];
byte has[PAIRS * MOST];	 /* contents of all that has arrived */

/* the connection: */
byte left[PAIRS];	 /* up to here the receiver has them, or they have begun to arrive in this connection */

#ifdef BREAK_OPEN_COUNTS
byte began[PAIRS];	 /* the connection, behind this number */
#endif

#ifdef EARLY
/* rank 1: */
byte last;	      /* all its outcomes, with those of before */
byte ahead;	      /* matches of before that have not happened again */
byte posted;	      /* receives have numbers up to this one */
byte receive[PLACES]; /* the number of the one that is in this place; 0: none is */
byte source[PLACES];  /* the pair that it names, or ANYBODY */
byte met[PLACES];     /* the message that it got */
byte fate[PLACES];    /* it is to get this message, or NEVER one; 0: outcomes of before do not say */
#ifdef BREAK_NO_BEHIND_MATCH
bool no;	      /* was said, and has no number yet */
#endif
#endif

/* with DATA */
bool came[RANKS];	 /* to its restore point */
byte bound[PAIRS];	 /* how far its prefix went: what had arrived, */
byte bound_happened[RANKS]; /* and outcomes. Each checkpoint has that */
#ifdef BREAK_PREFIX_OF_FIRST_RUN
bool bound_known[RANKS];
#endif

/* ---- the event logger ---- */

byte logged[RANKS];		 /* outcomes up to here are safe: it has them, or a checkpoint covers them */
byte event[RANKS * OUTCOMES];	 /* by number; those above `logged` only the rank has */
#ifdef BREAK_OLD_OUTCOMES
byte late[RANKS], late_number[RANKS]; /* what a process told that has failed, and is on its way */
bool late_logged[RANKS];
#endif

/* ---- checkpoints: one that is being written, and the latest durable one ---- */

#define WRITING 0
#define DURABLE 1
#define SR(s, r) ((s) * RANKS + (r))
#define SP(s, c) ((s) * PAIRS + (c))
#define SM(s, c, n) (((s) * PAIRS + (c)) * MOST + (n) - 1)
#define SL(s, p) ((s) * PLACES + (p))

bool there[2 * RANKS];
byte s_pc[2 * RANKS], s_mind[2 * RANKS], s_chosen[2 * RANKS], s_happened[2 * RANKS];
byte s_sent[2 * PAIRS], s_log[2 * PAIRS], s_content[2 * PAIRS * MOST];
byte s_got[2 * PAIRS], s_open[2 * PAIRS], s_received[2 * PAIRS], s_has[2 * PAIRS * MOST];

#ifdef EARLY
byte s_posted[2], s_receive[2 * PLACES], s_source[2 * PLACES], s_met[2 * PLACES];
#endif

byte failures_left, checkpoints_left;

hidden byte c, k, n, q, x;
#ifdef EARLY
hidden byte i, p;
#endif

#define M(c, n) ((c) * MOST + (n) - 1)
#define E(r, n) ((r) * OUTCOMES + (n) - 1)
#define TOUCHES(r, c) (SENDER(c) == (r) || RECEIVER(c) == (r))
#define UP(c) (!down[SENDER(c)] && !down[RECEIVER(c)])

/* how many outcomes the state of a rank may depend on */
#ifdef EARLY
#define LAST(r) ((r) == 1 -> last : 0)
#else
#define LAST(r) happened[r]
#endif

/* without a gap, and with contents */
#ifdef BREAK_OPEN_COUNTS
#define WHOLE(g, o) (g)
#else
#define WHOLE(g, o) ((o) == 0 -> (g) : (((o) & BIT(1)) -> 0 : (((o) & BIT(2)) -> 1 : 2)))
#endif

#define IN_PREFIX(r) (DATA && there[SR(DURABLE, r)] && !came[r])

/* A prefix that is run again takes no more than it took. */
#ifdef BREAK_PREFIX_TAKES_MORE
#define LIMIT(c) MOST
#else
#define LIMIT(c) (IN_PREFIX(RECEIVER(c)) -> bound[c] : MOST)
#endif

/* What a prefix has taken no log drops, as it may be run again. */
#ifdef BREAK_PREFIX_DROPPED
#define KEEP(c) 0
#else
#define KEEP(c) bound[c]
#endif

#ifdef EARLY
/* ---- receives that are posted early ---- */

/* In a replay a receive of before gets what it got, and nothing else (M8). */
#define FITS(p, c, n) (receive[p] && !met[p] && (source[p] == ANYBODY || source[p] == (c)) && \
	(fate[p] == 0 || fate[p] == MESSAGE(c, n) || GETS(p)))
#ifdef BREAK_CANCELLED_GETS
#define GETS(p) (fate[p] == NEVER)
#else
#define GETS(p) false
#endif

/* What outcomes of before say of the receive in this place. No two of them are of one receive. */
inline look_up(place)
{
	fate[place] = 0;
	for (k : 1 .. OUTCOMES) {
		if
		:: !met[place] && receive[place] && event[E(1, k)] >> 4 == receive[place] && k <= last ->
			assert(!fate[place]);
			if
			:: event[E(1, k)] == CANCELLED(receive[place]) -> fate[place] = NEVER
#ifndef BREAK_MATCH_NOT_BOUND
			:: else -> fate[place] = event[E(1, k)] & 15
#else
			:: else
#endif
			fi
		:: else
		fi
	}
}

/* Matches of before are no choices: nothing waits for them. */
inline next_choice()
{
	do
	:: happened[1] < last && IS_MATCH(event[E(1, happened[1] + 1)]) -> happened[1]++
	:: else -> break
	od
}

/* Outcomes of before up to this number happen again. */
inline happen_again(number)
{
	last = number;
	ahead = 0;
#ifndef BREAK_MATCH_NOT_BOUND
	for (n : 1 .. OUTCOMES) {
		ahead = ahead + (n > happened[1] && n <= last && IS_MATCH(event[E(1, n)]))
	}
#endif
	next_choice()
}

/* It comes behind all outcomes of before. */
inline add(what)
{
	assert(!IN_PREFIX(1));
	last++;
	event[E(1, last)] = what;
	next_choice()
}

/* The receive in this place gets message number n of pair c. */
inline meet(place)
{
	received[c]++;
	assert(n == received[c]);
	met[place] = MESSAGE(c, n);
	if
	:: source[place] == ANYBODY && fate[place] == met[place] -> ahead--
	:: source[place] == ANYBODY && fate[place] != met[place] -> add(MATCH(receive[place], met[place]))
	:: else
	fi;
	fate[place] = 0
}

#ifdef BREAK_NO_BEHIND_MATCH
inline close_noes()
{
	if
	:: no ->
		add(NO);
		happened[1] = last;
		no = false
	:: else
	fi
}
#else
#define close_noes() skip
#endif

/* Message number n of pair c begins to arrive: the receive that was posted first gets it. */
inline begins(m)
{
	if
	:: RECEIVER(m) == 1 ->
		i = NONE;
		for (p : 0 .. PLACES - 1) {
			if
			:: FITS(p, m, n) && (i == NONE || receive[p] < receive[i]) -> i = p
			:: else
			fi
		}
		if
		:: i != NONE -> meet(i)
		:: else
		fi
	:: else
	fi
}

/* It gets the next of this pair, if that came before it was posted. */
inline try_meet(place, m)
{
	c = m;
	n = received[c] + 1;
	if
	:: n <= got[c] && FITS(place, c, n) -> meet(place)
	:: else
	fi
}

/* It looks at messages of the pair `first` first, as if they had come first. */
inline post(place, whose, first)
{
	posted++;
	receive[place] = posted;
	source[place] = whose;
	look_up(place);
	try_meet(place, first);
	try_meet(place, 1 - first)
}

inline forget(place)
{
	receive[place] = 0;
	source[place] = 0;
	met[place] = 0;
	fate[place] = 0
}
#else
#define begins(c) skip
#endif

/* ---- messages ---- */

#ifdef BREAK_NO_BEHIND_MATCH
inline close(r)
{
	if
	:: r == 1 -> close_noes()
	:: else
	fi
}
#else
#define close(r) skip
#endif

/* Message number n is, or will be, sent again: the receiver has got this one. */
inline compare()
{
	assert(n > got[c] || has[M(c, n)] == x);
	assert(n > s_got[SP(DURABLE, c)] || s_has[SM(DURABLE, c, n)] == x)
}

inline send(r, to)
{
	close(r);
	c = to;
	sent[c]++;
	n = sent[c];
	x = (mind[r] << 2) | n;
	compare();
	if
	:: n > KEEP(c) && n <= held[c] /* it is covered, and was sent before this rank came back */
	:: else ->
		log[c] = log[c] | BIT(n);
		content[M(c, n)] = x;
		need[M(c, n)] = (LAST(r) > logged[r] -> LAST(r) : 0)
	fi
}

#ifdef BREAK_GATE
#define SAFE(c) true
#else
#define SAFE(c) (need[M(c, left[c] + 1)] == 0)
#endif

#define CAN_ARRIVE(c) (UP(c) && left[c] < sent[c] && left[c] < LIMIT(c) && SAFE(c))

/* The next message leaves, and begins to arrive. */
inline arrive(m)
{
	c = m;
	n = left[c] + 1;
	assert(log[c] & BIT(n));
	x = content[M(c, n)];
	compare();
	left[c] = n;
	if
	:: n > got[c] ->
		assert(n == got[c] + 1);
		got[c] = n;
		has[M(c, n)] = x;
		begins(c);
		if
		:: LONG(c, n) -> open[c] = open[c] | BIT(n)
		:: else
		fi
	:: else
#ifdef BREAK_DUPLICATES
		if
		:: !(open[c] & BIT(n)) && got[c] < MOST ->
			got[c]++;
			has[M(c, got[c])] = x
		:: else
		fi
#endif
	fi
}

/* Contents come: in the connection in which their message began to, once more perhaps. */
#define CAN_FILL(c) (UP(c) && FILLED(c))
#ifdef BREAK_OPEN_COUNTS
#define FILLED(c) (open[c] & UP_TO(left[c]) & ~UP_TO(began[c]))
#else
#define FILLED(c) (open[c] & UP_TO(left[c]))
#endif

inline fill(m)
{
	c = m;
	for (k : 1 .. MOST) {
		if
		:: FILLED(c) & BIT(k) -> break
		:: else
		fi
	}
	open[c] = open[c] & ~BIT(k)
}

/* ---- what the program sees ---- */

#define HERE(c) (received[c] < got[c] && !(open[c] & BIT(received[c] + 1)))

/* An outcome that is safe is followed (M8). */
#define LIVE(r) (happened[r] >= logged[r])
#define MAY_BE(r, o) (LIVE(r) || event[E(r, happened[r] + 1)] == (o))
#define MUST_BE(r, o) (!LIVE(r) && event[E(r, happened[r] + 1)] == (o))

inline see(r, what)
{
	mind[r] = (mind[r] * 7 + (what) + 1) % 61
}

inline outcome(r, what)
{
	happened[r]++;
	event[E(r, happened[r])] = what;
	see(r, what)
}

inline take(r, from)
{
	received[from]++;
	x = has[M(from, received[from])];
	assert((x & 3) == received[from]);
	see(r, x >> 2)
}

inline say_no(r)
{
#ifdef BREAK_NO_IS_NO_OUTCOME
	see(r, NO)
#else
	outcome(r, NO)
#endif
}

#ifdef EARLY
#define DONE(p) (receive[p] && met[p] && !(open[PAIR_OF(met[p])] & BIT(NUMBER_OF(met[p]))))
#define FREE (happened[1] == last) /* no choice of before is left */
#define TOLD event[E(1, happened[1] + 1)]

/* A new cancellation waits for all matches of before: until then it is not known what has its message (M8). */
#ifdef BREAK_CANCELS_EARLY
#define KNOWN true
#else
#define KNOWN (ahead == 0)
#endif

/* A choice: that of before, or a new one. */
inline choose(what)
{
	if
	:: !FREE ->
		assert(TOLD == what);
		happened[1]++;
		next_choice()
#ifdef BREAK_NO_BEHIND_MATCH
	:: FREE && what == NO ->
		close_noes();
		no = true
#endif
	:: else ->
		close_noes();
		add(what);
		happened[1] = last
	fi;
	see(1, what)
}

inline finish(place)
{
	c = PAIR_OF(met[place]);
	x = has[M(c, NUMBER_OF(met[place]))];
	assert((x & 3) == NUMBER_OF(met[place]));
	see(1, OF(c));
	see(1, x >> 2);
	forget(place)
}
#endif

#define NOTHING(r) !((RECEIVER(0) == (r) && HERE(0)) || (RECEIVER(1) == (r) && HERE(1)) || \
	(RECEIVER(2) == (r) && HERE(2)) || (RECEIVER(3) == (r) && HERE(3)))

/* ---- the sender's log, and the event logger ---- */

/* The receiver's durable checkpoint holds them. */
#define COVERED(c) WHOLE(s_got[SP(DURABLE, c)], s_open[SP(DURABLE, c)])

#ifdef BREAK_EARLY_COVER
#define SAID(c) (there[SR(WRITING, RECEIVER(c))] -> WHOLE(s_got[SP(WRITING, c)], s_open[SP(WRITING, c)]) : COVERED(c))
#else
#define SAID(c) COVERED(c)
#endif

inline cover(m)
{
	c = m;
	held[c] = SAID(c);
#ifndef BREAK_COVERED_NOT_PASSED
	/* what is covered need not be sent, also when a connection began with less */
	left[c] = (!IN_PREFIX(RECEIVER(c)) && left[c] < held[c] -> held[c] : left[c]);
#endif
	drop()
}

inline drop()
{
	log[c] = log[c] & ~(UP_TO(held[c]) & ~UP_TO(KEEP(c)));
	for (n : 1 .. MOST) {
		if
		:: !(log[c] & BIT(n)) -> content[M(c, n)] = 0; need[M(c, n)] = 0
		:: else
		fi
	}
}

/* Outcomes of rank r up to this one are safe. */
inline safe(r, number)
{
	logged[r] = number;
	for (c : 0 .. PAIRS - 1) {
		for (n : 1 .. MOST) {
			if
			:: SENDER(c) == r && need[M(c, n)] <= logged[r] -> need[M(c, n)] = 0
			:: else
			fi
		}
	}
}

/* ---- checkpoints ---- */

inline begin_checkpoint(r)
{
	there[SR(WRITING, r)] = true;
	s_pc[SR(WRITING, r)] = pc[r];
	s_mind[SR(WRITING, r)] = mind[r];
	s_chosen[SR(WRITING, r)] = chosen[r];
	s_happened[SR(WRITING, r)] = LAST(r);
#ifdef EARLY
	if
	:: r == 1 ->
		s_posted[WRITING] = posted;
		for (p : 0 .. PLACES - 1) {
			s_receive[SL(WRITING, p)] = receive[p];
			s_source[SL(WRITING, p)] = source[p];
			s_met[SL(WRITING, p)] = met[p]
		}
	:: else
	fi;
#endif
	for (c : 0 .. PAIRS - 1) {
		if
		:: SENDER(c) == r ->
			s_sent[SP(WRITING, c)] = sent[c];
#ifndef BREAK_LOG_NOT_SAVED
			s_log[SP(WRITING, c)] = log[c];
			for (n : 1 .. MOST) {
				s_content[SM(WRITING, c, n)] = content[M(c, n)]
			}
#endif
		:: RECEIVER(c) == r ->
			s_got[SP(WRITING, c)] = got[c];
			s_open[SP(WRITING, c)] = open[c];
			s_received[SP(WRITING, c)] = received[c];
			for (n : 1 .. MOST) {
				s_has[SM(WRITING, c, n)] = has[M(c, n)]
			}
		:: else
		fi
	}
}

#define MOVE(array, to, from, keep_it) array[to] = (keep_it -> array[from] : array[to]); array[from] = 0

/* From one place to another; WRITING is empty afterwards. */
inline move_checkpoint(r, keep_it)
{
	there[SR(DURABLE, r)] = there[SR(DURABLE, r)] || keep_it;
	there[SR(WRITING, r)] = false;
	MOVE(s_pc, SR(DURABLE, r), SR(WRITING, r), keep_it);
	MOVE(s_mind, SR(DURABLE, r), SR(WRITING, r), keep_it);
	MOVE(s_chosen, SR(DURABLE, r), SR(WRITING, r), keep_it);
	MOVE(s_happened, SR(DURABLE, r), SR(WRITING, r), keep_it);
#ifdef EARLY
	if
	:: r == 1 ->
		MOVE(s_posted, DURABLE, WRITING, keep_it);
		for (p : 0 .. PLACES - 1) {
			MOVE(s_receive, SL(DURABLE, p), SL(WRITING, p), keep_it);
			MOVE(s_source, SL(DURABLE, p), SL(WRITING, p), keep_it);
			MOVE(s_met, SL(DURABLE, p), SL(WRITING, p), keep_it)
		}
	:: else
	fi;
#endif
	for (c : 0 .. PAIRS - 1) {
		if
		:: SENDER(c) == r ->
			MOVE(s_sent, SP(DURABLE, c), SP(WRITING, c), keep_it);
			MOVE(s_log, SP(DURABLE, c), SP(WRITING, c), keep_it);
			for (n : 1 .. MOST) {
				MOVE(s_content, SM(DURABLE, c, n), SM(WRITING, c, n), keep_it)
			}
		:: RECEIVER(c) == r ->
			MOVE(s_got, SP(DURABLE, c), SP(WRITING, c), keep_it);
			MOVE(s_open, SP(DURABLE, c), SP(WRITING, c), keep_it);
			MOVE(s_received, SP(DURABLE, c), SP(WRITING, c), keep_it);
			for (n : 1 .. MOST) {
				MOVE(s_has, SM(DURABLE, c, n), SM(WRITING, c, n), keep_it)
			}
		:: else
		fi
	}
}

/* It is durable: outcomes that it covers are safe, and the logger forgets them. */
inline end_checkpoint(r)
{
	move_checkpoint(r, true);
	if
	:: logged[r] < s_happened[SR(DURABLE, r)] -> safe(r, s_happened[SR(DURABLE, r)])
	:: else
	fi;
#ifdef BREAK_CHECKPOINT_IN_REPLAY
	/* the process has them, and still follows them */
	if
	:: r == 1
	:: else -> logger_forgets(r)
	fi
#else
	logger_forgets(r)
#endif
}

inline logger_forgets(r)
{
	for (n : 1 .. OUTCOMES) {
		if
#ifdef BREAK_LOGGER_FORGETS
		:: n > bound_happened[r] && n <= logged[r] -> event[E(r, n)] = 0
#else
		/* those of the prefix are in the checkpoint */
		:: n > bound_happened[r] && n <= s_happened[SR(DURABLE, r)] -> event[E(r, n)] = 0
#endif
		:: else
		fi
	}
}

/* ---- a rank fails, and comes back ---- */

#ifdef BREAK_OLD_OUTCOMES
#define LATE(r) :: d_step { late[r] && !late_logged[r] && !down[r] && logged[r] + 1 == late_number[r] -> \
	late_logged[r] = true }

/* The logger kept the late one, and not what its successor told under that number. */
inline fail_late(r)
{
	if
	:: late_logged[r] ->
		event[E(r, late_number[r])] = late[r];
		logged[r] = (logged[r] < late_number[r] -> late_number[r] : logged[r])
	:: !late[r] && happened[r] > logged[r] ->
		late_number[r] = logged[r] + 1;
		late[r] = event[E(r, logged[r] + 1)]
	:: else
	fi
}
#else
#define LATE(r)
#define fail_late(r) skip
#endif

inline fail(r)
{
	fail_late(r);
	down[r] = true;
	came[r] = false;
	pc[r] = 0;
	op[r] = 0;
	arg[r] = 0;
	mind[r] = 0;
	chosen[r] = 0;
	happened[r] = 0;
#ifdef EARLY
	if
	:: r == 1 ->
		last = 0;
		ahead = 0;
		posted = 0;
#ifdef BREAK_NO_BEHIND_MATCH
		no = false;
#endif
		for (p : 0 .. PLACES - 1) {
			forget(p)
		}
	:: else
	fi;
#endif
	for (n : 1 .. OUTCOMES) {
		event[E(r, n)] = (n > logged[r] -> 0 : event[E(r, n)])
	}
	for (c : 0 .. PAIRS - 1) {
		if
		:: TOUCHES(r, c) ->
			left[c] = 0;
			if
			:: SENDER(c) == r ->
				sent[c] = 0;
				log[c] = 0;
				held[c] = 0
			:: else ->
				got[c] = 0;
				open[c] = 0;
				received[c] = 0
			fi;
			for (n : 1 .. MOST) {
				if
				:: SENDER(c) == r ->
					content[M(c, n)] = 0;
					need[M(c, n)] = 0
				:: else ->
					has[M(c, n)] = 0
				fi
			}
#ifndef BREAK_PREFIX_OF_FIRST_RUN
			if
			:: RECEIVER(c) == r && !there[SR(DURABLE, r)] -> bound[c] = 0
			:: else
			fi
#endif
		:: else
		fi
	}
#ifndef BREAK_PREFIX_OF_FIRST_RUN
	bound_happened[r] = (there[SR(DURABLE, r)] -> bound_happened[r] : 0);
#endif
#ifndef BREAK_OLD_CHECKPOINT
	/* also where the disk is a server: nothing that this process began is finished later (M6) */
	move_checkpoint(r, false)
#endif
}

#ifdef EARLY
inline run_prefix(r)
{
	if
	:: r == 1 -> happen_again(bound_happened[1])
	:: else
	fi
}

inline load_receives()
{
#ifdef BREAK_CHECKPOINT_IN_REPLAY
	logger_forgets(1);
#endif
	happen_again(logged[1]);
	posted = s_posted[DURABLE];
	for (p : 0 .. PLACES - 1) {
		receive[p] = s_receive[SL(DURABLE, p)];
		source[p] = s_source[SL(DURABLE, p)];
		met[p] = s_met[SL(DURABLE, p)];
		look_up(p)
	}
}
#else
#define run_prefix(r) skip
#endif

/* From its durable checkpoint; without one, from the beginning. */
inline load(r)
{
	pc[r] = s_pc[SR(DURABLE, r)];
	mind[r] = s_mind[SR(DURABLE, r)];
	chosen[r] = s_chosen[SR(DURABLE, r)];
	happened[r] = s_happened[SR(DURABLE, r)];
#ifdef EARLY
	if
	:: r == 1 -> load_receives()
	:: else
	fi;
#endif
	for (c : 0 .. PAIRS - 1) {
		if
		:: SENDER(c) == r ->
			sent[c] = s_sent[SP(DURABLE, c)];
			log[c] = s_log[SP(DURABLE, c)];
			for (n : 1 .. MOST) {
				content[M(c, n)] = s_content[SM(DURABLE, c, n)];
				need[M(c, n)] = 0
			}
		:: RECEIVER(c) == r ->
			got[c] = s_got[SP(DURABLE, c)];
			open[c] = s_open[SP(DURABLE, c)];
			received[c] = s_received[SP(DURABLE, c)];
			for (n : 1 .. MOST) {
				has[M(c, n)] = s_has[SM(DURABLE, c, n)]
			}
		:: else
		fi
	}
#if defined(BREAK_LOGGER_FORGETS) || defined(BREAK_NOT_FOLLOWED)
#ifdef BREAK_LOGGER_FORGETS
	if
	:: happened[r] < logged[r] && event[E(r, happened[r] + 1)] == 0 -> logged[r] = happened[r]
	:: else
	fi;
#else
	logged[r] = happened[r];
#endif
	for (n : 1 .. OUTCOMES) {
		event[E(r, n)] = (n > logged[r] -> 0 : event[E(r, n)])
	}
#endif
}

inline come_back(r)
{
	down[r] = false;
	if
	:: IN_PREFIX(r) -> run_prefix(r)
	:: else -> load(r)
	fi;
	connect(r);
	fetch(r)
}

/* It gets again what is not whole (M7). */
inline begin_connection(m)
{
	left[m] = WHOLE(got[m], open[m]);
#ifdef BREAK_OPEN_COUNTS
	began[m] = left[m]
#endif
}

/* Rank r has no connections to those that live, or new ones. */
inline connect(r)
{
	for (c : 0 .. PAIRS - 1) {
		if
		:: TOUCHES(r, c) && UP(c) ->
			begin_connection(c);
			held[c] = COVERED(c);
			drop()
		:: else
		fi
	}
}

/* A rank comes to its restore point. */
inline restore_point(r)
{
	if
	:: IN_PREFIX(r) ->
		assert(happened[r] == bound_happened[r] && LAST(r) == bound_happened[r]);
		came[r] = true;
		load(r);
		connect(r)
	:: else ->
		came[r] = true;
		pc[r]++;
#ifdef BREAK_PREFIX_OF_FIRST_RUN
		if
		:: !bound_known[r] ->
#endif
			for (c : 0 .. PAIRS - 1) {
				bound[c] = (RECEIVER(c) == r -> got[c] : bound[c])
			}
			bound_happened[r] = LAST(r);
#ifdef BREAK_PREFIX_OF_FIRST_RUN
			bound_known[r] = true
		:: else
		fi
#endif
	fi
}

/* Nothing fails any more, and nobody is down or runs its prefix: nobody will look at a checkpoint again,
 * but for what it covers, nor miss one that is being written. So states that differ in nothing else are
 * one. */
inline settle()
{
	if
	:: failures_left == 0 && !down[0] && !down[1] && !down[2] &&
		!IN_PREFIX(0) && !IN_PREFIX(1) && !IN_PREFIX(2) ->
		checkpoints_left = 0;
		for (q : 0 .. RANKS - 1) {
			move_checkpoint(q, false);
			s_pc[SR(DURABLE, q)] = 0;
			s_mind[SR(DURABLE, q)] = 0;
			s_chosen[SR(DURABLE, q)] = 0
		}
#ifdef EARLY
		s_posted[DURABLE] = 0;
		for (p : 0 .. PLACES - 1) {
			s_receive[SL(DURABLE, p)] = 0;
			s_source[SL(DURABLE, p)] = 0;
			s_met[SL(DURABLE, p)] = 0
		}
#endif
		for (c : 0 .. PAIRS - 1) {
			s_sent[SP(DURABLE, c)] = 0;
			s_log[SP(DURABLE, c)] = 0;
			s_received[SP(DURABLE, c)] = 0;
			for (n : 1 .. MOST) {
				s_content[SM(DURABLE, c, n)] = 0;
				s_has[SM(DURABLE, c, n)] = (s_got[SP(DURABLE, c)] >= n -> has[M(c, n)] : 0)
			}
		}
	:: else
	fi
}

#ifdef BREAK_LEAVES_EARLY
/* It does not wait for the others, and its log is gone. */
inline leave(r)
{
	for (c : 0 .. PAIRS - 1) {
		if
		:: SENDER(c) == r && UP(c) && left[c] == sent[c] -> log[c] = 0
		:: else
		fi
	}
}
#endif

/* ---- processes ---- */

#define NEXT(r) pc[r]++; fetch(r)

#define RECEIVE_ANY(c) :: d_step { op[self] == ANY && RECEIVER(c) == self && HERE(c) && MAY_BE(self, OF(c)) -> \
	outcome(self, OF(c)); chosen[self] = (chosen[self] -> chosen[self] : OF(c)); take(self, c); NEXT(self) }
#define FIND(c) :: d_step { op[self] == PROBE && RECEIVER(c) == self && HERE(c) && MAY_BE(self, OF(c)) -> \
	outcome(self, OF(c)); NEXT(self) }
/* the pair to the rank that pair c comes from */
#define ANSWER(self, other) (arg[self] + ((chosen[self] == OF(1)) ^ (other)))

#define PLACE (arg[self] - 1)

proctype Rank(byte self)
{
end:	do
	:: d_step { op[self] == SEND -> send(self, arg[self]); NEXT(self) }
	:: d_step { op[self] == RECV && HERE(arg[self]) -> take(self, arg[self]); NEXT(self) }
	RECEIVE_ANY(0) RECEIVE_ANY(1) RECEIVE_ANY(2) RECEIVE_ANY(3)
#if STORY == 1
	:: d_step { op[self] == FIRST -> send(self, ANSWER(self, 0)); NEXT(self) }
	:: d_step { op[self] == SECOND -> send(self, ANSWER(self, 1)); NEXT(self) }
#elif STORY == 2
	FIND(0) FIND(1) FIND(2) FIND(3)
	:: d_step { op[self] == PROBE && (MUST_BE(self, NO) || (LIVE(self) && NOTHING(self))) ->
		say_no(self); NEXT(self) }
	:: d_step { op[self] == TEST && HERE(arg[self]) && MAY_BE(self, YES) ->
		outcome(self, YES); take(self, arg[self]); NEXT(self) }
	:: d_step { op[self] == TEST && (MUST_BE(self, NO) || (LIVE(self) && !HERE(arg[self]))) ->
		say_no(self); NEXT(self) }
	:: d_step { op[self] == REST && received[arg[self]] -> NEXT(self) }
	:: d_step { op[self] == REST && !received[arg[self]] && HERE(arg[self]) -> take(self, arg[self]); NEXT(self) }
#endif
#if STORY == 5 || STORY == 8
	:: d_step { op[self] == RESTORE -> restore_point(self); fetch(self); settle() }
#endif
#ifdef EARLY
	:: d_step { op[self] == POST -> post(PLACE, 0, 0); NEXT(self) }
	:: d_step { op[self] == POST_ANY -> post(PLACE, ANYBODY, 0); NEXT(self) }
	:: d_step { op[self] == POST_ANY && received[0] < got[0] && received[1] < got[1] ->
		post(PLACE, ANYBODY, 1); NEXT(self) }
	:: d_step { op[self] == TRY && DONE(PLACE) && (FREE || TOLD == YES) ->
		choose(YES); finish(PLACE); NEXT(self) }
	:: d_step { op[self] == TRY && (FREE -> !DONE(PLACE) : TOLD == NO) ->
		choose(NO); NEXT(self) }
	:: d_step { op[self] == WAIT && DONE(PLACE) -> finish(PLACE); NEXT(self) }
	:: d_step { op[self] == WAIT && !receive[PLACE] -> NEXT(self) }
	:: d_step { op[self] == CANCEL && (FREE -> KNOWN && !met[PLACE] : TOLD != NO) ->
		choose(CANCELLED(receive[PLACE])); forget(PLACE); NEXT(self) }
	:: d_step { op[self] == CANCEL && (FREE -> KNOWN && met[PLACE] : TOLD == NO) ->
		choose(NO); pc[self]++; NEXT(self) }
#endif
#ifdef BREAK_LEAVES_EARLY
	:: d_step { op[self] == END -> leave(self); skip }
#endif
	od
}

#define ARRIVE(c) :: d_step { CAN_ARRIVE(c) -> arrive(c); skip }
#define FILL(c) :: d_step { CAN_FILL(c) -> fill(c); skip }
#define CUT(c) :: d_step { UP(c) && (left[c] != WHOLE(got[c], open[c]) || FILLED(c)) -> begin_connection(c); skip }
#define COVER(c) :: d_step { UP(c) && held[c] < SAID(c) -> cover(c); skip }

proctype Network()
{
end:	do
	ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3)
#if STORY == 3 || STORY == 8
	FILL(0) CUT(0)
#endif
	COVER(0) COVER(1) COVER(2) COVER(3)
	od
}

#define LOG(r) :: d_step { !down[r] && LAST(r) > logged[r] -> safe(r, logged[r] + 1); skip }

/* no outcome of before is left (M5) */
#if defined(EARLY) && !defined(BREAK_CHECKPOINT_IN_REPLAY)
#ifdef BREAK_NO_BEHIND_MATCH
#define MAY_SAVE(r) ((r) != 1 || (FREE && !ahead && !no))
#else
#define MAY_SAVE(r) ((r) != 1 || (FREE && !ahead))
#endif
#else
#define MAY_SAVE(r) true
#endif

#define BEGIN(r) :: d_step { checkpoints_left && !down[r] && !there[SR(WRITING, r)] && (!DATA || came[r]) && \
	MAY_SAVE(r) -> \
	checkpoints_left--; begin_checkpoint(r); skip }
#define FINISH(r) :: d_step { there[SR(WRITING, r)] -> end_checkpoint(r); skip }

/* The event logger, and the disk. */
proctype Store()
{
end:	do
	LOG(0) LOG(1) LOG(2)
	LATE(0) LATE(1) LATE(2)
	BEGIN(0) BEGIN(1) BEGIN(2)
	FINISH(0) FINISH(1) FINISH(2)
	:: d_step { checkpoints_left -> checkpoints_left = 0 }
	od
}

inline check_end()
{
	for (q : 0 .. RANKS - 1) {
		assert(!down[q] && op[q] == END);
		assert(logged[q] == happened[q]);
#if !defined(BREAK_EARLY_COVER) && !defined(BREAK_LOGGER_FORGETS) && !defined(BREAK_CHECKPOINT_IN_REPLAY)
		for (n : 1 .. OUTCOMES) {
			assert((event[E(q, n)] != 0) ==
				(n <= bound_happened[q] || (n > s_happened[SR(DURABLE, q)] && n <= happened[q])))
		}
#endif
	}
#ifdef EARLY
	assert(FREE && !ahead);
	for (p : 0 .. PLACES - 1) {
		assert(!receive[p])
	}
#endif
	for (c : 0 .. PAIRS - 1) {
		assert(received[c] == sent[c] && got[c] == sent[c]);
		assert(!open[c]);
#if !defined(BREAK_EARLY_COVER) && !defined(BREAK_LOGGER_FORGETS)
		assert(held[c] == COVERED(c));
		assert(log[c] == (UP_TO(sent[c]) & ~(UP_TO(COVERED(c)) & ~UP_TO(KEEP(c)))))
#endif
	}
}

#define FAIL(r) :: d_step { failures_left && !down[r] -> failures_left--; fail(r); skip }
#define BACK(r) :: d_step { down[r] -> come_back(r); settle(); skip }

proctype Failure()
{
	do
	FAIL(0) FAIL(1) FAIL(2)
	BACK(0) BACK(1) BACK(2)
	:: d_step { failures_left -> failures_left = 0; settle(); skip }
	:: d_step { timeout -> check_end(); skip } -> break
	od
}

init
{
	d_step {
		failures_left = FAILURES;
		checkpoints_left = CHECKPOINTS;
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
