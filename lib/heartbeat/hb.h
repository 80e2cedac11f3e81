/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the heartbeats. All of it belongs to their thread alone, until that has ended.
 *
 * All timers are here:
 *	the period	the tick: reads what has come, judges, beats, mends connections
 *	the moment	between two ticks, when somebody will have been silent for the
 *			timeout: reads and judges
 *	the timeout	silence that is a suspicion; also how long an observer may take to answer
 *			a connection, and to acknowledge what was written
 *	PROOF_MS	a connection that has not proved itself by then is closed
 *	REFUSALS_MS	in which at most REFUSALS_LINES refusals are logged one by one
 *			(base/admission.h)
 */
#ifndef FTMPI_HEARTBEAT_HB_H
#define FTMPI_HEARTBEAT_HB_H

#include <stdatomic.h>

#include <event2/event.h>
#include <pthread.h>
#include <stddef.h>

#include "base/admission.h"
#include "base/list.h"
#include "base/loop.h"
#include "heartbeat/detector.h"
#include "heartbeat/heartbeat.h"
#include "heartbeat/record.h"
#include "heartbeat/observers.h"

enum {
	PROOF_MS = 5000,
	UNAUTHENTICATED_MAX = 64,
	UNAUTHENTICATED_SHARE =
		16, /* one of so many descriptors: the transport has such connections, too */
};

/* The way to one observer. */
struct beat_link {
	struct hb *h;
	int peer;
	struct hb_address to;
	struct hb_address next; /* where it beats to from `move` on; with the lock `moving` */
	bool moves;		/* the task is on its way; with that lock, too */
	struct loop_task move;
	int fd; /* -1: the next tick connects */
	struct event *readable;
	uint64_t since; /* when the attempt began */
	uint8_t challenge[RECORD_CHALLENGE_BYTES];
	size_t have; /* of the challenge; whole: it may beat */
	uint8_t nonce[AUTH_NONCE_BYTES];
	uint64_t seq;
	uint8_t out[RECORD_BYTES]; /* the last beat, */
	size_t left;		   /* of which the socket did not take so many bytes */
};

/* One connection that was accepted. */
struct beat_in {
	struct link link; /* in unauthenticated or proved */
	struct hb *h;
	int fd;
	struct event *readable;
	uint64_t deadline; /* while unauthenticated */
	struct record_stream stream;
};

struct beat_listener {
	int fd;
	struct event *readable;
	bool paused;			  /* no descriptor was free; until the next tick */
	struct admission unauthenticated; /* of beat_in */
	struct link proved;		  /* of beat_in */
	struct refusals refusals;
};

struct hb {
	struct hb_config c; /* its pointers are not used after the start */
	struct record_key key;
	struct loop *loop;
	struct event *tick;
	struct event *moment; /* once, between two ticks */
	struct detector *detector;
	struct detector_act *acts; /* room for all that a tick can bring */
	struct beat_link links[OBSERVERS_MOST];
	int nlinks;
	pthread_mutex_t moving;
	struct beat_listener in;
	struct loop_task rise; /* the first: the thread's priority */
	struct loop_task observe;
	atomic_bool observing; /* the task is on its way */
};

/* act.c: a beat has come; the detector has found something; would a line be written at once? */
void hb_handle(struct hb *h, const struct record *r);
void hb_act(struct hb *h, const struct detector_act *a);
bool hb_may_log(void);

/* priority.c: what the calling thread may have. The nice value that RLIMIT_NICE allows; 0: no
 * better than others. */
void priority_rise(void);
int priority_nice(unsigned long long limit);

/* link.c: beating */
void link_tick(struct beat_link *l, uint64_t now);
void link_leave(struct beat_link *l);
void link_close(struct beat_link *l);

/* listen.c: being beaten to. Open: 0 or FT_ENOMEM. */
int listener_open(struct hb *h);
void listener_tick(struct hb *h, uint64_t now);
void listener_close(struct hb *h);

#endif
