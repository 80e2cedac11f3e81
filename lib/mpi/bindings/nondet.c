/* SPDX-License-Identifier: BSD-3-Clause */
#include "nondet.h"

#include "base/clock.h"
#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_probe.h"
#include "mpi/p2p/request.h"
#include "request_set.h"

static bool look(bool (*done)(void *, int *), void *arg)
{
	int expect;

	if (done(arg, &expect))
		return true;
	engine_look();
	return done(arg, &expect);
}

/* A program that asks so often, within so many ns a question, does nothing else; and after so many
 * times of that it has done so for a while. */
enum { ASKED_AT_ONCE = 32, BUSY_NS = 1000, FOR_A_WHILE = 100, NAP_MS = 1 };

static bool wait_a_moment(bool (*done)(void *, int *), void *arg, bool sleeps)
{
	int expect;

	if (!sleeps)
		return engine_spin_on(-1, done, arg);
	engine_nap(NAP_MS);
	return done(arg, &expect);
}

/* Each no is a step of the history, which is gone through again. A program that only asks would ask
 * in a second what takes half a second then, in which those that wait for it ask as much again, and
 * all the more the next time. So one that does nothing else waits a moment after every few
 * questions: it is a hundredth then, and others have the processor. */
static bool look_at_times(bool (*done)(void *, int *), void *arg)
{
	static unsigned asked, in_vain;
	static uint64_t since;

	if (look(done, arg)) {
		in_vain = 0;
		return true;
	}
	if (!p2p_log_is_used() || ++asked % ASKED_AT_ONCE != 0)
		return false;
	in_vain = clock_ns() - since < ASKED_AT_ONCE * BUSY_NS ? in_vain + 1 : 0;
	if (in_vain && wait_a_moment(done, arg, in_vain > FOR_A_WHILE))
		return true;
	since = clock_ns();
	return false;
}

static void note(enum outcome_kind kind, uint64_t value)
{
	p2p_log_happened(&(struct outcome){.kind = kind, .value = value});
}

/* What was said before, if it was no. */
static bool said_no(const struct outcome *o)
{
	if (o->kind != OUTCOME_NO)
		return false;
	p2p_log_followed();
	return true;
}

/* What was said before, which has to be of this kind. */
static uint64_t to_say(enum outcome_kind kind)
{
	const struct outcome *o = p2p_log_expected();

	if (!o || o->kind != kind)
		p2p_log_strange();
	return o->value;
}

static uint64_t said(enum outcome_kind kind)
{
	uint64_t value = to_say(kind);

	p2p_log_followed();
	return value;
}

/*
 * A call that chooses asks what was said before, and looks for itself when nothing was. While it
 * looks an image of the process may be taken, and in the process that wakes up from that the call
 * looks on, though it was told something by then. So it asks again when it has looked.
 */
bool nondet_test(bool (*done)(void *, int *), void *arg)
{
	const struct outcome *o;
	bool yes = false;

	if (!p2p_log_is_used())
		return look(done, arg);
	if (!p2p_log_expected())
		yes = look_at_times(done, arg);
	o = p2p_log_expected();
	if (!o) {
		note(yes ? OUTCOME_YES : OUTCOME_NO, 0);
		return yes;
	}
	if (said_no(o))
		return false;
	said(OUTCOME_YES);
	engine_wait(done, arg);
	return true;
}

/* ---- which of several ---- */

static bool is_determined(const struct request_set *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->r[i] && !p2p_log_is_determined(s->r[i]))
			return false;
	return true;
}

/* The program goes on when all are done, or they were when it ran before. */
static void await_all(const struct request_set *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->r[i])
			p2p_log_awaits(s->r[i]);
}

void nondet_wait(struct request_set *s)
{
	if (p2p_log_is_used())
		await_all(s);
	engine_wait(set_all_idle, s);
}

bool nondet_all(struct request_set *s)
{
	const struct outcome *o;

	if (!p2p_log_is_used() || is_determined(s))
		return look(set_all_idle, s);
	o = p2p_log_expected();
	if (o && o->kind == OUTCOME_YES)
		await_all(s);
	return nondet_test(set_all_idle, s);
}

static bool is_any_in_play(const struct request_set *s)
{
	for (int i = 0; i < s->count; i++)
		if (set_in_play(s->r[i]))
			return true;
	return false;
}

static bool find_any(struct request_set *s, bool wait)
{
	if (!wait)
		return look_at_times(set_any_done, s);
	engine_wait(set_any_done, s);
	return true;
}

/* The one that was named before, when it is done again. */
static int named_before(struct request_set *s)
{
	uint64_t i = to_say(OUTCOME_INDEX);

	if (i >= (uint64_t)s->count || !set_in_play(s->r[i]))
		p2p_log_strange();
	p2p_log_awaits(s->r[i]);
	p2p_log_followed();
	engine_wait(request_is_done, s->r[i]);
	return (int)i;
}

bool nondet_any(struct request_set *s, bool wait)
{
	const struct outcome *o;
	bool found = false;

	if (!p2p_log_is_used() || is_determined(s))
		return find_any(s, wait);
	if (!p2p_log_expected())
		found = find_any(s, wait);
	o = p2p_log_expected();
	if (!o) {
		note(found ? OUTCOME_INDEX : OUTCOME_NO, found ? (uint64_t)s->next : 0);
		return found;
	}
	if (!wait && said_no(o))
		return false;
	s->next = named_before(s);
	return true;
}

static int list_done(const struct request_set *s, int indices[])
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		if (set_in_play(s->r[i]) && request_done(s->r[i]))
			indices[n++] = i;
	return n;
}

static int some_now(struct request_set *s, bool found, int indices[])
{
	int n;

	if (!found) {
		note(OUTCOME_NO, 0);
		return 0;
	}
	n = list_done(s, indices);
	note(OUTCOME_COUNT, (uint64_t)n);
	for (int i = 0; i < n; i++)
		note(OUTCOME_INDEX, (uint64_t)indices[i]);
	return n;
}

struct listing {
	struct request_set *s;
	const int *indices;
	int n;
};

static bool is_listed(const struct listing *l, int i)
{
	for (int k = 0; k < l->n; k++)
		if (l->indices[k] == i)
			return true;
	return false;
}

/* One that is done and not listed, into s->next. */
static bool another_done(void *arg, int *expect)
{
	struct listing *l = arg;

	(void)expect;
	for (int i = 0; i < l->s->count; i++)
		if (set_in_play(l->s->r[i]) && request_done(l->s->r[i]) && !is_listed(l, i)) {
			l->s->next = i;
			return true;
		}
	return false;
}

static int name_another(struct request_set *s, const int indices[], int n)
{
	struct listing l = {s, indices, n};

	engine_wait(another_done, &l);
	if (p2p_log_expected())
		return named_before(s);
	note(OUTCOME_INDEX, (uint64_t)s->next);
	return s->next;
}

/* The process before may have died when the keeper had a part of what it named. */
static int some_as_before(struct request_set *s, int indices[])
{
	uint64_t n = said(OUTCOME_COUNT);

	if (n > (uint64_t)s->count)
		p2p_log_strange();
	for (int i = 0; i < (int)n; i++)
		indices[i] = p2p_log_expected() ? named_before(s) : name_another(s, indices, i);
	return (int)n;
}

int nondet_some(struct request_set *s, bool wait, int indices[])
{
	const struct outcome *o;
	bool found = false;

	if (!is_any_in_play(s))
		return -1;
	if (!p2p_log_is_used())
		return find_any(s, wait) ? list_done(s, indices) : 0;
	if (!p2p_log_expected())
		found = find_any(s, wait);
	o = p2p_log_expected();
	if (!o)
		return some_now(s, found, indices);
	return !wait && said_no(o) ? 0 : some_as_before(s, indices);
}

/* ---- probes ---- */

static bool has_come(void *arg, int *expect)
{
	struct probing *p = arg;

	if (p->source >= 0)
		*expect = comm_world_rank(p->c, p->source);
	p->msg = p2p_probe(p->c, p->source, p->tag, &p->found);
	return p->msg != NULL;
}

static bool probe_now(struct probing *p, bool wait)
{
	if (!wait)
		return look_at_times(has_come, p);
	engine_wait(has_come, p);
	return true;
}

struct probed {
	struct probing *p;
	int peer;
	uint64_t number;
};

static bool has_come_again(void *arg, int *expect)
{
	struct probed *again = arg;
	struct probing *p = again->p;

	*expect = again->peer;
	p->msg = p2p_log_find(again->peer, again->number);
	if (!p->msg && !p2p_log_is_gone(again->peer, again->number))
		return false;
	if (!p->msg || !p2p_probed(p->c, p->source, p->tag, p->msg, &p->found))
		p2p_log_strange();
	return true;
}

/* What the program had found in a checkpoint of data is there to be found again. */
static bool finds_again(struct probing *p)
{
	p->msg = p->takes && p2p_log_is_used()
			 ? p2p_probe_found_before(p->c, p->source, p->tag, &p->found)
			 : NULL;
	return p->msg != NULL;
}

/* The message of a named source is determined, where the program waits for it. */
bool nondet_probe(struct probing *p, bool wait)
{
	struct probed again = {.p = p};
	const struct outcome *o;
	bool found = false;

	if (p->source == MPI_PROC_NULL || finds_again(p))
		return true;
	if (!p2p_log_is_used() || (wait && p->source >= 0))
		return probe_now(p, wait);
	if (!p2p_log_expected())
		found = probe_now(p, wait);
	o = p2p_log_expected();
	if (!o) {
		struct outcome what = {.kind = OUTCOME_NO};

		if (found)
			what = (struct outcome){.kind = OUTCOME_FOUND,
				.peer = (uint32_t)p->msg->peer,
				.value = p->msg->index};
		p2p_log_happened(&what);
		return found;
	}
	if (!wait && said_no(o))
		return false;
	again.peer = (int)o->peer;
	again.number = said(OUTCOME_FOUND);
	engine_wait(has_come_again, &again);
	return true;
}

/* ---- cancellations ---- */

static bool cancel_now(const struct request *r)
{
	bool succeeds = r->state == REQUEST_POSTED;

	p2p_log_happened(&(struct outcome){
		.kind = succeeds ? OUTCOME_CANCELLED : OUTCOME_TOO_LATE, .receive = r->post});
	return succeeds;
}

/* In a process that woke up here what was said before may be this very cancellation. */
static bool is_live_or_told(void *arg, int *expect)
{
	return p2p_log_expected() || p2p_log_is_live(arg, expect);
}

/* While outcomes of before are left, messages are to come that receives had. One that MPI_Mprobe
 * has found was not posted, and is received in any case. */
bool nondet_cancel(const struct request *r)
{
	const struct outcome *o;
	bool succeeds;

	if (!p2p_log_is_used() || r->kind != REQUEST_RECV || r->m.rank == MPI_PROC_NULL || !r->post)
		return true;
	engine_wait(is_live_or_told, NULL);
	o = p2p_log_expected();
	if (!o)
		return cancel_now(r);
	succeeds = o->kind == OUTCOME_CANCELLED;
	if ((!succeeds && o->kind != OUTCOME_TOO_LATE) || o->receive != r->post)
		p2p_log_strange();
	p2p_log_followed();
	return succeeds;
}
