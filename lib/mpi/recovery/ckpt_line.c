/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/log.h"
#include "ckpt/capture.h"
#include "ckpt/writer.h"
#include "ckpt_job.h"
#include "ckpt_pace.h"
#include "ckpt_schedules.h"
#include "ckpt_vars.h"
#include "launch/control.h"
#include "mpi/coll/coll_resume.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/comm_again.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/inflight.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/rma/rma.h"

struct line {
	struct link link;
	struct inflight_line in;
	struct ckpt_capture *capture;
	struct ckpt_task write;	  /* the writer's, */
	struct loop_task give_up; /* or the loop's, */
	bool busy;		  /* and has it now */
	bool done;		  /* said to the protocol: the copy and the messages are let go */
	bool over;
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

static void line_free(struct line *l)
{
	inflight_line_free(&l->in);
	ckpt_capture_done(l->capture);
	free(l);
}

void ckpt_line_fini(void)
{
	for (struct link *item; (item = list_pop(&lines));)
		line_free(container_of(item, struct line, link));
	ckpt_capture_clear();
}

static struct line *find(uint32_t number)
{
	list_for_each (item, &lines) {
		struct line *l = container_of(item, struct line, link);

		if (l->in.number == number && !l->over)
			return l;
	}
	return NULL;
}

static void say_failure(uint32_t line, const char *why)
{
	log_error("FTMPI_Perform_Checkpoint: line %u is not made: %s", line, why);
}

/* ---- on a thread of the library's ---- */

/* Nothing is held for it any more: the verdict may be long in coming. */
static void let_go(struct line *l)
{
	if (l->done)
		return;
	l->done = true;
	inflight_end(&l->in);
	inflight_line_free(&l->in);
	ckpt_capture_done(l->capture);
	l->capture = NULL;
}

/* Its task has ended. The lock is held. */
static void end_task(struct line *l, const struct coord_part *part, const char *why)
{
	l->busy = false;
	if (!l->over) {
		let_go(l);
		if (why)
			say_failure(l->in.number, why);
		coord_written(&ckpt_job()->coord, l->in.number, part);
		return;
	}
	list_remove(&l->link);
	line_free(l);
}

static bool write_file(struct line *l, struct coord_part *part, char *err, size_t errsize)
{
	const struct ckpt_job *j = ckpt_job();
	uint8_t *bytes = NULL;
	size_t len = 0;

	if (!inflight_bytes(&l->in, &bytes, &len) ||
		ckpt_capture_own(l->capture, CKPT_MESSAGES, bytes, len) != 0) {
		free(bytes);
		snprintf(err, errsize, "no memory for the messages in transit");
		return false;
	}
	return ckpt_write_capture(&ckpt_fs_posix, j->dir, &j->id, l->in.number, l->capture,
		       &part->seal, &part->bytes, err, errsize) == 0;
}

/* What was given up while it waited for the writer needs no file. */
static bool is_over(const struct line *l)
{
	bool over;

	engine_visit();
	over = l->over;
	engine_leave();
	return over;
}

static void write_line(struct ckpt_task *task)
{
	struct line *l = container_of(task, struct line, write);
	struct coord_part part = {.ok = 1};
	char err[1024] = "";
	bool ok = !is_over(l) && write_file(l, &part, err, sizeof err);

	fault_point("line-written");
	engine_visit();
	end_task(l, ok ? &part : NULL, ok ? NULL : err);
	engine_leave();
}

static void give_up(struct loop_task *task)
{
	struct line *l = container_of(task, struct line, give_up);

	engine_visit();
	end_task(l, NULL, l->in.why);
	engine_leave();
}

/* Never at once: whoever calls this is in the middle of lines and messages. */
static void on_ready(struct inflight_line *in)
{
	struct line *l = container_of(in, struct line, in);

	l->busy = true;
	if (!in->why && (fault_error("short-thread") || ckpt_writer_post(&l->write) != 0))
		in->why = "there is no thread to write it";
	if (in->why)
		engine_post(&l->give_up);
}

/* ---- capture ---- */

/* What is put together for it; nothing at all is no section. */
static bool capture_made(
	struct ckpt_capture *c, uint32_t kind, bool (*make)(uint8_t **out, size_t *len))
{
	uint8_t *bytes = NULL;
	size_t len = 0;

	if (make(&bytes, &len) && (!bytes || ckpt_capture_own(c, kind, bytes, len) == 0))
		return true;
	free(bytes);
	return false;
}

static bool capture_state(struct ckpt_job *j, struct ckpt_capture *c)
{
	struct ckpt_section buffer = {
		.kind = CKPT_BUFFER, .data = j->buffer.data, .len = j->buffer.size};
	const struct ckpt_protected *v = NULL;

	if (buffer.data && ckpt_capture_add(c, &buffer) != 0)
		return false;
	while ((v = ckpt_protected_next(&j->registry, v)))
		if (!ckpt_vars_capture(v, c))
			return false;
	return capture_made(c, CKPT_COUNTERS, comm_save_numbers) &&
	       capture_made(c, CKPT_COMMUNICATORS, comm_again_capture) &&
	       capture_made(c, CKPT_SCHEDULES, ckpt_schedules_capture) &&
	       capture_made(c, CKPT_OPERATIONS, coll_resume_capture);
}

static struct line *line_new(uint32_t number)
{
	struct line *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->in = (struct inflight_line){.number = number, .at = p2p_moment() + 1, .ready = on_ready};
	l->write.run = write_line;
	l->give_up.run = give_up;
	l->capture = ckpt_capture_new();
	if (l->capture)
		return l;
	free(l);
	return NULL;
}

static struct line *capture(struct ckpt_job *j, uint32_t number)
{
	struct line *l = line_new(number);

	if (!l)
		return NULL;
	if (!capture_state(j, l->capture)) {
		line_free(l);
		return NULL;
	}
	l->in.state = ckpt_capture_bytes(l->capture);
	inflight_begin(&l->in);
	p2p_note();
	list_append(&lines, &l->link);
	return l;
}

/* ---- not more copies than may be held ---- */

/* The capture itself may be the writer's just now. */
static struct ckpt_held held(void)
{
	struct ckpt_held h = {0};

	list_for_each (item, &lines) {
		const struct line *l = container_of(item, struct line, link);

		h.copies += l->capture != NULL;
		h.bytes += l->capture ? l->in.state : 0;
	}
	return h;
}

/* The call says FTMPI_CKPTERROR each time; a sentence comes once. */
static bool takes(uint32_t number)
{
	struct ckpt_held h = held();
	static bool said;

	if (ckpt_pace_takes(&pace, number, &h))
		return true;
	if (!said)
		log_error("FTMPI_Perform_Checkpoint: line %u is not made: this rank holds %zu "
			  "copies of its state (%.0f MiB) that are not written yet, as the disk is "
			  "slower than the calls, or another rank is late for its own: until they "
			  "are written most calls make no line (this is said once)",
			number, h.copies, (double)h.bytes / (1 << 20));
	said = true;
	return false;
}

/* What breaks a line while its messages are noted is said when it is finished. */
bool ckpt_line_capture(void *user, uint32_t number)
{
	const char *why = rma_objection();
	bool wanted = why || takes(number);
	char gone[256];

	making++;
	engine_set_making(true);
	if (!why && !engine_alone())
		why = "another thread is inside an MPI call; all but one must stay out of MPI";
	else if (!why && wanted && !ckpt_vars_there(&ckpt_job()->registry, gone, sizeof gone))
		why = gone;
	else if (!why && wanted && !capture(user, number))
		why = "no memory for a copy of what it has to hold";
	if (why)
		say_failure(number, why);
	fault_point("line-captured");
	return wanted && !why;
}

/* ---- its messages, its end ---- */

void ckpt_line_settle(void *user, uint32_t number, int peer)
{
	struct line *l = find(number);

	(void)user;
	if (l)
		inflight_settle(&l->in, peer);
}

void ckpt_line_finish(void *user, uint32_t number)
{
	struct ckpt_job *j = user;
	struct line *l = find(number);
	uint8_t *orphans = NULL;
	size_t len = 0;

	if (!l)
		return;
	fault_point("line-identified");
	if (coord_torn(&j->coord, number)) {
		inflight_break(&l->in, "it would cut what ranks do with a window, which some made "
				       "and freed before it, and others after it");
	} else if (coord_crowded(&j->coord, number)) {
		inflight_break(&l->in, "this rank received more messages of those who are ahead of "
				       "it than checksums are kept of");
	} else if (!coord_save(&j->coord, number, &orphans, &len) ||
		   ckpt_capture_own(l->capture, CKPT_ORPHANS, orphans, len) != 0) {
		free(orphans);
		inflight_break(&l->in, "no memory for a list of its orphans, or one of them was "
				       "cancelled by its sender");
	}
	inflight_finish(&l->in);
}

void ckpt_line_over(void *user, uint32_t number, bool committed)
{
	struct line *l = find(number);

	(void)user;
	(void)committed;
	fault_point("line-over");
	if (--making == 0)
		engine_set_making(false);
	if (!l)
		return;
	l->over = true;
	if (!l->done)
		inflight_end(&l->in);
	l->done = true;
	if (l->busy)
		return; /* its task frees it */
	list_remove(&l->link);
	line_free(l);
}

/* ---- commit: rank 0 ---- */

struct commit {
	struct ckpt_task task;
	struct loop_task fail;
	uint32_t line;
	struct coord_part parts[];
};

static void conclude(const struct commit *c, bool ok)
{
	engine_visit();
	coord_committed(&ckpt_job()->coord, c->line, ok);
	engine_leave();
}

static void commit_line(struct ckpt_task *task)
{
	struct commit *c = container_of(task, struct commit, task);
	bool ok;

	fault_point("ckpt-gathered");
	ok = ckpt_job_commit(c->line, c->parts);
	fault_point("ckpt-decided");
	conclude(c, ok);
	if (ok)
		ckpt_job_prune(c->line + 1);
	free(c);
}

static void cannot_commit(struct loop_task *task)
{
	struct commit *c = container_of(task, struct commit, fail);

	log_error("FTMPI_Perform_Checkpoint: line %u is not committed: there is no thread to do it",
		c->line);
	conclude(c, false);
	free(c);
}

void ckpt_line_commit(void *user, uint32_t line, const struct coord_part *parts)
{
	const struct ckpt_job *j = user;
	size_t bytes = j->id.size * sizeof *parts;
	struct commit *c = malloc(sizeof *c + bytes);

	if (!c) {
		process_last_words();
		log_error("no memory to commit line %u", line);
		process_die(MPI_ERR_NO_MEM);
	}
	*c = (struct commit){.task.run = commit_line, .fail.run = cannot_commit, .line = line};
	memcpy(c->parts, parts, bytes);
	/* before parts of later lines: else lines would be written, and none of them be one */
	if (fault_error("short-thread") || ckpt_writer_post_first(&c->task) != 0)
		engine_post(&c->fail);
}
