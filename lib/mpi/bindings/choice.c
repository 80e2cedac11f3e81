/* SPDX-License-Identifier: BSD-3-Clause */
#include "choice.h"

#include "base/clock.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"

bool choice_look(bool (*done)(void *, int *), void *arg)
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
bool choice_look_at_times(bool (*done)(void *, int *), void *arg)
{
	static unsigned asked, in_vain;
	static uint64_t since;

	if (choice_look(done, arg)) {
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

void choice_note(enum outcome_kind kind, uint64_t value)
{
	p2p_log_happened(&(struct outcome){.kind = kind, .value = value});
}

bool choice_said_no(const struct outcome *o)
{
	if (o->kind != OUTCOME_NO)
		return false;
	p2p_log_followed();
	return true;
}

uint64_t choice_to_say(enum outcome_kind kind)
{
	const struct outcome *o = p2p_log_expected();

	if (!o || o->kind != kind)
		p2p_log_strange();
	return o->value;
}

uint64_t choice_said(enum outcome_kind kind)
{
	uint64_t value = choice_to_say(kind);

	p2p_log_followed();
	return value;
}
