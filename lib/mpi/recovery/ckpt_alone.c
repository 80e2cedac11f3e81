/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_alone.h"

#include <stdio.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt/rank_folder.h"
#include "ckpt/writer.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_stop.h"
#include "ckpt_why.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"

static struct {
	bool writing;
	uint32_t number;
	struct ckpt_task task;
} alone;

struct ckpt_rank_folder ckpt_alone_place(const struct ckpt_job *j)
{
	return (struct ckpt_rank_folder){.fs = &ckpt_fs_posix,
		.session_dir = j->dir,
		.rank = j->id.rank,
		.incarnation = j->id.epoch};
}

bool ckpt_alone_is_writing(void)
{
	engine_assert_held();
	return alone.writing;
}

static bool is_written(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return !alone.writing;
}

void ckpt_alone_wait(void)
{
	engine_wait(is_written, NULL);
}

/* ---- on the writer's thread ---- */

/* A newer process of this rank is there: whatever this one does is of no use to anybody. */
static _Noreturn void end(const char *why)
{
	process_last_words();
	log_error("message logging: %s", why);
	process_die(MPI_ERR_OTHER);
}

/* What is not known to count may count, when this rank comes back, but is told to nobody. */
bool ckpt_alone_counts(const struct ckpt_job *j, uint32_t number, char *err, size_t errsize)
{
	struct ckpt_rank_folder place = ckpt_alone_place(j);
	int rc;

	fault_point("alone-written");
	rc = ckpt_rank_folder_made(&place, number, err, errsize);
	if (rc == FT_ESTALE)
		end(err);
	return rc == 0;
}

void ckpt_alone_over(uint32_t number, bool durable, const char *err)
{
	engine_assert_held();
	p2p_log_saved(durable);
	if (!durable)
		ckpt_why_not_made(number, err);
}

void ckpt_alone_tell(const struct ckpt_job *j, uint32_t number, bool durable)
{
	fault_point("alone-covered");
	control_saved(j->launch->control_fd, number, durable);
}

static void write_it(struct ckpt_task *task)
{
	const struct ckpt_job *j = ckpt_job();
	uint32_t number = alone.number;
	struct coord_part written;
	char err[1024] = "";
	bool durable = ckpt_image_write(NULL, &written, err, sizeof err) &&
		       ckpt_alone_counts(j, number, err, sizeof err);

	(void)task;
	engine_visit();
	alone.writing = false;
	ckpt_alone_over(number, durable, err);
	engine_tell();
	engine_leave();
	if (durable)
		control_size(j->launch->control_fd, number, written.bytes);
	ckpt_alone_tell(j, number, durable);
}

/* ---- at a safe point ---- */

/* Between a pause and its end. NULL; or why there is none, perhaps in text. */
static const char *take(const struct ckpt_job *j, uint32_t number, char *text, size_t size)
{
	unsigned wakes = ckpt_image_wakes();
	const char *why;

	if (!p2p_log_take())
		return "it runs again what it did before it failed";
	why = ckpt_image_take(j, text, size);
	if (wakes != ckpt_image_wakes())
		return NULL;
	alone.number = number;
	alone.task.run = write_it;
	if (!why && (fault_error("short-thread") || ckpt_writer_post(&alone.task) != 0)) {
		ckpt_image_abandon();
		why = ckpt_why_text(CKPT_WHY_NO_WRITER);
	}
	alone.writing = !why;
	if (why)
		p2p_log_saved(false);
	return why;
}

void ckpt_alone_make(struct ckpt_job *j, uint32_t number)
{
	unsigned wakes = ckpt_image_wakes();
	char text[1024];
	const char *why;

	engine_assert_held();
	j->making = true;
	ckpt_stop_begin();
	fault_point("alone-begin");
	why = ckpt_image_begin(j, number, text, sizeof text);
	if (!why)
		why = ckpt_image_pause();
	if (!why) {
		why = take(j, number, text, sizeof text);
		if (wakes == ckpt_image_wakes())
			ckpt_image_go_on();
	}
	ckpt_image_end();
	ckpt_stop_end();
	j->making = false;
	fault_point("alone-taken");
	if (!why)
		return;
	ckpt_why_not_made(number, why);
	control_saved(j->launch->control_fd, number, false);
}

/* ---- before main, and at the end ---- */

int ckpt_alone_find(struct ckpt_job *j, char *err, size_t errsize)
{
	struct ckpt_rank_folder place = ckpt_alone_place(j);
	struct ckpt_found *f = &j->found;
	int rc = ckpt_rank_folder_take(&place, &f->line, err, errsize);

	fault_point("restore-found");
	if (rc || f->line == 0)
		return rc;
	snprintf(f->dir, sizeof f->dir, "%s", j->dir);
	rc = ckpt_rank_folder_open(&ckpt_fs_posix, j->dir, f->line, &j->id, &f->image,
		(struct ckpt_err){err, errsize});
	if (rc)
		return rc;
	rc = ckpt_image_fits(&f->image, err, errsize);
	if (rc)
		ckpt_reader_close(&f->image);
	return rc;
}
