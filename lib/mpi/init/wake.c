/* SPDX-License-Identifier: BSD-3-Clause */
#include "wake.h"

#include "base/error.h"
#include "base/fault.h"
#include "launch/control.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_image.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_image.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/log_keeper.h"
#include "runtime.h"

static void renew_hosts(void)
{
	const struct launch *launch = physical_launch();
	struct world_info world = {.rank = launch->rank,
		.size = launch->size,
		.node = launch->node,
		.cores = launch->cores,
		.memory = !launch->settings.tcp_only};

	if (comm_hosts_renew(&world) != MPI_SUCCESS)
		physical_give_up_for(FT_ENOMEM, ft_error_text(FT_ENOMEM));
}

/* What the program has stays: nothing is sent or received here. */
static void renew_logical(struct tp *tp)
{
	renew_hosts();
	ckpt_job_renew();
	p2p_image_woke(tp);
	if (tp_begin_anew(tp) != 0)
		physical_give_up_for(FT_ENOMEM, ft_error_text(FT_ENOMEM));
	p2p_peers_anew();
	ckpt_drive_anew();
}

static int build_all(struct tp *tp)
{
	int rc = physical_build(tp);

	return rc ? rc : physical_start();
}

/* What takes old numbers out of libevent comes before what opens any; and messages begin anew
 * before a peer can connect. The lock is what keeps the program's other threads out. */
void wake(const struct physical_start *start, uint32_t highest, bool alone)
{
	struct tp *tp = engine_tp();
	int rc;

	engine_assert_held();
	ckpt_drive_woke(highest);
	physical_forget_built(tp, alone);
	physical_forget();
	if (alone)
		runtime_forget();
	physical_learn_again(start);
	renew_logical(tp);
	rc = build_all(tp);
	if (rc)
		physical_give_up_for(rc, ft_error_text(rc));
	ckpt_image_tell_input();
	control_inited(physical_launch()->control_fd);
}

/* What is said to others comes when it is known what happened after the image. */
void wake_logged(const struct physical_start *start)
{
	struct tp *tp = engine_tp();
	char err[512];
	int rc;

	engine_assert_held();
	physical_forget_built(tp, false);
	log_keeper_forget();
	physical_forget();
	physical_learn_again(start);
	renew_hosts();
	ckpt_job_renew();
	if (tp_begin_anew(tp) != 0)
		physical_give_up_for(FT_ENOMEM, ft_error_text(FT_ENOMEM));
	p2p_peers_anew();
	rc = log_keeper_woke(physical_launch(), err, sizeof err);
	if (rc)
		physical_give_up_for(rc, err);
	rc = build_all(tp);
	if (rc)
		physical_give_up_for(rc, ft_error_text(rc));
	p2p_log_say_all();
	fault_point("log-said");
	ckpt_image_tell_input();
	control_inited(physical_launch()->control_fd);
}
