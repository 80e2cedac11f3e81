/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heartbeats: each rank tells its observers every period that it lives, over connections and from a
 * thread of its own ("ftmpi-beat"), and awaits the beats of those it observes itself (observers.h
 * says who). Nothing of the transport or of a lock of the program's is needed for it.
 */
#ifndef FTMPI_HEARTBEAT_HEARTBEAT_H
#define FTMPI_HEARTBEAT_HEARTBEAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct hb;
struct descriptor_list; /* base/descriptors.h */

struct hb_address {
	struct sockaddr_storage addr; /* with port 0 nobody beats to it */
	socklen_t len;
};

/* Everything but `user` is copied. */
struct hb_config {
	int self, size;
	unsigned period_ms, timeout_ms; /* > 0 */
	bool debug;			/* silence is logged, and nobody suspected */
	uint32_t epoch;
	const uint8_t *session;		    /* 16 bytes */
	const uint8_t *secret;		    /* 32 bytes */
	const struct hb_address *addresses; /* by rank, of the sockets for heartbeats */
	const int *node;		    /* by rank, index of its host, < size */
	int listen_fd;			    /* the own one, listening */

	/* All are called on the heartbeats' thread, and must not wait for anything. A peer has
	 * been silent for so long, and its last counter was that. Once for each silence, and heard
	 * when that is over. */
	uint32_t (*progress)(void *user); /* some counter of what the rank does */
	void (*suspect)(void *user, int peer, unsigned silent_ms, uint32_t progress);
	void (*heard)(void *user, int peer);
	void *user;
};

/* 0, FT_EINVAL, FT_ENOMEM or FT_ESYS. On success listen_fd is the heartbeats' own. */
int hb_start(struct hb **out, const struct hb_config *c);

/* All beat by now: a rank not heard from yet is observed from here on, as if a beat came now.
 * Any thread, while it is started. */
void hb_observe(struct hb *h);

/* This rank has begun again elsewhere: if it observes this one, it is beaten to there. Any thread,
 * while it is started. */
void hb_moved(struct hb *h, int peer, const struct hb_address *to);

/* Ends the thread: nothing beats, and nobody is judged, until hb_go_on begins another one; a rank
 * is suspected when that takes longer than the timeout. FT_ETIME: at until_ns (clock_ns) it had not
 * ended, and goes on. hb_go_on: 0 or FT_ESYS. Not on the heartbeats' thread. */
int hb_pause(struct hb *h, uint64_t until_ns);
int hb_go_on(struct hb *h);

/* Adds all that is open. While they pause. */
void hb_own_descriptors(const struct hb *h, struct descriptor_list *list);

/* Ends the thread, closes everything, listen_fd too. leaving: the observers are told that this is
 * the orderly end, as far as they can be reached without waiting. NULL: nothing. */
void hb_stop(struct hb *h, bool leaving);

/* In a process that woke up from an image, which was taken while they paused: everything is freed.
 * No descriptor is closed, as its number may be another's. Before the library opens any: libevent
 * knows them by their old numbers. NULL: nothing. */
void hb_forget(struct hb *h);

#endif
