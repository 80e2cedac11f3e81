/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank's part of a line, and the line's end: committed by rank 0, or given up by all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt_job.h"
#include "ckpt_schedules.h"
#include "ckpt_vars.h"
#include "launch/control.h"
#include "mpi/coll/coll_resume.h"
#include "mpi/coll/team.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/comm_again.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"

/* ---- saving ---- */

struct parts {
	struct ckpt_section *s;
	size_t n;
	void **owned; /* memory that sections lie in */
	size_t nowned;
};

enum { FIXED_PARTS = 7 };

static void add(struct parts *p, const struct ckpt_section *section)
{
	p->s[p->n++] = *section;
}

static bool add_owned(struct parts *p, uint32_t kind, uint8_t *bytes, size_t len)
{
	struct ckpt_section s = {.kind = kind, .data = bytes, .len = len};

	p->owned[p->nowned++] = bytes;
	add(p, &s);
	return true;
}

static bool add_variables(struct ckpt_job *j, struct parts *p)
{
	const struct ckpt_protected *v = NULL;
	struct ckpt_section s;

	while ((v = ckpt_protected_next(&j->registry, v))) {
		if (!ckpt_vars_section(v, &s, &p->owned[p->nowned++]))
			return false;
		add(p, &s);
	}
	return true;
}

/* Variables in one piece and the buffer stay where they are; the rest is put together. */
static bool gather_parts(struct ckpt_job *j, struct parts *p)
{
	struct ckpt_section buffer = {
		.kind = CKPT_BUFFER, .data = j->buffer.data, .len = j->buffer.size};
	size_t most = j->registry.count + FIXED_PARTS, len = 0;
	uint8_t *bytes = NULL;

	p->s = calloc(most, sizeof *p->s);
	p->owned = calloc(most, sizeof *p->owned);
	if (!p->s || !p->owned)
		return false;
	if (j->buffer.data)
		add(p, &buffer);
	return add_variables(j, p) && p2p_capture(&bytes, &len) &&
	       add_owned(p, CKPT_MESSAGES, bytes, len) &&
	       coord_save(&j->coord, j->coord.line, &bytes, &len) &&
	       add_owned(p, CKPT_ORPHANS, bytes, len) && comm_save_numbers(&bytes, &len) &&
	       add_owned(p, CKPT_COUNTERS, bytes, len) && comm_again_capture(&bytes, &len) &&
	       add_owned(p, CKPT_COMMUNICATORS, bytes, len) &&
	       ckpt_schedules_capture(&bytes, &len) && add_owned(p, CKPT_SCHEDULES, bytes, len) &&
	       coll_resume_capture(&bytes, &len) &&
	       (!bytes || add_owned(p, CKPT_OPERATIONS, bytes, len));
}

static void free_parts(struct parts *p)
{
	for (size_t i = 0; i < p->nowned; i++)
		free(p->owned[i]);
	free(p->owned);
	free(p->s);
}

/* What another thread sends or receives meanwhile would be in no line, or in half of one. */
static bool is_quiet(char *err, size_t errsize)
{
	if (!engine_alone())
		snprintf(err, errsize,
			"another thread is inside an MPI call; all but one must stay out of MPI");
	return engine_alone();
}

bool ckpt_job_save(void *user)
{
	struct ckpt_job *j = user;
	struct parts p = {0};
	char err[1024] = "no memory for it";
	bool ok = is_quiet(err, sizeof err) && ckpt_vars_there(&j->registry, err, sizeof err) &&
		  gather_parts(j, &p);

	if (ok)
		ok = ckpt_write(&ckpt_fs_posix, j->dir, &j->id, j->coord.line, p.s, p.n, &j->seal,
			     &j->bytes, err, sizeof err) == 0;
	if (!ok)
		log_error("FTMPI_Perform_Checkpoint: line %u is not made: %s", j->coord.line, err);
	free_parts(&p);
	return ok;
}

/* ---- the verdict ---- */

static bool all_ready(const struct coord_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!parts[i].ok)
			return false;
	return true;
}

enum { CLOCK_BEHIND_S = 60 };

/* Of a commit: later than all that the work directory had when this job committed its first line,
 * and never before this job's own, also when the clock was set back. */
static int64_t time_of_commit(const struct ckpt_job *j)
{
	static int64_t last; /* rank 0's, which commits one line at a time */
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

static int commit(const struct ckpt_job *j, uint32_t line, const struct coord_part *parts)
{
	struct ckpt_manifest m = {.epoch = j->id.epoch,
		.line = line,
		.size = j->id.size,
		.time_s = time_of_commit(j)};
	char err[1024] = "out of memory";
	int rc = FT_ENOMEM;

	memcpy(m.session, j->id.session, sizeof m.session);
	memcpy(m.program, j->id.program, sizeof m.program);
	memcpy(m.program_name, j->id.program_name, sizeof m.program_name);
	m.ranks = calloc(m.size, sizeof *m.ranks);
	for (uint32_t i = 0; m.ranks && i < m.size; i++) {
		m.ranks[i].seal = parts[i].seal;
		m.ranks[i].bytes = parts[i].bytes;
	}
	if (m.ranks)
		rc = ckpt_commit(&ckpt_fs_posix, j->dir, &m, err, sizeof err);
	if (rc == FT_EEXIST)
		log_error(
			"FTMPI_Perform_Checkpoint: line %u of %s was made by others", line, j->dir);
	else if (rc)
		log_error("FTMPI_Perform_Checkpoint: line %u is not committed: %s", line, err);
	free(m.ranks);
	return rc;
}

bool ckpt_job_commit(uint32_t line, const struct coord_part *parts)
{
	const struct ckpt_job *j = ckpt_job();

	if (commit(j, line, parts) != 0)
		return false;
	control_line(j->launch->control_fd, line);
	return true;
}

void ckpt_job_prune(uint32_t making)
{
	const struct ckpt_job *j = ckpt_job();
	char err[1024] = "";

	if (ckpt_prune(&ckpt_fs_posix, j->dir, j->launch->settings.keep, making, j->id.epoch, err,
		    sizeof err) != 0)
		log_event("old recovery lines stay: %s", err);
}

/* A number is used once: after a failure that manifest may be there, or come to be. */
bool ckpt_job_conclude(void *user, bool ready)
{
	struct ckpt_job *j = user;
	struct coord_part mine = {ready, j->seal, j->bytes}, *all = NULL;
	uint32_t committed = false;
	bool first = team_rank() == 0;

	if (first)
		all = malloc(j->id.size * sizeof *all);
	if (first && !all)
		process_die(MPI_ERR_NO_MEM);
	team_gather(&mine, sizeof mine, all);
	fault_point("ckpt-gathered");
	if (first)
		committed = all_ready(all, j->id.size) && ckpt_job_commit(j->coord.line, all);
	fault_point("ckpt-decided");
	team_tell(&committed, sizeof committed);
	if (first)
		ckpt_job_prune(j->coord.line + 1);
	free(all);
	j->since = clock_ns();
	return committed;
}
