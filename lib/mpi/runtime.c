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
	/* who uses it: `using` guards them, and is taken before the engine's lock */
	pthread_mutex_t using;
	int users;
	bool kept, ending;
} rt = {.launch = {.listen_fd = -1, .beat_fd = -1, .control_fd = -1},
	.using = PTHREAD_MUTEX_INITIALIZER};

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
	log_error("%s: %s", api_name(), why);
	control_aborted(rt.launch.control_fd, 1, api_name());
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
	if (rc == 0)
		rc = launch_learn(&rt.launch, argc, argv, err, sizeof err);
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
	return rc;
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
	struct p2p_job job = {.size = rt.launch.size,
		.eager_limit = eager,
		.launched = rt.launch.control_fd >= 0,
		.lost = on_lost};
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

static void start(int *argc, char ***argv)
{
	int rc;

	learn(argc, argv);
	descriptors_raise((unsigned)rt.launch.size + OWN_DESCRIPTORS + PROGRAM_DESCRIPTORS);
	if (!descriptors_free(OWN_DESCRIPTORS))
		give_up(descriptors_text());
	rc = build();
	if (rc == 0)
		rc = beating_start(&rt.launch);
	/* last: other ranks' connections come from here on, and must not take the descriptors that
	 * the others need */
	if (rc == 0)
		rc = loop_start(rt.loop);
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

/* What the end takes away would be missed by a thread that is inside a call. */
static void must_be_alone(void)
{
	if (engine_alone())
		return;
	api_last_words();
	log_error("%s was called while another thread is inside an MPI call: the program is ended",
		api_name());
	api_die(MPI_ERR_OTHER);
}

static void finish(void)
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

/* ---- who uses it ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&rt.using);
}

static void forked_parent(void)
{
	pthread_mutex_unlock(&rt.using);
}

static void forked_child(void)
{
	enum runtime_state state = atomic_load(&runtime_now);

	if (state == RUNTIME_RUNNING || state == RUNTIME_IDLE)
		atomic_store(&runtime_now, RUNTIME_FORKED);
	pthread_mutex_unlock(&rt.using);
}

static void watch_forks(void)
{
	if (pthread_atfork(before_fork, forked_parent, forked_child) != 0)
		give_up(ft_error_text(FT_ENOMEM));
}

bool runtime_use(int *argc, char ***argv)
{
	static pthread_once_t watched = PTHREAD_ONCE_INIT;
	bool there;

	pthread_once(&watched, watch_forks);
	pthread_mutex_lock(&rt.using);
	there = !rt.ending;
	if (there && atomic_load(&runtime_now) == RUNTIME_BEFORE)
		start(argc, argv);
	else if (there && rt.launch.by_hand && argc && argv && *argv)
		byhand_take_out(argc, *argv);
	if (there) {
		rt.users++;
		atomic_store(&runtime_now, RUNTIME_RUNNING);
	}
	pthread_mutex_unlock(&rt.using);
	return there;
}

void runtime_keep(void)
{
	pthread_mutex_lock(&rt.using);
	rt.kept = true;
	pthread_mutex_unlock(&rt.using);
}

/* One user less; true: it is the end, which has one thread. */
static bool let_go(void)
{
	bool last;

	pthread_mutex_lock(&rt.using);
	last = --rt.users == 0;
	rt.ending = last && !rt.kept;
	if (last && rt.kept)
		atomic_store(&runtime_now, RUNTIME_IDLE);
	pthread_mutex_unlock(&rt.using);
	return last && !rt.kept;
}

void runtime_release(void)
{
	if (let_go())
		finish();
}

/* Of a process that has sessions. What the program registered for its exit has run before. Not in a
 * child, and not where the process leaves with users. */
__attribute__((destructor)) static void at_exit(void)
{
	enum runtime_state state = runtime_state();

	if (state == RUNTIME_RUNNING && rt.kept)
		log_error("the process exits with MPI in use: MPI_Session_finalize or "
			  "MPI_Finalize was not called");
	if (state != RUNTIME_IDLE)
		return;
	api_enter_anytime("exit");
	rt.ending = true;
	finish();
}

_Noreturn void api_die(int errclass)
{
	bool asked = strcmp(api_name(), "MPI_Abort") == 0;

	fflush(stdout);
	fflush(stderr);
	control_aborted(rt.launch.control_fd, (uint32_t)errclass, asked ? "" : api_name());
	_exit(errclass & 0xff ? errclass & 0xff : 1);
}
