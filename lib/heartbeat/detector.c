/* SPDX-License-Identifier: BSD-3-Clause */
#include "heartbeat/detector.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

enum { MS = 1000000 };

enum state { UNSEEN, OBSERVED, SILENT, LEFT };

struct peer {
	int rank;
	enum state state;
	uint32_t progress;
	uint64_t heard; /* on the observer's own clock */
};

struct detector {
	struct detector_config c;
	uint64_t at;  /* the last event */
	uint64_t own; /* the observer's own clock */
	int count;
	struct peer peers[];
};

struct detector *detector_new(
	const struct detector_config *c, const int *peers, int count, uint64_t now)
{
	struct detector *d = calloc(1, sizeof *d + (size_t)count * sizeof *d->peers);

	if (!d)
		return NULL;
	d->c = *c;
	d->at = now;
	d->count = count;
	for (int i = 0; i < count; i++) {
		assert(i == 0 || peers[i] > peers[i - 1]);
		d->peers[i].rank = peers[i];
	}
	return d;
}

void detector_free(struct detector *d)
{
	free(d);
}

static struct peer *find(const struct detector *d, int rank)
{
	int low = 0, high = d->count;

	while (low < high) {
		int mid = (low + high) / 2;

		if (d->peers[mid].rank < rank)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == d->count || d->peers[low].rank != rank)
		return NULL;
	return (struct peer *)&d->peers[low];
}

bool detector_knows(const struct detector *d, int peer)
{
	return find(d, peer) != NULL;
}

/* There is an event each period, the tick. One that is late by up to a period is the ordinary
 * unrest of a loaded machine, and counted, so that it delays no suspicion; after a longer gap the
 * observer itself did not run, and one period of it is counted: an observer that is starved without
 * end still suspects, only later. */
static void advance(struct detector *d, uint64_t now)
{
	uint64_t period = (uint64_t)d->c.period_ms * MS, gap = now > d->at ? now - d->at : 0;

	d->own += gap > 2 * period ? period : gap;
	d->at += gap;
}

static struct detector_act act(
	const struct detector *d, enum detector_kind kind, const struct peer *p)
{
	return (struct detector_act){.kind = kind,
		.peer = p->rank,
		.silent_ms = (unsigned)((d->own - p->heard) / MS),
		.progress = p->progress};
}

/* What a beat means for a peer in this state. */
static enum detector_kind meaning(enum state s, bool leaving)
{
	if (s == LEFT)
		return DETECTOR_NOTHING;
	if (leaving)
		return DETECTOR_LEFT;
	if (s == UNSEEN)
		return DETECTOR_FIRST;
	return s == SILENT ? DETECTOR_AGAIN : DETECTOR_NOTHING;
}

struct detector_act detector_beat(
	struct detector *d, int peer, uint32_t progress, bool leaving, uint64_t now)
{
	struct peer *p = find(d, peer);
	struct detector_act a;

	assert(p);
	advance(d, now);
	if (p->state == UNSEEN)
		p->heard = d->own;
	p->progress = progress;
	a = act(d, meaning(p->state, leaving), p);
	p->heard = d->own;
	if (p->state != LEFT)
		p->state = leaving ? LEFT : OBSERVED;
	return a;
}

void detector_expect(struct detector *d, uint64_t now)
{
	advance(d, now);
	for (int i = 0; i < d->count; i++)
		if (d->peers[i].state == UNSEEN) {
			d->peers[i].state = OBSERVED;
			d->peers[i].heard = d->own;
		}
}

/* How much longer this peer may be silent. A beat counts from when it was read, and it came before
 * that, so the timeout is the least that it was silent for. */
static uint64_t left(const struct detector *d, const struct peer *p)
{
	uint64_t silent = d->own - p->heard, limit = (uint64_t)d->c.timeout_ms * MS;

	return silent < limit ? limit - silent : 0;
}

int detector_tick(struct detector *d, uint64_t now, struct detector_act *out)
{
	enum detector_kind kind = d->c.debug ? DETECTOR_SILENT : DETECTOR_SUSPECT;
	int n = 0;

	advance(d, now);
	for (int i = 0; i < d->count; i++) {
		struct peer *p = &d->peers[i];

		if (p->state != OBSERVED || left(d, p) > 0)
			continue;
		p->state = SILENT;
		out[n++] = act(d, kind, p);
	}
	return n;
}

uint64_t detector_due(const struct detector *d)
{
	uint64_t due = UINT64_MAX;

	for (int i = 0; i < d->count; i++) {
		const struct peer *p = &d->peers[i];

		if (p->state == OBSERVED && left(d, p) < due)
			due = left(d, p);
	}
	return due;
}
