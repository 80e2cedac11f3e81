/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the ranks that this one observes have fallen silent. Pure: events and times come in,
 * what is to be done comes out.
 *
 * A rank is observed from its first beat, or from when all are known to beat, until it says that it
 * leaves. Silence is what counts, not
 * the end of a connection: a rank that runs its program anew closes all of them. It is measured on
 * a clock of the observer's own, on which a pause of the observer (it was stopped, or had no
 * processor) does not pass: nobody could be heard then.
 */
#ifndef FTMPI_HEARTBEAT_DETECTOR_H
#define FTMPI_HEARTBEAT_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct detector_config {
	unsigned period_ms, timeout_ms;
	bool debug; /* silence is DETECTOR_SILENT, never DETECTOR_SUSPECT */
};

enum detector_kind {
	DETECTOR_NOTHING,
	DETECTOR_FIRST,	  /* it is observed from now on */
	DETECTOR_SUSPECT, /* silent for the timeout or longer; once for each silence */
	DETECTOR_SILENT,  /* the same with debug: for the log */
	DETECTOR_AGAIN,	  /* it beats again, after one of the two before */
	DETECTOR_LEFT,	  /* it is not observed any more */
};

struct detector_act {
	enum detector_kind kind;
	int peer;
	unsigned silent_ms;
	uint32_t progress; /* as its last beat said */
};

struct detector;

/* peers: ascending. NULL when memory is short. Times are of a monotonic clock, in ns. */
struct detector *detector_new(
	const struct detector_config *c, const int *peers, int count, uint64_t now);
void detector_free(struct detector *d);

/* Is this rank one of the peers? */
bool detector_knows(const struct detector *d, int peer);

/* A beat that has proved itself, of a peer it knows. */
struct detector_act detector_beat(
	struct detector *d, int peer, uint32_t progress, bool leaving, uint64_t now);

/* All peers beat by now: those not heard yet count as heard at this moment. */
void detector_expect(struct detector *d, uint64_t now);

/* Each period, and when detector_due says; `now` is from before the beats were read that had come
 * by then. out has room for all peers. How many acts. */
int detector_tick(struct detector *d, uint64_t now, struct detector_act *out);

/* In how many ns from the last event the next peer will have been silent for the timeout, should
 * nothing be heard; UINT64_MAX: nobody is observed. Between two ticks: else a suspicion is up to a
 * period late. */
uint64_t detector_due(const struct detector *d);

#endif
