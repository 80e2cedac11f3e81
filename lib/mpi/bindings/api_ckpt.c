/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of ftmpi.h. They return what they have to say and call no error handler: a program asks
 * for checkpoints in order to go on.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "api_ckpt.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ftmpi.h"
#include "launch/control.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/coll/team.h"
#include "mpi/engine/engine.h"
#include "mpi/init/runtime.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/recovery/ckpt_alone_data.h"
#include "mpi/recovery/ckpt_cost.h"
#include "mpi/recovery/ckpt_traffic.h"
#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_image.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/recovery/ckpt_make.h"
#include "mpi/recovery/ckpt_restore.h"
#include "mpi/recovery/ckpt_vars.h"
#include "mpi/rma/rma.h"

#define PROGRESS_NS UINT64_C(500000000)

/* Once: a program that begins with it may call many times. */
static void say_outside(const char *name)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		log_error(
			"%s was called %s, and did nothing (of such calls only the first is told)",
			name,
			runtime_state() == RUNTIME_BEFORE ? "before MPI_Init"
							  : "after MPI_Finalize");
}

int api_ckpt_failed(int rc)
{
	static const char *said[16]; /* more than there are such calls */
	size_t n = sizeof said / sizeof *said;

	for (size_t i = 0; i < n; i++) {
		if (said[i] && strcmp(said[i], fail_call()) == 0)
			return rc;
		if (said[i])
			continue;
		said[i] = fail_call();
		log_error("%s failed: %s (of its failures only the first is told)", fail_call(),
			fail_detail()[0] ? fail_detail() : "see its result");
		return rc;
	}
	return rc;
}

bool api_ckpt_enter(const char *name)
{
	static bool told;

	if (runtime_state() != RUNTIME_RUNNING && runtime_state() != RUNTIME_FORKED) {
		say_outside(name);
		return false;
	}
	api_enter(name);
	if (!told && ckpt_job()->launch->control_fd >= 0) {
		told = true;
		control_program(ckpt_job()->launch->control_fd, 1);
	}
	return true;
}

static int leave(int rc)
{
	engine_leave();
	return rc;
}

/* What is to be saved or given back, is not. */
static int leave_told(int rc)
{
	return leave(rc == MPI_SUCCESS ? rc : api_ckpt_failed(rc));
}

static int class_of(int rc)
{
	switch (rc) {
	case 0:
		return MPI_SUCCESS;
	case FT_ENOMEM:
		return fail_with(MPI_ERR_NO_MEM, "there is no memory for it");
	case FT_ENONE:
		return fail_with(MPI_ERR_BUFFER, "there is no data buffer");
	case FT_ETRUNC:
		return fail_with(MPI_ERR_TRUNCATE, "fewer bytes are left in the data buffer");
	default:
		return fail_with(MPI_ERR_ARG, "an argument is negative or NULL");
	}
}

/* ---- lines ---- */

/* Looks for a line the first time it is asked. */
static bool restored(struct ckpt_job *j)
{
	if (!j->restoring)
		return false;
	j->restoring = false;
	return ckpt_drive_restore();
}

/* Under a protocol that waits for nobody each rank comes to its first checkpoint at a step of its
 * own. All would have to stop there for the restore, and those that are not there yet may wait for
 * a message of one that is. One rank warns of that in the first run. */
static void check_restore_called(const struct ckpt_job *j)
{
	static bool told;

	if (j->asked || coord_is_blocking(&j->coord) || ckpt_image_is_used())
		return;
	if (j->restoring) {
		process_last_words();
		log_error("FTMPI_Perform_Checkpoint: this job is to go on from a line, but "
			  "FTMPI_Restore was not called: call it after MPI_Init. The first "
			  "checkpoint restores instead only where all ranks come to it together, "
			  "under `-coord blocking` (with `-restore` also from lines that are "
			  "there now)");
		process_die(MPI_ERR_OTHER);
	}
	if (!told && j->id.rank == 0)
		log_error("FTMPI_Perform_Checkpoint: FTMPI_Restore was not called: without it "
			  "this job cannot go on from its lines after a failure, but under "
			  "`-coord blocking`");
	told = true;
}

/* Under message logging with images the launcher says when a rank is saved. */
static bool cannot_make(void)
{
	static bool told;

	if (!p2p_log_is_used() || !ckpt_image_is_used())
		return false;
	if (!told)
		log_error("%s: it saves nothing under `-coord msglog -image`: ftmpirun has each "
			  "rank saved (-ckpt-interval, SIGUSR2)",
			fail_call());
	told = true;
	return true;
}

/* A call that waits for all ranks returns what became of the line (ftmpi.h). */
static enum ckpt_made make_to_the_end(struct ckpt_job *j)
{
	enum ckpt_made made = ckpt_make(j);

	if (made == CKPT_MADE && coord_is_blocking(&j->coord) && !ckpt_drive_wait())
		return CKPT_NOT_MADE;
	return made;
}

static int make_line(struct ckpt_job *j)
{
	uint64_t since = clock_ns();
	uint32_t before = j->coord.line;
	enum ckpt_made made;

	j->called = true;
	made = make_to_the_end(j);
	j->called = false;
	if (made != CKPT_WOKEN)
		ckpt_cost_stood(j, since);
	if (made != CKPT_WOKEN && j->coord.line != before)
		ckpt_traffic_before(j, j->coord.line);
	switch (made) {
	case CKPT_MADE:
		return FTMPI_CHECKPOINTED;
	case CKPT_WOKEN:
		return FTMPI_RESTORED;
	default:
		return FTMPI_CKPTERROR;
	}
}

/* A checkpoint of this rank alone. */
static int make_own(struct ckpt_job *j)
{
	uint64_t since = clock_ns();
	bool made = ckpt_alone_data_make(j);

	ckpt_cost_stood(j, since);
	return made ? FTMPI_CHECKPOINTED : FTMPI_CKPTERROR;
}

/* The agent counts what has come to it. */
static void flush_output(void)
{
	if (p2p_log_is_used())
		fflush(stdout);
}

int FTMPI_Perform_Checkpoint(void)
{
	struct ckpt_job *j = ckpt_job();

	flush_output();
	if (!api_ckpt_enter("FTMPI_Perform_Checkpoint"))
		return FTMPI_CKPTERROR;
	if (cannot_make())
		return leave(FTMPI_CKPTERROR);
	if (ckpt_alone_data_is_used(j)) {
		ckpt_job_name();
		return leave(make_own(j));
	}
	check_restore_called(j);
	ckpt_job_name();
	return leave(restored(j) ? FTMPI_RESTORED : make_line(j));
}

static int restore_alone(struct ckpt_job *j)
{
	if (!j->restoring) {
		ckpt_alone_data_restore_point();
		return FTMPI_NOTHING;
	}
	ckpt_alone_data_restore(j);
	return FTMPI_RESTORED;
}

int FTMPI_Restore(void)
{
	struct ckpt_job *j = ckpt_job();

	flush_output();
	if (!api_ckpt_enter("FTMPI_Restore"))
		return FTMPI_CKPTERROR;
	j->asked = true;
	if (ckpt_alone_data_is_used(j))
		return leave(restore_alone(j));
	if (!j->restoring)
		return leave(FTMPI_NOTHING);
	ckpt_job_name();
	return leave(restored(j) ? FTMPI_RESTORED : FTMPI_NOTHING);
}

/* What others have said is heard first; what they are asked leaves at once. */
static bool local_due(bool elapsed)
{
	bool due;

	engine_look();
	due = ckpt_drive_due(elapsed);
	tp_flush(engine_tp());
	return due;
}

int FTMPI_Checkpoint_due(int *flag)
{
	struct ckpt_job *j = ckpt_job();
	uint64_t interval;
	int32_t due;

	if (!flag)
		return MPI_ERR_ARG;
	if (!api_ckpt_enter("FTMPI_Checkpoint_due"))
		return MPI_ERR_OTHER;
	/* an image's time is the launcher's to tell */
	interval =
		ckpt_image_is_used() ? 0 : (uint64_t)j->launch->settings.ckpt_interval_ms * 1000000;
	due = interval && (j->wanted || clock_ns() - j->since >= interval);
	if (ckpt_alone_data_is_used(j))
		due = due && ckpt_alone_data_is_possible(j);
	else if (interval && coord_is_blocking(&j->coord))
		team_broadcast(&due, sizeof due);
	else if (interval)
		due = local_due(due);
	if (due)
		j->wanted = false;
	*flag = due;
	return leave(MPI_SUCCESS);
}

int FTMPI_Progress(double fraction, const char *text)
{
	static uint64_t told; /* guarded by the engine lock */
	static double last;
	uint64_t now = clock_ns();
	bool is_told;

	if (!(fraction >= 0 && fraction <= 1))
		return MPI_ERR_ARG;
	if (runtime_state() != RUNTIME_RUNNING)
		return MPI_ERR_OTHER;
	api_enter("FTMPI_Progress");
	is_told = told == 0 || now - told >= PROGRESS_NS || (fraction == 1 && last != 1);
	if (is_told) {
		told = now;
		last = fraction;
	}
	engine_leave();
	if (is_told)
		control_progress(ckpt_job()->launch->control_fd, (uint32_t)(fraction * 1e6 + 0.5),
			text ? text : "");
	return MPI_SUCCESS;
}

int FTMPI_Get_restart_count(int *count)
{
	if (!count)
		return MPI_ERR_ARG;
	if (!api_ckpt_enter("FTMPI_Get_restart_count"))
		return MPI_ERR_OTHER;
	*count = ckpt_job()->alone ? (int)ckpt_job()->id.epoch
				   : (int)ckpt_job()->launch->settings.restarts;
	return leave(MPI_SUCCESS);
}

/* ---- variables ---- */

static int protect(int id, void *addr, MPI_Count count, MPI_Datatype datatype)
{
	struct ckpt_job *j = ckpt_job();
	struct type *t;
	int rc;

	if (id < 0 || id > FTMPI_CKPT_ID_MAX)
		return fail_with(
			MPI_ERR_ARG, "the id %d is not from 0 to %d", id, FTMPI_CKPT_ID_MAX);
	if (!addr && count > 0)
		return fail_with(MPI_ERR_ARG, "the address of variable %d is NULL", id);
	if (count < 0)
		return fail_with(
			MPI_ERR_COUNT, "variable %d has %lld elements", id, (long long)count);
	rc = type_lookup_committed(datatype, &t);
	if (rc)
		return rc;
	if (t->size && (uint64_t)count > (SIZE_MAX >> 1) / t->size)
		return fail_with(MPI_ERR_COUNT, "variable %d is larger than all memory", id);
	rc = class_of(ckpt_vars_protect(&j->registry, id, addr ? addr : j, (size_t)count, t));
	return rc ? rc : ckpt_restore_variable(j, id);
}

int FTMPI_CKPT_Protect(int id, void *addr, MPI_Count count, MPI_Datatype datatype)
{
	if (!api_ckpt_enter("FTMPI_CKPT_Protect"))
		return MPI_ERR_OTHER;
	return leave_told(protect(id, addr, count, datatype));
}

int FTMPI_CKPT_Unprotect(int id)
{
	if (!api_ckpt_enter("FTMPI_CKPT_Unprotect"))
		return MPI_ERR_OTHER;
	return leave(id >= 0 && ckpt_vars_unprotect(&ckpt_job()->registry, id) == 0 ? MPI_SUCCESS
										    : MPI_ERR_ARG);
}

/* ---- the data buffer ---- */

int FTMPI_CKPT_AllocBuffer(MPI_Count dsize)
{
	if (!api_ckpt_enter("FTMPI_CKPT_AllocBuffer"))
		return MPI_ERR_OTHER;
	return leave_told(class_of(ckpt_buffer_alloc(&ckpt_job()->buffer, dsize)));
}

int FTMPI_CKPT_ReAllocBuffer(MPI_Count dsize)
{
	if (!api_ckpt_enter("FTMPI_CKPT_ReAllocBuffer"))
		return MPI_ERR_OTHER;
	return leave_told(class_of(ckpt_buffer_realloc(&ckpt_job()->buffer, dsize)));
}

int FTMPI_CKPT_DeAllocBuffer(void)
{
	if (!api_ckpt_enter("FTMPI_CKPT_DeAllocBuffer"))
		return MPI_ERR_OTHER;
	ckpt_buffer_free(&ckpt_job()->buffer);
	return leave(MPI_SUCCESS);
}

int FTMPI_CKPT_ResetBufPtr(void)
{
	if (!api_ckpt_enter("FTMPI_CKPT_ResetBufPtr"))
		return MPI_ERR_OTHER;
	return leave(class_of(ckpt_buffer_reset(&ckpt_job()->buffer)));
}

MPI_Count FTMPI_CKPT_SeekBufPtr(MPI_Count offset, int how)
{
	MPI_Count was;

	if (!api_ckpt_enter("FTMPI_CKPT_SeekBufPtr"))
		return -1;
	was = ckpt_buffer_seek(&ckpt_job()->buffer, offset, how);
	engine_leave();
	return was;
}

int FTMPI_CKPT_AddToBuffer(const void *var, MPI_Count vsize)
{
	if (!api_ckpt_enter("FTMPI_CKPT_AddToBuffer"))
		return MPI_ERR_OTHER;
	return leave_told(class_of(ckpt_buffer_add(&ckpt_job()->buffer, var, vsize)));
}

int FTMPI_CKPT_GetFromBuffer(void *var, MPI_Count vsize)
{
	if (!api_ckpt_enter("FTMPI_CKPT_GetFromBuffer"))
		return MPI_ERR_OTHER;
	return leave_told(class_of(ckpt_buffer_get(&ckpt_job()->buffer, var, vsize)));
}
