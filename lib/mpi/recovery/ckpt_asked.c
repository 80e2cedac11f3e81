/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_asked.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "ckpt_alone.h"
#include "ckpt_cost.h"
#include "ckpt_drive.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_make.h"
#include "ckpt_stop.h"
#include "ckpt_traffic.h"
#include "interrupt.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_saved.h"

/* A thread that waits outside of MPI is not interrupted before that. */
enum { ASLEEP_NS = 50000000 };

/* What is asked for. */
enum asked {
	ASKED_NOTHING,
	ASKED_HOLD, /* come to a safe point, say so and wait for the next command */
	ASKED_GO,   /* make a line at the next safe point, or where this rank is held */
};

static struct {
	bool used;
	enum asked asked;
	uint32_t n;	/* of that */
	uint64_t since; /* when this rank could have come first (clock_ns) */
	/* rank 0: of the line that is being made for it; line 0: of none */
	uint32_t line, line_n;
	struct event again;
	bool again_there;
} asked;

static int control_fd(void)
{
	return ckpt_job()->launch->control_fd;
}

static void want_nothing(void)
{
	asked.asked = ASKED_NOTHING;
	ckpt_stop_want(false);
}

/* ---- at a safe point ---- */

/* Is a line being made, or the line before not over where all wait (B6), or this rank's part of it
 * not written where nobody does? */
static bool is_busy(const struct ckpt_job *j)
{
	if (j->called || j->making || j->coord.state != COORD_IDLE)
		return true;
	if (j->alone)
		return ckpt_alone_is_writing();
	return coord_is_blocking(&j->coord) ? !coord_lines_over(&j->coord)
					    : coord_is_writing(&j->coord);
}

/* What MPI_Mprobe has found cannot come again; where all wait for each other it comes. A rank that
 * runs again what it did before takes no checkpoint before it is through. */
static bool is_whole(const struct ckpt_job *j)
{
	if (j->alone)
		return p2p_log_is_live(NULL, NULL);
	return coord_is_blocking(&j->coord) || p2p_secure_found();
}

static void hold(void)
{
	uint32_t n = asked.n;

	control_held(control_fd(), n, "");
	while (asked.asked == ASKED_HOLD && asked.n == n)
		ckpt_stop_moment();
}

/* Rank 0 tells the launcher. */
static void over(uint32_t line, bool committed)
{
	if (!asked.line || line < asked.line)
		return;
	control_saved(control_fd(), asked.line_n, committed);
	asked.line = 0;
}

static void go(struct ckpt_job *j)
{
	uint32_t n = asked.n, line = j->coord.line + 1;
	unsigned wakes = ckpt_image_wakes();

	want_nothing();
	if (j->alone) {
		ckpt_alone_make(j, n);
		if (wakes == ckpt_image_wakes())
			ckpt_traffic_before(j, n);
		return;
	}
	if (j->id.rank == 0) {
		asked.line = line;
		asked.line_n = n;
	}
	if (ckpt_make(j) == CKPT_NOT_MADE && j->coord.line < line)
		over(line, false); /* it was not begun: an epoch of a window is open */
	if (wakes == ckpt_image_wakes() && j->coord.line == line)
		ckpt_traffic_before(j, line);
}

/* The thread that comes first is the one that makes the line. */
static void at_safe_point(void)
{
	struct ckpt_job *j = ckpt_job();
	struct fail_thread was = fail_thread;
	unsigned wakes = ckpt_image_wakes();
	uint64_t since = clock_ns();

	if (asked.asked == ASKED_NOTHING || is_busy(j) || !is_whole(j))
		return;
	fail_begin(j->alone ? "a checkpoint" : "a recovery line");
	if (asked.asked == ASKED_HOLD) {
		ckpt_stop_begin();
		hold();
		ckpt_stop_end();
	}
	if (asked.asked == ASKED_GO)
		go(j);
	if (wakes == ckpt_image_wakes())
		ckpt_cost_stood(j, since);
	fail_thread = was;
}

/* ---- on the progress thread ---- */

/* It begins the line all the same, without a part of it: all count alike. */
static void give_up(struct ckpt_job *j)
{
	char why[160];

	snprintf(why, sizeof why,
		"this rank came to no safe point within %.3g s: it computes where it must not be "
		"interrupted, or its signals are blocked (-image-patience)",
		(double)j->launch->settings.image_patience_ms / 1000);
	want_nothing();
	if (j->id.rank == 0) {
		asked.line = j->coord.line + 1;
		asked.line_n = asked.n;
	}
	fail_begin("a recovery line");
	ckpt_image_object(why);
	ckpt_drive_checkpoint();
	ckpt_image_object(NULL);
}

static bool is_late(const struct ckpt_job *j)
{
	uint64_t patience = (uint64_t)j->launch->settings.image_patience_ms * 1000000;

	return asked.asked == ASKED_GO && !coord_is_blocking(&j->coord) && !is_busy(j) &&
	       !ckpt_stop_is_begun() && clock_ns() - asked.since >= patience;
}

static void arm(void)
{
	const struct timeval a_moment = {0, 1000};

	event_add(&asked.again, &a_moment);
}

/* A thread that has slept again is woken again; one that computes is interrupted. While a line
 * is being made, or this rank is held, the next request waits. */
static void again(evutil_socket_t fd, short what, void *arg)
{
	bool waits, asleep, comes;

	(void)fd, (void)what, (void)arg;
	engine_visit();
	if (is_late(ckpt_job()))
		give_up(ckpt_job());
	waits = asked.asked != ASKED_NOTHING;
	comes = waits && !ckpt_stop_is_begun() && !is_busy(ckpt_job());
	if (!comes)
		asked.since = clock_ns();
	else
		ckpt_stop_want(true);
	asleep = clock_ns() - asked.since >= ASLEEP_NS;
	engine_leave();
	if (comes)
		interrupt_one(asleep);
	if (waits)
		arm();
}

/* Why this rank cannot be held; NULL: it can. What the launcher asked for before, without an
 * answer, it does not wait for any more. */
static const char *cannot_be_held(void)
{
	if (!asked.used)
		return "it is in MPI_Finalize";
	if (ckpt_job()->called)
		return "the program makes a line itself";
	if (ckpt_job()->alone)
		return ckpt_alone_is_writing() ? "its checkpoint before is not written yet" : NULL;
	return asked.line ? "its part, or another rank's, of the line before is not written yet"
			  : NULL;
}

void ckpt_asked(struct loop *loop, uint32_t n, enum control_save_step step)
{
	const char *why;

	if (!asked.again_there)
		evtimer_assign(&asked.again, loop_base(loop), again, NULL);
	asked.again_there = true;
	engine_visit();
	if (!ckpt_image_is_used())
		ckpt_job()->wanted |= step == CONTROL_SAVE_GO;
	why = cannot_be_held();
	if (step == CONTROL_SAVE_RELEASE && asked.asked == ASKED_GO && ckpt_job()->alone) {
		/* its agent has told it to go on already */
	} else if (!asked.used || (why && step == CONTROL_SAVE_HOLD) ||
		   step == CONTROL_SAVE_RELEASE) {
		want_nothing();
	} else {
		asked.asked = step == CONTROL_SAVE_HOLD ? ASKED_HOLD : ASKED_GO;
		asked.n = n;
		asked.since = clock_ns();
		ckpt_stop_want(true);
		arm();
	}
	engine_leave();
	if (why && step == CONTROL_SAVE_HOLD)
		control_held(control_fd(), n, why);
}

/* ---- start and end ---- */

void ckpt_asked_use(void)
{
	engine_assert_held();
	asked.used = true;
	interrupt_prepare();
	ckpt_stop_use(at_safe_point);
	ckpt_drive_on_over(over);
}

void ckpt_asked_end(void)
{
	engine_assert_held();
	if (!asked.used)
		return;
	if (asked.asked == ASKED_HOLD)
		control_held(control_fd(), asked.n, "it is in MPI_Finalize");
	asked.used = false;
	asked.asked = ASKED_NOTHING;
	ckpt_stop_use(NULL);
	ckpt_drive_on_over(NULL);
}

void ckpt_asked_forget(void)
{
	engine_assert_held();
	want_nothing();
	ckpt_cost_forget();
	asked.line = 0;
	asked.again_there = false;
}
