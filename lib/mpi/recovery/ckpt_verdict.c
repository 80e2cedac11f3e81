/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_verdict.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt/writer.h"
#include "ckpt_job.h"
#include "ckpt_why.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"

/* ---- the manifest ---- */

enum { CLOCK_BEHIND_S = 60 };

static int64_t last; /* rank 0's, which commits one line at a time; 0: nobody has looked */

void ckpt_verdict_renew(void)
{
	last = 0;
}

/* Of a commit: later than all that the work directory had when this job committed its first line,
 * and never before this job's own, also when the clock was set back. */
static int64_t time_of_commit(const struct ckpt_job *j)
{
	int64_t now = time(NULL), least = last;

	if (last == 0) {
		const char *work_dir = j->launch->workdir[0] ? j->launch->workdir : ".";

		last = ckpt_newest_time(&ckpt_fs_posix, work_dir);
		if (last > now + CLOCK_BEHIND_S)
			log_error("the clock of this host is %lld s behind the newest recovery "
				  "line in "
				  "the work directory: times of lines are counted on from that",
				(long long)(last - now));
		least = last + 1;
	}
	last = now > least ? now : least;
	return last;
}

bool ckpt_verdict_commit(const struct ckpt_job *j, uint32_t line, const struct coord_part *parts)
{
	struct ckpt_manifest m = {.epoch = j->id.epoch,
		.line = line,
		.size = j->id.size,
		.time_s = time_of_commit(j)};
	char err[1024] = "out of memory";
	uint64_t bytes = 0;
	int rc = FT_ENOMEM;

	memcpy(m.session, j->id.session, sizeof m.session);
	memcpy(m.program, j->id.program, sizeof m.program);
	memcpy(m.program_name, j->id.program_name, sizeof m.program_name);
	m.ranks = calloc(m.size, sizeof *m.ranks);
	for (uint32_t i = 0; m.ranks && i < m.size; i++) {
		m.ranks[i].seal = parts[i].seal;
		m.ranks[i].bytes = parts[i].bytes;
		bytes += parts[i].bytes;
	}
	if (m.ranks)
		rc = ckpt_commit(&ckpt_fs_posix, j->dir, &m, err, sizeof err);
	free(m.ranks);
	if (rc == 0) {
		control_size(j->launch->control_fd, line, bytes);
		control_line(j->launch->control_fd, line);
	} else if (rc == FT_EEXIST)
		ckpt_why_made_by_others(line, j->dir);
	else
		ckpt_why_not_committed(line, err);
	return rc == 0;
}

void ckpt_verdict_prune(const struct ckpt_job *j, uint32_t making)
{
	char err[1024] = "";

	if (ckpt_prune(&ckpt_fs_posix, j->dir, j->launch->settings.keep, making, j->id.epoch, err,
		    sizeof err) != 0)
		log_event("old recovery lines stay: %s", err);
}

/* ---- by the thread that writes ---- */

struct commit {
	struct ckpt_task task;
	struct loop_task fail;
	struct ckpt_job *job;
	uint32_t line;
	struct coord_part parts[];
};

static void conclude(const struct commit *c, bool ok)
{
	engine_visit();
	coord_committed(&c->job->coord, c->line, ok);
	p2p_drive();
	engine_leave();
}

static void commit_line(struct ckpt_task *task)
{
	struct commit *c = container_of(task, struct commit, task);
	bool ok;

	fault_point("ckpt-gathered");
	ok = ckpt_verdict_commit(c->job, c->line, c->parts);
	fault_point("ckpt-decided");
	conclude(c, ok);
	if (ok)
		ckpt_verdict_prune(c->job, c->line + 1);
	free(c);
}

static void cannot_commit(struct loop_task *task)
{
	struct commit *c = container_of(task, struct commit, fail);

	ckpt_why_not_committed(c->line, ckpt_why_text(CKPT_WHY_NO_COMMIT));
	conclude(c, false);
	free(c);
}

void ckpt_verdict_post(uint32_t line, const struct coord_part *parts)
{
	struct ckpt_job *j = ckpt_job();
	size_t bytes = j->id.size * sizeof *parts;
	struct commit *c = malloc(sizeof *c + bytes);

	engine_assert_held();
	if (!c) {
		process_last_words();
		log_error("no memory to commit line %u", line);
		process_die(MPI_ERR_NO_MEM);
	}
	*c = (struct commit){
		.task.run = commit_line, .fail.run = cannot_commit, .job = j, .line = line};
	memcpy(c->parts, parts, bytes);
	/* before parts of later lines: else lines would be written, and none of them be one */
	if (fault_error("short-thread") || ckpt_writer_post_first(&c->task) != 0)
		engine_post(&c->fail);
}
