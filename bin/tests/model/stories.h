/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs of eventlog.pml, by STORY: rank, position, operation, envelope, and the number of the
 * message that is sent, or that this receive gets in the undisturbed run.
 */
#if STORY == 5 || STORY == 6
#define PLACED 2     /* lines */
byte place[PLACED * RANKS]; /* before which message: every placement is tried */
#define DONE(r) (pc[r] - line[r])
#define DUE(r) (line[r] < PLACED && DONE(r) == place[LR((line[r] < PLACED -> line[r] + 1 : 1), r)])
#else
#define DONE(r) pc[r]
#endif

#define AT(r, at, o, m, x) :: who == r && DONE(who) == at -> op[who] = o; env[who] = m; num[who] = x

inline fetch(who)
{
	if
#if STORY == 5 || STORY == 6
	:: DUE(who) -> op[who] = CKPT; env[who] = 0; num[who] = 0
#endif
#if STORY == 1
	/* Two envelopes from 0 to 1, received across each other; rank 0 takes three lines without
	 * asking anybody, the lines reach rank 2 last. */
	AT(0, 0, SEND, 0, 1)
	AT(0, 1, CKPT, 0, 0)
	AT(0, 2, SEND, 1, 1)
	AT(0, 3, SEND, 0, 2)
	AT(0, 4, CKPT, 0, 0)
	AT(0, 5, CKPT, 0, 0)
	AT(0, 6, SEND, 1, 2)
	AT(1, 0, RECV, 1, 1)
	AT(1, 1, CKPT, 0, 0)
	AT(1, 2, RECV, 0, 1)
	AT(1, 3, SEND, 2, 1)
	AT(1, 4, CKPT, 0, 0)
	AT(1, 5, RECV, 1, 2)
	AT(1, 6, RECV, 0, 2)
	AT(1, 7, CKPT, 0, 0)
	AT(2, 0, CKPT, 0, 0)
	AT(2, 1, RECV, 2, 1)
	AT(2, 2, CKPT, 0, 0)
	AT(2, 3, CKPT, 0, 0)
#elif STORY == 2
	/* Receives that finish in another order than they were posted, so an envelope is in transit
	 * and orphan to the same line. */
	AT(0, 0, SEND, 0, 1)
	AT(0, 1, CKPT, 0, 0)
	AT(0, 2, SEND, 0, 2)
	AT(0, 3, CKPT, 0, 0)
	AT(0, 4, SEND, 0, 3)
	AT(1, 0, LATER, 0, 2)
	AT(1, 1, CKPT, 0, 0)
	AT(1, 2, LATER, 0, 3)
	AT(1, 3, CKPT, 0, 0)
	AT(1, 4, RECV, 0, 1)
	AT(2, 0, CKPT, 0, 0)
	AT(2, 1, CKPT, 0, 0)
#elif STORY == 3
	/* A ring, and two senders to one rank, of whom each is silent at times. */
	AT(0, 0, SEND, 0, 1)
	AT(0, 1, CKPT, 0, 0)
	AT(0, 2, RECV, 3, 1)
	AT(0, 3, CKPT, 0, 0)
	AT(1, 0, RECV, 0, 1)
	AT(1, 1, SEND, 2, 1)
	AT(1, 2, CKPT, 0, 0)
	AT(1, 3, CKPT, 0, 0)
	AT(1, 4, RECV, 4, 1)
	AT(2, 0, SEND, 4, 1)
	AT(2, 1, RECV, 2, 1)
	AT(2, 2, SEND, 3, 1)
	AT(2, 3, CKPT, 0, 0)
	AT(2, 4, CKPT, 0, 0)
#elif STORY == 4
	/* Orphans of orphans: rank 1 is far ahead of rank 0's lines, and a line is made while its
	 * orphans to suppress have not come again. */
	AT(0, 0, CKPT, 0, 0)
	AT(0, 1, CKPT, 0, 0)
	AT(0, 2, SEND, 0, 1)
	AT(0, 3, SEND, 0, 2)
	AT(1, 0, RECV, 0, 1)
	AT(1, 1, CKPT, 0, 0)
	AT(1, 2, CKPT, 0, 0)
	AT(1, 3, RECV, 0, 2)
	AT(1, 4, SEND, 2, 1)
	AT(1, 5, CKPT, 0, 0)
	AT(2, 0, CKPT, 0, 0)
	AT(2, 1, RECV, 2, 1)
	AT(2, 2, CKPT, 0, 0)
#elif STORY == 5
#define LENGTH(r) ((r) == 2 -> 1 : 3)
	/* A ring; two envelopes across each other, one of them finished out of order. */
	AT(0, 0, SEND, 0, 1)
	AT(0, 1, SEND, 1, 1)
	AT(0, 2, SEND, 0, 2)
	AT(0, 3, RECV, 3, 1)
	AT(1, 0, LATER, 0, 2)
	AT(1, 1, RECV, 1, 1)
	AT(1, 2, SEND, 2, 1)
	AT(1, 3, RECV, 0, 1)
	AT(2, 0, RECV, 2, 1)
	AT(2, 1, SEND, 3, 1)
#elif STORY == 6
#define LENGTH(r) ((r) == 1 -> 3 : 1)
	/* Two senders to one rank, and a rank that receives nothing. */
	AT(0, 0, SEND, 0, 1)
	AT(0, 1, RECV, 3, 1)
	AT(0, 2, SEND, 0, 2)
	AT(1, 0, RECV, 4, 1)
	AT(1, 1, RECV, 0, 1)
	AT(1, 2, RECV, 4, 2)
	AT(1, 3, RECV, 0, 2)
	AT(2, 0, SEND, 4, 1)
	AT(2, 1, SEND, 3, 1)
	AT(2, 2, SEND, 4, 2)
#elif STORY == 7
	/* Messages of a window: orphans to a line, none, in transit. */
	AT(0, 0, CKPT, 0, 0)
	AT(0, 1, CKPT, 0, 0)
	AT(0, 2, CKPT, 0, 0)
	AT(1, 0, RECV, 4, 1)
	AT(1, 1, CKPT, 0, 0)
	AT(1, 2, CKPT, 0, 0)
	AT(1, 3, CKPT, 0, 0)
	AT(1, 4, RECV, 4, 2)
	AT(2, 0, CKPT, 0, 0)
	AT(2, 1, SEND, 4, 1)
	AT(2, 2, CKPT, 0, 0)
	AT(2, 3, SEND, 4, 2)
	AT(2, 4, CKPT, 0, 0)
#elif STORY == 8
	/* Who came first is sent on, and was received before a line that does not see it sent. */
	AT(0, 0, CKPT, 0, 0)
	AT(0, 1, SEND, 0, 1)
	AT(0, 2, CKPT, 0, 0)
	AT(1, 0, CKPT, 0, 0)
	AT(1, 1, FIRST, 0, 0)
	AT(1, 2, FIRST, 0, 0)
	AT(1, 3, PASS_ON, 2, 0)
	AT(1, 4, CKPT, 0, 0)
	AT(2, 0, SEND, 4, 1)
	AT(2, 1, LEARN, 2, 0)
	AT(2, 2, CKPT, 0, 0)
	AT(2, 3, CKPT, 0, 0)
#endif
	:: else -> op[who] = END; env[who] = 0; num[who] = 0
	fi
}

#if STORY == 5 || STORY == 6
inline choose_places()
{
	for (r : 0 .. RANKS - 1) {
		select(x : 0 .. LENGTH(r));
		place[LR(1, r)] = x;
		select(x : x .. LENGTH(r));
		place[LR(2, r)] = x
	}
}
#else
#define choose_places() skip
#endif
