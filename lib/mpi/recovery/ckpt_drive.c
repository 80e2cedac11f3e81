/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/plural.h"
#include "ckpt/writer.h"
#include "ckpt_blocking.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_line.h"
#include "ckpt_restore.h"
#include "ckpt_vars.h"
#include "ckpt_verdict.h"
#include "ckpt_wait.h"
#include "coord_channel.h"
#include "log_keeper.h"
#include "mpi.h"
#include "mpi/coll/team.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/inflight.h"
#include "mpi/p2p/p2p_image.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/p2p/p2p_sync.h"

static void fatal(void *user, const char *sentence)
{
	(void)user;
	process_last_words();
	log_error("coordination of checkpoints: %s: the job cannot go on", sentence);
	process_die(MPI_ERR_INTERN);
}

/* ---- what a call of the program waits for ---- */

static bool over(void *arg)
{
	return coord_wait_is_over(arg);
}

static bool lines_over(void *arg)
{
	return coord_lines_over(arg);
}

static bool secure(uint32_t line)
{
	bool ok = p2p_secure();

	if (!ok)
		log_error("%s: no memory for the messages that wait to be received", fail_call());
	if (line)
		fault_point("ckpt-drained");
	return ok;
}

static bool save(struct ckpt_job *j, const struct coord_action *a)
{
	return coord_commits_later(&j->coord) ? ckpt_line_copy(a->line, a->ok)
					      : ckpt_blocking_save(j);
}

static bool meet(bool copied)
{
	bool all = team_all(copied);

	fault_point("image-agreed");
	return all;
}

static bool conclude(struct ckpt_job *j, bool ready)
{
	bool committed;

	fault_point("ckpt-saved");
	committed = ckpt_blocking_conclude(j, ready);
	fault_point("ckpt-end");
	return committed;
}

static bool find(struct ckpt_job *j, uint32_t *highest)
{
	bool found;

	fault_point("restore-begin");
	found = ckpt_find(j, highest);
	if (found)
		fault_point("restore-found");
	return found;
}

static void forget(void)
{
	p2p_forget();
	fault_point("restore-drained");
}

static void take(struct ckpt_job *j)
{
	ckpt_restore_take(j);
	fault_point("restore-end");
}

/* What is answered. */
static void act(struct ckpt_job *j, const struct coord_action *a)
{
	unsigned wakes = ckpt_image_wakes();
	bool ok = true;
	uint64_t number = 0;
	uint32_t line = 0;

	switch (a->kind) {
	case COORD_EXCHANGE:
		team_scatter_sum(j->coord.sent, &number);
		break;
	case COORD_WAIT:
		ckpt_wait(over, &j->coord);
		break;
	case COORD_SECURE:
		ok = secure(a->line);
		break;
	case COORD_SAVE:
		ok = save(j, a);
		break;
	case COORD_MEET:
		ok = meet(a->ok);
		break;
	case COORD_CONCLUDE:
		ok = conclude(j, a->ok);
		break;
	case COORD_FIND:
		ok = find(j, &line);
		number = line;
		break;
	case COORD_QUIET:
		ckpt_quiet(j);
		break;
	case COORD_FORGET:
		forget();
		break;
	case COORD_TAKE:
		take(j);
		break;
	case COORD_MINIMUM:
		number = team_minimum(j->coord.line);
		break;
	case COORD_CAPTURE:
		ok = ckpt_line_capture(a->line, a->ok);
		break;
	default:
		fatal(NULL, "an action that there is not");
	}
	if (wakes == ckpt_image_wakes()) /* else the call that it was in is over (coord_woke) */
		coord_answer(&j->coord, ok, number);
}

static void (*on_over)(uint32_t line, bool committed);

void ckpt_drive_on_over(void (*told)(uint32_t line, bool committed))
{
	on_over = told;
}

static void list(struct ckpt_job *j)
{
	struct coord_undelivered u = {0};

	p2p_undelivered(coord_undelivered_add, &u);
	coord_listed(&j->coord, &u);
	coord_undelivered_free(&u);
}

/* What waits for nobody, and is not answered. false: it is something else. */
static bool act_at_once(struct ckpt_job *j, const struct coord_action *a)
{
	switch (a->kind) {
	case COORD_SETTLE:
		ckpt_line_settle(a->line, a->peer);
		return true;
	case COORD_FINISH:
		ckpt_line_finish(a->line);
		return true;
	case COORD_COMMIT:
		ckpt_verdict_post(a->line, a->parts);
		return true;
	case COORD_OVER:
		ckpt_line_over(a->line);
		if (on_over)
			on_over(a->line, a->ok);
		return true;
	case COORD_SEND:
		coord_channel_send(a->peer, a->bytes, a->len);
		free(a->bytes);
		return true;
	case COORD_LIST:
		list(j);
		return true;
	default:
		return false;
	}
}

static bool acting; /* nothing else is done before this action is done */

void ckpt_drive(void)
{
	struct ckpt_job *j = ckpt_job();
	struct coord_action a;

	engine_assert_held();
	while (!acting && coord_asks(&j->coord) && coord_next_action(&j->coord, &a)) {
		acting = a.kind >= COORD_CAPTURE;
		if (!act_at_once(j, &a))
			act(j, &a);
		acting = false;
	}
}

bool ckpt_drive_checkpoint(void)
{
	struct ckpt_job *j = ckpt_job();
	struct coord_undelivered u = {0};

	engine_assert_held();
	if (coord_is_blocking(&j->coord))
		fault_point("ckpt-begin");
	else if (ckpt_image_is_used())
		p2p_image_undelivered(coord_undelivered_add, &u);
	else
		p2p_undelivered(coord_undelivered_add, &u);
	u.incomplete |= !coord_is_blocking(&j->coord) && fault_error("short-list");
	coord_checkpoint(&j->coord, &u);
	coord_undelivered_free(&u);
	ckpt_drive();
	p2p_sync_withdraw_again();
	return coord_result(&j->coord);
}

bool ckpt_drive_restore(void)
{
	struct ckpt_job *j = ckpt_job();

	engine_assert_held();
	coord_restore(&j->coord);
	ckpt_drive();
	return coord_result(&j->coord);
}

bool ckpt_drive_wait(void)
{
	struct ckpt_job *j = ckpt_job();

	engine_assert_held();
	if (!coord_lines_over(&j->coord))
		ckpt_wait(lines_over, &j->coord);
	return coord_lines_made(&j->coord);
}

bool ckpt_drive_due(bool elapsed)
{
	bool due = coord_due(&ckpt_job()->coord, elapsed);

	engine_assert_held();
	ckpt_drive();
	return due;
}

/* ---- start and end ---- */

int ckpt_drive_start(const struct launch *l, char *err, size_t errsize)
{
	bool logged = log_keeper_wanted(l); /* no lines are made */
	const char *coord = logged ? "blocking" : l->settings.coord;
	struct ckpt_job *j = ckpt_job();
	int rc;

	memset(j, 0, sizeof *j);
	rc = coord_init(&j->coord, coord, l->rank, l->size, fatal, j);
	if (rc == FT_EINVAL)
		snprintf(err, errsize, "there is no coordination protocol '%s'; there is: %s",
			coord, coord_names());
	else if (rc == 0 && l->settings.image && coord_is_blocking(&j->coord))
		rc = coord_commit_later(&j->coord);
	if (rc && rc != FT_EINVAL)
		snprintf(err, errsize, "%s", ft_error_text(rc));
	if (rc)
		return rc;
	j->alone = logged;
	ckpt_job_is(l);
	/* from images processes wake up before main */
	j->restoring = !l->settings.image && (l->settings.restarts > 0 || l->settings.restore[0]);
	j->since = clock_ns();
	if (inflight_init(&j->coord, l->size, p2p_pull) != 0 ||
		coord_channel_init(&j->coord, l->size) != 0) {
		snprintf(err, errsize, "%s", ft_error_text(FT_ENOMEM));
		return FT_ENOMEM;
	}
	ckpt_line_init();
	if (!logged)
		p2p_coordinate(&j->coord, ckpt_drive);
	return 0;
}

/* The image may have been taken in an action. A line needs no looking for any more. */
void ckpt_drive_woke(uint32_t highest)
{
	struct ckpt_job *j = ckpt_job();

	engine_assert_held();
	acting = false;
	ckpt_line_forget();
	coord_woke(&j->coord, highest);
	ckpt_drive();
	j->restoring = false;
	ckpt_verdict_renew();
}

void ckpt_drive_anew(void)
{
	engine_assert_held();
	coord_channel_forget();
	p2p_number_anew(&ckpt_job()->coord);
}

/* What the lines of this run took of the network beside the program's messages. */
static void tell_traffic(void)
{
	struct coord_channel_sent said = coord_channel_sent();
	const struct ckpt_job *j = ckpt_job();

	if (!coord_is_blocking(&j->coord) && j->coord.line)
		log_event("coordination of lines up to %u: %" PRIu64
			  " message%s to %d rank%s, %" PRIu64 " byte%s",
			j->coord.line, said.messages, plural(said.messages), said.peers,
			plural((uint64_t)said.peers), said.bytes, plural(said.bytes));
}

/* Without a launcher a rank may be gone, and lines with it. */
void ckpt_drive_close(void)
{
	engine_assert_held();
	if (!p2p_gone()) {
		coord_close(&ckpt_job()->coord);
		ckpt_drive();
	}
	tell_traffic();
	engine_unlock();
	ckpt_writer_wait(UINT64_MAX);
	engine_lock();
}

void ckpt_drive_stop(void)
{
	struct ckpt_job *j = ckpt_job();

	p2p_coordinate(NULL, NULL);
	ckpt_line_fini();
	coord_channel_fini();
	inflight_fini();
	coord_fini(&j->coord);
	ckpt_buffer_free(&j->buffer);
	ckpt_vars_clear();
	ckpt_registry_free(&j->registry);
	ckpt_loaded_free(&j->loaded);
	j->launch = NULL;
}
