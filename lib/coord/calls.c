/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of the program: a line that all wait for, a restore, the end. Each goes from one state
 * to the next; a state asks one thing of lib/mpi, and its answer leads on.
 *
 * A line of `blocking`: all ranks arrive (B1); each learns how many messages were sent to it and
 * waits until they are here, so nothing is on its way any more; each writes its part with what lies
 * unreceived (B2); all agree, one commits (B3). Heartbeats go on meanwhile (B4). Where it is
 * committed later (B5) each copies its part, all meet, and the call is over.
 *
 * A restore (C3): what was sent in the part of the program that is run again, and not received, is
 * void; what could not be fetched for lack of memory is thrown away like the rest. When there is no
 * line it is the beginning of a whole run, and stays. The line's messages and orphans to suppress
 * come while it is taken, when counting has begun anew; a rank that has ended it may tell us of the
 * next line while we have not ended it.
 *
 * A rank that wakes up from an image (C10) is in the midst of its line, in CAPTURING or
 * LINE_SAVING, and has restored that line then: nothing is answered, the call is over.
 *
 * The end: after a restore all that is sent has to come. What was thrown away, or is still to be,
 * was received once, and a program that does not send it any more has gone another way. Then lines
 * that every rank has begun are finished.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coord/actions.h"
#include "coord/lines.h"

#define BIT(state) (1u << (state))

/* What each state asks for, the states that it leads to, and what this rank has of the line in it,
 * unless that could not be had: then the action is not ok. */
static const struct {
	enum coord_action_kind asks;
	uint32_t leads;
	enum coord_has has;
} states[COORD_STATES] = {
	[COORD_IDLE] = {COORD_NOTHING, BIT(COORD_CAPTURING) | BIT(COORD_LINE_COUNTING) |
					       BIT(COORD_FINDING) | BIT(COORD_END_COUNTING) |
					       BIT(COORD_END_MINIMUM) | BIT(COORD_END_FINISHING) |
					       BIT(COORD_ENDED)},
	[COORD_CAPTURING] = {COORD_CAPTURE, BIT(COORD_IDLE), COORD_HAS_CUT},
	[COORD_LINE_COUNTING] = {COORD_EXCHANGE, BIT(COORD_LINE_DRAINING)},
	[COORD_LINE_DRAINING] = {COORD_WAIT, BIT(COORD_LINE_SECURING)},
	[COORD_LINE_SECURING] = {COORD_SECURE, BIT(COORD_LINE_SAVING) | BIT(COORD_LINE_CONCLUDING)},
	[COORD_LINE_SAVING] = {COORD_SAVE,
		BIT(COORD_LINE_MEETING) | BIT(COORD_LINE_CONCLUDING) | BIT(COORD_IDLE),
		COORD_HAS_SECURED},
	[COORD_LINE_MEETING] = {COORD_MEET, BIT(COORD_IDLE), COORD_HAS_PART},
	[COORD_LINE_CONCLUDING] = {COORD_CONCLUDE, BIT(COORD_IDLE), COORD_HAS_PART},
	[COORD_FINDING] = {COORD_FIND, BIT(COORD_QUIETING) | BIT(COORD_IDLE)},
	[COORD_QUIETING] = {COORD_QUIET, BIT(COORD_RESTORE_COUNTING)},
	[COORD_RESTORE_COUNTING] = {COORD_EXCHANGE, BIT(COORD_RESTORE_DRAINING)},
	[COORD_RESTORE_DRAINING] = {COORD_WAIT, BIT(COORD_RESTORE_SECURING)},
	[COORD_RESTORE_SECURING] = {COORD_SECURE, BIT(COORD_FORGETTING)},
	[COORD_FORGETTING] = {COORD_FORGET, BIT(COORD_TAKING)},
	[COORD_TAKING] = {COORD_TAKE, BIT(COORD_IDLE)},
	[COORD_END_COUNTING] = {COORD_EXCHANGE, BIT(COORD_END_DRAINING)},
	[COORD_END_DRAINING] = {COORD_WAIT,
		BIT(COORD_END_MINIMUM) | BIT(COORD_END_FINISHING) | BIT(COORD_ENDED)},
	[COORD_END_MINIMUM] = {COORD_MINIMUM, BIT(COORD_END_FINISHING)},
	[COORD_END_FINISHING] = {COORD_WAIT, BIT(COORD_ENDED)},
	[COORD_ENDED] = {COORD_NOTHING, 0},
};

static void become_having(struct coord *c, enum coord_state state, enum coord_has has)
{
	struct coord_action a = {.kind = states[state].asks, .ok = has != COORD_HAS_NOTHING};

	assert(states[c->state].leads & BIT(state));
	assert(has == states[state].has || has == COORD_HAS_NOTHING);
	c->state = state;
	c->has = has;
	if (state <= COORD_LINE_CONCLUDING)
		a.line = c->line;
	if (a.kind != COORD_NOTHING)
		actions_add(c, &a);
}

static void become(struct coord *c, enum coord_state state)
{
	become_having(c, state, COORD_HAS_NOTHING);
}

/* The call is over, with this result. */
static void finish(struct coord *c, enum coord_state state, bool result)
{
	c->result = result;
	become(c, state);
}

/* ---- they begin ---- */

/* The thread rule of ftmpi.h: the others stay out. */
static void must_be_idle(const struct coord *c)
{
	if (c->state != COORD_IDLE)
		environment_fatal(c, "two threads make lines, or restore, at the same time");
}

void coord_checkpoint(struct coord *c, struct coord_undelivered *u)
{
	must_be_idle(c);
	if (coord_is_auto(c))
		coord_choose(c, "eventlog");
	if (coord_is_blocking(c)) {
		c->line++;
		if (coord_commits_later(c))
			step_begin_later(c);
		become(c, COORD_LINE_COUNTING);
	} else {
		become_having(
			c, COORD_CAPTURING, step_begin(c, u) ? COORD_HAS_CUT : COORD_HAS_NOTHING);
	}
}

void coord_restore(struct coord *c)
{
	must_be_idle(c);
	become(c, COORD_FINDING);
}

/* What all wait for all have begun. */
static void end_lines(struct coord *c)
{
	if (coord_commits_later(c))
		c->common = c->line;
	become(c, coord_commits_later(c) ? COORD_END_FINISHING
		  : coord_is_blocking(c) ? COORD_ENDED
					 : COORD_END_MINIMUM);
}

void coord_close(struct coord *c)
{
	if (c->restores)
		become(c, COORD_END_COUNTING);
	else
		end_lines(c);
}

/* ---- what is waited for ---- */

static bool all_here(const struct coord *c)
{
	return c->arrived >= c->expected && !c->comparing;
}

/* Others may wait for what this rank has to pass on. */
static bool common_over(const struct coord *c)
{
	const struct coord_lines *x = c->lines;

	return (!x->list || x->list->line > c->common) &&
	       (!x->reductions || x->reductions->line > c->common);
}

bool coord_wait_is_over(const struct coord *c)
{
	switch (c->state) {
	case COORD_LINE_DRAINING:
	case COORD_RESTORE_DRAINING:
	case COORD_END_DRAINING:
		return all_here(c);
	case COORD_END_FINISHING:
		return common_over(c);
	default:
		return true;
	}
}

/* ---- and go on ---- */

static void say_owed(const struct coord *c)
{
	char text[320];
	uint32_t peer = 0;

	for (size_t i = c->suppress.n; i-- > 0;)
		if (suppress_range_left(&c->suppress.v[i]).count)
			peer = c->suppress.v[i].range.peer;
	snprintf(text, sizeof text,
		"this rank (%d) had received %" PRIu64
		" message%s before the line restored, the first from rank %" PRIu32
		", that never came again: the program sends other messages when it is run again, "
		"and needs `-coord blocking`",
		c->self, c->suppress.left, c->suppress.left == 1 ? "" : "s", peer);
	environment_fatal(c, text);
}

/* Everything from before is forgotten. */
static void begin_anew(struct coord *c)
{
	suppress_free(&c->suppress);
	if (c->lines)
		step_clear(c);
	c->restores++;
}

void coord_woke(struct coord *c, uint32_t highest)
{
	if (c->state != COORD_IDLE) {
		assert(c->state == COORD_CAPTURING || c->state == COORD_LINE_SAVING);
		become(c, COORD_IDLE);
	}
	c->line = highest;
	memset(c->sent, 0, (size_t)c->size * sizeof *c->sent);
	c->arrived = 0;
	begin_anew(c);
	actions_keep(c, COORD_OVER); /* what was to be said is void */
	c->result = c->concluded = true;
}

static void answer_line(struct coord *c, bool ok, uint64_t number)
{
	const bool later = coord_commits_later(c);

	switch (c->state) {
	case COORD_LINE_COUNTING:
		c->expected = number;
		become(c, COORD_LINE_DRAINING);
		break;
	case COORD_LINE_DRAINING:
		become(c, COORD_LINE_SECURING);
		break;
	case COORD_LINE_SECURING:
		if (ok)
			become_having(c, COORD_LINE_SAVING, COORD_HAS_SECURED);
		else
			become(c, later ? COORD_LINE_SAVING : COORD_LINE_CONCLUDING);
		break;
	case COORD_LINE_SAVING:
		become_having(c, later ? COORD_LINE_MEETING : COORD_LINE_CONCLUDING,
			ok && c->has == COORD_HAS_SECURED ? COORD_HAS_PART : COORD_HAS_NOTHING);
		break;
	case COORD_LINE_MEETING:
		finish(c, COORD_IDLE, ok);
		step_met(c, ok);
		break;
	default:
		c->concluded = ok;
		finish(c, COORD_IDLE, ok);
	}
}

static void answer_restore(struct coord *c, bool ok, uint64_t number)
{
	switch (c->state) {
	case COORD_FINDING:
		c->line = (uint32_t)number;
		if (ok)
			become(c, COORD_QUIETING);
		else
			finish(c, COORD_IDLE, false);
		break;
	case COORD_QUIETING:
		become(c, COORD_RESTORE_COUNTING);
		break;
	case COORD_RESTORE_COUNTING:
		c->expected = number;
		become(c, COORD_RESTORE_DRAINING);
		break;
	case COORD_RESTORE_DRAINING:
		become(c, COORD_RESTORE_SECURING);
		break;
	case COORD_RESTORE_SECURING:
		become(c, COORD_FORGETTING);
		break;
	case COORD_FORGETTING:
		begin_anew(c);
		become(c, COORD_TAKING);
		break;
	default:
		finish(c, COORD_IDLE, true);
	}
}

static void answer_end(struct coord *c, uint64_t number)
{
	switch (c->state) {
	case COORD_END_COUNTING:
		c->expected = number;
		become(c, COORD_END_DRAINING);
		break;
	case COORD_END_DRAINING:
		if (c->suppress.left)
			say_owed(c);
		end_lines(c);
		break;
	case COORD_END_MINIMUM:
		c->common = (uint32_t)number;
		become(c, COORD_END_FINISHING);
		break;
	default:
		become(c, COORD_ENDED);
		lines_give_up(c);
		c->due = true;
	}
}

void coord_answer(struct coord *c, bool ok, uint64_t number)
{
	assert(states[c->state].asks != COORD_NOTHING);
	if (c->state == COORD_CAPTURING) {
		finish(c, COORD_IDLE, ok && c->has == COORD_HAS_CUT);
		step_begun(c, c->result);
	} else if (c->state <= COORD_LINE_CONCLUDING)
		answer_line(c, ok, number);
	else if (c->state <= COORD_TAKING)
		answer_restore(c, ok, number);
	else
		answer_end(c, number);
}
