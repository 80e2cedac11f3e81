/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_blocking.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/fault.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_part.h"
#include "ckpt_verdict.h"
#include "ckpt_why.h"
#include "mpi/coll/team.h"
#include "mpi/handle/process.h"

/* The state, and with an image the library's threads stand still for it alone. */
static const char *gather_state(struct ckpt_part *p, char *text, size_t size)
{
	unsigned wakes = ckpt_image_wakes();
	const char *why = ckpt_image_objection();

	if (!why)
		why = ckpt_part_begin(p, text, size);
	if (why || !p->image)
		return why ? why : ckpt_part_gather(p, CKPT_STAGE_STATE, text, size);
	why = ckpt_image_pause();
	if (why)
		return why;
	why = ckpt_part_gather(p, CKPT_STAGE_STATE, text, size);
	if (wakes == ckpt_image_wakes())
		ckpt_image_go_on();
	return why;
}

/* In a process that woke up from the image the answer is of no interest. */
bool ckpt_blocking_save(struct ckpt_job *j)
{
	struct ckpt_part p = {.job = j, .line = j->coord.line};
	unsigned wakes = ckpt_image_wakes();
	char err[1024];
	const char *why = gather_state(&p, err, sizeof err);

	if (wakes != ckpt_image_wakes()) {
		ckpt_part_end(&p);
		return true;
	}
	if (!why)
		why = ckpt_part_gather(
			&p, CKPT_STAGE_ORPHANS | CKPT_STAGE_MESSAGES, err, sizeof err);
	if (!why && !ckpt_part_write(&p, &j->written, err, sizeof err))
		why = err;
	if (why)
		ckpt_why_not_made(p.line, why);
	ckpt_part_end(&p);
	return !why;
}

static bool all_ready(const struct coord_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!parts[i].ok)
			return false;
	return true;
}

/* A number is used once: after a failure that manifest may be there, or come to be. */
bool ckpt_blocking_conclude(struct ckpt_job *j, bool ready)
{
	struct coord_part mine = {ready, j->written.seal, j->written.bytes}, *all = NULL;
	uint32_t committed = false;
	bool first = team_rank() == 0;

	if (first)
		all = malloc(j->id.size * sizeof *all);
	if (first && !all)
		process_die(MPI_ERR_NO_MEM);
	team_gather(&mine, sizeof mine, all);
	fault_point("ckpt-gathered");
	if (first)
		committed =
			all_ready(all, j->id.size) && ckpt_verdict_commit(j, j->coord.line, all);
	fault_point("ckpt-decided");
	team_broadcast(&committed, sizeof committed);
	if (first)
		ckpt_verdict_prune(j, j->coord.line + 1);
	free(all);
	j->since = clock_ns();
	return committed;
}
