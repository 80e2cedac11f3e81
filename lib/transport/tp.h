/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the transport.
 *
 * A peer's states and what moves it (peer.c has the table):
 *	IDLE       nothing was said yet
 *	CONNECTING our attempt is on its way (conn.c)
 *	AWAITING   it told us that its own attempt is on its way
 *	UP         a socket is attached
 *	LOST       gone for good in this attachment; or (come_back.c) IDLE at once, and as at the
 *		   beginning
 *
 * Peers die in two phases. tp_peer_lose (peer.c) marks the peer as dying and takes its socket out
 * of epoll, at any depth; tp_reap (reap.c), called where no peer is being read or written, answers
 * what was waiting, frees the buffers, makes the peer LOST and tells the user. Dying is no state of
 * its own: it comes over CONNECTING, AWAITING and UP, and until it is reaped the peer has what
 * belongs to that state (a socket, memory, its place in the counts). But nothing else leads to
 * LOST, and a dying peer becomes nothing else, which is checked with the table.
 */
#ifndef FTMPI_TRANSPORT_TP_H
#define FTMPI_TRANSPORT_TP_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/idtab.h"
#include "base/list.h"
#include "base/slab.h"
#include "transport/byte_ring.h"
#include "transport/handshake.h"
#include "transport/mailbox.h"
#include "transport/transport.h"
#include "transport/wire.h"

enum tp_peer_state { TP_IDLE, TP_CONNECTING, TP_AWAITING, TP_UP, TP_LOST, TP_PEER_STATES };

/* A piece of the output of one peer. Either `bytes` holds whole frames to be sent as they are
 * (batch), or one frame's header is followed by a payload in the user's memory. */
struct tp_out {
	struct link link;
	struct tp_send *op; /* told when written; NULL for a batch */
	bool of_link;	    /* a frame about this connection, which means nothing on another */
	bool last;	    /* of_link, and the last one on the socket */
	const uint8_t *payload;
	struct tp_iov_cursor *cursor; /* instead of payload; NULL */
	size_t payload_len;
	size_t done;	  /* of len + payload_len */
	size_t len, room; /* of bytes */
	uint8_t bytes[];
};

/* What a send that is not done waits for: send.c has the steps, done.c the table. */
enum tp_send_state {
	SEND_ANNOUNCED, /* to be asked for */
	SEND_LEAVING,	/* asked for: its payload is in the queue */
	/* of a synchronous one that no receive has matched: */
	SEND_LEAVING_EARLY, /* its payload is in the queue */
	SEND_UNMATCHED,	    /* its receiver has the payload */
	SEND_LET_GO,	    /* its receiver has let it go: it will be taken back */
	SEND_STATES
};

/* A message that waits at its sender. */
struct tp_send {
	struct link link; /* in peer->sending, while it is not SEND_LEAVING */
	uint64_t id;
	int peer;
	enum tp_send_state state;
	bool sync;
	bool asked; /* OPEN was sent */
	const void *payload;
	struct tp_iov_cursor *cursor; /* instead of payload; NULL */
	size_t len;
	void *cookie;
	struct tp_unexpected_message *self_message; /* to ourselves: the unexpected side, or NULL */
	bool withdrawing;			    /* WITHDRAW was sent */
	void *staged;				    /* the payload, gathered; malloc'ed; NULL */
};

static inline struct tp_send tp_send_of(
	int peer, const void *payload, size_t len, unsigned flags, void *cookie)
{
	bool cursor = flags & TP_IOV_CURSOR;

	return (struct tp_send){.peer = peer,
		.sync = flags & TP_SYNC,
		.payload = cursor ? NULL : payload,
		.cursor = cursor ? (struct tp_iov_cursor *)(uintptr_t)payload : NULL,
		.len = len,
		.cookie = cookie};
}

/* A message whose payload waits at its sender, as that one named it. */
struct tp_announced {
	uint64_t id, length;
	uint64_t address; /* in its memory; 0 */
	bool early;	  /* no receive has matched it, which its sender waits for */
};

/* A message whose place is known and whose payload is still to come. */
struct tp_recv {
	struct link link; /* in peer->receiving */
	uint64_t id;
	int peer;
	uint64_t length;
	uint64_t got; /* so many bytes are in their place already */
	struct tp_place place;
};

enum tp_unexpected_kind { UNEXPECTED_EAGER, UNEXPECTED_RTS, UNEXPECTED_SELF };

/* struct tp_unexpected is its public face and comes first. */
struct tp_unexpected_message {
	struct tp_unexpected public;
	struct link link; /* in peer->unexpected */
	enum tp_unexpected_kind kind;
	bool dropped;	       /* EAGER, not whole yet: nobody wants it any more */
	uint32_t cost;	       /* EAGER: its sender is credited so much when it is consumed */
	uint64_t have;	       /* EAGER: bytes that have come */
	struct tp_place place; /* EAGER, claimed before it was whole */
	union {
		uint64_t sender_id; /* RTS */
		struct tp_send *op; /* SELF: payload still at the sender, else in bytes */
	};
	uint64_t address; /* RTS: in the sender's memory; 0 */
	uint8_t bytes[];
};

/* Where the body of the frame that is being read goes. */
enum tp_body { BODY_NONE, BODY_PLACE, BODY_UNEXPECTED, BODY_DATA };

struct tp_in {
	uint8_t *buf;	/* prefetch buffer */
	size_t at, end; /* unread part of it */
	enum tp_body body;
	uint64_t left;	 /* bytes of the body still to come */
	uint64_t length; /* of the whole message */
	uint64_t offset; /* of the next byte in it */
	struct tp_place place;
	struct tp_unexpected_message *unexpected;
	struct tp_recv *op;
};

struct tp_memory; /* memory.h */

/* Of a peer whose connection is mended when it breaks (mend.c). Positions are bytes of the two
 * streams of frames, counted over all connections of the pair. */
struct tp_mend {
	bool on;
	bool resuming;	      /* RESUME has not come on this connection */
	bool ack_due;	      /* the peer waits for word of what has come */
	bool bye_came;	      /* the peer has said that it has our BYE */
	bool accepted;	      /* this connection is one that the peer has made */
	uint16_t times;	      /* connections that the pair has had */
	const char *why;      /* the last one broke */
	struct link kept;     /* tp_out, written, that may not have come */
	size_t kept_bytes;    /* copies among these */
	uint64_t kept_from;   /* where the first of these begins */
	uint64_t wrote, came; /* so much was written, and has come */
	uint64_t told;	      /* of what has come */
	uint64_t began;	      /* what was written before this connection */
	uint64_t since;	      /* clock_ns, when this connection began */
	unsigned in_vain;     /* connections in a row that soon broke and brought nothing */
	uint64_t progress;    /* what had come, of both streams, at the beginning of this one */
	size_t have;	      /* of the RESUME */
	struct wire_frame resume;
};

struct tp_peer {
	enum tp_peer_state state;
	int id;
	int fd;
	struct byte_ring_writer *out_ring; /* what leaves goes there; NULL: to the socket */
	struct byte_ring_reader
		*in_ring;     /* what comes lies there; NULL: it comes from the socket */
	uint32_t incarnation; /* which process of that rank it is taken for */
	uint32_t ups;	      /* connections; counted by the loop's thread alone */
	uint64_t send_seq, recv_seq;
	uint32_t unconsumed;	/* eager bytes sent and not credited yet */
	uint32_t unconsumed_in; /* eager bytes received and not credited yet */
	uint32_t owed;		/* of these, consumed: goes out as credit */
	bool bye_sent, bye_received, dying;
	const char *why;     /* LOST */
	struct tp_sent sent; /* beside what each send looks at */
	struct link queue;   /* tp_out */
	struct link busy;    /* in tp->busy while it has a queue */
	uint64_t wrote;	     /* before which flush something was last written at once; 0: never */
	struct link sending, receiving, unexpected;
	struct link lost;	  /* in tp->lost until reaped */
	bool want_out;		  /* EPOLLOUT is armed */
	uint64_t cut_until;	  /* before which no connection with it is made (cut.c); 0 */
	bool near;		  /* on this host: memory may be shared */
	bool offered;		  /* it has offered some on this connection */
	struct tp_memory *memory; /* shared with it; NULL */
	struct tp_in in;
	struct tp_mend mend;
};

/* Where peers of this host say that there is news. */
struct tp_mailbox {
	struct mailbox *box; /* NULL until the first peer of this host is up */
	int fd;		     /* -1 */
	uint8_t name[16];
	int *peers;		  /* by slot */
	unsigned slots, groups;	  /* in use; those that the peers of this host can need */
	bool sleeping, listening; /* a thread is in tp_sleep; the descriptor is waited for */
	bool joined;		  /* barrier_join */
	bool required;		  /* a peer of this host may not be spoken with otherwise */
	bool told_unreadable;	  /* -v: that some peer's memory may not be read */
};

struct tp_conns; /* conn.c */
struct epoll_event;

struct tp {
	struct tp_config c;
	struct tp_peer *peers;
	struct idtab sends, recvs;
	struct slab send_slab, recv_slab;
	struct link busy, lost;
	struct tp_out *spare; /* one empty batch; NULL */
	struct tp_work work;
	struct tp_counts counts;
	struct tp_mailbox mail;
	unsigned sockets; /* connections whose frames come from the socket */
	unsigned turn;
	int talker;	 /* the peer that was last found to have spoken; -1 */
	uint64_t flush;	 /* number of the next, from 1 */
	uint64_t pulled; /* bytes read out of the memory of others */
	uint64_t staged; /* bytes of payloads that were gathered for others to read */
	uint64_t matching_sync;
	bool bye;
	bool mends_no_more;
	bool roomy;				  /* each rank of this host has a processor */
	atomic_bool come_back;			  /* peers that are lost do (come_back.c) */
	void (*connect)(struct tp *tp, int peer); /* tp_conns_connect, for what stands below */
	/* physical */
	int epoll_fd, wake_fd;
	struct handshake_job job;
	struct net_address *addresses;
	struct tp_conns *conns;
};

enum {
	TP_PREFETCH = 16384, /* bytes asked for when a header is expected */
	TP_DIRECT = 4096,    /* a body with more left than this is read into its place */
	TP_BATCH = 16384,    /* bytes of small messages that leave together */
	TP_EVENTS = 16,	     /* asked of epoll at once */
	TP_COPY_MAX = 2048,  /* up to here header and payload are copied into one write */
	TP_RING_EAGER =
		32768, /* bytes: what is longer is read in its sender's memory, not brought */
	TP_STAGED_MAX = 16 << 20, /* bytes of all staged payloads at a time */
};

static inline void tp_assert_held(const struct tp *tp)
{
	assert(lock_held(tp->c.lock));
	(void)tp;
}

/* peer.c */
void tp_peer_set(struct tp_peer *p, enum tp_peer_state to);
void tp_peer_lose(struct tp *tp, struct tp_peer *p, const char *why);
void tp_peer_unplug(struct tp *tp, struct tp_peer *p);
void tp_peer_want_out(struct tp *tp, struct tp_peer *p, bool want);

/* cut.c: for practice no connection with it is made now */
bool tp_peer_is_cut(const struct tp_peer *p);

/* peer_broke.c: its socket is of no use any more: it is mended, or lost */
void tp_peer_broke(struct tp *tp, struct tp_peer *p, const char *why);

/* The same of one that is up, as the peer says, which has had so many connections: now this side
 * has had as many, too, and waits for the peer's next. */
bool tp_peer_may_be_replaced(const struct tp *tp, const struct tp_peer *p, uint16_t times);
void tp_peer_replaced(struct tp *tp, struct tp_peer *p, uint16_t times);

/* peer_up.c: fd is the peer's from here on */
void tp_peer_up(struct tp *tp, struct tp_peer *p, int fd);

/* come_back.c: what the peer says (proved) is that it is another process by now, or that the pair
 * has begun anew on its side: then it has here, too, and the peer gets its connection. */
bool tp_come_back_seen(
	struct tp *tp, struct tp_peer *p, const struct wire_hello *hello, bool fresh);

/* anew_forget.c: nothing that was said means anything; the user is told of what was open */
void tp_anew_forget(struct tp *tp, struct tp_peer *p);

/* reap.c */
void tp_reap(struct tp *tp);
void tp_reap_reading(struct tp *tp, struct tp_peer *p);

/* kept.c: it is written, and may not have come: it is no longer the queue's */
void tp_kept_add(struct tp *tp, struct tp_peer *p, struct tp_out *o);
void tp_kept_reset(struct tp *tp, struct tp_peer *p);

/* What a header says has come is not kept any more. 0 or FT_EPROTO. */
int tp_kept_acked(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);

/* What the peer lacks is at the head of the queue again. false: it is not kept. */
bool tp_kept_go_back(struct tp *tp, struct tp_peer *p, uint64_t came);

/* mend.c */

/* There is a connection: it is told what has come. */
void tp_mend_up(struct tp *tp, struct tp_peer *p);

/* RESUME is read. False: it is not here yet, or the peer is not connected any more. */
bool tp_mend_resume(struct tp *tp, struct tp_peer *p);

/* It is told what has come, if it waits for that, or if much has. */
void tp_mend_tell(struct tp *tp, struct tp_peer *p);

/* Nothing may be written: what the peer lacks is not known yet. */
static inline bool tp_mend_holds(const struct tp_peer *p)
{
	return p->mend.resuming && p->mend.began > 0;
}

/* That is known, or its connection is gone. Until then somebody has to look. */
static inline void tp_mend_end_resuming(struct tp *tp, struct tp_peer *p)
{
	if (tp_mend_holds(p))
		tp->work.asked--;
	p->mend.resuming = false;
}

static inline uint64_t tp_mend_progress(const struct tp_mend *m)
{
	return m->came + m->kept_from;
}

/* It is connected, or will be again: what is said to it now comes. */
static inline bool tp_peer_is_there(const struct tp_peer *p)
{
	return !p->dying &&
	       (p->state == TP_UP || (p->mend.times > 0 && (p->state == TP_CONNECTING ||
								   p->state == TP_AWAITING)));
}

static inline bool tp_mend_is_said(const struct wire_frame *f)
{
	return f->kind == WIRE_EAGER || f->kind == WIRE_DATA || f->kind == WIRE_CREDIT;
}

/* What a header says to the peer of what has come. */
static inline void tp_mend_say(struct tp_peer *p, struct wire_frame *f)
{
	if (!tp_mend_is_said(f))
		return;
	f->id = p->mend.told = p->mend.came;
	if (f->kind == WIRE_CREDIT)
		f->peer_id = p->bye_received;
	else if (p->bye_received)
		return; /* BYE has its answer from a CREDIT alone */
	p->mend.ack_due = false;
}

/* out.c */

/* It is in no list. */
static inline void tp_out_free(struct tp *tp, struct tp_out *o)
{
	if (o->room >= TP_BATCH && !tp->spare) {
		*o = (struct tp_out){.room = o->room};
		tp->spare = o;
	} else {
		free(o);
	}
}

int tp_out_small(
	struct tp *tp, struct tp_peer *p, struct wire_frame *f, const void *payload, size_t len);
int tp_out_large(struct tp *tp, struct tp_peer *p, struct wire_frame *f, struct tp_send *op);
int tp_out_control(
	struct tp *tp, struct tp_peer *p, enum wire_kind kind, uint64_t id, uint64_t peer_id);

/* A frame about this connection; last: what leaves after it goes through memory. */
int tp_out_link(struct tp *tp, struct tp_peer *p, struct wire_frame *f, bool last);
bool tp_out_write(struct tp *tp, struct tp_peer *p);
bool tp_out_all(struct tp *tp);

/* tp_out_all, after which small messages are written at once again. */
static inline bool tp_out_flush(struct tp *tp)
{
	tp->flush++;
	return !list_empty(&tp->busy) && tp_out_all(tp);
}

void tp_out_renew(struct tp *tp, struct tp_peer *p);
void tp_out_drop(struct tp *tp, struct tp_peer *p, int rc);
void tp_out_drop_anew(struct tp *tp, struct tp_peer *p);

/* in.c: what epoll has said, and the mailbox; true when bytes moved */
bool tp_in_events(struct tp *tp, const struct epoll_event *ev, int n);
bool tp_in_mailbox(struct tp *tp);

/* What one eager message counts against the bound on unexpected memory. */
static inline uint64_t tp_eager_cost(uint64_t length)
{
	return length + sizeof(struct wire_frame);
}

/* Eager bytes were handed over: the sender may send as many again. It is told with the next frame,
 * or by itself (out.c) when much has gathered. */
void tp_out_credit(struct tp *tp, struct tp_peer *p);

static inline void tp_consumed(struct tp *tp, struct tp_peer *p, uint64_t cost)
{
	p->owed += (uint32_t)cost;
	if (__builtin_expect(p->owed > tp->c.unexpected_limit / 4, false))
		tp_out_credit(tp, p);
}

/* forget.c: numbers and addresses of what is physical, without touching what they may name */
void tp_forget_numbers(struct tp *tp);

/* done.c: it waits for something else; the present state leads there */
void tp_send_become(struct tp_send *op, enum tp_send_state state);

/* ... it is over, and freed; the user is told of a send or a receive */
void tp_send_unstage(struct tp *tp, struct tp_send *op);
void tp_send_done(struct tp *tp, struct tp_send *op, int rc);

/* ... its receiver has the payload, what is left is the receive; all of the payload has left */
void tp_send_unmatched(struct tp *tp, struct tp_send *op);
void tp_send_written(struct tp *tp, struct tp_send *op);
void tp_recv_done(struct tp *tp, struct tp_recv *op, int rc);
void tp_recv_unmatch(struct tp *tp, struct tp_recv *op);

/* unexpected.c */
void tp_unexpected_free(struct tp *tp, struct tp_unexpected_message *h);

static inline bool tp_unexpected_whole(const struct tp_unexpected_message *h)
{
	return h->kind != UNEXPECTED_EAGER || h->have == h->public.length;
}

/* send.c: the pair begins anew, and it stays open: 0 or FT_ENOMEM */
int tp_send_open(struct tp *tp, struct tp_peer *p, struct tp_send *op);

/* ... the other side asks for a send, has read its payload, has a receive for it, or gives one up
 * that was to be taken back: 0 or an error that ends the connection */
int tp_send_asked(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);
int tp_send_pulled(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);
int tp_send_matched(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);
int tp_send_withdrawn(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);

/* frame.c: what a frame means that is no eager message; it is unexpected, its place being unknown:
 * 0 or an error that ends the connection. An unexpected eager message is whole. */
int tp_message_begin(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);
int tp_unexpected_eager(struct tp *tp, struct tp_peer *p, const struct tp_envelope *e);
void tp_unexpected_complete(struct tp *tp, struct tp_peer *p, struct tp_unexpected_message *h);

/* payload.c: any payload to any place */
void tp_payload_copy_pieces(
	const struct tp_place *to, const void *from, struct tp_iov_cursor *cursor, uint64_t length);

/* Bytes in memory, at `from` or in pieces, to a place: as many as there is room for. */
static inline void tp_payload_copy(
	const struct tp_place *to, const void *from, struct tp_iov_cursor *cursor, uint64_t length)
{
	if (__builtin_expect(cursor || to->cursor, false))
		tp_payload_copy_pieces(to, from, cursor, length);
	else if (length > 0 && to->room > 0)
		memcpy(to->buf, from, length < to->room ? (size_t)length : to->room);
}

/* self.c */
int tp_self_send(struct tp *tp, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie);
void tp_self_withdraw(struct tp *tp, const struct tp_envelope *e, struct tp_send *op);
void tp_self_claim(
	struct tp *tp, struct tp_unexpected_message *h, struct tp_place place, bool early);

/* socket.c */
void tp_socket_tune(int fd);

/* listen.c, attempt.c: stop ends the loop's thread, without the lock; close frees them all, when it
 * is not there */
int tp_conns_open(struct tp *tp, const struct tp_physical *phys);
void tp_conns_stop(struct tp *tp);
int tp_conns_close(struct tp *tp, enum tp_end how);

/* Also when it is under way, and the peer is somewhere else by now. */
void tp_conns_connect(struct tp *tp, int peer);

#endif
