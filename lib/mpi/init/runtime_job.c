/* SPDX-License-Identifier: BSD-3-Clause */
/* A process joins its job, and leaves it: it learns what it is, builds everything, and takes it
 * down. */
#include "runtime_job.h"

#include <stdlib.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/knob.h"
#include "base/log.h"
#include "beating.h"
#include "ckpt/ckpt.h"
#include "launch/control.h"
#include "launch/control_commands.h"
#include "launch/launch.h"
#include "launch/manual_start.h"
#include "launch/reexec.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/coord_channel.h"
#include "mpi/rma/rma.h"
#include "mpi/type/type.h"
#include "output.h"
#include "queues.h"
#include "session.h"
#include "symbol_scan.h"

enum {
	BYHAND_CONNECT_MS = 120000, /* people type slowly */
	OWN_DESCRIPTORS = 12,	    /* of the library, beside one for each peer */
	PROGRAM_DESCRIPTORS = 64,   /* that the program may want */
};

_Atomic enum runtime_state runtime_job_state;

static struct launch launch = {.listen_fd = -1, .beat_fd = -1, .control_fd = -1};
static struct tp *tp;
static struct loop *loop;

int runtime_job_control_fd(void)
{
	return launch.control_fd;
}

_Noreturn void runtime_job_give_up(const char *why)
{
	log_error("%s: %s", fail_call(), why);
	output_flush();
	control_aborted(launch.control_fd, 1, fail_call());
	_exit(1);
}

/* The launcher compares the programs of all ranks. A rank whose file cannot be read is left out. */
static void report_program(void)
{
	uint8_t hash[CKPT_PROGRAM_BYTES];
	char name[CKPT_NAME_BYTES], err[512];

	if (launch.control_fd >= 0 && ckpt_program(hash, name, sizeof name, err, sizeof err) == 0)
		control_runs(launch.control_fd, hash, ckpt_program_path());
}

static void learn(int *argc, char ***argv)
{
	char err[512] = "out of memory", name[LAUNCH_HOST_MAX + 32];
	int rc = auth_init();

	if (rc == 0)
		rc = knob_load(err, sizeof err);
	if (rc == 0)
		rc = launch_learn(&launch, argc, argv, err, sizeof err);
	if (rc)
		runtime_job_give_up(err);
	process_is(launch.rank, launch.host);
	snprintf(name, sizeof name, "rank %d on %.64s", launch.rank, process_host());
	log_configure(launch.verbosity, name);
	fault_configure(launch.rank, launch.epoch);
	report_program();
	control_program(launch.control_fd, symbol_scan_finds("FTMPI_"));
	fault_point("init-started");
}

static void on_lost(int peer, const char *why)
{
	if (launch.control_fd >= 0)
		control_lost(launch.control_fd, peer, why);
	else
		log_error("lost rank %d on %s: %s", peer, launch.hosts[peer], why);
}

/* Which ranks are on this one's host: with them it may share memory. The caller frees it. */
static bool *ranks_near(void)
{
	bool *near = calloc((size_t)launch.size, sizeof *near);

	for (int i = 0; near && i < launch.size; i++)
		near[i] = !launch.settings.tcp_only && launch.node[i] == launch.node[launch.rank];
	return near;
}

/* Where Yama guards processes from each other (kernel.yama.ptrace_scope), the other ranks of this host
 * may read our memory all the same: they descend from the agent, as we do. */
static void allow_readers(void)
{
	struct ucred agent;
	socklen_t len = sizeof agent;

	if (launch.settings.tcp_only || launch.control_fd < 0)
		return;
	if (getsockopt(launch.control_fd, SOL_SOCKET, SO_PEERCRED, &agent, &len) == 0)
		prctl(PR_SET_PTRACER, (unsigned long)agent.pid, 0, 0, 0);
}

/* Those of ranks on this host: one for its connection, and one until it shares memory. */
static unsigned descriptors_of_peers(void)
{
	unsigned n = (unsigned)launch.size;

	for (int i = 0; i < launch.size && !launch.settings.tcp_only; i++)
		n += launch.node[i] == launch.node[launch.rank];
	return n;
}

static int attach(void)
{
	static const struct control_handlers commands = {
		.restart = reexec_now, .observe = beating_observe, .dump = queues_dump};
	bool launched = launch.control_fd >= 0, *near = ranks_near();
	struct tp_physical phys = {
		.listen_fd = launch.listen_fd,
		.addresses = launch.addresses,
		.session = launch.session,
		.secret = launch.secret,
		.epoch = launch.epoch,
		.connect_ms = launched ? (unsigned)knob_get(KNOB_CONNECT_MS) : BYHAND_CONNECT_MS,
		.refused_is_final = launched,
		.near = near,
		.memory_required = launch.settings.memory_only,
	};
	int rc;

	allow_readers();
	loop = phys.loop = loop_new("ftmpi-progress");
	rc = loop && near ? tp_attach(tp, &phys) : FT_ENOMEM;
	free(near);
	if (rc)
		return rc;
	launch.listen_fd = -1;
	rc = engine_start(tp, loop, comm_world()->crowded);
	if (rc == 0 && launched)
		rc = control_commands_watch(loop, launch.control_fd, launch.epoch, &commands);
	return rc;
}

static void detach(void)
{
	loop_stop(loop);
	control_commands_unwatch();
	engine_stop();
	tp_detach(tp, false);
	loop_free(loop);
	loop = NULL;
}

static int build(void)
{
	size_t eager = (size_t)knob_get(KNOB_EAGER_LIMIT);
	struct tp_config config = {
		.self = launch.rank,
		.size = launch.size,
		.eager_limit = eager,
		.unexpected_limit = (uint32_t)knob_get(KNOB_UNEXPECTED_LIMIT),
		.lock = engine_lock_object(),
		.up = &p2p_upcalls,
	};
	struct p2p_job job = {.size = launch.size,
		.eager_limit = eager,
		.launched = launch.control_fd >= 0,
		.timed = launch.settings.dump,
		.lost = on_lost,
		.session_buffer = session_buffer,
		.coordination = &coord_channel,
		.windows = &rma_channel};
	struct world_info world = {.rank = launch.rank,
		.size = launch.size,
		.node = launch.node,
		.cores = launch.cores,
		.memory = !launch.settings.tcp_only};
	char err[512];
	int rc = p2p_init(&job);

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
	comm_attr_set_appnum((int)launch.settings.appnum);
	if (ckpt_drive_start(&launch, err, sizeof err) != 0)
		runtime_job_give_up(err);
	return attach();
}

void runtime_job_start(int *argc, char ***argv)
{
	int rc;

	learn(argc, argv);
	descriptors_raise(descriptors_of_peers() + OWN_DESCRIPTORS + PROGRAM_DESCRIPTORS);
	if (!descriptors_free(OWN_DESCRIPTORS))
		runtime_job_give_up(descriptors_text());
	rc = build();
	if (rc == 0)
		rc = beating_start(&launch);
	/* last: from here on other ranks connect, and must not take the descriptors that the calls
	 * above need */
	if (rc == 0)
		rc = loop_start(loop);
	if (rc)
		runtime_job_give_up(ft_error_text(rc));
	fault_point("init-attached");
	atomic_store(&runtime_job_state, RUNTIME_RUNNING);
	control_inited(launch.control_fd);
	fault_point("init-done");
}

void runtime_job_take_out(int *argc, char ***argv)
{
	if (launch.by_hand && argc && argv && *argv)
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

void runtime_job_finish(void)
{
	fault_point("finalize-begun");
	engine_enter(); /* the progress thread must not read the last goodbye while this one sleeps
			 */
	must_be_alone();
	ckpt_drive_close();
	must_be_alone();
	tp_bye(tp);
	engine_wait(everyone_said_bye, tp);
	must_be_alone();
	atomic_store(&runtime_job_state, RUNTIME_AFTER); /* before anybody can come in */
	engine_leave();
	ckpt_job_clear_up();
	fault_point("finalize-done");
	control_finalized(launch.control_fd);
	fault_point("finalize-told");
	beating_stop(&launch); /* only now: should its goodbye be lost, the silence is explained */
	detach();
	engine_lock();
	ckpt_drive_stop();
	coll_launch_fini();
	win_forget_all();
	rma_fini();
	type_fini();
	comm_world_free();
	engine_unlock();
	p2p_fini(); /* some messages in its lists are the transport's */
	tp_free(tp);
	tp = NULL;
	launch_free(&launch);
}
