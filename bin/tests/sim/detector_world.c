/* SPDX-License-Identifier: BSD-3-Clause */
/* The cluster: what each event does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detector_sim.h"

/* splitmix64 */
uint64_t sim_random(struct sim *s, uint64_t below)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return below ? (z ^ z >> 31) % below : 0;
}

static void add(struct sim *s, uint64_t at, enum event_kind kind, int a, int b)
{
	queue_add(&s->queue, (struct event){.at = at, .kind = kind, .a = a, .b = b});
}

bool sim_connected(const struct sim *s, int from_host, int to_host)
{
	return s->cut[from_host][to_host] <= s->now;
}

static bool agent_heard(const struct sim *s, int host)
{
	return !s->host_gone[host] && s->agent_stopped[host] <= s->now &&
	       sim_connected(s, host, s->launcher) && sim_connected(s, s->launcher, host);
}

/* ---- begin and end ---- */

/* No delay is so long that a rank that lives may be suspected. */
void sim_begin_run(struct sim *s, uint64_t seed)
{
	uint64_t spare;

	s->seed = s->random = seed;
	s->trace = seed;
	s->now = 1000 * (uint64_t)SIM_MS;
	s->epoch = 0;
	s->period = (50 + sim_random(s, 150)) * SIM_MS;
	s->timeout = s->period * (3 + sim_random(s, 10)) + sim_random(s, s->period);
	spare = s->timeout - 2 * s->period;
	s->late = sim_random(s, spare / 4 < s->period ? spare / 4 : s->period * 9 / 10);
	s->delay = sim_random(s, spare - 2 * s->late);
	s->limit = s->timeout * (1 + sim_random(s, 20));
	s->hosts = 1 + (int)sim_random(s, HOSTS_MAX);
	s->ranks = 1 + (int)sim_random(s, RANKS_MAX);
	s->launcher = sim_random(s, 2) ? 0 : s->hosts;
	memset(s->host_gone, 0, sizeof s->host_gone);
	for (int r = 0; r < s->ranks; r++)
		s->node[r] = (int)sim_random(s, (uint64_t)s->hosts);
	s->count.runs++;
}

static void begin_rank(struct sim *s, const struct observers *observers, int r)
{
	struct detector_config c = {
		(unsigned)(s->period / SIM_MS), (unsigned)(s->timeout / SIM_MS), false};
	int peers[RANKS_MAX], n = observers_observed(observers, r, peers);

	s->rank[r].detector = detector_new(&c, peers, n, s->now);
	s->rank[r].gone = s->rank[r].left = false;
	s->rank[r].stopped = s->rank[r].starved = s->rank[r].crowded = 0;
	s->rank[r].ninbox = 0;
	s->rank[r].due = s->now + sim_random(s, sim_random(s, 8) ? s->period : 3 * s->timeout);
	if (s->rank[r].due > s->started)
		s->started = s->rank[r].due;
	add(s, s->rank[r].due, EV_TICK, r, 0);
	s->decider.nobservers[r] = observers_of(observers, r, s->decider.observers[r]);
}

static void begin_launcher(struct sim *s)
{
	s->decider = (struct decider){.hosts = s->hosts,
		.ranks = s->ranks,
		.period = s->period,
		.timeout = s->timeout,
		.starved = s->limit,
		.host_used = s->host_used,
		.node = s->node};
	for (int h = 0; h < s->hosts; h++)
		s->decider.heard[h] = s->now;
	add(s, s->now, EV_ASK, 0, 0);
}

/* The table of a job numbers the hosts that have ranks. */
static struct observers *lay_observers(const struct sim *s)
{
	int number[HOSTS_MAX], node[RANKS_MAX], hosts = 0;

	for (int h = 0; h < s->hosts; h++)
		number[h] = -1;
	for (int r = 0; r < s->ranks; r++) {
		if (number[s->node[r]] < 0)
			number[s->node[r]] = hosts++;
		node[r] = number[s->node[r]];
	}
	return observers_new(node, s->ranks);
}

void sim_begin_epoch(struct sim *s)
{
	struct observers *observers = lay_observers(s);

	s->begun = s->started = s->now;
	s->pings = sim_random(s, 2);
	s->verdict.kind = UNDECIDED;
	memset(s->host_used, 0, sizeof s->host_used);
	memset(s->agent_stopped, 0, sizeof s->agent_stopped);
	memset(s->cut, 0, sizeof s->cut);
	memset(s->arrival, 0, sizeof s->arrival);
	memset(s->heard, 0, sizeof s->heard);
	memset(s->farewell, 0, sizeof s->farewell);
	memset(s->told, 0, sizeof s->told);
	for (int r = 0; r < s->ranks; r++)
		s->host_used[s->node[r]] = true;
	begin_launcher(s);
	for (int r = 0; r < s->ranks; r++)
		begin_rank(s, observers, r);
	observers_free(observers);
	faults_plan(s);
	s->count.epochs++;
}

void sim_end_epoch(struct sim *s)
{
	for (int r = 0; r < s->ranks; r++)
		detector_free(s->rank[r].detector);
	s->queue.count = 0;
	s->epoch++;
}

/* ---- ranks ---- */

static void send_beat(struct sim *s, int from, int to, bool leaving)
{
	uint64_t at = s->now + sim_random(s, s->delay + 1);

	if (!sim_connected(s, s->node[from], s->node[to]))
		return;
	if (at < s->arrival[from][to])
		at = s->arrival[from][to];
	s->arrival[from][to] = at;
	queue_add(&s->queue, (struct event){.at = at,
				     .kind = EV_BEAT,
				     .a = from,
				     .b = to,
				     .time = s->now,
				     .leaving = leaving});
}

static void beat_all(struct sim *s, int r, bool leaving)
{
	for (int i = 0; i < s->decider.nobservers[r]; i++)
		send_beat(s, r, s->decider.observers[r][i], leaving);
}

static void report(struct sim *s, int observer, const struct detector_act *a)
{
	if (a->kind == DETECTOR_AGAIN) {
		s->told[observer][a->peer] = 0;
		add(s, s->now + sim_random(s, s->period / 4), EV_HEARD, observer, a->peer);
	}
	if (a->kind != DETECTOR_SUSPECT)
		return;
	s->count.suspicions++;
	s->told[observer][a->peer] = s->now;
	check_suspicion(s, observer, a->peer);
	add(s, s->now + sim_random(s, s->period / 4), EV_SUSPECT, observer, a->peer);
}

static void read_inbox(struct sim *s, int r)
{
	struct rank *me = &s->rank[r];

	for (int i = 0; i < me->ninbox; i++) {
		const struct beat *b = &me->inbox[i];
		struct detector_act a = detector_beat(me->detector, b->from, 0, b->leaving, s->now);

		s->heard[r][b->from] = b->sent;
		s->read[r][b->from] = s->now;
		s->farewell[r][b->from] |= b->leaving;
		report(s, r, &a);
	}
	me->ninbox = 0;
}

static bool runs(const struct sim *s, int r)
{
	return !s->rank[r].gone && !s->rank[r].left;
}

/* As lib/heartbeat/heartbeat.c. Nothing is read but here. */
static void read_and_judge(struct sim *s, int r)
{
	struct detector_act acts[RANKS_MAX];
	struct rank *me = &s->rank[r];
	uint64_t due;
	int n;

	read_inbox(s, r);
	n = detector_tick(me->detector, s->now, acts);
	for (int i = 0; i < n; i++)
		report(s, r, &acts[i]);
	due = detector_due(me->detector);
	if (due < s->period)
		add(s, s->now + due + sim_random(s, s->late + 1), EV_MOMENT, r, 0);
}

static void tick(struct sim *s, int r)
{
	struct rank *me = &s->rank[r];
	uint64_t late = sim_random(s, s->late + 1);

	if (me->starved > s->now)
		late += (STARVED_PERIODS - 1) * s->period;

	beat_all(s, r, false);
	read_and_judge(s, r);
	me->due += s->period;
	if (me->due < s->now)
		me->due = s->now + s->period;
	add(s, me->due + late, EV_TICK, r, 0);
}

static void leave(struct sim *s, int r)
{
	beat_all(s, r, true);
	s->rank[r].left = true;
	s->decider.finalized[r] = true;
}

/* What a rank does while it is stopped, or gets no processor, it does when it goes on, in any
 * order. */
static void rank_event(struct sim *s, const struct event *e)
{
	struct rank *me = &s->rank[e->a];
	uint64_t away = me->stopped > me->crowded ? me->stopped : me->crowded;
	struct event later = *e;

	if (!runs(s, e->a) || away == FOREVER)
		return;
	if (away > s->now) {
		later.at = away + sim_random(s, SIM_MS);
		queue_add(&s->queue, later);
	} else if (e->kind == EV_TICK) {
		tick(s, e->a);
	} else if (e->kind == EV_MOMENT) {
		if (me->starved <= s->now)
			read_and_judge(s, e->a);
	} else {
		leave(s, e->a);
	}
}

static void arrive(struct sim *s, const struct event *e)
{
	struct rank *to = &s->rank[e->b];

	if (!runs(s, e->b) || to->ninbox == INBOX_MAX)
		return;
	to->inbox[to->ninbox++] = (struct beat){e->a, e->time, e->leaving};
}

/* ---- the launcher ---- */

/* Two looks, one and a half periods apart; or one at a process that is stopped. */
static void examine(struct sim *s)
{
	for (int r = 0; r < s->ranks; r++) {
		uint64_t looks = s->rank[r].stopped > s->now ? 0 : s->period * 3 / 2;

		if (!decide_asks(&s->decider, r, s->now))
			continue;
		s->decider.asked[r] = true;
		add(s, s->now + looks + sim_random(s, s->period / 2), EV_WORD, r, 0);
	}
}

static enum word word_of(const struct sim *s, int r)
{
	const struct rank *rank = &s->rank[r];

	if (rank->gone || rank->left)
		return WORD_GONE;
	if (rank->stopped > s->now)
		return WORD_STOPPED;
	return rank->crowded > s->now || rank->starved > s->now ? WORD_STARVED : WORD_RUNS;
}

static void take_word(struct sim *s, const struct event *e)
{
	if (!agent_heard(s, s->node[e->a])) {
		add(s, s->now + s->period, EV_WORD, e->a, 0);
		return;
	}
	if (s->decider.word[e->a] != WORD_NONE && s->decider.word[e->a] != word_of(s, e->a))
		s->decider.changed[e->a] = s->now;
	s->decider.word[e->a] = word_of(s, e->a);
	s->decider.word_at[e->a] = s->now;
	s->decider.asked[e->a] = false;
}

static void ask(struct sim *s)
{
	for (int h = 0; h < s->hosts; h++)
		if (!s->pings)
			s->decider.heard[h] = s->now;
		else if (s->host_used[h] && agent_heard(s, h))
			add(s, s->now + sim_random(s, s->period / 4), EV_ANSWER, h, 0);
	examine(s);
	s->verdict = decide(&s->decider, s->now);
	add(s, s->now + s->period, EV_ASK, 0, 0);
}

/* What an agent says while nothing gets through comes when something does again. */
static void hear(struct sim *s, const struct event *e)
{
	int host = s->node[e->a];

	if (!agent_heard(s, host))
		add(s, s->now + s->period, e->kind, e->a, e->b);
	else if (e->kind == EV_DIED)
		s->decider.died[e->a] = true;
	else if (e->kind == EV_HEARD)
		s->decider.suspected[e->a][e->b] = 0;
	else if (!s->decider.suspected[e->a][e->b])
		s->decider.suspected[e->a][e->b] = s->now;
}

static void mix(struct sim *s, const struct event *e)
{
	s->trace = (s->trace ^ e->at ^ (uint64_t)e->kind << 56 ^ (uint64_t)e->a << 48 ^
			   (uint64_t)e->b << 40) *
		   0x100000001b3;
}

void sim_event(struct sim *s, const struct event *e)
{
	s->now = e->at;
	mix(s, e);
	switch (e->kind) {
	case EV_TICK:
	case EV_MOMENT:
	case EV_LEAVE:
		rank_event(s, e);
		break;
	case EV_BEAT:
		arrive(s, e);
		break;
	case EV_FAULT:
		fault_happens(s, &s->faults[e->a]);
		break;
	case EV_ASK:
		ask(s);
		break;
	case EV_ANSWER:
		s->decider.heard[e->a] = s->now;
		break;
	case EV_SUSPECT:
	case EV_HEARD:
	case EV_DIED:
		hear(s, e);
		break;
	case EV_WORD:
		take_word(s, e);
		break;
	}
}
