/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "ckpt_job.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"

/* ---- which sessions there are ---- */

/* The settings name them one after the other, with commas between; or one, with its line. */
bool ckpt_list_session(const struct ckpt_job *j, unsigned which, char *out, size_t size)
{
	const struct settings *set = &j->launch->settings;
	const char *at = set->restore;

	if (which == 0)
		at = strrchr(j->dir, '/') + 1;
	for (unsigned i = 1; i < which && *at; i++, at += *at == ',')
		at += strcspn(at, ",");
	snprintf(out, size, "%.*s",
		(int)(which == 0 || set->restore_line ? strlen(at) : strcspn(at, ",")), at);
	return *out && !(which > 1 && set->restore_line);
}

void ckpt_list_dir(const struct ckpt_job *j, const char *session, char *out, size_t size)
{
	snprintf(out, size, "%s/%.255s", j->launch->workdir[0] ? j->launch->workdir : ".", session);
}

/* ---- their lines ---- */

void ckpt_list_pause(unsigned ms)
{
	struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000L};

	engine_unlock();
	while (nanosleep(&left, &left) < 0)
		;
	engine_lock();
}

static _Noreturn void cannot_list(const char *err)
{
	process_last_words();
	log_error("%s: %s", fail_call(), err);
	process_die(MPI_ERR_OTHER);
}

static void find_lines(
	const struct ckpt_job *j, struct ckpt_choice *c, unsigned which, const char *session)
{
	char dir[sizeof j->dir], err[1024];
	uint32_t *line = NULL;
	unsigned pause_ms = 0;
	size_t n = 0;
	int rc;

	ckpt_list_dir(j, session, dir, sizeof dir);
	for (;;) {
		rc = ckpt_line_numbers(&ckpt_fs_posix, dir, &line, &n, err, sizeof err);
		if (rc == 0)
			break;
		if (rc == FT_ENOMEM || !ckpt_choice_unlisted(c, &pause_ms))
			cannot_list(err);
		log_event("%s: %s: it is listed again in %u ms", fail_call(), err, pause_ms);
		ckpt_list_pause(pause_ms);
	}
	ckpt_choice_listed(c, which, line, n);
}

/* The line that the user named: as if its folder had it alone. */
static void list_named(struct ckpt_choice *c, uint32_t number)
{
	uint32_t *line = malloc(sizeof *line);

	if (!line)
		process_die(MPI_ERR_NO_MEM);
	*line = number;
	ckpt_choice_listed(c, 1, line, 1);
}

void ckpt_list_all(const struct ckpt_job *j, struct ckpt_choice *c)
{
	uint32_t named = j->launch->settings.restore_line;
	char session[LAUNCH_HOST_MAX];

	for (unsigned i = 0;
		i < CKPT_CHOICE_SESSIONS && ckpt_list_session(j, i, session, sizeof session); i++)
		if (i == 1 && named)
			list_named(c, named);
		else
			find_lines(j, c, i, session);
}

/* What a rank of an epoch before still does is not to happen while we look. Where that cannot be
 * said, we look all the same: reading may be all that this needs. */
void ckpt_list_begin(const struct ckpt_job *j)
{
	char err[1024] = "";

	if (j->id.epoch &&
		ckpt_epoch_begin(&ckpt_fs_posix, j->dir, j->id.epoch, err, sizeof err) != 0)
		log_error("%s: epoch %u cannot say in the work directory that it has begun: %s",
			fail_call(), j->id.epoch, err);
}
