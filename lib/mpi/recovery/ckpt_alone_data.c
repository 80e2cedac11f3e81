/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_alone_data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "ckpt/rank_folder.h"
#include "ckpt/capture.h"
#include "ckpt/section_logged.h"
#include "ckpt/writer.h"
#include "ckpt_alone.h"
#include "ckpt_job.h"
#include "ckpt_part.h"
#include "ckpt_restore.h"
#include "ckpt_schedules.h"
#include "ckpt_traffic.h"
#include "ckpt_why.h"
#include "coord/msglog.h"
#include "launch/control.h"
#include "mpi.h"
#include "mpi/coll/coll_open.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/comm_again.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_part.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/request.h"

static struct {
	bool at_restore_point; /* the program has come there */
	const char *cannot;    /* why none can be made at all; NULL */
	uint64_t comms, parts; /* communicators and partitioned requests that it had made by then */
	uint32_t latest;       /* the number of the last one that was begun */
	uint32_t gone;	       /* the agent has let this rank go on from this one */
	bool writing, durable;
	struct ckpt_loaded loaded; /* before the restore point, behind which it is the job's */
	struct ckpt_part part;
	struct ckpt_task task;
} data = {.durable = true};

bool ckpt_alone_data_is_used(const struct ckpt_job *j)
{
	return j->alone && !j->launch->settings.image;
}

static _Noreturn void end(const char *why)
{
	process_last_words();
	log_error("%s: %s", fail_call(), why);
	process_die(MPI_ERR_OTHER);
}

/* ---- what there is ---- */

const uint8_t *ckpt_alone_data_state(size_t *len)
{
	for (size_t i = 0; i < data.loaded.n; i++) {
		*len = (size_t)data.loaded.sections[i].len;
		if (data.loaded.sections[i].kind == CKPT_MSGLOG)
			return data.loaded.sections[i].data;
	}
	return NULL;
}

static size_t sections(enum ckpt_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < data.loaded.n; i++)
		n += data.loaded.sections[i].kind == kind;
	return n;
}

/* Numbers of receives are those of before: in order, so the last is the highest. */
static bool were_posted(uint64_t most)
{
	for (size_t i = 0; i < data.loaded.n; i++) {
		const struct ckpt_section *s = &data.loaded.sections[i];

		if (s->kind == CKPT_LOGGED &&
			section_logged_last_receive(s->data, (size_t)s->len) > most)
			return false;
	}
	return true;
}

static bool makes_sense(const struct ckpt_job *j)
{
	size_t len;
	const uint8_t *state = ckpt_alone_data_state(&len);

	return sections(CKPT_MSGLOG) == 1 && sections(CKPT_LOGGED) == 1 &&
	       msglog_valid(state, len, (int)j->id.rank, (int)j->id.size) &&
	       msglog_saved_has_prefix(state, len) &&
	       ckpt_part_valid(&data.loaded, (int)j->id.size) &&
	       were_posted(msglog_saved_posted(state, len));
}

static int check(const struct ckpt_job *j, uint32_t number, char *err, size_t errsize)
{
	if (makes_sense(j))
		return ckpt_schedules_fit(&data.loaded, err, errsize);
	snprintf(err, errsize,
		"checkpoint %u of rank %u in %s: what it holds of messages, operations or "
		"communicators makes no sense, or there is no memory to check it",
		number, j->id.rank, j->dir);
	return FT_EDAMAGED;
}

/* A first process has nothing. Later ones make sure that what it may still write does not count;
 * but on a host without the work directory there never was anything. *rc: that is not known. */
static bool may_have(const struct ckpt_job *j, int *rc, char *err, size_t errsize)
{
	*rc = 0;
	if (j->id.epoch == 0)
		return false;
	if (access(j->launch->workdir, W_OK | X_OK) == 0)
		return true;
	if (errno == ENOENT || errno == ENOTDIR)
		return false;
	*rc = FT_ESYS;
	snprintf(err, errsize, "cannot look for checkpoints of this rank in %s: %s",
		j->launch->workdir, strerror(errno));
	return false;
}

int ckpt_alone_data_find(struct ckpt_job *j, char *err, size_t errsize)
{
	struct ckpt_rank_folder place;
	int rc;

	memset(&data, 0, sizeof data);
	data.durable = true;
	j->restoring = false;
	if (!may_have(j, &rc, err, errsize))
		return rc;
	ckpt_job_name();
	place = ckpt_alone_place(j);
	rc = ckpt_rank_folder_take(&place, &data.latest, err, errsize);
	fault_point("restore-found");
	if (rc || data.latest == 0)
		return rc;
	rc = ckpt_rank_folder_load(&ckpt_fs_posix, j->dir, data.latest, &j->id,
		j->launch->settings.accept_binary, &data.loaded, (struct ckpt_err){err, errsize});
	if (rc == 0)
		rc = check(j, data.latest, err, errsize);
	j->restoring = rc == 0;
	return rc;
}

/* ---- the agent ---- */

static bool has_gone(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return data.gone == data.latest;
}

/* It notes how much the program has printed. */
static void stand(const struct ckpt_job *j)
{
	control_held(j->launch->control_fd, data.latest, "");
	engine_wait(has_gone, NULL);
}

void ckpt_alone_data_go(uint32_t n)
{
	engine_visit();
	data.gone = n;
	engine_tell();
	engine_leave();
}

/* ---- the restore point ---- */

static bool is_quiet(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return !coll_open_standing().unfinished && !p2p_receiving();
}

/* Receives of the prefix had their messages by then, also those that name their source: else the
 * checkpoint would not be there (p2p_log_restore_point). */
static bool has_what_it_had(void *arg, int *expect)
{
	return is_quiet(arg, expect) && !p2p_log_has_posted();
}

/* What was begun before comes to its end: it belongs to the prefix. */
static void be_quiet(void)
{
	if (!engine_alone())
		end("another thread is inside an MPI call; all but one must stay out of MPI "
		    "meanwhile");
	engine_wait(ckpt_job()->restoring ? has_what_it_had : is_quiet, NULL);
	data.at_restore_point = true;
	p2p_log_told_no_more();
	data.comms = comm_made_ever();
	data.parts = parts_made_ever();
}

void ckpt_alone_data_restore_point(void)
{
	engine_assert_held();
	if (data.at_restore_point)
		return;
	be_quiet();
	data.cannot = p2p_log_restore_point();
	fault_point("data-restore-point");
	if (data.cannot)
		log_error("FTMPI_Restore: this rank will have no checkpoints: %s", data.cannot);
}

void ckpt_alone_data_restore(struct ckpt_job *j)
{
	engine_assert_held();
	p2p_log_is_through();
	be_quiet();
	coll_open_leave();
	fault_point("data-prefix-over");
	control_restored(j->launch->control_fd, data.latest, j->launch->session_name);
	stand(j);
	fault_point("data-restore-stood");
	engine_wait(is_quiet, NULL); /* something may have come meanwhile */
	p2p_log_go_back();
	j->loaded = data.loaded;
	data.loaded = (struct ckpt_loaded){0};
	if (!ckpt_restore_take_all(j))
		end("the checkpoint of this rank does not fit this program: it cannot go on");
	comm_again_go_alone();
	p2p_log_begin_pairs_anew();
	j->restoring = false;
	j->since = clock_ns();
	fault_point("data-restored");
}

/* ---- a checkpoint is written ---- */

static bool write_file(const struct ckpt_job *j, uint32_t number, char *err, size_t errsize)
{
	size_t n;
	const struct ckpt_section *s = ckpt_capture_sections(data.part.capture, &n);
	uint64_t bytes = ckpt_capture_bytes(data.part.capture);

	if (ckpt_rank_folder_write(&ckpt_fs_posix, j->dir, &j->id, number, s, n,
		    (struct ckpt_err){err, errsize}) != 0 ||
		!ckpt_alone_counts(j, number, err, errsize))
		return false;
	control_size(j->launch->control_fd, number, bytes);
	return true;
}

static void write_it(struct ckpt_task *task)
{
	const struct ckpt_job *j = ckpt_job();
	uint32_t number = data.part.line;
	char err[1024] = "";
	bool durable = write_file(j, number, err, sizeof err);

	(void)task;
	engine_visit();
	ckpt_part_end(&data.part);
	data.writing = false;
	data.durable = durable;
	ckpt_alone_over(number, durable, err);
	engine_tell();
	engine_leave();
	ckpt_alone_tell(j, number, durable);
}

/* ---- a checkpoint is taken ---- */

/* The program cannot begin it again: it has no handle of the communicator. */
static void look_for_freed(struct request *r, void *arg)
{
	bool *found = arg;

	*found |= request_active(r) && r->kind != REQUEST_SEND && !r->past && r->m.comm &&
		  r->m.comm->freed;
}

static bool has_freed(void)
{
	bool found = false;

	requests_each(look_for_freed, &found);
	return found;
}

/* What a rank has that its checkpoint cannot hold. */
static const char *obstacle(void)
{
	if (data.cannot)
		return data.cannot;
	if (p2p_log_has_cancelled())
		return "a receive was cancelled and is not completed: wait for it before";
	if (has_freed())
		return "the program has freed a communicator of which a receive or an operation is "
		       "open: wait for that before";
	if (comm_again_needs_others(data.comms))
		return "the program has a distributed graph that it made after FTMPI_Restore: make "
		       "it before that, or free it";
	if (parts_made_ever() != data.parts)
		return "the program has made a partitioned request after FTMPI_Restore: make all "
		       "of them before that";
	return NULL;
}

/* No event comes between the stages, nor before the writer has it. */
static const char *gather(char *text, size_t size)
{
	const char *why = ckpt_part_gather(&data.part, CKPT_STAGE_STATE, text, size);

	if (!why)
		why = ckpt_part_gather(&data.part, CKPT_STAGE_LOGGED, text, size);
	if (why)
		return why;
	data.task.run = write_it;
	data.writing = !fault_error("short-thread") && ckpt_writer_post(&data.task) == 0;
	return data.writing ? NULL : ckpt_why_text(CKPT_WHY_NO_WRITER);
}

static const char *take(struct ckpt_job *j, char *text, size_t size)
{
	const char *why;

	data.part = (struct ckpt_part){.job = j, .line = data.latest, .copied = true};
	why = ckpt_part_begin(&data.part, text, size);
	if (why)
		return why;
	stand(j);
	fault_point("alone-begin");
	p2p_log_await_contents();
	ckpt_loaded_free(&j->loaded); /* variables that were not named are in no checkpoint */
	p2p_log_end_sends();
	why = gather(text, size);
	if (!why)
		return NULL;
	if (p2p_log_is_taken())
		p2p_log_saved(false);
	ckpt_part_end(&data.part);
	return why;
}

bool ckpt_alone_data_is_possible(const struct ckpt_job *j)
{
	return !j->restoring && !data.writing && !data.cannot && p2p_log_may_cover();
}

bool ckpt_alone_data_make(struct ckpt_job *j)
{
	char text[1024];
	const char *why;

	engine_assert_held();
	if (j->restoring)
		end("this rank is to go on from its checkpoint, but FTMPI_Restore was not called: "
		    "call it after MPI_Init, also in the first run");
	if (!data.at_restore_point)
		data.cannot = "FTMPI_Restore was not called: call it after MPI_Init, also in the "
			      "first run";
	if (!data.cannot && !ckpt_alone_data_is_possible(j))
		return false; /* it comes by here again */
	data.latest++;
	why = obstacle();
	if (!why)
		why = take(j, text, sizeof text);
	j->since = clock_ns();
	fault_point("alone-taken");
	if (!why) {
		ckpt_traffic_before(j, data.latest);
		return true;
	}
	data.durable = false;
	ckpt_why_not_made(data.latest, why);
	control_saved(j->launch->control_fd, data.latest, false);
	return false;
}

static bool is_written(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return !data.writing;
}

bool ckpt_alone_data_wait(void)
{
	engine_assert_held();
	engine_wait(is_written, NULL);
	return data.durable;
}

void ckpt_alone_data_end(void)
{
	engine_assert_held();
	ckpt_loaded_free(&data.loaded);
	if (ckpt_alone_data_is_used(ckpt_job()) && ckpt_job()->restoring)
		end("this rank was to go on from its checkpoint, but FTMPI_Restore was not "
		    "called");
}
