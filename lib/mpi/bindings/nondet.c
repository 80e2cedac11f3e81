/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether requests are done, and which. */
#include "nondet.h"

#include "choice.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/request.h"
#include "request_set.h"

/*
 * A call that chooses asks what was said before, and looks for itself when nothing was. While it
 * looks an image of the process may be taken, and in the process that wakes up from that the call
 * looks on, though it was told something by then. So it asks again when it has looked.
 */
static bool test(bool (*done)(void *, int *), void *arg)
{
	const struct outcome *o;
	bool yes = false;

	if (!p2p_log_is_used())
		return choice_look(done, arg);
	if (!p2p_log_expected())
		yes = choice_look_at_times(done, arg);
	o = p2p_log_expected();
	if (!o) {
		choice_note(yes ? OUTCOME_YES : OUTCOME_NO, 0);
		return yes;
	}
	if (choice_said_no(o))
		return false;
	choice_said(OUTCOME_YES);
	engine_wait(done, arg);
	return true;
}

static bool is_idle(void *arg, int *expect)
{
	const struct request *r = arg;

	*expect = request_expects(r);
	return request_idle(r);
}

bool nondet_idle(struct request *r)
{
	if (!p2p_log_is_used() || p2p_log_is_determined(r))
		return choice_look(is_idle, r);
	if (!test(is_idle, r))
		return false;
	p2p_log_told_done(r);
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
		return choice_look(set_all_idle, s);
	o = p2p_log_expected();
	if (o && o->kind == OUTCOME_YES)
		await_all(s);
	if (!test(set_all_idle, s))
		return false;
	for (int i = 0; i < s->count; i++)
		if (s->r[i])
			p2p_log_told_done(s->r[i]);
	return true;
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
		return choice_look_at_times(set_any_done, s);
	engine_wait(set_any_done, s);
	return true;
}

/* The one that was named before, when it is done again. */
static int named_before(struct request_set *s)
{
	uint64_t i = choice_to_say(OUTCOME_INDEX);

	if (i >= (uint64_t)s->count || !set_in_play(s->r[i]))
		p2p_log_strange();
	p2p_log_awaits(s->r[i]);
	p2p_log_followed();
	engine_wait(request_is_done, s->r[i]);
	p2p_log_told_done(s->r[i]);
	return (int)i;
}

static void name(struct request_set *s, int i)
{
	choice_note(OUTCOME_INDEX, (uint64_t)i);
	p2p_log_told_done(s->r[i]);
}

/* Done, as the program knows. */
static bool is_known(const struct request *r)
{
	return set_in_play(r) && request_done(r) && p2p_log_is_determined(r);
}

static int list_known(const struct request_set *s, int indices[])
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		if (is_known(s->r[i]))
			indices[n++] = i;
	return n;
}

static bool find_known(struct request_set *s)
{
	for (s->next = 0; s->next < s->count; s->next++)
		if (is_known(s->r[s->next]))
			return true;
	return false;
}

bool nondet_any(struct request_set *s, bool wait)
{
	const struct outcome *o;
	bool found = false;

	if (!p2p_log_is_used() || is_determined(s))
		return find_any(s, wait);
	if (find_known(s))
		return true;
	if (!p2p_log_expected())
		found = find_any(s, wait);
	o = p2p_log_expected();
	if (!o) {
		if (found)
			name(s, s->next);
		else
			choice_note(OUTCOME_NO, 0);
		return found;
	}
	if (!wait && choice_said_no(o))
		return false;
	s->next = named_before(s);
	return true;
}

/* Those that the program knew are listed first, then others that are done. */
struct listing {
	struct request_set *s;
	int *indices;
	int known, n;
};

static bool is_another(const struct listing *l, int i)
{
	const struct request *r = l->s->r[i];

	if (!set_in_play(r) || !request_done(r) || is_known(r))
		return false;
	for (int k = l->known; k < l->n; k++)
		if (l->indices[k] == i)
			return false;
	return true;
}

/* One that is done and not listed, into s->next. */
static bool another_done(void *arg, int *expect)
{
	struct listing *l = arg;

	(void)expect;
	for (int i = 0; i < l->s->count; i++)
		if (is_another(l, i)) {
			l->s->next = i;
			return true;
		}
	return false;
}

static bool find_another(struct listing *l, bool wait)
{
	if (!wait)
		return choice_look_at_times(another_done, l);
	engine_wait(another_done, l);
	return true;
}

/* Those that are done now, s->next and behind it; the program is told how many, and which. */
static void list_others(struct listing *l)
{
	int n = l->n;

	for (int i = l->s->next; i < l->s->count; i++)
		if (is_another(l, i))
			l->indices[n++] = i;
	l->n = n;
	choice_note(OUTCOME_COUNT, (uint64_t)(l->n - l->known));
	for (int k = l->known; k < l->n; k++)
		name(l->s, l->indices[k]);
}

static int name_another(struct listing *l)
{
	engine_wait(another_done, l);
	if (p2p_log_expected())
		return named_before(l->s);
	name(l->s, l->s->next);
	return l->s->next;
}

/* The process before may have died when the keeper had a part of what it named. */
static void list_as_before(struct listing *l)
{
	uint64_t n = choice_said(OUTCOME_COUNT);

	if (n > (uint64_t)(l->s->count - l->n))
		p2p_log_strange();
	for (uint64_t i = 0; i < n; i++) {
		int named = p2p_log_expected() ? named_before(l->s) : name_another(l);

		l->indices[l->n++] = named;
	}
}

static int list_done(const struct request_set *s, int indices[])
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		if (set_in_play(s->r[i]) && request_done(s->r[i]))
			indices[n++] = i;
	return n;
}

/* What the program knows is no outcome: it is listed first, and there is nothing to wait for. */
int nondet_some(struct request_set *s, bool wait, int indices[])
{
	struct listing l = {.s = s, .indices = indices};
	const struct outcome *o;
	bool found = false;

	if (!is_any_in_play(s))
		return -1;
	if (!p2p_log_is_used() || is_determined(s))
		return find_any(s, wait) ? list_done(s, indices) : 0;
	l.n = l.known = list_known(s, indices);
	wait = wait && l.n == 0;
	if (!p2p_log_expected())
		found = find_another(&l, wait);
	o = p2p_log_expected();
	if (!o && found)
		list_others(&l);
	else if (!o)
		choice_note(OUTCOME_NO, 0);
	else if (wait || !choice_said_no(o))
		list_as_before(&l);
	return l.n;
}
