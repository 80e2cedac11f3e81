/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_make.h"

#include "base/clock.h"
#include "base/fault.h"
#include "ckpt_drive.h"
#include "ckpt_image.h"
#include "ckpt_job.h"
#include "ckpt_stop.h"
#include "mpi/coll/coll_open.h"
#include "mpi/coll/team.h"
#include "mpi/engine/engine.h"
#include "mpi/rma/rma.h"

/* While messages are counted and saved open operations send none. */
static bool make_held(void)
{
	bool ok;

	coll_open_hold(true);
	ok = ckpt_drive_checkpoint();
	coll_open_hold(false);
	return ok;
}

/* But this rank's operations go on until all others are here: one may wait for them before it
 * comes. */
static bool make_blocking(void)
{
	if (!rma_line_closed_everywhere(true))
		return false;
	team_all(true);
	return make_held();
}

/* So do its other threads, where ranks come to a call of their own. Ranks that are held are there. */
static bool make_blocking_stopped(const struct ckpt_job *j)
{
	bool ok;

	if (j->called)
		team_all(true);
	ckpt_stop_begin();
	ok = rma_line_closed_everywhere(j->called) && make_held();
	ckpt_stop_end();
	return ok;
}

/* What it says to others leaves with the next call or tick: the program does not wait for it. */
static bool make_alone(struct ckpt_job *j)
{
	bool ok;

	fault_point("ckpt-begin");
	j->since = clock_ns();
	ok = ckpt_drive_checkpoint();
	fault_point("ckpt-end");
	return ok;
}

/* Nothing comes between the pause and the image, so the image is that of the moment of the cut. A
 * rank that cannot pause begins the line all the same: all count alike. */
static bool make_alone_paused(struct ckpt_job *j)
{
	unsigned wakes = ckpt_image_wakes();
	char text[1024];
	const char *why;
	bool ok;

	ckpt_stop_begin();
	why = ckpt_image_begin(j, j->coord.line + 1, text, sizeof text);
	if (!why)
		why = ckpt_image_pause();
	if (why)
		ckpt_image_object(why);
	ok = make_alone(j);
	if (why)
		ckpt_image_object(NULL);
	else if (wakes == ckpt_image_wakes())
		ckpt_image_go_on();
	ckpt_image_end();
	ckpt_stop_end();
	return ok;
}

static enum ckpt_made make_image(struct ckpt_job *j)
{
	unsigned wakes = ckpt_image_wakes();
	bool ok;

	while (j->making) /* another thread, for the launcher */
		ckpt_stop_moment();
	j->making = true;
	if (coord_is_blocking(&j->coord))
		ckpt_drive_wait(); /* B6; where this rank was held it is over */
	ok = coord_is_blocking(&j->coord) ? make_blocking_stopped(j) : make_alone_paused(j);
	j->making = false;
	if (wakes != ckpt_image_wakes())
		return CKPT_WOKEN;
	return ok ? CKPT_MADE : CKPT_NOT_MADE;
}

/* Variables in the restored line that the program has not named may go when the next line is made:
 * they would not be in it. */
enum ckpt_made ckpt_make(struct ckpt_job *j)
{
	engine_assert_held();
	ckpt_loaded_free(&j->loaded);
	if (ckpt_image_is_used())
		return make_image(j);
	if (coord_is_blocking(&j->coord) ? make_blocking() : make_alone(j))
		return CKPT_MADE;
	return CKPT_NOT_MADE;
}
