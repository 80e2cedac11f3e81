/* SPDX-License-Identifier: BSD-3-Clause */
/* The users of the process's part in the job: the first one begins it, the last one ends it. */
#include "runtime.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "launch/control.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "output.h"
#include "physical.h"
#include "runtime_job.h"

static struct {
	/* guards the others, and is taken before the engine's lock */
	pthread_mutex_t using;
	int users;
	bool kept, ending;
} rt = {.using = PTHREAD_MUTEX_INITIALIZER};

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
	enum runtime_state state = atomic_load(&runtime_job_state);

	if (state == RUNTIME_RUNNING || state == RUNTIME_IDLE)
		atomic_store(&runtime_job_state, RUNTIME_FORKED);
	pthread_mutex_unlock(&rt.using);
}

static void watch_forks(void)
{
	if (pthread_atfork(before_fork, forked_parent, forked_child) != 0)
		physical_give_up(ft_error_text(FT_ENOMEM));
}

bool runtime_use(int *argc, char ***argv)
{
	static pthread_once_t watched = PTHREAD_ONCE_INIT;
	bool there;

	pthread_once(&watched, watch_forks);
	pthread_mutex_lock(&rt.using);
	there = !rt.ending;
	if (there && atomic_load(&runtime_job_state) == RUNTIME_BEFORE)
		runtime_job_start(argc, argv);
	else if (there)
		runtime_job_take_out(argc, argv);
	if (there) {
		rt.users++;
		atomic_store(&runtime_job_state, RUNTIME_RUNNING);
	}
	pthread_mutex_unlock(&rt.using);
	return there;
}

void runtime_forget(void)
{
	pthread_mutex_init(&rt.using, NULL);
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
	bool last, ends;

	pthread_mutex_lock(&rt.using);
	last = --rt.users == 0;
	rt.ending = ends = last && !rt.kept;
	if (last && rt.kept)
		atomic_store(&runtime_job_state, RUNTIME_IDLE);
	pthread_mutex_unlock(&rt.using);
	return ends;
}

void runtime_release(void)
{
	if (let_go())
		runtime_job_finish();
}

/* The end of a process that has sessions. What the program registered with atexit has run before.
 * Nothing happens in a forked child, or when the process exits with users. */
__attribute__((destructor)) static void at_exit(void)
{
	enum runtime_state state = runtime_state();

	if (state == RUNTIME_RUNNING && rt.kept)
		log_error("the process exits with MPI in use: MPI_Session_finalize or "
			  "MPI_Finalize was not called");
	if (state != RUNTIME_IDLE)
		return;
	fail_begin("exit");
	rt.ending = true;
	runtime_job_finish();
}

static void report_end(int errclass)
{
	bool asked = strcmp(fail_call(), "MPI_Abort") == 0;

	output_flush();
	control_aborted(
		physical_launch()->control_fd, (uint32_t)errclass, asked ? "" : fail_call());
}

void runtime_loaded(void)
{
	process_on_end(report_end);
}
