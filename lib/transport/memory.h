/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that this process shares with a peer of its host: frames go through a ring in it for each
 * direction, and the socket stays, for the beginning, for its end, and to wake a peer that sleeps.
 *
 *	lower rank                               higher rank
 *	OFFER (where its memory is)        ->
 *	                                   <-    TAKEN (where its mailbox is), or DECLINED
 *	MEMORY, or DECLINED                ->
 *	                                   <-    MEMORY
 *
 * MEMORY is a side's last frame on the socket: what follows of its stream lies in its ring, and the
 * socket brings only bytes of 0 that wake. Where no memory can be had, or opened (a container with
 * processes of its own), the frames stay on the socket.
 *
 * Bounds: two rings (byte_ring.h) for each peer of this host that was spoken with, and a page for
 * each process: 126 peers take 16 MiB, 64 ranks that all speak with all 252 MiB together.
 */
#ifndef FTMPI_TRANSPORT_MEMORY_H
#define FTMPI_TRANSPORT_MEMORY_H

#include "transport/byte_ring.h"
#include "transport/mailbox.h"
#include "transport/tp.h"

enum tp_memory_state {
	TP_MEMORY_OFFERED, /* by us: the peer's answer is to come */
	TP_MEMORY_TAKEN,   /* by us: the peer's MEMORY is to come */
	TP_MEMORY_ON,	   /* our MEMORY is on its way, or written */
};

struct tp_memory {
	enum tp_memory_state state;
	struct byte_ring *rings; /* two, mapped: the lower rank writes the first; NULL: forgotten */
	int fd;			 /* of the rings, until the peer has answered; -1 */
	pid_t pid;		 /* of the peer's process, */
	uint64_t name_at;	 /* where in its memory it keeps */
	uint8_t name[sizeof((struct tp_mailbox *)NULL)->name]; /* this */
	int unreadable;		/* errno: the system does not let us read its memory; or 0 */
	struct mailbox *theirs; /* mapped; NULL */
	unsigned slot, own;	/* ours in it; the peer's in ours */
	bool owed;		/* its owner has the barrier for both (mailbox.h) */
	struct byte_ring_writer out;
	struct byte_ring_reader in;
};

enum {
	TP_RINGS_BYTES = 2 * BYTE_RING_BYTES,
	TP_MEMORY_NAME = sizeof((struct tp_mailbox *)NULL)->name
};

static_assert((int)TP_MEMORY_NAME <= (int)WIRE_ENVELOPE_BYTES, "it goes in place of an envelope");

/* ---- memory_map.c: files that are mapped, by what they are and the name that their process has
 * drawn, which nobody else can have by chance. NULL and errno. ---- */

/* *fd is the caller's. */
void *tp_memory_make(const char *what, const uint8_t *name, size_t bytes, int *fd);

/* What process pid has open as fd. */
void *tp_memory_take(uint64_t pid, int fd, const char *what, const uint8_t *name, size_t bytes);

/* ---- memory_offer.c: frames about memory ---- */

/* A peer of this host is up, and this side's rank is the lower one. */
void tp_memory_offer(struct tp *tp, struct tp_peer *p);

/* One of the frames above: 0 or an error that ends the connection. */
int tp_memory_frame(struct tp *tp, struct tp_peer *p, const struct wire_frame *f);

/* ---- memory.c ---- */

/* A slot of our mailbox for a peer, which keeps it until the end of the attachment. False, and
 * errno: there is none. */
bool tp_memory_slot(struct tp *tp, const struct tp_peer *p, uint64_t *slot);

/* Reads an announced payload where it lies in the peer's memory: in one copy, and without the peer.
 * False: it has to be sent, and its first *got bytes are in their place. */
bool tp_memory_pull(struct tp *tp, struct tp_peer *p, const struct tp_announced *a,
	struct tp_place place, uint64_t *got);

/* The peer's connection is gone. */
void tp_memory_drop(struct tp_peer *p);

/* Wakes the peer, if it sleeps. */
void tp_memory_ring(const struct tp_peer *p);

/* There is something for the peer in its ring, or room in ours. */
static inline void tp_memory_post(const struct tp_peer *p)
{
	if (__builtin_expect(
		    mailbox_post(p->memory->theirs, p->memory->slot, p->memory->owed), false))
		tp_memory_ring(p);
}

/* From here on peers ring, until nobody sleeps or listens any more. For so many ms at most the
 * caller may sleep: 0, there is news already; less than TP_BELL_LOST_MS, they may not ring; -1, no
 * peer shares memory. */
int tp_memory_sleep(struct tp *tp);
void tp_memory_wake(struct tp *tp);

/* The mailbox goes. */
void tp_memory_close(struct tp *tp);

#endif
