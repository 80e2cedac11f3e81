/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of messages, held for recovery lines that are being made while the program goes on.
 *
 * A message that the program had not received when this rank's part of a line was captured, or that
 * came later, is a candidate for that line until the protocol knows (coord_fate) that it was sent
 * after the line. A candidate is noted here once, for however many lines. While it waits for a
 * receive it stays with the transport, which has not answered its sender; once it is known to be in
 * transit it is pulled in, because a line never waits for the program (E4). One that the program
 * receives meanwhile is copied from the program's buffer when it is whole, before the program
 * knows. A rank that is late for its line may send any number of these: copies take no more than
 * INFLIGHT_COPIES bytes, or as many as the state that was saved has, else the lines are abandoned.
 *
 * p2p_recv.c tells what happens to messages; ckpt_line.c what happens to lines. All need the engine
 * lock but inflight_bytes.
 */
#ifndef FTMPI_MPI_INFLIGHT_H
#define FTMPI_MPI_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "ckpt/section_messages.h"
#include "coord/coord.h"

struct match_msg;
struct request;
struct stored;
struct inflight;

#define INFLIGHT_COPIES (UINT64_C(256) << 20)

/* ---- lines ---- */

struct inflight_member {
	struct inflight *f; /* until its contents are here */
	struct section_message entry;
	uint64_t first, then; /* its place among the others */
	struct stored *contents;
};

struct inflight_line {
	struct link link;
	uint32_t number;
	uint64_t at;	 /* the next sequence number at its capture */
	uint64_t begun;	 /* the same, among what was received */
	uint64_t state;	 /* bytes of the rank's state in it */
	const char *why; /* it cannot be made: the reason; NULL */
	bool finishing, complete;
	struct inflight_member *members; /* messages in transit, in the order of C6 */
	size_t n, lacking;

	/* After inflight_finish, once: all contents are here, or why says that they never will be.
	 * May be called by any function of this header. */
	void (*ready)(struct inflight_line *l);
};

/* How many lines are being made. */
extern unsigned inflight_lines;

static inline bool inflight_making(void)
{
	return inflight_lines > 0;
}

/* 0 or FT_ENOMEM. Messages of the ranks 0 to peers - 1. pull takes one that waits for a receive
 * over from the transport, and says so with inflight_stored; false: no memory. */
int inflight_init(const struct coord *c, int peers, bool (*pull)(struct match_msg *msg));

/* When no line is left. */
void inflight_fini(void);

/* number, at, state and ready are set; the rest is zero. From now on messages are noted for it. */
void inflight_begin(struct inflight_line *l);

/* Nothing from peer is COORD_OPEN any more for line l. */
void inflight_settle(struct inflight_line *l, int peer);

/* Nothing will be added to it any more. */
void inflight_finish(struct inflight_line *l);

/* It is over: contents that nobody else wants go. Its members stay until inflight_line_free. */
void inflight_end(struct inflight_line *l);
void inflight_line_free(struct inflight_line *l);

/* It cannot be made. */
void inflight_break(struct inflight_line *l, const char *why);

/* The same, and nothing shall be held for it any more: it is ready at once. */
void inflight_abandon(struct inflight_line *l, const char *why);

/* The contents of CKPT_MESSAGES, when l is ready: *out is malloc'ed. Needs no lock. false: no
 * memory. */
bool inflight_bytes(const struct inflight_line *l, uint8_t **out, size_t *len);

/* ---- messages ---- */

/* What the protocol knows it by: one that waits for a receive, or that of an open receive. */
struct coord_message inflight_name(const struct match_msg *msg);
struct coord_message inflight_name_open(const struct request *r);

/* It is unexpected, in the transport's memory or in ours; or it has its receive, open yet. They are
 * noted if some line may have to hold them. */
void inflight_unexpected(struct match_msg *msg);
void inflight_open(struct request *r);

/* It has met its receive as it came; sync: p2p_sync_matching. */
void inflight_met(struct request *r, uint64_t sync);

/* A noted one (msg->inflight, r->inflight): is in our memory now, but perhaps not whole; is whole
 * there; was matched by MPI_Mprobe and waits on; got its receive; its contents are in the receive's
 * buffer (ok) or never will be; its receive is the program's memory again; it was taken back by its
 * sender. */
void inflight_stored(struct inflight *f, struct stored *m);
void inflight_whole(struct inflight *f);
void inflight_mprobed(struct inflight *f, uint64_t sequence);
void inflight_matched(struct inflight *f, struct request *r);
void inflight_filled(struct request *r, bool ok);
void inflight_leave(struct request *r);

/* It stays in an image: lines that begin from now on have it received. */
void inflight_stays(struct inflight *f);
void inflight_withdrawn(struct inflight *f);

/* Its sender takes it back, and may have made its own part of a line without that: lines have what
 * is here; what is not here they cannot have. */
void inflight_released(struct inflight *f);

/* Some message is taken back by a sender whose interval this is: lines that it has not made its
 * part of cannot be made. */
void inflight_break_behind(uint32_t interval);

#endif
