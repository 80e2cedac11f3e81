/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cluster in virtual time: hosts with agents, ranks with the real ring and detector, a network
 * that delays and is cut, processes that stop, die, are late and leave, and a launcher that
 * decides. Everything follows from a seed.
 *
 * A run is a few epochs. In each some faults happen; a decision ends it, and the next begins
 * without what was lost.
 */
#ifndef FTMPI_TESTS_SIM_DETECTOR_SIM_H
#define FTMPI_TESTS_SIM_DETECTOR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detector_decide.h"
#include "heartbeat/detector.h"

enum { STARVED_PERIODS = 3, FAULTS_MAX = 4, INBOX_MAX = 4096, SIM_MS = 1000000 };

#define FOREVER UINT64_MAX

enum event_kind {
	EV_TICK,    /* a: rank */
	EV_BEAT,    /* a: from, b: to; time: when it was sent */
	EV_LEAVE,   /* a: rank */
	EV_FAULT,   /* a: its number */
	EV_ASK,	    /* the launcher's tick */
	EV_ANSWER,  /* a: host */
	EV_MOMENT,  /* a: rank: a suspicion is due between two ticks */
	EV_SUSPECT, /* a: observer, b: peer: it comes to the launcher */
	EV_HEARD,   /* likewise: taken back */
	EV_WORD,    /* a: rank: its agent has looked at it */
	EV_DIED,    /* a: rank: likewise */
};

struct event {
	uint64_t at, order, time;
	enum event_kind kind;
	int a, b;
	bool leaving;
};

struct queue {
	struct event *heap;
	size_t count, room;
	uint64_t order;
};

void queue_add(struct queue *q, struct event e);
bool queue_next(struct queue *q, struct event *out);

enum fault_kind {
	FAULT_STOP,
	FAULT_KILL,
	FAULT_HOST,
	FAULT_AGENT,
	FAULT_CUT,
	FAULT_ONE_WAY,
	FAULT_SUSPEND, /* all ranks stop, and go on at nearly the same time */
	FAULT_STARVE,  /* a rank gets a processor only every three periods */
	FAULT_CROWD,   /* a rank is ready, and gets none at all */
	FAULT_KINDS
};
extern const char *const fault_names[];

struct fault {
	enum fault_kind kind;
	int a, b;
	uint64_t from, until; /* until FOREVER: it lasts */
};

struct beat {
	int from;
	uint64_t sent;
	bool leaving;
};

struct rank {
	struct detector *detector;
	bool gone, left;
	uint64_t stopped;	   /* until then */
	uint64_t starved, crowded; /* likewise */
	uint64_t due;		   /* the next tick */
	struct beat inbox[INBOX_MAX];
	int ninbox;
};

struct sim {
	uint64_t seed, random, now, begun;
	uint64_t period, timeout, late, delay; /* the most of the last two */
	uint64_t limit;			       /* for which one without a processor is excused */
	int hosts, ranks, epoch;
	bool pings;	  /* the launcher asks the agents; else it has only what the ranks say */
	uint64_t started; /* the last rank */
	bool host_used[HOSTS_MAX], host_gone[HOSTS_MAX];
	int node[RANKS_MAX];
	int launcher; /* its host; hosts: a machine of its own */
	uint64_t agent_stopped[HOSTS_MAX];
	uint64_t cut[HOSTS_MAX + 1][HOSTS_MAX + 1]; /* until then, [from][to] */
	uint64_t arrival[RANKS_MAX][RANKS_MAX];	    /* of the last beat on this way */
	uint64_t heard[RANKS_MAX][RANKS_MAX]; /* [observer][peer]: last beat read was sent then */
	uint64_t read[RANKS_MAX][RANKS_MAX];  /* when that was */
	uint64_t told[RANKS_MAX][RANKS_MAX];  /* the detector said so; 0: not, or taken back */
	bool farewell[RANKS_MAX][RANKS_MAX];
	struct rank rank[RANKS_MAX];
	struct decider decider;
	struct fault faults[FAULTS_MAX];
	int nfaults;
	bool ending; /* the ranks leave in this epoch, the last of them at */
	uint64_t last_leave;
	struct queue queue;
	uint64_t trace; /* of everything that happened */
	struct verdict verdict;
	struct {
		unsigned long runs, epochs, faults, suspicions, verdicts[LINK_CUT + 1];
	} count;
};

/* detector_world.c */
uint64_t sim_random(struct sim *s, uint64_t below);
void sim_begin_run(struct sim *s, uint64_t seed);
void sim_begin_epoch(struct sim *s);
void sim_end_epoch(struct sim *s);
void sim_event(struct sim *s, const struct event *e);
bool sim_connected(const struct sim *s, int from_host, int to_host);

/* detector_faults.c */
void faults_plan(struct sim *s);
void fault_happens(struct sim *s, const struct fault *f);
/* The end of the last that ends, the beginning of the last that does not, the last rank's leave. */
uint64_t faults_last(const struct sim *s);
/* For how much of a stretch of time something kept beats of the peer from the observer. */
uint64_t faults_hinder(const struct sim *s, int observer, int peer, uint64_t from, uint64_t until);
/* The same between a host's agent and the launcher. */
uint64_t faults_hinder_agent(const struct sim *s, int host, uint64_t from, uint64_t until);
/* For how much of it the rank itself ran, less what its detector may forget at each stop. */
uint64_t faults_ran(const struct sim *s, int rank, uint64_t from, uint64_t until);
/* Since when nothing of the peer can come to the observer any more; FOREVER: it can. */
uint64_t faults_silent_since(const struct sim *s, int observer, int peer);

/* detector_checks.c: each ends the program, with the seed and what was seen, if what it says does
 * not hold
 */

/* Nobody is suspected who could be heard. */
void check_suspicion(const struct sim *s, int observer, int peer);
/* Nothing is decided that no fault gave cause for. */
void check_verdict(const struct sim *s);
/* At the end of an epoch: whoever was silent for good was suspected, and in time. */
void check_suspected(const struct sim *s);
/* At the end of an epoch without a decision: there was nothing to decide. */
void check_undecided(const struct sim *s);
/* How long after the last fault there must have been a decision. */
uint64_t check_patience(const struct sim *s);

#endif
