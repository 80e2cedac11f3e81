/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong in an epoch, and what follows from that for who can be heard. */
#include "detector_sim.h"

const char *const fault_names[] = {
	"stop", "kill", "host", "agent", "cut", "one way", "suspend all", "starve", "crowd"};

/* ---- the plan ---- */

static uint64_t length(struct sim *s)
{
	switch (sim_random(s, 3)) {
	case 0:
		return sim_random(s, s->timeout);
	case 1:
		return s->timeout + sim_random(s, 3 * s->timeout);
	default:
		return FOREVER;
	}
}

static int used_host(struct sim *s)
{
	return s->node[sim_random(s, (uint64_t)s->ranks)];
}

/* Two machines of the job, or one and the launcher's. False: it would be one. */
static bool choose_pair(struct sim *s, struct fault *f)
{
	f->a = used_host(s);
	f->b = sim_random(s, 3) ? used_host(s) : s->launcher;
	return f->a != f->b;
}

static bool choose(struct sim *s, struct fault *f)
{
	f->kind = (enum fault_kind)sim_random(s, FAULT_KINDS);
	switch (f->kind) {
	case FAULT_STOP:
	case FAULT_KILL:
	case FAULT_STARVE:
	case FAULT_CROWD:
		f->a = (int)sim_random(s, (uint64_t)s->ranks);
		return true;
	case FAULT_HOST:
		f->a = used_host(s);
		return f->a != s->launcher;
	case FAULT_AGENT:
		f->a = used_host(s);
		return true;
	case FAULT_SUSPEND:
		return true;
	default:
		return choose_pair(s, f);
	}
}

static void plan_fault(struct sim *s, uint64_t after)
{
	struct fault f = {.a = 0};
	uint64_t len = length(s);

	if (!choose(s, &f))
		return;
	f.from = after + sim_random(s, 2 * s->timeout);
	if (f.kind == FAULT_KILL || f.kind == FAULT_HOST)
		len = FOREVER;
	else if (f.kind == FAULT_SUSPEND && len == FOREVER)
		len = 100 * s->timeout;
	f.until = len == FOREVER ? FOREVER : f.from + len;
	queue_add(&s->queue, (struct event){.at = f.from, .kind = EV_FAULT, .a = s->nfaults});
	s->faults[s->nfaults++] = f;
	s->count.faults++;
}

static void plan_leaves(struct sim *s, uint64_t after)
{
	for (int r = 0; r < s->ranks; r++) {
		uint64_t at = after + sim_random(s, 3 * s->timeout);

		queue_add(&s->queue, (struct event){.at = at, .kind = EV_LEAVE, .a = r});
		if (at > s->last_leave)
			s->last_leave = at;
	}
}

/* Only when everybody has been heard once. */
void faults_plan(struct sim *s)
{
	uint64_t after = s->started + 3 * s->period + s->delay + 2 * s->late;
	int n = (int)sim_random(s, FAULTS_MAX + 1);

	s->nfaults = 0;
	s->last_leave = after;
	s->ending = sim_random(s, 4) == 0;
	for (int i = 0; i < n; i++)
		plan_fault(s, after);
	if (s->ending)
		plan_leaves(s, after);
}

/* ---- it happens ---- */

static void lengthen(uint64_t *until, uint64_t to)
{
	if (*until < to)
		*until = to;
}

static void lose_host(struct sim *s, int host)
{
	s->host_gone[host] = true;
	for (int r = 0; r < s->ranks; r++)
		if (s->node[r] == host)
			s->rank[r].gone = true;
}

static void kill_rank(struct sim *s, int r)
{
	if (s->rank[r].gone || s->rank[r].left)
		return;
	s->rank[r].gone = true;
	queue_add(&s->queue,
		(struct event){
			.at = s->now + sim_random(s, s->period / 4), .kind = EV_DIED, .a = r});
}

/* The agents say it to their ranks one after the other. */
static void suspend_all(struct sim *s, uint64_t until)
{
	for (int r = 0; r < s->ranks; r++)
		lengthen(&s->rank[r].stopped, until + sim_random(s, s->period / 2));
}

void fault_happens(struct sim *s, const struct fault *f)
{
	switch (f->kind) {
	case FAULT_STOP:
		lengthen(&s->rank[f->a].stopped, f->until);
		break;
	case FAULT_KILL:
		kill_rank(s, f->a);
		break;
	case FAULT_HOST:
		lose_host(s, f->a);
		break;
	case FAULT_AGENT:
		lengthen(&s->agent_stopped[f->a], f->until);
		break;
	case FAULT_CUT:
		lengthen(&s->cut[f->b][f->a], f->until);
		lengthen(&s->cut[f->a][f->b], f->until);
		break;
	case FAULT_ONE_WAY:
		lengthen(&s->cut[f->a][f->b], f->until);
		break;
	case FAULT_SUSPEND:
		suspend_all(s, f->until);
		break;
	case FAULT_STARVE:
		lengthen(&s->rank[f->a].starved, f->until);
		break;
	case FAULT_CROWD:
		lengthen(&s->rank[f->a].crowded, f->until);
		break;
	case FAULT_KINDS:
		break;
	}
}

/* ---- what follows ---- */

uint64_t faults_last(const struct sim *s)
{
	uint64_t last = s->ending ? s->last_leave : s->begun;

	for (int i = 0; i < s->nfaults; i++) {
		const struct fault *f = &s->faults[i];

		lengthen(&last, f->until == FOREVER ? f->from : f->until);
	}
	return last;
}

static bool on_way(const struct fault *f, int from_host, int to_host)
{
	if (f->kind == FAULT_CUT && f->a == to_host && f->b == from_host)
		return true;
	return (f->kind == FAULT_CUT || f->kind == FAULT_ONE_WAY) && f->a == from_host &&
	       f->b == to_host;
}

static bool silences(const struct sim *s, const struct fault *f, int observer, int peer)
{
	switch (f->kind) {
	case FAULT_STOP:
	case FAULT_KILL:
	case FAULT_CROWD:
		return f->a == peer;
	case FAULT_HOST:
		return f->a == s->node[peer];
	case FAULT_AGENT:
	case FAULT_SUSPEND:
	case FAULT_STARVE:
		return false;
	default:
		return on_way(f, s->node[peer], s->node[observer]);
	}
}

static uint64_t overlap(const struct fault *f, uint64_t from, uint64_t until)
{
	if (f->from > from)
		from = f->from;
	if (f->until < until)
		until = f->until;
	return until > from ? until - from : 0;
}

/* It is not silent, but now and then later than the others. */
static uint64_t delays(const struct sim *s, const struct fault *f, int peer)
{
	if (f->kind == FAULT_STARVE && f->a == peer)
		return STARVED_PERIODS * s->period;
	return f->kind == FAULT_SUSPEND ? 2 * s->period : 0;
}

uint64_t faults_hinder(const struct sim *s, int observer, int peer, uint64_t from, uint64_t until)
{
	uint64_t sum = s->rank[peer].left ? until - from : 0;

	for (int i = 0; i < s->nfaults; i++)
		if (silences(s, &s->faults[i], observer, peer))
			sum += overlap(&s->faults[i], from, until);
		else if (overlap(&s->faults[i], from, until))
			sum += delays(s, &s->faults[i], peer);
	return sum;
}

uint64_t faults_hinder_agent(const struct sim *s, int host, uint64_t from, uint64_t until)
{
	uint64_t sum = 0;

	for (int i = 0; i < s->nfaults; i++) {
		const struct fault *f = &s->faults[i];
		bool own = f->kind == FAULT_HOST || f->kind == FAULT_AGENT;

		if ((own && f->a == host) || on_way(f, host, s->launcher) ||
			on_way(f, s->launcher, host))
			sum += overlap(f, from, until);
	}
	return sum;
}

uint64_t faults_ran(const struct sim *s, int rank, uint64_t from, uint64_t until)
{
	uint64_t lost = 0;

	for (int i = 0; i < s->nfaults; i++) {
		const struct fault *f = &s->faults[i];
		uint64_t len = overlap(f, from, until);

		bool away = f->kind == FAULT_STOP || f->kind == FAULT_CROWD;

		if (len && ((away && f->a == rank) || f->kind == FAULT_SUSPEND))
			lost += len + 3 * s->period;
		if (len && f->kind == FAULT_STARVE && f->a == rank)
			lost += len - len / (STARVED_PERIODS + 2) +
				(STARVED_PERIODS + 1) * s->period;
	}
	return until > from + lost ? until - from - lost : 0;
}

uint64_t faults_silent_since(const struct sim *s, int observer, int peer)
{
	uint64_t since = FOREVER;

	for (int i = 0; i < s->nfaults; i++) {
		const struct fault *f = &s->faults[i];

		if (f->until == FOREVER && f->from <= s->now && f->from < since &&
			silences(s, f, observer, peer))
			since = f->from;
	}
	return since;
}
