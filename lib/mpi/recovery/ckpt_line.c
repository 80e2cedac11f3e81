/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_line.h"

#include <assert.h>
#include <stdlib.h>

#include "base/fault.h"
#include "ckpt/writer.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_pace.h"
#include "ckpt_part.h"
#include "ckpt_why.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/inflight.h"
#include "mpi/p2p/p2p_image.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/rma/rma.h"

enum captured_state {
	CAPTURED_OPEN, /* messages are noted for it, or awaited */
	CAPTURED_BUSY, /* a task has it */
	CAPTURED_SAID, /* what became of the part was said to the protocol: nothing is held for it
			*/
	CAPTURED_GONE, /* over while a task had it: that frees it */
	CAPTURED_STATES
};

struct captured_line {
	struct link link;
	enum captured_state state;
	struct inflight_line in;
	struct ckpt_part part;
	bool known;		  /* what it holds beside the state was gathered with it */
	struct ckpt_task write;	  /* the writer's, */
	struct loop_task give_up; /* or the loop's */
};

static struct link lines = {&lines, &lines};
static unsigned making; /* captures that are not over, failed ones included */
static struct ckpt_pace pace;

void ckpt_line_init(void)
{
	list_init(&lines);
	making = 0;
	pace = (struct ckpt_pace){0};
}

static void become(struct captured_line *l, enum captured_state state)
{
	static const bool leads[CAPTURED_STATES][CAPTURED_STATES] = {
		[CAPTURED_OPEN] = {[CAPTURED_BUSY] = true},
		[CAPTURED_BUSY] = {[CAPTURED_SAID] = true, [CAPTURED_GONE] = true},
	};

	assert(leads[l->state][state]);
	l->state = state;
}

static void line_free(struct captured_line *l)
{
	inflight_line_free(&l->in);
	ckpt_part_end(&l->part);
	free(l);
}

void ckpt_line_fini(void)
{
	for (struct link *item; (item = list_pop(&lines));)
		line_free(container_of(item, struct captured_line, link));
	ckpt_capture_clear();
}

void ckpt_line_forget(void)
{
	engine_assert_held();
	list_for_each_safe (item, &lines) {
		struct captured_line *l = container_of(item, struct captured_line, link);

		if (l->state == CAPTURED_BUSY) {
			become(l, CAPTURED_SAID);
			inflight_end(&l->in);
			inflight_line_free(&l->in);
			ckpt_part_end(&l->part);
		} else if (l->state == CAPTURED_GONE) {
			list_remove(&l->link);
			line_free(l);
		}
	}
	pace = (struct ckpt_pace){0};
}

static struct captured_line *find(uint32_t number)
{
	list_for_each (item, &lines) {
		struct captured_line *l = container_of(item, struct captured_line, link);

		if (l->in.number == number && l->state != CAPTURED_GONE)
			return l;
	}
	return NULL;
}

/* ---- on a thread of the library's ---- */

/* Its task has ended: nothing is held for it any more, though the verdict may be long in coming.
 * The lock is held. */
static void end_task(struct captured_line *l, const struct coord_part *part, const char *why)
{
	if (l->state == CAPTURED_GONE) {
		list_remove(&l->link);
		line_free(l);
		return;
	}
	become(l, CAPTURED_SAID);
	inflight_end(&l->in);
	inflight_line_free(&l->in);
	ckpt_part_end(&l->part);
	if (why)
		ckpt_why_not_made(l->in.number, why);
	coord_written(&l->part.job->coord, l->in.number, part);
	p2p_drive();
}

/* What was given up while it waited for the writer needs no file. */
static bool is_gone(const struct captured_line *l)
{
	bool gone;

	engine_visit();
	gone = l->state == CAPTURED_GONE;
	engine_leave();
	return gone;
}

static void write_line(struct ckpt_task *task)
{
	struct captured_line *l = container_of(task, struct captured_line, write);
	struct coord_part written;
	char err[1024] = "";
	const char *why = err;

	if (!is_gone(l)) {
		why = ckpt_part_gather(&l->part, CKPT_STAGE_MESSAGES, err, sizeof err);
		if (!why && !ckpt_part_write(&l->part, &written, err, sizeof err))
			why = err;
	}
	fault_point("line-written");
	engine_visit();
	end_task(l, why ? NULL : &written, why);
	engine_leave();
}

static void give_up(struct loop_task *task)
{
	struct captured_line *l = container_of(task, struct captured_line, give_up);

	engine_visit();
	end_task(l, NULL, l->in.why);
	engine_leave();
}

/* Never at once: whoever calls this is in the middle of lines and messages. */
static void on_ready(struct inflight_line *in)
{
	struct captured_line *l = container_of(in, struct captured_line, in);

	become(l, CAPTURED_BUSY);
	if (!in->why && (fault_error("short-thread") || ckpt_writer_post(&l->write) != 0))
		in->why = ckpt_why_text(CKPT_WHY_NO_WRITER);
	if (in->why)
		engine_post(&l->give_up);
}

/* ---- capture ---- */

/* In text, or not: why there is none. known: nothing is on its way. */
static const char *capture(struct ckpt_job *j, uint32_t number, bool known, char *text, size_t size)
{
	struct captured_line *l = calloc(1, sizeof *l);
	unsigned wakes = ckpt_image_wakes();
	const char *why;

	if (!l)
		return ckpt_why_text(CKPT_WHY_STATE);
	l->in = (struct inflight_line){
		.number = number, .at = p2p_sequence() + 1, .ready = on_ready};
	l->part = (struct ckpt_part){.job = j, .line = number, .in = &l->in};
	l->known = known;
	l->write.run = write_line;
	l->give_up.run = give_up;
	why = ckpt_part_begin(&l->part, text, size);
	if (!why)
		why = ckpt_part_gather(&l->part, CKPT_STAGE_STATE, text, size);
	if (!why && known && wakes == ckpt_image_wakes())
		why = ckpt_part_gather(&l->part, CKPT_STAGE_ORPHANS, text, size);
	if (why || wakes != ckpt_image_wakes()) {
		line_free(l);
		return why;
	}
	l->in.state = ckpt_capture_bytes(l->part.capture);
	inflight_begin(&l->in);
	if (l->part.image)
		p2p_image_note();
	else
		p2p_note();
	list_append(&lines, &l->link);
	return NULL;
}

/* ---- not more copies than may be held ---- */

/* The capture itself may be the writer's just now. */
static struct ckpt_held held(void)
{
	struct ckpt_held h = {0};

	list_for_each (item, &lines) {
		const struct captured_line *l = container_of(item, struct captured_line, link);

		h.copies += l->part.capture != NULL;
		h.bytes += l->part.capture ? l->in.state : 0;
	}
	return h;
}

static bool takes(uint32_t number)
{
	struct ckpt_held h = held();
	bool ok = ckpt_pace_takes(&pace, number, &h);

	if (!ok)
		ckpt_why_behind(number, h.copies, h.bytes);
	return ok;
}

static const char *objection(void)
{
	const char *why = ckpt_image_objection();

	return why ? why : rma_line_objection();
}

/* What breaks a line while its messages are noted is said when it is finished. In a process that
 * woke up from its image the answer is of no interest. */
bool ckpt_line_capture(uint32_t number, bool cut)
{
	const char *why = cut ? objection() : ckpt_why_text(CKPT_WHY_STATE);
	bool wanted = why || takes(number);
	char text[1024];

	engine_assert_held();
	making++;
	engine_set_making(true);
	if (!why && wanted)
		why = capture(ckpt_job(), number, false, text, sizeof text);
	else if (!why && !ckpt_image_is_used() && !engine_alone())
		why = ckpt_why_text(CKPT_WHY_THREADS);
	if (why)
		ckpt_why_not_made(number, why);
	fault_point("line-captured");
	return wanted && !why;
}

/* The library's threads stand still for the copy alone. */
static const char *copy(uint32_t number, char *text, size_t size)
{
	unsigned wakes = ckpt_image_wakes();
	const char *why = ckpt_image_begin(ckpt_job(), number, text, size);

	if (!why)
		why = ckpt_image_pause();
	if (!why) {
		why = capture(ckpt_job(), number, true, text, size);
		if (wakes == ckpt_image_wakes())
			ckpt_image_go_on();
	}
	ckpt_image_end();
	return why;
}

bool ckpt_line_copy(uint32_t number, bool secured)
{
	char text[1024];
	const char *why = NULL;

	engine_assert_held();
	making++;
	engine_set_making(true);
	if (secured)
		why = copy(number, text, sizeof text);
	if (why)
		ckpt_why_not_made(number, why);
	fault_point("line-captured");
	return secured && !why;
}

/* ---- its messages, its end ---- */

void ckpt_line_settle(uint32_t number, int peer)
{
	struct captured_line *l = find(number);

	engine_assert_held();
	if (l)
		inflight_settle(&l->in, peer);
}

void ckpt_line_finish(uint32_t number)
{
	struct ckpt_job *j = ckpt_job();
	struct captured_line *l = find(number);
	const char *why;

	engine_assert_held();
	if (!l)
		return;
	fault_point("line-identified");
	if (coord_torn(&j->coord, number))
		why = ckpt_why_text(CKPT_WHY_WINDOWS);
	else if (coord_crowded(&j->coord, number))
		why = ckpt_why_text(CKPT_WHY_CROWDED);
	else
		why = l->known ? NULL : ckpt_part_gather(&l->part, CKPT_STAGE_ORPHANS, NULL, 0);
	if (why)
		inflight_break(&l->in, why);
	inflight_finish(&l->in);
}

void ckpt_line_over(uint32_t number)
{
	struct captured_line *l = find(number);

	engine_assert_held();
	fault_point("line-over");
	if (--making == 0)
		engine_set_making(false);
	if (!l)
		return;
	if (l->state != CAPTURED_SAID)
		inflight_end(&l->in);
	if (l->state == CAPTURED_BUSY) {
		become(l, CAPTURED_GONE);
		return;
	}
	list_remove(&l->link);
	line_free(l);
}
