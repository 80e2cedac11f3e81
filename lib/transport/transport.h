/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves framed, ordered messages between the members of a job. It has no MPI words: a message is an
 * envelope of 20 bytes that only the user understands, and a payload.
 *
 * Two halves. The logical one (peers, sequence numbers, queues, messages on their way) lives as
 * long as the transport. The physical one (sockets, epoll, connection attempts, the epoch) hangs
 * off tp_attach and can be dropped with tp_detach and built anew, while the process lives or in one
 * that woke up from its image.
 *
 * One lock, the user's, guards all of it: functions need it held, but for tp_new,
 * tp_detach, tp_free and tp_kick, and assert so where they change anything. Upcalls run with it
 * held, and may call tp_send and tp_claim.
 *
 * Messages of at most eager_limit bytes leave at once (eager), through memory of at most 32 KiB;
 * longer ones and synchronous ones wait at the sender until the receiver has a place (rendezvous).
 * What a receiver keeps for one sender is bounded: a sender that has `unexpected_limit` eager bytes
 * unconsumed uses rendezvous.
 */
#ifndef FTMPI_TRANSPORT_TRANSPORT_H
#define FTMPI_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/address.h"
#include "base/lock.h"
#include "base/loop.h"
#include "transport/wire.h"

struct tp;
struct descriptor_list; /* base/descriptors.h */

struct tp_envelope {
	uint8_t bytes[WIRE_ENVELOPE_BYTES];
};

/*
 * A payload that does not lie in one piece. The transport goes through it once, from its beginning,
 * as the socket takes or brings bytes. Whose memory it is, and for how long, is as for one that
 * lies in one piece.
 */
struct tp_iov_cursor {
	/* Where the next bytes are, or shall be put: at least one piece, at most max, none empty.
	 * Good until they are passed or other pieces are asked for. */
	int (*next)(struct tp_iov_cursor *p, struct iovec *iov, int max);

	/* So many of them, no more than next has told, were taken or put there. */
	void (*pass)(struct tp_iov_cursor *p, size_t bytes);
};

/* Where the payload of a message goes: at most `room` bytes to buf, or into pieces (the rest is
 * read and thrown away). cookie names the receive in `received`; NULL means that nobody wants the
 * message yet. */
struct tp_place {
	void *buf;
	size_t room;
	void *cookie;
	struct tp_iov_cursor *cursor; /* NULL: to buf */
	bool counted; /* there is no cookie, and the message cannot be asked for again */
};

/* A message that has come, or been announced, and has no place yet. The transport owns it until it
 * is claimed or dropped; `user` is for queue links of the user's. */
struct tp_unexpected {
	int peer;
	uint64_t length;
	struct tp_envelope envelope;
	uint64_t sync; /* its sender waits until a receive has matched it, and calls it so; 0 */
	bool firm;     /* the user's wish: its sender cannot take it back any more */
	_Alignas(16) unsigned char user[128];
};

struct tp_withdrawal {
	int peer;
	uint64_t id;			  /* what its sender calls it */
	struct tp_envelope said;	  /* by tp_withdraw; or zeros */
	struct tp_unexpected *unexpected; /* NULL: it was claimed (tp_take), or is not there */
};

/* What became of a synchronous message from before the pair began anew. */
enum tp_sync {
	TP_SYNC_MATCHED,   /* it has met its receive */
	TP_SYNC_WAITS,	   /* it waits for one: tp_matched is called when that has come */
	TP_SYNC_TAKEN_BACK /* its sender had taken it back */
};

struct tp_upcalls {
	/* A message with this envelope has come: where shall it be put? Without a cookie, and not
	 * counted, the same may be asked again for it, before it is kept. */
	struct tp_place (*match)(
		void *user, int peer, const struct tp_envelope *e, uint64_t length);

	/* It is kept until tp_claim or tp_drop. */
	void (*keep)(void *user, struct tp_unexpected *unexpected);

	/* Its sender has taken it back, or (tp_begin_anew) will send it again or never: when this
	 * returns it is gone. */
	void (*forget)(void *user, struct tp_unexpected *unexpected);

	/* The message for `cookie` is in its place (rc 0), or never will be (FT_EPEER). length is
	 * the message's own, which may be more than the room. */
	void (*received)(void *user, void *cookie, uint64_t length, int rc);

	/* The payload given to tp_send is the caller's again. rc: 0, FT_EPEER, FT_ECANCEL. Also by
	 * tp_detach and tp_forget, where the peer had not said yet that it has come; then it may
	 * not call the transport. */
	void (*sent)(void *user, void *cookie, int rc);

	/* The connection to peer is gone for good. All its messages have been answered with
	 * FT_EPEER, unexpected ones stay. Called once per peer and attachment.
	 * Where peers come back (tp_physical) it is called each time, and the pair has begun anew,
	 * as in tp_begin_anew: `unmatch` and `forget` were called for messages that are not whole.
	 * Of all sends it is not known whether they have come: `sent` was called (those that were
	 * written, perhaps with 0), for synchronous ones, too. What is sent from now on goes to
	 * whoever comes back, this process of that rank or another. What the peer called its
	 * messages (`sync`) means nothing any more: tp_matched and tp_withdraw_again are not called
	 * for it. */
	void (*lost)(void *user, int peer, const char *why);

	/* Another thread than the one that waits may have completed something. Without the lock's
	 * being let go. */
	void (*notify)(void *user);

	/* A message's sender wants it back. True: what the user has of it is gone, and forget
	 * follows for w->unexpected. False: it stays, perhaps for now (tp_withdraw_again). */
	bool (*withdraw)(void *user, const struct tp_withdrawal *w);

	/* After tp_begin_anew: this synchronous send of peer is not done there. */
	enum tp_sync (*open)(void *user, int peer, uint64_t sync);

	/* By tp_begin_anew, or before `lost` where peers come back; it may not call the transport.
	 * The message for `cookie` did not become whole, and will come again or never: the user
	 * matches its receive again. What is in the place already means nothing. */
	void (*unmatch)(void *user, void *cookie);
};

struct tp_config {
	int self, size;
	size_t eager_limit;	   /* at most WIRE_EAGER_MAX */
	uint32_t unexpected_limit; /* at least two of the largest eager messages */
	struct lock *lock;
	const unsigned *posted; /* how many receives wait for their message, or NULL: while there
				   are none, messages behind one that has come may be left where
				   they lie; the lock guards it */
	const struct tp_upcalls *up;
	void *user;
};

/* NULL when out of memory. */
struct tp *tp_new(const struct tp_config *config);

/* After tp_detach. Unexpected messages are freed; cookies still out are forgotten. */
void tp_free(struct tp *tp);

struct tp_physical {
	struct loop *loop;		     /* not started yet; outlives the attachment */
	int listen_fd;			     /* ours from here on; -1 in a job of one */
	const struct net_address *addresses; /* `size` of them, copied */
	const uint8_t *session;		     /* WIRE_SESSION_BYTES, copied */
	const uint8_t *secret;		     /* AUTH_KEY_BYTES, copied */
	uint32_t epoch;
	unsigned connect_ms;   /* after which a peer that cannot be reached is lost */
	bool refused_is_final; /* nobody will listen there later: lost at once, or, where a
				  connection broke that is mended, after 2 s of refusals */
	const bool *near;      /* `size`, copied: the peer is on this host, and memory may be shared
				  with it; NULL: with none */
	bool memory_required;  /* a peer that is near and cannot share memory is lost */
	const uint32_t *incarnations; /* `size`, copied: which process of its rank each one is (this
					 one's own, too); NULL: all 0 */
	bool come_back;	   /* a peer that is lost may come back (tp_came_back). Attempts to connect
			      to it have no end before both have said tp_bye, whatever connect_ms
			      and refused_is_final are */
	bool roomy;	   /* each rank of this host has a processor of its own */
	const bool *mends; /* `size`, copied: a connection to the peer that breaks is made again,
			      and nothing is lost (mend.c); the peer is told the same. NULL: none
			      is */
};

/* Builds everything physical. 0, FT_ENOMEM or FT_ESYS. The lock is not let go meanwhile: in a
 * process that woke up other threads may wait for it. */
int tp_attach(struct tp *tp, const struct tp_physical *phys);

/* Drops everything physical. The loop is stopped. The listening socket with TP_KEEP_LISTENER, else
 * -1. Without the lock, for which the loop's thread may wait. */
enum tp_end { TP_CLOSE, TP_KEEP_LISTENER };
int tp_detach(struct tp *tp, enum tp_end how);

/*
 * The same in a process that woke up from an image. Of all that is physical only numbers and
 * addresses came with it, which may be others' by now: no descriptor is closed or written to, no
 * memory of others is read or given back, and the loop, whose thread is not there, is left alone.
 * Only libevent takes events off a descriptor of the loop's; so this comes before the number of
 * that is in use again, and before loop_free. The lock is held, and not let go.
 *
 * What tp_attach builds then goes on with the numbers of the messages of each pair. That is right
 * for pairs whose channels are quiet: on both sides nothing is half written or half read, and
 * nothing lies in the kernel or in shared memory. Frames that are queued, of which nothing was
 * written, leave in the new attachment. For all others tp_begin_anew comes between; as far as it
 * can be seen that a pair was not quiet, tp_attach asserts that it was.
 */
void tp_forget(struct tp *tp);

/*
 * Between tp_detach (but with TP_CLOSE) or tp_forget and tp_attach: this member's pairs with all
 * others begin anew, as those do with it. Message numbers and credits begin at their beginning, and
 * nothing that was said before means anything. What has come as a whole stays; messages that a
 * recovery line holds are the user's to bring back.
 * - Sends that wait for their receiver, and what is queued, are done: `sent` with 0. Synchronous
 *   ones are not: their receivers are asked (`open`) once there is a connection.
 * - A message that has its place and is not whole: `unmatch`.
 * - One that has none, and is not whole or only announced: `forget`, also if it is firm.
 * What this member sends itself is not touched. 0 or FT_ENOMEM.
 */
int tp_begin_anew(struct tp *tp);

/*
 * A new process of this peer's rank has begun, and listens there. What an older one says from now
 * on is refused; an incarnation that is not the newest is not listened to. Where the pair has said
 * anything to the older one: `lost`. With come_back, not in an upcall.
 */
void tp_came_back(struct tp *tp, int peer, uint32_t incarnation, const struct net_address *address);

/* This member has forgotten what the pair with this peer has said: the pair begins anew, here and
 * there. `lost`, if it has said anything. With come_back, not in an upcall. */
void tp_begin_pair_anew(struct tp *tp, int peer);

/* Is all of it in this process's memory, so that it outlives tp_begin_anew? */
bool tp_is_here(const struct tp_unexpected *unexpected);

/* The contents of one of another member's that is here. */
const void *tp_contents(const struct tp_unexpected *unexpected);

/* For practice: the connection to this peer breaks now, and for so many ms none is made with it, in
 * either direction, while this attachment lasts. What is lost by that is what is lost when one
 * breaks. Not in an upcall. */
void tp_cut(struct tp *tp, int peer, unsigned ms);

/* ---- messages ---- */

enum {
	TP_SYNC = 1,	   /* done only when a receive has matched it */
	TP_NOW = 2,	   /* not at all if it cannot be done at once; not with the others */
	TP_IOV_CURSOR = 4, /* payload is a struct tp_iov_cursor; waits for its place, too */
	TP_UNQUEUED = 8,   /* with TP_NOW: not while the ring to the peer is full */
	TP_AWAITED = 16,   /* its sender does nothing but make progress until it is sent */
	TP_UNCOUNTED = 32, /* tp_sent_to knows nothing of it */
};

/*
 * Send len bytes. Returns 1: done, the payload was taken and `sent` will not be called; 0: `sent`
 * will be called with cookie, until then the payload stays the transport's; FT_EPEER, FT_ENOMEM;
 * with TP_NOW FT_EAGAIN in place of 0, and nothing has happened.
 */
int tp_send(struct tp *tp, int peer, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie);

/* Messages to this peer, and bytes of these, that tp_send has taken, but with TP_UNCOUNTED, since
 * tp_new or tp_begin_anew. */
struct tp_sent {
	uint64_t messages, bytes;
};
struct tp_sent tp_sent_to(const struct tp *tp, int peer);

/* One of so many bytes that is none for tp_send, or was TP_UNCOUNTED as it has more than these. */
void tp_count_sent(struct tp *tp, int peer, size_t bytes);

/* False: with TP_UNQUEUED a short message would get FT_EAGAIN, as the ring to the peer is full. */
bool tp_may_send(struct tp *tp, int peer);

/* Try to take back what tp_send answered 0 for. If no receive has matched it (nor its receiver made
 * it firm), `sent` is called with FT_ECANCEL, perhaps before this returns; else nothing changes.
 * The receiver's user is told e. */
void tp_withdraw(struct tp *tp, int peer, const struct tp_envelope *e, const void *cookie);

/* Give an unexpected message its place; place.cookie is not NULL. `received` may be called before
 * this returns. The message is the transport's alone again. */
void tp_claim(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place);

/* The same for one that no receive has matched yet. Its sender's buffer is free then, and a
 * synchronous send (unexpected->sync) done by tp_matched, which is said once. */
void tp_take(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place);
void tp_matched(struct tp *tp, int peer, uint64_t sync);

/* In `match`: what unexpected->sync of that message would be. */
uint64_t tp_matching_sync(const struct tp *tp);

/* What `withdraw` has said false to is asked about again. */
void tp_withdraw_again(struct tp *tp, const struct tp_withdrawal *w);

/* Throw an unexpected message away. */
void tp_drop(struct tp *tp, struct tp_unexpected *unexpected);

/* ---- progress, by the thread that waits ---- */

/* Give the kernel what waits to be sent together. True when something moved. */
bool tp_flush(struct tp *tp);

/* Read what has come, write what has room: first from peer `expect` (TP_ANYBODY: nobody in
 * particular), and every few calls from everyone; TP_EVERYBODY: from everyone now. True when
 * something moved. */
enum { TP_ANYBODY = -1, TP_EVERYBODY = -2 };
bool tp_look(struct tp *tp, int expect);

/* Let the lock go and sleep in the kernel until something comes, tp_kick or timeout_ms (-1: none).
 * It may also end without cause. Has anything moved? */
bool tp_sleep(struct tp *tp, int timeout_ms);

/* A thread stops looking while another is in tp_sleep: what has no room in its socket now is the
 * sleeper's to write. */
void tp_watch(struct tp *tp);

/* Wake the thread in tp_sleep. Needs no lock. */
void tp_kick(struct tp *tp);

/* Readable when tp_look(tp, TP_EVERYBODY) would find something and tp_listen(tp, true) was said;
 * for a caller that waits in a loop of its own. It may also be readable without cause. Good from
 * tp_attach to tp_detach. */
int tp_descriptor(const struct tp *tp);

/* A peer of this host that is stopped at the wrong moment keeps others from waking this
 * process: a thread that sleeps, or waits for the descriptor, looks again after so long. */
enum { TP_BELL_LOST_MS = 1000 };

/* The descriptor is waited for, or not any more. False: there is something already, or peers of
 * this host may not ring. */
bool tp_listen(struct tp *tp, bool listen);

/* Is there work that the program's next call should not be waited for? Every call of MPI asks as it
 * ends, so the numbers can be read where they stand, from tp_new to tp_free. */
struct tp_work {
	size_t queued; /* pieces of output */
	size_t asked;  /* sends and receives that wait for the other side */
	bool unheard;  /* tp_listen has to be said again before the descriptor tells of news */
};

const struct tp_work *tp_work(const struct tp *tp);

static inline bool tp_is_pending(const struct tp_work *work)
{
	return work->queued > 0 || work->asked > 0;
}

/* ---- the end ---- */

/* Nobody is started again, and there is nothing to say to peers that are away: these are lost, as
 * are others from now on. Not in an upcall. */
void tp_come_back_no_more(struct tp *tp);

/* Say to all connected peers that no message will begin any more. Messages under way go on. */
void tp_bye(struct tp *tp);

/* True when every peer that was spoken with has said the same or is gone, and all is written. */
bool tp_finished(struct tp *tp);

/* The loop does not run any more: connections that break from now on, and those that have, are
 * lost. */
void tp_mend_no_more(struct tp *tp);

/* ---- what is open ---- */

/* Adds sockets, files of memory and all else that is open, but for what the loop has. While its
 * thread does not run. */
void tp_own_descriptors(const struct tp *tp, struct descriptor_list *list);

/* Numbers for tests and for MPI_T. */
struct tp_counts {
	uint64_t sends, recvs; /* system calls on data sockets */
	int through_memory;    /* of `connected`, whose messages come through memory */
	uint64_t frames_out, frames_in;
	uint64_t sleeps;
	uint64_t unexpected_bytes; /* unexpected payload now in memory */
	int connected;
	uint64_t mended; /* connections that were made again */
};
void tp_read_counts(const struct tp *tp, struct tp_counts *out);

#endif
