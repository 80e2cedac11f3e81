/* SPDX-License-Identifier: BSD-3-Clause */
#include "physical.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/knob.h"
#include "base/log.h"
#include "base/loop.h"
#include "beating.h"
#include "ckpt/capture.h"
#include "ckpt/ckpt.h"
#include "ckpt/writer.h"
#include "launch/control.h"
#include "launch/control_commands.h"
#include "launch/reexec.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/recovery/ckpt_asked.h"
#include "mpi/recovery/ckpt_alone_data.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/ckpt_image.h"
#include "output.h"
#include "queues.h"
#include "symbol_scan.h"

enum {
	BYHAND_CONNECT_MS = 120000, /* people type slowly */
	OWN_DESCRIPTORS = 12,	    /* of the library, beside one for each peer */
	PROGRAM_DESCRIPTORS = 64,   /* that the program may want */
};

#define NOTHING_LEARNT                                                                             \
	{                                                                                          \
		.listen_fd = -1, .beat_fd = -1, .control_fd = -1                                   \
	}

static struct {
	struct launch launch;
	struct loop *loop; /* of the progress thread; NULL */
	bool may_leave;	   /* the engine's lock guards it */
	struct beating beating;
} physical = {.launch = NOTHING_LEARNT, .beating = BEATING_NONE};

const struct launch *physical_launch(void)
{
	return &physical.launch;
}

_Noreturn void physical_give_up_for(int rc, const char *why)
{
	if (rc != FT_ENOMEM && rc != FT_ESYS)
		physical_give_up(why);
	log_error("%s: %s", fail_call(), why);
	output_flush();
	process_die_for_now(physical.launch.control_fd >= 0);
}

_Noreturn void physical_give_up(const char *why)
{
	log_error("%s: %s", fail_call(), why);
	output_flush();
	control_aborted(physical.launch.control_fd, 1, fail_call());
	_exit(1);
}

/* ---- what the launcher says ---- */

/* The launcher compares the programs of all ranks. A rank whose file cannot be read is left out. */
static void report_program(void)
{
	uint8_t hash[CKPT_PROGRAM_BYTES];
	char name[CKPT_NAME_BYTES], err[512];

	if (physical.launch.control_fd >= 0 &&
		ckpt_program(hash, name, sizeof name, err, sizeof err) == 0)
		control_runs(physical.launch.control_fd, hash, ckpt_program_path());
}

/* What was learnt is what this process is. */
static void be(void)
{
	char name[LAUNCH_HOST_MAX + 32];

	process_is(physical.launch.rank, physical.launch.host);
	snprintf(name, sizeof name, "rank %d on %.64s", physical.launch.rank, process_host());
	log_configure(physical.launch.verbosity, name);
	fault_configure(physical.launch.rank,
		physical.launch.epoch + physical.launch.incarnations[physical.launch.rank]);
}

void physical_learn(int *argc, char ***argv)
{
	char err[512] = "out of memory";
	int rc = auth_init();

	if (rc == 0)
		rc = knob_load(err, sizeof err);
	if (rc == 0)
		rc = launch_learn(&physical.launch, argc, argv, err, sizeof err);
	if (rc)
		physical_give_up(err);
	be();
	report_program();
	control_program(physical.launch.control_fd, physical.launch.settings.image ||
							    symbol_scan_finds("FTMPI_") ||
							    symbol_scan_finds("ftmpi_"));
	fault_point("init-started");
}

void physical_learn_again(const struct physical_start *start)
{
	const struct world_info *was = comm_world_info();
	struct launch *l = &physical.launch;
	int rc = control_decode_start(l, start->body, start->len);

	l->control_fd = start->control_fd;
	l->listen_fd = start->listen_fd;
	l->beat_fd = start->beat_fd;
	if (rc)
		physical_give_up("the launcher's start message could not be read by the process of "
				 "an image");
	if (l->rank != was->rank || l->size != was->size)
		physical_give_up("the image is one of another rank, or of a job of another size");
	be();
}

void physical_unlearn(void)
{
	launch_free(&physical.launch);
}

/* ---- an image ---- */

void physical_note(void)
{
	clock_stand();
}

bool physical_descriptors(struct descriptor_list *list)
{
	engine_assert_held();
	descriptor_list_add(list, physical.launch.control_fd);
	descriptor_list_add(list, physical.launch.listen_fd);
	beating_own_descriptors(&physical.beating, &physical.launch, list);
	if (physical.loop)
		loop_own_descriptors(physical.loop, list);
	if (engine_tp())
		tp_own_descriptors(engine_tp(), list);
	engine_own_descriptors(list);
	return !list->incomplete;
}

void physical_forget(void)
{
	descriptors_forget();
	beating_forget(&physical.beating);
	control_forget();
	control_commands_forget();
	ckpt_writer_forget();
	ckpt_capture_forget();
	ckpt_program_forget();
	launch_free(&physical.launch);
	physical.launch = (struct launch)NOTHING_LEARNT;
	clock_go_on_from_there();
}

/* ---- sockets, memory, threads ---- */

static bool shares_memory(void)
{
	return !physical.launch.settings.tcp_only && !physical.launch.settings.apart;
}

/* Which ranks are on this one's host: with them it may share memory. The caller frees it. */
static bool *ranks_near(void)
{
	bool *near = calloc((size_t)physical.launch.size, sizeof *near);

	for (int i = 0; near && i < physical.launch.size; i++)
		near[i] = shares_memory() &&
			  physical.launch.node[i] == physical.launch.node[physical.launch.rank];
	return near;
}

/* Those of other hosts: what is between them may break while both live. By hand nobody sees which
 * of the two it was. */
static bool *ranks_far(void)
{
	bool *far = calloc((size_t)physical.launch.size, sizeof *far);

	for (int i = 0; far && i < physical.launch.size; i++)
		far[i] = physical.launch.control_fd >= 0 &&
			 physical.launch.node[i] != physical.launch.node[physical.launch.rank];
	return far;
}

/* Where Yama guards processes from each other (kernel.yama.ptrace_scope), the other ranks of this
 * host may read our memory all the same: they descend from the agent, as we do. */
static void allow_readers(void)
{
	struct ucred agent;
	socklen_t len = sizeof agent;

	if (!shares_memory() || physical.launch.control_fd < 0)
		return;
	if (getsockopt(physical.launch.control_fd, SOL_SOCKET, SO_PEERCRED, &agent, &len) == 0)
		prctl(PR_SET_PTRACER, (unsigned long)agent.pid, 0, 0, 0);
}

/* Those of ranks on this host: one for its connection, and one until it shares memory. */
static unsigned descriptors_of_peers(void)
{
	unsigned n = (unsigned)physical.launch.size;

	for (int i = 0; i < physical.launch.size && shares_memory(); i++)
		n += physical.launch.node[i] == physical.launch.node[physical.launch.rank];
	return n;
}

static void have_descriptors(void)
{
	descriptors_raise(descriptors_of_peers() + OWN_DESCRIPTORS + PROGRAM_DESCRIPTORS);
	if (!descriptors_free(OWN_DESCRIPTORS))
		physical_give_up(descriptors_text());
}

static void restart(void)
{
	ckpt_image_restarting();
	reexec_now();
}

static void save(uint32_t n, enum control_save_step step)
{
	if (ckpt_alone_data_is_used(ckpt_job()))
		ckpt_alone_data_go(n);
	else
		ckpt_asked(physical.loop, n, step);
}

static void observe(void)
{
	beating_observe(&physical.beating);
}

static void leave(void)
{
	engine_lock();
	physical.may_leave = true;
	engine_tell();
	engine_unlock();
}

/* Whoever may leave needs nobody any more. */
static void moved(const struct control_moved *m)
{
	if (m->rank >= (uint32_t)physical.launch.size || (int)m->rank == physical.launch.rank)
		return;
	engine_visit();
	physical.launch.beat[m->rank] = m->beat;
	if (p2p_log_is_used() && !physical.may_leave)
		tp_came_back(engine_tp(), (int)m->rank, m->incarnation, &m->data);
	engine_leave();
	beating_moved(&physical.beating, (int)m->rank, &m->beat);
}

static void fault(const struct control_fault *f)
{
	if (f->what == CONTROL_FAULT_DISK_FULL)
		fault_disk_full(f->ms);
	if (f->what != CONTROL_FAULT_CUT || f->peer >= (uint32_t)physical.launch.size ||
		(int)f->peer == physical.launch.rank)
		return;
	engine_visit();
	tp_cut(engine_tp(), (int)f->peer, f->ms);
	engine_leave();
}

bool physical_may_leave(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return physical.may_leave;
}

int physical_build(struct tp *tp)
{
	static const struct control_handlers commands = {.restart = restart,
		.observe = observe,
		.dump = queues_dump,
		.save = save,
		.leave = leave,
		.moved = moved,
		.fault = fault};
	bool launched = physical.launch.control_fd >= 0, *near = ranks_near(), *far = ranks_far();
	struct tp_physical phys = {
		.listen_fd = physical.launch.listen_fd,
		.addresses = physical.launch.addresses,
		.session = physical.launch.session,
		.secret = physical.launch.secret,
		.epoch = physical.launch.epoch,
		.connect_ms = launched ? (unsigned)knob_get(KNOB_CONNECT_MS) : BYHAND_CONNECT_MS,
		.refused_is_final = launched,
		.near = near,
		.memory_required = physical.launch.settings.memory_only && shares_memory(),
		.incarnations = physical.launch.incarnations,
		.come_back = p2p_log_is_used(),
		.roomy = !comm_world()->crowded,
		.mends = far,
	};
	int rc;

	have_descriptors();
	allow_readers();
	barrier_join(); /* before there are threads: that is quicker */
	physical.loop = phys.loop = loop_new("ftmpi-progress");
	rc = physical.loop && near && far ? tp_attach(tp, &phys) : FT_ENOMEM;
	free(near);
	free(far);
	if (rc)
		return rc;
	physical.launch.listen_fd = -1;
	rc = engine_attach(tp, physical.loop, comm_world()->crowded);
	if (rc == 0 && launched)
		rc = control_commands_watch(physical.loop, physical.launch.control_fd,
			physical.launch.epoch, &commands);
	return rc;
}

int physical_start(void)
{
	int rc = beating_start(&physical.beating, &physical.launch);

	return rc ? rc : loop_start(physical.loop);
}

int physical_go_on(void)
{
	int rc = beating_go_on(&physical.beating);

	clock_go_on();
	return rc ? rc : loop_start(physical.loop);
}

/* The heartbeats last: their silence is to be short. */
int physical_pause(uint64_t until_ns)
{
	int rc = loop_pause(physical.loop, until_ns);

	if (rc)
		return rc;
	rc = beating_pause(&physical.beating, until_ns);
	if (rc && loop_start(physical.loop) != 0)
		return FT_ESYS;
	return rc;
}

void physical_leave(void)
{
	beating_stop(&physical.beating, &physical.launch);
}

int physical_start_search(void)
{
	return loop_start(physical.loop);
}

int physical_listen_no_more(void)
{
	return loop_pause(physical.loop, UINT64_MAX);
}

void physical_drop(struct tp *tp, enum tp_end how)
{
	loop_stop(physical.loop);
	control_commands_unwatch();
	engine_detach();
	physical.launch.listen_fd = tp_detach(tp, how);
	loop_free(physical.loop);
	physical.loop = NULL;
}

/* Only libevent uses old numbers of descriptors, so the loop is last. */
void physical_forget_built(struct tp *tp, bool alone)
{
	tp_forget(tp);
	engine_forget(alone);
	loop_forget(physical.loop);
	loop_stop(physical.loop);
	loop_free(physical.loop);
	physical.loop = NULL;
}
