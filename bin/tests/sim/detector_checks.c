/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold in every run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "detector_sim.h"

static unsigned long long ms(uint64_t ns)
{
	return ns / SIM_MS;
}

static void tell_faults(const struct sim *s)
{
	for (int i = 0; i < s->nfaults; i++) {
		const struct fault *f = &s->faults[i];

		fprintf(stderr, "  %s %d %d from %llu ms", fault_names[f->kind], f->a, f->b,
			ms(f->from - s->begun));
		if (f->until == FOREVER)
			fprintf(stderr, " for ever\n");
		else
			fprintf(stderr, " until %llu ms\n", ms(f->until - s->begun));
	}
}

static __attribute__((format(printf, 2, 3))) _Noreturn void broken(
	const struct sim *s, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "seed %llu, epoch %d, %llu ms into it: ", (unsigned long long)s->seed,
		s->epoch, ms(s->now - s->begun));
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr,
		"\n  %d ranks, %d hosts, launcher on %d, period %llu ms, timeout %llu, late %llu, "
		"delay %llu%s\n  ranks on hosts:",
		s->ranks, s->hosts, s->launcher, ms(s->period), ms(s->timeout), ms(s->late),
		ms(s->delay), s->ending ? ", the ranks leave" : "");
	for (int r = 0; r < s->ranks; r++)
		fprintf(stderr, " %d", s->node[r]);
	fprintf(stderr, "\n");
	tell_faults(s);
	exit(1);
}

/* Between two beats that are read there may be a period, lateness on both sides, and the way; the
 * rest of the timeout must have had a cause. Some ms for going on after a stop. */
void check_suspicion(const struct sim *s, int observer, int peer)
{
	uint64_t since = s->heard[observer][peer], slack = 8 * (uint64_t)SIM_MS;
	uint64_t ordinary = 2 * s->period + 2 * s->late + s->delay + slack;
	uint64_t cause = faults_hinder(s, observer, peer, since, s->now);

	if (s->farewell[observer][peer])
		broken(s, "rank %d suspects rank %d, which said that it leaves", observer, peer);
	if (s->rank[observer].gone || s->rank[observer].stopped > s->now ||
		s->rank[observer].crowded > s->now)
		broken(s, "rank %d suspects rank %d, and does not run", observer, peer);
	if (ms(s->now - s->read[observer][peer]) < ms(s->timeout))
		broken(s, "rank %d suspects rank %d, heard %llu ms ago", observer, peer,
			ms(s->now - s->read[observer][peer]));
	if (cause == 0 || cause + ordinary < s->timeout)
		broken(s, "rank %d suspects rank %d, which was kept from it for %llu ms only",
			observer, peer, ms(cause));
}

/* ---- decisions ---- */

static bool touches(const struct sim *s, const struct fault *f, int host, int rank)
{
	switch (f->kind) {
	case FAULT_STOP:
	case FAULT_KILL:
		return rank >= 0 ? f->a == rank : s->node[f->a] == host;
	case FAULT_STARVE:
		return false;
	case FAULT_CROWD:
		return rank == f->a &&
		       (s->now < f->until ? s->now : f->until) - f->from >= s->limit;
	case FAULT_HOST:
	case FAULT_AGENT:
		return f->a == host;
	case FAULT_SUSPEND:
		return true;
	default:
		return f->a == host || f->b == host;
	}
}

static bool has_cause(const struct sim *s, int host, int rank)
{
	for (int i = 0; i < s->nfaults; i++)
		if (s->faults[i].from <= s->now && touches(s, &s->faults[i], host, rank))
			return true;
	return false;
}

void check_verdict(const struct sim *s)
{
	const struct verdict *v = &s->verdict;
	uint64_t from = s->now > 2 * s->timeout ? s->now - 2 * s->timeout : 0;
	uint64_t silent = 0;

	if (v->kind == HOST_GONE) {
		silent = faults_hinder_agent(s, v->who, from, s->now);
		if (silent + 2 * s->period < s->timeout / 2)
			broken(s, "host %d is given up after %llu ms", v->who, ms(silent));
	} else if (v->kind == LINK_CUT) {
		if (!has_cause(s, v->who, -1) && !has_cause(s, v->other, -1))
			broken(s, "the link of hosts %d and %d is blamed", v->who, v->other);
	} else if (!has_cause(s, s->node[v->who], v->who)) {
		broken(s, "rank %d is given up", v->who);
	}
}

/* Suspicion, the agents' words, gathering, the launcher's next turn, and the ways between; after a
 * fault that made the launcher deaf for a while. An agent that is gone, and not missed, is waited
 * for as long as a rank may be starved. */
uint64_t check_patience(const struct sim *s)
{
	uint64_t asking = s->timeout + 4 * s->period;
	uint64_t patience =
		s->timeout + 2 * s->period + s->late + s->delay + 3 * s->period + asking;

	for (int i = 0; i < s->nfaults; i++)
		if (s->faults[i].kind == FAULT_STARVE)
			patience += (STARVED_PERIODS + 1) * s->timeout + s->limit;
		else if (s->faults[i].kind == FAULT_CROWD ||
			 (s->faults[i].kind == FAULT_HOST && !s->pings))
			patience += s->limit + s->timeout;
	return patience;
}

static bool runs(const struct sim *s, int r)
{
	return !s->rank[r].gone && !s->rank[r].left && s->rank[r].stopped <= s->now &&
	       s->rank[r].crowded <= s->now;
}

static bool somebody_runs(const struct sim *s)
{
	for (int r = 0; r < s->ranks; r++)
		if (runs(s, r))
			return true;
	return false;
}

static bool runs_elsewhere(const struct sim *s, int host)
{
	for (int r = 0; r < s->ranks; r++)
		if (s->node[r] != host && runs(s, r))
			return true;
	return false;
}

/* A launcher that does not ask the agents may be unable to hear them, and not know. */
static bool deaf(const struct sim *s)
{
	for (int i = 0; i < s->nfaults; i++)
		if (s->faults[i].kind == FAULT_AGENT || s->faults[i].kind == FAULT_CUT ||
			s->faults[i].kind == FAULT_ONE_WAY)
			return !s->pings;
	return false;
}

/* Nobody is left to miss those that stopped, where all did; the launcher sees the rest itself. */
static bool must_be_noticed(const struct sim *s, const struct fault *f)
{
	if (f->until != FOREVER || deaf(s))
		return false;
	switch (f->kind) {
	case FAULT_STOP:
	case FAULT_CROWD:
		return s->ranks > 1 && somebody_runs(s);
	case FAULT_KILL:
		return !s->host_gone[s->node[f->a]]; /* else the host's loss is the matter */
	case FAULT_HOST:
		return s->pings || runs_elsewhere(s, f->a);
	case FAULT_AGENT:
		return s->pings;
	case FAULT_CUT:
	case FAULT_ONE_WAY:
		return s->pings && (f->a == s->launcher || f->b == s->launcher);
	default:
		return false;
	}
}

/* It is silent now and again, and each time excused. */
static bool excused(const struct sim *s, int observer, int peer)
{
	return s->rank[peer].starved > s->now && s->now - s->told[observer][peer] < s->limit;
}

static bool somebody_told(const struct sim *s)
{
	if (deaf(s))
		return false;
	for (int o = 0; o < s->ranks; o++)
		for (int p = 0; p < s->ranks; p++)
			if (s->told[o][p] && runs(s, o) && !s->rank[p].left && !excused(s, o, p))
				return true;
	return false;
}

void check_undecided(const struct sim *s)
{
	if (s->ending)
		return;
	for (int i = 0; i < s->nfaults; i++)
		if (must_be_noticed(s, &s->faults[i]))
			broken(s, "nothing is decided after fault %d", i);
	if (somebody_told(s))
		broken(s, "nothing is decided after a suspicion");
}

/* ---- the detector ---- */

static void check_pair(const struct sim *s, int observer, int peer)
{
	uint64_t since = faults_silent_since(s, observer, peer), told = s->told[observer][peer];
	uint64_t ran, bound = s->timeout + 2 * s->period + s->late;
	const struct rank *o = &s->rank[observer];

	if (since == FOREVER || !s->heard[observer][peer] || s->farewell[observer][peer] ||
		o->gone || o->left)
		return;
	ran = faults_ran(s, observer, since + s->delay + s->late, told ? told : s->now);
	if (ran > bound)
		broken(s, "rank %d suspects rank %d, silent since %llu ms, %s after %llu ms",
			observer, peer, ms(since - s->begun), told ? "only" : "not even", ms(ran));
}

void check_suspected(const struct sim *s)
{
	for (int peer = 0; peer < s->ranks; peer++)
		for (int i = 0; i < s->decider.nobservers[peer]; i++)
			check_pair(s, s->decider.observers[peer][i], peer);
}
