/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small model of the launcher's part: it hears suspicions, knows how long each host's agent has
 * been silent and what the agents see of those whom a suspicion is about, and decides. The rule is
 * that of FTMPI::Launcher::Verdict, as far as heartbeats go.
 */
#ifndef FTMPI_TESTS_SIM_DETECTOR_DECIDE_H
#define FTMPI_TESTS_SIM_DETECTOR_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "heartbeat/observers.h"

enum { HOSTS_MAX = 6, RANKS_MAX = 14 };

enum verdict_kind { UNDECIDED, HOST_GONE, RANK_STOPPED, RANK_DIED, LINK_CUT };

struct verdict {
	enum verdict_kind kind;
	int who, other; /* a rank or a host; LINK_CUT: two hosts */
};

/* What an agent sees of a rank: doc/heartbeat.md. */
enum word { WORD_NONE, WORD_STOPPED, WORD_STARVED, WORD_RUNS, WORD_GONE };

struct decider {
	int hosts, ranks;
	uint64_t period, timeout, starved; /* ns; how long one without a processor is excused */
	const bool *host_used;
	const int *node;
	int observers[RANKS_MAX][OBSERVERS_MOST], nobservers[RANKS_MAX];
	uint64_t heard[HOSTS_MAX];		  /* the agent, last */
	uint64_t suspected[RANKS_MAX][RANKS_MAX]; /* [observer][peer]: when; 0: not */
	enum word word[RANKS_MAX];
	uint64_t word_at[RANKS_MAX],
		changed[RANKS_MAX]; /* when it came, and was another; 0: never */
	bool asked[RANKS_MAX];	    /* it is awaited */
	bool died[RANKS_MAX], finalized[RANKS_MAX];
};

struct verdict decide(const struct decider *d, uint64_t now);

/* Is a suspicion about this rank, as observer or suspect, whose agent is to be asked now? */
bool decide_asks(const struct decider *d, int rank, uint64_t now);

#endif
