/* SPDX-License-Identifier: BSD-3-Clause */
/* A process joins its job, and leaves it: it learns what it is, builds everything, and takes it
 * down. */
#include "runtime_job.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/knob.h"
#include "base/log.h"
#include "launch/control.h"
#include "launch/manual_start.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/coll/team.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_probe.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/recovery/ckpt_alone.h"
#include "mpi/recovery/ckpt_alone_data.h"
#include "mpi/recovery/ckpt_cost.h"
#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/ckpt_restore.h"
#include "mpi/recovery/ckpt_traffic.h"
#include "mpi/recovery/coord_channel.h"
#include "mpi/recovery/log_keeper.h"
#include "mpi/rma/rma.h"
#include "mpi/type/type.h"
#include "physical.h"
#include "session.h"

_Atomic enum runtime_state runtime_job_state;

static struct tp *tp;
static const struct runtime_job_hooks *hooks;

void runtime_job_on(const struct runtime_job_hooks *h)
{
	hooks = h;
}

static void on_lost(int peer, const char *why)
{
	const struct launch *launch = physical_launch();

	if (launch->control_fd >= 0)
		control_lost(launch->control_fd, peer, why);
	else
		log_error("lost rank %d on %s: %s", peer, launch->hosts[peer], why);
}

static size_t eager_limit(bool logged)
{
	size_t limit = (size_t)knob_get(KNOB_EAGER_LIMIT);

	return logged && limit < P2P_LOG_EAGER_LEAST ? P2P_LOG_EAGER_LEAST : limit;
}

static int build_logical(const struct launch *launch)
{
	bool logged = log_keeper_wanted(launch);
	size_t eager = eager_limit(logged);
	struct tp_config config = {
		.self = launch->rank,
		.size = launch->size,
		.eager_limit = eager,
		.unexpected_limit = (uint32_t)knob_get(KNOB_UNEXPECTED_LIMIT),
		.lock = engine_lock_object(),
		.posted = &engine_news.posted,
		.up = &p2p_upcalls,
	};
	struct p2p_job job = {.size = launch->size,
		.eager_limit = eager,
		.launched = launch->control_fd >= 0,
		.timed = launch->settings.dump,
		.lost = on_lost,
		.session_buffer = session_buffer,
		.coordination = logged ? &p2p_log_channel : &coord_channel,
		.windows = &rma_channel};
	struct world_info world = {.rank = launch->rank,
		.size = launch->size,
		.node = launch->node,
		.cores = launch->cores,
		.memory = !launch->settings.tcp_only};
	char err[1024];
	int rc;

	engine_start();
	rc = p2p_init(&job);
	if (rc)
		return rc;
	tp = tp_new(&config);
	if (!tp)
		return FT_ENOMEM;
	engine_lock();
	rc = comm_world_init(&world) == MPI_SUCCESS ? 0 : FT_ENOMEM;
	engine_unlock();
	if (rc)
		return rc;
	comm_attr_set_appnum((int)launch->settings.appnum);
	if (ckpt_drive_start(launch, err, sizeof err) != 0)
		physical_give_up(err);
	if (ckpt_alone_data_is_used(ckpt_job()) &&
		ckpt_alone_data_find(ckpt_job(), err, sizeof err) != 0)
		physical_give_up(err);
	if (logged && log_keeper_start(launch, err, sizeof err) != 0)
		physical_give_up(err);
	return 0;
}

static int build_physical(void)
{
	int rc;

	engine_lock();
	rc = physical_build(tp);
	engine_unlock();
	return rc;
}

/* One that came back has the others send what it lacks. */
static void say_all(void)
{
	const struct launch *launch = physical_launch();

	engine_lock();
	if (launch->incarnations[launch->rank] > 0)
		p2p_log_say_all();
	engine_unlock();
	fault_point("log-said");
}

void runtime_job_start(int *argc, char ***argv)
{
	int rc;

	physical_learn(argc, argv);
	rc = build_logical(physical_launch());
	if (rc == 0)
		rc = build_physical();
	if (rc == 0)
		rc = physical_start();
	if (rc)
		physical_give_up(ft_error_text(rc));
	if (p2p_log_is_used())
		say_all();
	fault_point("init-attached");
	if (hooks)
		hooks->begin();
	atomic_store(&runtime_job_state, RUNTIME_RUNNING);
	engine_lock(); /* no line begins while this thread has the lock that an answer to HOLD wants
			*/
	control_inited(physical_launch()->control_fd);
	engine_unlock();
	fault_point("init-done");
}

void runtime_job_take_out(int *argc, char ***argv)
{
	if (physical_launch()->by_hand && argc && argv && *argv)
		manual_start_take_out(argc, *argv);
}

/* ---- the end ---- */

static bool everyone_said_bye(void *arg, int *expect)
{
	(void)expect;
	return tp_finished(arg);
}

/* A thread inside a call would use what the end takes away. */
static void must_be_alone(void)
{
	if (engine_alone())
		return;
	process_last_words();
	log_error("%s was called while another thread is inside an MPI call: the program is ended",
		fail_call());
	process_die(MPI_ERR_OTHER);
}

/* What build_logical and physical_learn have made. */
static void take_down(void)
{
	engine_lock();
	ckpt_drive_stop();
	coll_launch_fini();
	win_forget_all();
	rma_fini();
	type_fini();
	message_forget_all();
	comm_world_free();
	engine_unlock();
	p2p_fini(); /* some messages in its lists are the transport's */
	tp_free(tp);
	tp = NULL;
	physical_unlearn();
}

void runtime_job_finish(void)
{
	fault_point("finalize-begun");
	engine_enter(); /* the progress thread must not read the last goodbye while this one sleeps
			 */
	must_be_alone();
	if (hooks)
		hooks->end();
	if (p2p_log_is_used()) {
		ckpt_alone_wait();
		ckpt_alone_data_wait();
	}
	ckpt_alone_data_end();
	if (p2p_log_is_used())
		p2p_log_is_through();
	ckpt_drive_close();
	ckpt_cost_tell(ckpt_job());
	ckpt_traffic_all(ckpt_job());
	must_be_alone();
	if (p2p_log_is_used()) {
		control_ending(physical_launch()->control_fd);
		fault_point("log-ending");
		engine_wait(physical_may_leave, NULL);
		p2p_log_leave();
		tp_come_back_no_more(tp);
	}
	tp_bye(tp);
	engine_wait(everyone_said_bye, tp);
	must_be_alone();
	atomic_store(&runtime_job_state, RUNTIME_AFTER); /* before anybody can come in */
	engine_leave();
	ckpt_job_clear_up();
	fault_point("finalize-done");
	control_finalized(physical_launch()->control_fd);
	fault_point("finalize-told");
	physical_leave(); /* only now: should its goodbye be lost, the silence is explained */
	physical_drop(tp, TP_CLOSE);
	log_keeper_stop();
	take_down();
}

/* ---- before the start ---- */

/* A rank that wakes up connects to others that may still be here: none of them may take that for
 * one of this search. All pairs that agree below are connected by then. */
static void part(const struct ckpt_found *found, const runtime_job_step *steps)
{
	team_all(true);
	engine_unlock();
	physical_listen_no_more();
	engine_lock();
	tp_mend_no_more(tp);
	team_all(true);
	for (; found->line != 0 && *steps; steps++) {
		engine_unlock();
		(*steps)(found);
		engine_lock();
		team_all(true);
	}
	tp_bye(tp);
	engine_wait(everyone_said_bye, tp);
}

bool runtime_job_search(struct ckpt_found *found, uint32_t *highest, const runtime_job_step *steps)
{
	struct ckpt_job *j = ckpt_job();
	int rc;

	fail_begin("the search for a recovery line");
	physical_learn(NULL, NULL);
	rc = build_logical(physical_launch());
	if (rc == 0)
		rc = build_physical();
	if (rc == 0)
		rc = physical_start_search();
	if (rc)
		physical_give_up(ft_error_text(rc));
	engine_enter();
	ckpt_job_name();
	if (!ckpt_find(j, highest))
		j->found.line = 0;
	part(&j->found, steps);
	*found = j->found;
	if (!found->line && physical_launch()->settings.input[0])
		control_input(physical_launch()->control_fd, 0, 0);
	engine_leave();
	physical_drop(tp, TP_KEEP_LISTENER);
	take_down();
	return found->line != 0;
}

bool runtime_job_search_alone(struct ckpt_found *found, const runtime_job_step *steps)
{
	struct ckpt_job *j = ckpt_job();
	char err[1024] = "";
	int rc;

	fail_begin("the search for a checkpoint");
	physical_learn(NULL, NULL);
	j->alone = true;
	ckpt_job_is(physical_launch());
	ckpt_job_name();
	rc = ckpt_alone_find(j, err, sizeof err);
	if (rc)
		physical_give_up_for(rc, err);
	*found = j->found;
	for (; found->line != 0 && *steps; steps++)
		(*steps)(found);
	control_restored(
		physical_launch()->control_fd, found->line, physical_launch()->session_name);
	*j = (struct ckpt_job){0};
	physical_unlearn();
	return found->line != 0;
}
