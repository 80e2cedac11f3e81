/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"
#include "runtime.h"
#include "symbol_scan.h"

static struct {
	_Atomic enum world_state state;
	int thread_level;
	pthread_t main_thread;
} world;

enum world_state world_state(void)
{
	return atomic_load(&world.state);
}

int world_thread_level(void)
{
	int level = world_state() < WORLD_OPEN ? MPI_THREAD_MULTIPLE : world.thread_level;

	if (p2p_log_is_used() && level == MPI_THREAD_MULTIPLE)
		return MPI_THREAD_SERIALIZED;
	return level;
}

bool world_is_main_thread(void)
{
	return world_state() >= WORLD_OPEN && pthread_equal(world.main_thread, pthread_self());
}

/* Only one of several threads makes the step from one state to the next. */
static bool advance(enum world_state from)
{
	return atomic_compare_exchange_strong(&world.state, &from, from + 1);
}

static _Noreturn void end_program(const char *when)
{
	process_last_words();
	log_error("%s was called %s: the program is ended", fail_call(), when);
	process_die(MPI_ERR_OTHER);
}

bool world_open(int *argc, char ***argv, int thread_level)
{
	if (!advance(WORLD_BEFORE)) {
		if (world_state() >= WORLD_CLOSING)
			end_program("after MPI_Finalize");
		return false;
	}
	world.main_thread = pthread_self();
	world.thread_level = thread_level;
	if (!runtime_use(argc, argv))
		end_program("while the process exits");
	engine_lock();
	if (thread_level <= MPI_THREAD_FUNNELED)
		engine_favour_thread();
	comm_name_world(true);
	engine_unlock();
	advance(WORLD_OPENING);
	return true;
}

/* A program that refers to the call, in C or in Fortran, may yet make its first session. The
 * Fortran library and profilers refer to PMPI_Session_init, so they do not count. */
static bool may_make_sessions(void)
{
	return symbol_scan_finds("MPI_Session_init") || symbol_scan_finds("mpi_session_init");
}

void world_close(void)
{
	if (!advance(WORLD_OPEN))
		end_program(
			world_state() >= WORLD_CLOSING ? "after MPI_Finalize" : "before MPI_Init");
	comm_world_delete_attributes();
	comm_name_world(false);
	engine_leave();
	if (may_make_sessions())
		runtime_keep();
	runtime_release();
	advance(WORLD_CLOSING);
}
