/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_job.h"

#include "base/error.h"
#include "base/fault.h"
#include "image/image.h"
#include "image_carried.h"
#include "launch/control.h"
#include "launch/reexec.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/recovery/ckpt_asked.h"
#include "mpi/recovery/ckpt_image.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/log_keeper.h"
#include "physical.h"
#include "wake.h"

/* ---- the process that wakes up ---- */

static void woke(void)
{
	size_t bytes;
	const struct carried *c = image_carried(&bytes);
	struct physical_start start;
	char err[1024];

	if (bytes < sizeof *c || bytes != sizeof *c + c->start + c->started)
		physical_give_up("the process of an image was begun by another version");
	start = (struct physical_start){.control_fd = c->control_fd,
		.listen_fd = c->listen_fd,
		.beat_fd = c->beat_fd,
		.body = c->bytes,
		.len = c->start};
	ckpt_asked_forget();
	if (ckpt_job()->alone)
		wake_logged(&start);
	else
		wake(&start, c->highest, false);
	if (reexec_carried(c->bytes + c->start, c->started) != 0)
		physical_give_up_for(FT_ENOMEM, ft_error_text(FT_ENOMEM));
	/* it was verified before: what became of it meanwhile is found out by the next search */
	if (!ckpt_job()->alone &&
		!ckpt_image_give_back(ckpt_job(), c->dir, c->line, err, sizeof err))
		physical_give_up_for(FT_ESYS, err);
	image_limits_back();
	image_carried_end();
	fault_point("image-woken");
}

/* ---- while MPI is initialised ---- */

static int pause_keeper(uint64_t until_ns)
{
	return p2p_log_is_used() ? log_keeper_pause(until_ns) : 0;
}

static int let_go_on(void)
{
	int rc = p2p_log_is_used() ? log_keeper_go_on() : 0;

	return rc ? rc : physical_go_on();
}

/* The keeper's thread first: heartbeats are silent for a moment only. */
static int pause_all(uint64_t until_ns)
{
	int rc = pause_keeper(until_ns);

	if (rc)
		return rc;
	rc = physical_pause(until_ns);
	if (rc && p2p_log_is_used() && log_keeper_go_on() != 0)
		return FT_ESYS;
	return rc;
}

static bool descriptors(struct descriptor_list *list)
{
	if (p2p_log_is_used())
		log_keeper_own_descriptors(list);
	return physical_descriptors(list);
}

static void go_on(void)
{
	if (let_go_on() != 0)
		physical_give_up_for(
			FT_ENOMEM, "there is no thread to be had after an image was taken");
}

static _Noreturn void lacks_threads(const char *why)
{
	physical_give_up_for(FT_ENOMEM, why);
}

void image_job_begin(void)
{
	static const struct ckpt_image_host host = {.pause = pause_all,
		.go_on = go_on,
		.note = physical_note,
		.descriptors = descriptors,
		.woke = woke,
		.give_up = lacks_threads};

	control_early_end();
	if (!physical_launch()->settings.image)
		return;
	engine_lock();
	ckpt_job_name();
	ckpt_image_use(&host);
	ckpt_asked_use();
	engine_unlock();
}

void image_job_end(void)
{
	ckpt_asked_end();
}
