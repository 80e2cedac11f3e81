/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_blocking.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/fault.h"
#include "ckpt_job.h"
#include "ckpt_part.h"
#include "ckpt_verdict.h"
#include "ckpt_why.h"
#include "mpi/coll/team.h"
#include "mpi/handle/process.h"

bool ckpt_blocking_save(struct ckpt_job *j)
{
	struct ckpt_part p = {.job = j, .line = j->coord.line};
	char err[1024];
	const char *why = ckpt_part_begin(&p, err, sizeof err);

	if (!why)
		why = ckpt_part_gather(&p, CKPT_STAGE_ALL, err, sizeof err);
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
