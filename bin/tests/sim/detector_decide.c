/* SPDX-License-Identifier: BSD-3-Clause */
#include "detector_decide.h"

static uint64_t silence(const struct decider *d, int host, uint64_t now)
{
	return now > d->heard[host] ? now - d->heard[host] : 0;
}

static bool host_silent(const struct decider *d, int host, uint64_t now)
{
	return silence(d, host, now) >= d->timeout / 2;
}

/* One that could say something, if there were something to say. */
static bool reachable(const struct decider *d, int observer, uint64_t now)
{
	return !d->finalized[observer] && !host_silent(d, d->node[observer], now);
}

/* Several that say so, or the only one who can: the process. Else what is between them. */
static struct verdict rank_or_link(const struct decider *d, int observer, int peer, uint64_t now)
{
	int say = 0, could = 0, here = d->node[observer], there = d->node[peer];

	for (int i = 0; i < d->nobservers[peer]; i++) {
		int o = d->observers[peer][i];

		say += d->suspected[o][peer] > 0;
		could += reachable(d, o, now);
	}
	if (say > 1 || could < 2 || here == there)
		return (struct verdict){RANK_STOPPED, peer, observer};
	return (struct verdict){LINK_CUT, here, there};
}

/* It runs, and did so all the time that is of interest here: one that got a processor again has
 * beats on the way. */
static bool runs_long(const struct decider *d, int rank, uint64_t now)
{
	return d->word[rank] == WORD_RUNS &&
	       (!d->changed[rank] || now - d->changed[rank] >= d->timeout);
}

/* The word of an observer that would have heard the suspect. One that only gets too little of a
 * processor, and beats, is believed after as long as such may be silent. */
static bool counts(const struct decider *d, int observer, uint64_t since, uint64_t now)
{
	bool is_suspected = false;

	for (int other = 0; other < d->ranks; other++)
		is_suspected |= d->suspected[other][observer] > 0;
	return runs_long(d, observer, now) || (since >= d->starved && !is_suspected);
}

/* By what its agent sees. Both ends run, and the beats do not come: the way is broken. */
static struct verdict by_word(const struct decider *d, int observer, int peer, uint64_t now)
{
	uint64_t since = now - d->suspected[observer][peer];
	struct verdict undecided = {UNDECIDED, 0, 0}, stopped = {RANK_STOPPED, peer, observer};

	switch (d->word[peer]) {
	case WORD_STOPPED:
		return stopped;
	case WORD_STARVED:
		return since >= d->starved ? stopped : undecided;
	case WORD_RUNS:
		if (since < d->timeout || !runs_long(d, peer, now) ||
			!counts(d, observer, since, now))
			return undecided;
		return (struct verdict){LINK_CUT, d->node[observer], d->node[peer]};
	default:
		return since >= d->starved ? rank_or_link(d, observer, peer, now) : undecided;
	}
}

static struct verdict judge(const struct decider *d, int observer, int peer, uint64_t now)
{
	if (!reachable(d, observer, now) || d->finalized[peer] ||
		now - d->suspected[observer][peer] < d->period)
		return (struct verdict){UNDECIDED, 0, 0};
	if (host_silent(d, d->node[peer], now))
		return (struct verdict){HOST_GONE, d->node[peer], 0};
	return by_word(d, observer, peer, now);
}

bool decide_asks(const struct decider *d, int rank, uint64_t now)
{
	bool about = false;

	for (int other = 0; other < d->ranks; other++)
		about |= d->suspected[rank][other] || d->suspected[other][rank];
	if (!about || d->asked[rank])
		return false;
	return d->word[rank] == WORD_NONE || now - d->word_at[rank] >= d->timeout / 2;
}

struct verdict decide(const struct decider *d, uint64_t now)
{
	for (int r = 0; r < d->ranks; r++)
		if (d->died[r])
			return (struct verdict){RANK_DIED, r, 0};
	for (int h = 0; h < d->hosts; h++)
		if (d->host_used[h] && silence(d, h, now) >= d->timeout)
			return (struct verdict){HOST_GONE, h, 0};
	for (int o = 0; o < d->ranks; o++)
		for (int p = 0; p < d->ranks; p++) {
			struct verdict v = {UNDECIDED, 0, 0};

			if (d->suspected[o][p])
				v = judge(d, o, p, now);
			if (v.kind != UNDECIDED)
				return v;
		}
	return (struct verdict){UNDECIDED, 0, 0};
}
