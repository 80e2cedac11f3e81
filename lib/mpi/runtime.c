/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/knob.h"
#include "base/log.h"
#include "beating.h"
#include "ckpt_job.h"
#include "coll_launch.h"
#include "comm.h"
#include "control.h"
#include "engine.h"
#include "launch.h"
#include "p2p_state.h"
#include "queues.h"
#include "reexec.h"
#include "rma.h"
#include "type.h"
#include "uses.h"

enum {
	BYHAND_CONNECT_MS = 120000, /* people type slowly */
	OWN_DESCRIPTORS = 12,	    /* of the library, beside one for each peer */
	PROGRAM_DESCRIPTORS = 64,   /* that the program may want */
};

_Atomic enum runtime_state runtime_now;

static struct {
	struct launch launch;
	struct tp *tp;
	struct loop *loop;
	int thread_level;
	pthread_t main_thread;
} rt = {.launch = {.listen_fd = -1, .beat_fd = -1, .control_fd = -1}};

int runtime_thread_level(void)
{
	return rt.thread_level;
}

bool runtime_is_main_thread(void)
{
	return pthread_equal(rt.main_thread, pthread_self());
}

int runtime_control_fd(void)
{
	return rt.launch.control_fd;
}

const char *api_host(void)
{
	if (!rt.launch.host[0])
		gethostname(rt.launch.host, sizeof rt.launch.host - 1);
	return rt.launch.host;
}

int api_world_rank(void)
{
	return rt.launch.rank;
}

static _Noreturn void give_up(const char *why)
{
	log_error("MPI_Init: %s", why);
	control_aborted(rt.launch.control_fd, 1, "MPI_Init");
	_exit(1);
}

static void name_process(void)
{
	char who[LAUNCH_HOST_MAX + 32];

	snprintf(who, sizeof who, "rank %d on %.64s", rt.launch.rank, api_host());
	log_configure(rt.launch.verbosity, who);
}

static void learn(int *argc, char ***argv)
{
	char err[512] = "out of memory";
	int rc = auth_init();

	if (rc == 0)
		rc = knob_load(err, sizeof err);
	if (rc == 0 && control_present())
		rc = control_start(&rt.launch, err, sizeof err);
	else if (rc == 0 && argc && argv && *argv && byhand_present(*argc, *argv))
		rc = byhand_start(&rt.launch, argc, argv, err, sizeof err);
	else if (rc == 0)
		rc = launch_alone(&rt.launch);
	if (rc)
		give_up(err);
	name_process();
	queues_timed = rt.launch.settings.dump;
	fault_configure(rt.launch.rank, rt.launch.epoch);
	control_program(rt.launch.control_fd, uses_names("FTMPI_"));
	fault_point("init-started");
}

static void on_lost(int peer, const char *why)
{
	if (rt.launch.control_fd >= 0)
		control_lost(rt.launch.control_fd, peer, why);
	else
		log_error("lost rank %d on %s: %s", peer, rt.launch.hosts[peer], why);
}

static int attach(void)
{
	static const struct control_orders orders = {reexec_now, beating_observe, queues_dump};
	bool launched = rt.launch.control_fd >= 0;
	struct tp_physical phys = {
		.listen_fd = rt.launch.listen_fd,
		.addresses = rt.launch.addresses,
		.session = rt.launch.session,
		.secret = rt.launch.secret,
		.epoch = rt.launch.epoch,
		.connect_ms = launched ? (unsigned)knob_get(KNOB_CONNECT_MS) : BYHAND_CONNECT_MS,
		.refused_is_final = launched,
	};
	int rc;

	rt.loop = phys.loop = loop_new("ftmpi-progress");
	if (!rt.loop)
		return FT_ENOMEM;
	rc = tp_attach(rt.tp, &phys);
	if (rc)
		return rc;
	rt.launch.listen_fd = -1;
	rc = engine_start(rt.tp, rt.loop, comm_world()->crowded);
	if (rc == 0 && launched)
		rc = control_watch(rt.loop, rt.launch.control_fd, rt.launch.epoch, &orders);
	return rc ? rc : loop_start(rt.loop);
}

static void detach(void)
{
	loop_stop(rt.loop);
	control_unwatch();
	engine_stop();
	tp_detach(rt.tp, false);
	loop_free(rt.loop);
	rt.loop = NULL;
}

static void start_checkpoints(void)
{
	char err[512];

	if (ckpt_job_start(&rt.launch, err, sizeof err) != 0)
		give_up(err);
}

static int build(void)
{
	size_t eager = (size_t)knob_get(KNOB_EAGER_LIMIT);
	struct tp_config config = {
		.self = rt.launch.rank,
		.size = rt.launch.size,
		.eager_limit = eager,
		.unexpected_limit = (uint32_t)knob_get(KNOB_UNEXPECTED_LIMIT),
		.lock = engine_lock_object(),
		.up = &p2p_upcalls,
	};
	struct p2p_job job = {
		.size = rt.launch.size, .launched = rt.launch.control_fd >= 0, .lost = on_lost};
	struct world_info world = {.rank = rt.launch.rank,
		.size = rt.launch.size,
		.node = rt.launch.node,
		.cores = rt.launch.cores};
	int rc = p2p_init(&job);

	if (rc)
		return rc;
	rt.tp = tp_new(&config);
	if (!rt.tp)
		return FT_ENOMEM;
	engine_lock();
	rc = comm_init_world(&world) == MPI_SUCCESS ? 0 : FT_ENOMEM;
	engine_unlock();
	if (rc)
		return rc;
	start_checkpoints();
	return attach();
}

/* in the child */
static void forked(void)
{
	enum runtime_state running = RUNTIME_RUNNING;

	atomic_compare_exchange_strong(&runtime_now, &running, RUNTIME_FORKED);
}

void runtime_start(int *argc, char ***argv, int thread_level)
{
	int rc;

	rt.main_thread = pthread_self();
	rt.thread_level = thread_level;
	learn(argc, argv);
	descriptors_raise((unsigned)rt.launch.size + OWN_DESCRIPTORS + PROGRAM_DESCRIPTORS);
	if (!descriptors_free(OWN_DESCRIPTORS))
		give_up(descriptors_text());
	rc = build();
	if (rc == 0)
		rc = beating_start(&rt.launch);
	if (rc == 0 && pthread_atfork(NULL, NULL, forked) != 0)
		rc = FT_ENOMEM;
	if (rc)
		give_up(ft_error_text(rc));
	fault_point("init-attached");
	atomic_store(&runtime_now, RUNTIME_RUNNING);
	control_inited(rt.launch.control_fd);
	fault_point("init-done");
}

static bool everyone_said_bye(void *arg, int *expect)
{
	(void)expect;
	return tp_finished(arg);
}

/* What MPI_Finalize takes away would be missed by a thread that is inside a call. */
static void must_be_alone(void)
{
	if (engine_alone())
		return;
	api_last_words();
	log_error("MPI_Finalize was called while another thread is inside an MPI call: the program "
		  "is ended");
	api_die(MPI_ERR_OTHER);
}

void runtime_finish(void)
{
	fault_point("finalize-begun");
	engine_enter(); /* the progress thread must not read the last goodbye while this one sleeps
			 */
	must_be_alone();
	ckpt_job_close();
	must_be_alone();
	tp_bye(rt.tp);
	engine_wait(everyone_said_bye, rt.tp);
	must_be_alone();
	atomic_store(&runtime_now, RUNTIME_AFTER); /* before anybody can come in */
	engine_leave();
	ckpt_job_clear_up();
	fault_point("finalize-done");
	control_finalized(rt.launch.control_fd);
	fault_point("finalize-told");
	beating_stop(
		&rt.launch); /* only now: should its goodbye be lost, the silence is explained */
	detach();
	engine_lock();
	ckpt_job_stop();
	coll_launch_fini();
	win_forget_all();
	rma_fini();
	types_fini();
	comm_free_world();
	engine_unlock();
	p2p_fini(); /* some messages in its lists are the transport's */
	tp_free(rt.tp);
	rt.tp = NULL;
	launch_free(&rt.launch);
}

_Noreturn void api_die(int errclass)
{
	bool asked = strcmp(api_name(), "MPI_Abort") == 0;

	fflush(stdout);
	fflush(stderr);
	control_aborted(rt.launch.control_fd, (uint32_t)errclass, asked ? "" : api_name());
	_exit(errclass & 0xff ? errclass & 0xff : 1);
}
