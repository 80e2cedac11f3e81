/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The motion of a collective operation that is waited for:
 *
 *	struct coll_run run;
 *	coll_run_begin(&run, c);
 *	return coll_motion_end(&run, coll_plan_...(&run, c, ...));
 *
 * runs it and frees everything. An operation has its number once its plan is there: what fails
 * before that was not begun.
 */
#ifndef FTMPI_MPI_COLL_MOTION_H
#define FTMPI_MPI_COLL_MOTION_H

#include "coll_run.h"

/* Of one that is ready (coll_run_ready), also again: it takes the next number. */
int coll_motion_run(struct coll_run *run);

/* planned: what the plan returned; an error only frees everything. */
int coll_motion_end(struct coll_run *run, int planned);

#endif
