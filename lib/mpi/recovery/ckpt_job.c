/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/plural.h"
#include "ckpt/writer.h"
#include "ckpt_blocking.h"
#include "ckpt_line.h"
#include "ckpt_restore.h"
#include "ckpt_vars.h"
#include "ckpt_verdict.h"
#include "coord_talk.h"
#include "mpi/coll/team.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/inflight.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"

static struct ckpt_job job;

struct ckpt_job *ckpt_job(void)
{
	return &job;
}

/* ---- what the protocol asks for ---- */

static void exchange(void *user, const uint64_t *sent, uint64_t *mine)
{
	(void)user;
	team_scatter_sum(sent, mine);
}

struct enough {
	bool (*done)(void *arg);
	void *arg;
};

static bool enough(void *arg, int *expect)
{
	struct enough *e = arg;

	(void)expect;
	if (p2p_gone()) {
		process_last_words();
		log_error("%s: a rank is gone, and the others cannot agree", fail_call());
		process_die(MPI_ERR_PROC_ABORTED);
	}
	return e->done(e->arg);
}

static void wait_until(void *user, bool (*done)(void *arg), void *arg)
{
	struct enough e = {done, arg};

	(void)user;
	engine_wait(enough, &e);
}

static bool secure(void *user)
{
	(void)user;
	if (p2p_secure())
		return true;
	log_error("%s: no memory for the messages that wait to be received", fail_call());
	return false;
}

static void forget(void *user)
{
	(void)user;
	p2p_forget();
}

static uint32_t least(void *user, uint32_t mine)
{
	(void)user;
	return team_least(mine);
}

static void undelivered(
	void *user, void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	(void)user;
	p2p_undelivered(visit, arg);
}

static void tell(void *user, int peer, const uint8_t *bytes, size_t len)
{
	(void)user;
	talk_say(peer, bytes, len);
}

static void fatal(void *user, const char *sentence)
{
	(void)user;
	process_last_words();
	log_error("coordination of checkpoints: %s: the job cannot go on", sentence);
	process_die(MPI_ERR_INTERN);
}

static const struct coord_env env = {
	.exchange = exchange,
	.wait = wait_until,
	.secure = secure,
	.forget = forget,
	.save = ckpt_blocking_save,
	.conclude = ckpt_blocking_conclude,
	.find = ckpt_find,
	.quiet = ckpt_quiet,
	.take = ckpt_restore_take,
	.least = least,
	.undelivered = undelivered,
	.capture = ckpt_line_capture,
	.settle = ckpt_line_settle,
	.finish = ckpt_line_finish,
	.commit = ckpt_verdict_post,
	.over = ckpt_line_over,
	.tell = tell,
	.fatal = fatal,
};

/* ---- start and end ---- */

int ckpt_job_start(const struct launch *l, char *err, size_t errsize)
{
	const char *coord = l->settings.coord;
	int rc;

	memset(&job, 0, sizeof job);
	rc = coord_init(&job.coord, coord, l->rank, l->size, &env, &job);
	if (rc == FT_EINVAL)
		snprintf(err, errsize, "there is no coordination protocol '%s'; there is: %s",
			coord, coord_names());
	else if (rc)
		snprintf(err, errsize, "%s", ft_error_text(rc));
	if (rc)
		return rc;
	job.launch = l;
	job.restoring = l->settings.restarts > 0 || l->settings.restore[0];
	job.since = clock_ns();
	job.id.epoch = l->epoch;
	job.id.rank = (uint32_t)l->rank;
	job.id.size = (uint32_t)l->size;
	if (inflight_init(&job.coord, l->size, p2p_pull) != 0 ||
		talk_init(&job.coord, l->size) != 0) {
		snprintf(err, errsize, "%s", ft_error_text(FT_ENOMEM));
		return FT_ENOMEM;
	}
	ckpt_line_init();
	p2p_coordinate(&job.coord);
	return 0;
}

/* What the lines of this run took of the network beside the program's messages. */
static void tell_traffic(void)
{
	struct talk_said said = talk_said();

	if (!coord_is_blocking(&job.coord) && job.coord.line)
		log_event("coordination of lines up to %u: %" PRIu64
			  " message%s to %d rank%s, %" PRIu64 " byte%s",
			job.coord.line, said.messages, plural(said.messages), said.peers,
			plural((uint64_t)said.peers), said.bytes, plural(said.bytes));
}

/* Without a launcher a rank may be gone, and lines with it. */
void ckpt_job_close(void)
{
	if (!p2p_gone())
		coord_close(&job.coord);
	tell_traffic();
	engine_unlock();
	ckpt_writer_wait();
	engine_lock();
}

void ckpt_job_stop(void)
{
	p2p_coordinate(NULL);
	ckpt_line_fini();
	talk_fini();
	inflight_fini();
	coord_fini(&job.coord);
	ckpt_buffer_free(&job.buffer);
	ckpt_vars_clear();
	ckpt_registry_free(&job.registry);
	ckpt_loaded_free(&job.loaded);
	job.launch = NULL;
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

/* ---- who we are ---- */

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

void ckpt_job_name(void)
{
	const struct launch *l = job.launch;
	struct session s = {0};

	if (job.dir[0])
		return;
	find_program();
	memcpy(s.name, l->session_name, sizeof s.name);
	memcpy(s.id, l->session, sizeof s.id);
	if (!s.name[0]) {
		if (team_rank() == 0)
			make_name(&s);
		team_tell(&s, sizeof s);
	}
	memcpy(job.id.session, s.id, sizeof job.id.session);
	snprintf(job.dir, sizeof job.dir, "%s/%.255s", l->workdir[0] ? l->workdir : ".", s.name);
}
