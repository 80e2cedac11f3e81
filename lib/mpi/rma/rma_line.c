/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows and recovery lines. Between epochs no message of a window is on its way and no answer is
 * owed, so its memory is ordinary memory of the program; within an epoch a line would cut through
 * operations that it does not record. A protocol whose ranks do not wait for each other has no
 * moment when all are between epochs.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "mpi/coll/team.h"
#include "mpi/handle/fail.h"
#include "rma.h"
#include "win_epoch.h"

static void look(struct win *w, void *arg)
{
	const struct win **open = arg;

	if (win_epoch_is_open(w))
		*open = w;
}

static const char *what_is_open(const struct win *w)
{
	if (w->locks || w->locked_all)
		return "MPI_Win_unlock has to end it";
	if (w->to)
		return "MPI_Win_complete has to end it";
	return w->from ? "MPI_Win_wait has to end it" : "MPI_Win_fence has to end it";
}

static void refuse(const struct win *mine, uint32_t rank)
{
	if (mine)
		log_error("%s: no line is made: an epoch of window %s is "
			  "open; %s before",
			fail_call(), win_label(mine), what_is_open(mine));
	else
		log_error("%s: no line is made: an epoch of a window is open on rank %" PRIu32,
			fail_call(), rank);
}

bool rma_line_closed_everywhere(bool each_time)
{
	static bool said;
	const struct win *open = NULL;
	uint32_t least;

	win_each(look, &open);
	least = team_minimum(open ? (uint32_t)team_rank() : UINT32_MAX);
	if (least == UINT32_MAX)
		return true;
	if (each_time || !said)
		refuse(open, least);
	said = true;
	return false;
}

const char *rma_line_objection(void)
{
	return win_any() ? "there are windows; while a program has any, only `-coord blocking` "
			   "can make lines"
			 : NULL;
}
