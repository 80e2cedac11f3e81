/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_job.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/auth.h"
#include "base/clock.h"
#include "base/log.h"
#include "mpi.h"
#include "mpi/coll/team.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "transport/wire.h"

static struct ckpt_job job;

struct ckpt_job *ckpt_job(void)
{
	return &job;
}

struct session {
	char name[LAUNCH_HOST_MAX];
	uint8_t id[WIRE_SESSION_BYTES];
};

/* A job that no launcher started has no name yet. */
static void make_name(struct session *s)
{
	time_t now = time(NULL);
	struct tm local;
	size_t n;

	auth_random(s->id, sizeof s->id);
	n = strftime(s->name, sizeof s->name, "%Y%m%d-%H%M%S-", localtime_r(&now, &local));
	snprintf(s->name + n, sizeof s->name - n, "%02x%02x%02x%02x", s->id[0], s->id[1], s->id[2],
		s->id[3]);
}

static void find_program(void)
{
	char err[512];

	if (ckpt_program(job.id.program, job.id.program_name, sizeof job.id.program_name, err,
		    sizeof err) == 0)
		return;
	process_last_words();
	log_error("%s: %s", fail_call(), err);
	process_die(MPI_ERR_OTHER);
}

static void take_name(const struct session *s)
{
	const char *work_dir = job.launch->workdir[0] ? job.launch->workdir : ".";

	memcpy(job.id.session, s->id, sizeof job.id.session);
	snprintf(job.dir, sizeof job.dir, "%s/%.255s", work_dir, s->name);
}

static struct session given_name(const struct launch *l)
{
	struct session s;

	memcpy(s.name, l->session_name, sizeof s.name);
	memcpy(s.id, l->session, sizeof s.id);
	return s;
}

void ckpt_job_name(void)
{
	struct session s;

	if (job.dir[0])
		return;
	find_program();
	s = given_name(job.launch);
	if (!s.name[0]) {
		if (team_rank() == 0)
			make_name(&s);
		team_broadcast(&s, sizeof s);
	}
	take_name(&s);
}

/* In a job whose ranks begin again alone all stay in its first epoch. */
void ckpt_job_is(const struct launch *l)
{
	job.launch = l;
	job.id.rank = (uint32_t)l->rank;
	job.id.size = (uint32_t)l->size;
	job.id.epoch = job.alone ? l->incarnations[l->rank] : l->epoch;
}

void ckpt_job_renew(void)
{
	struct session s = given_name(job.launch);

	ckpt_job_is(job.launch);
	job.since = clock_ns();
	if (job.dir[0] && s.name[0])
		take_name(&s);
}

void ckpt_job_clear_up(void)
{
	char err[1024] = "";

	if (!job.dir[0] || job.id.rank != 0)
		return;
	if (ckpt_clear_up(&ckpt_fs_posix, job.dir, job.launch->settings.keep, job.id.epoch, err,
		    sizeof err) != 0)
		log_event("what was left of recovery lines stays: %s", err);
}
