/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_image.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/fault.h"
#include "ckpt/capture.h"
#include "ckpt/out.h"
#include "ckpt/reader.h"
#include "ckpt/writer.h"
#include "ckpt_child.h"
#include "ckpt_job.h"
#include "image/image.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_sync.h"

enum {
	PAUSE_MS = 5000,
	PARK_MS = 2000,
	AGAIN_MS = 10,
	CHILD_PATIENCES = 6, /* so many times -image-patience its child may take to get on */
};

#define MS UINT64_C(1000000)

static const enum ckpt_kind kinds[IMAGE_SECTIONS] = {
	[IMAGE_ORIGIN] = CKPT_IMAGE_ORIGIN,
	[IMAGE_PROCESS] = CKPT_IMAGE_PROCESS,
	[IMAGE_MAPS] = CKPT_IMAGE_MAPS,
	[IMAGE_FILES] = CKPT_IMAGE_FILES,
	[IMAGE_PAGES] = CKPT_IMAGE_PAGES,
};

static const struct ckpt_image_host *host;
static const char *objection;

static struct {
	struct image_out out;  /* what image_take is given */
	struct ckpt_out *next; /* begun, and of no image yet */
	struct ckpt_out *file;
	struct descriptor_list own;
	struct image_feeder feeder;
	uint32_t line;	     /* that next, or the image, is for */
	bool begun;	     /* in the child: it has written something */
	_Atomic pid_t child; /* 0: none; read without the lock */
	unsigned wakes;
} image;

static atomic_bool restarting; /* the child is ended, as this process begins again */

void ckpt_image_use(const struct ckpt_image_host *h)
{
	host = h;
	p2p_sync_use(h != NULL && !p2p_log_is_used());
}

bool ckpt_image_is_used(void)
{
	return host != NULL;
}

unsigned ckpt_image_wakes(void)
{
	return image.wakes;
}

void ckpt_image_object(const char *text)
{
	engine_assert_held();
	objection = text;
}

const char *ckpt_image_objection(void)
{
	return objection;
}

/* ---- nothing else runs ---- */

/* A thread asleep in a wait would wake up in the next process without what it slept on. */
static bool nobody_sleeps(uint64_t until_ns)
{
	const struct timespec a_moment = {0, (long)MS};

	while (engine_somebody_sleeps()) {
		if (clock_ns() >= until_ns)
			return false;
		engine_want_safe_point(true);
		engine_unlock();
		nanosleep(&a_moment, NULL);
		engine_lock();
	}
	return true;
}

/* The progress thread may give the writer something to do until it has ended. */
static const char *pause_threads(uint64_t until_ns)
{
	for (;;) {
		if (ckpt_writer_wait(until_ns) != 0)
			return "what was to be written before it is not written yet";
		if (host->pause(until_ns) != 0)
			return "a thread of the library does not come to its end";
		if (ckpt_writer_wait(clock_ns() + AGAIN_MS * MS) == 0)
			return NULL;
		host->go_on();
	}
}

void ckpt_image_go_on(void)
{
	engine_assert_held();
	engine_unlock();
	host->go_on();
	engine_lock();
}

/* While the lock is let go a thread may come back from a function of the program's and sleep,
 * before it comes to a safe point. */
const char *ckpt_image_pause(void)
{
	uint64_t until = clock_ns() + PAUSE_MS * MS;
	const char *why;

	engine_assert_held();
	for (;;) {
		if (!nobody_sleeps(until))
			return "another thread does not leave its wait in an MPI call";
		engine_unlock();
		why = pause_threads(until);
		engine_lock();
		if (why || !engine_somebody_sleeps())
			return why;
		ckpt_image_go_on();
	}
}

/* ---- the child writes ---- */

static int begin(struct image_out *out, enum image_section section)
{
	int rc = image.begun ? ckpt_out_section_end(image.file) : 0;

	(void)out;
	if (!image.begun)
		fault_point("image-write");
	image.begun = true;
	return rc ? rc : ckpt_out_section(image.file, kinds[section], 0);
}

static int add(struct image_out *out, const void *bytes, size_t length)
{
	(void)out;
	return ckpt_out_add(image.file, bytes, length);
}

/* ---- taking ---- */

static bool list_own(void)
{
	descriptor_list_free(&image.own);
	descriptor_list_add(&image.own, ckpt_out_descriptor(image.file));
	return host->descriptors(&image.own);
}

/* For threads to stop in: no heartbeats come meanwhile. */
static uint32_t patience_ms(const struct launch *l)
{
	unsigned half = l->settings.beat_timeout_ms / 2;

	return l->settings.beat_ms && half < PARK_MS ? (half ? half : 1) : PARK_MS;
}

const char *ckpt_image_begin(const struct ckpt_job *j, uint32_t line, char *text, size_t size)
{
	struct ckpt_out_plan plan = {.fs = &ckpt_fs_posix,
		.session_dir = j->dir,
		.id = j->id,
		.line = line,
		.kind = CKPT_FILE_IMAGE,
		.sections = IMAGE_SECTIONS + (j->alone ? 0 : CKPT_IMAGE_BESIDE),
		.child = true,
		.alone = j->alone};

	engine_assert_held();
	ckpt_image_end();
	image.line = line;
	return ckpt_out_begin(&image.next, &plan, text, size) == 0 ? NULL : text;
}

void ckpt_image_end(void)
{
	engine_assert_held();
	ckpt_out_abandon(image.next);
	image.next = NULL;
}

/* Of rank 0 the launcher's settings say who writes its standard input; nobody writes others'. */
static const struct image_feeder *find_feeder(const struct launch *l)
{
	struct image_feeder *f = &image.feeder;
	char after;

	*f = (struct image_feeder){0};
	if (l->settings.input[0] &&
		(sscanf(l->settings.input, "%" SCNu32 ":%" SCNu32 ":%" SCNu64 "%c", &f->pid, &f->fd,
			 &f->inode, &after) != 3 ||
			f->pid == 0))
		f->pid = UINT32_MAX; /* it is not known, and nobody has that number */
	return &image.feeder;
}

static void tell_input(const struct launch *l, uint32_t line)
{
	if (l->settings.input[0])
		control_input(l->control_fd, line, image_input_read());
}

void ckpt_image_tell_input(void)
{
	tell_input(ckpt_job()->launch, 0);
}

/* The file that was begun becomes the image's. */
static const char *use_file(const struct ckpt_job *j)
{
	image.file = image.next;
	image.next = NULL;
	if (!list_own()) {
		ckpt_image_abandon();
		return "the library's descriptors cannot be told from the program's";
	}
	image.out = (struct image_out){.patience_ms = patience_ms(j->launch),
		.begin = begin,
		.add = add,
		.own = image.own.v,
		.owned = image.own.n,
		.closes = true,
		.feeder = find_feeder(j->launch),
		.kept = ckpt_out_descriptor(image.file)};
	image.out.memory = ckpt_out_memory(image.file, &image.out.memory_bytes);
	image.begun = false;
	return NULL;
}

/* The file and its memory are the living process's. */
static void wake(void)
{
	image.file = NULL;
	image.wakes++;
	host->woke();
}

const char *ckpt_image_take(const struct ckpt_job *j, char *text, size_t size)
{
	const char *why;
	pid_t child = 0;
	int rc;

	engine_assert_held();
	assert(image.next);
	if (image.file)
		return "the image before it is not written yet";
	if (!j->alone && !p2p_secure_found())
		return "a message that MPI_Mprobe has found is still on its way";
	if (image_prepare(text, size) != 0)
		return text;
	ckpt_capture_clear();
	why = use_file(j);
	if (why)
		return why;
	host->note();
	rc = image_take(&image.out, &child);
	image.child = rc == 0 ? child : 0;
	if (rc == 2)
		host->give_up("the process of an image came back without all of its threads");
	if (rc == 1)
		wake();
	if (rc == 0)
		tell_input(j->launch, image.line);
	if (rc >= 0)
		return NULL;
	snprintf(text, size, "%s", image_report()->why[0] ? image_report()->why : strerror(-rc));
	ckpt_image_abandon();
	return text;
}

/* ---- its end ---- */

/* Both count up as the child looks at memory, and as it writes. */
static uint64_t progress(void)
{
	return image_report()->looked + ckpt_out_written(image.file);
}

/* What it ended with, as ckpt_child_wait says; or it was given up, and err says why. */
static bool wait_for_child(int *status, char *err, size_t errsize)
{
	uint32_t limit = CHILD_PATIENCES * ckpt_job()->launch->settings.image_patience_ms;
	bool ended = ckpt_child_wait(image.child, progress, limit, status);

	if (!ended) {
		ckpt_child_kill(image.child);
		snprintf(err, errsize,
			"the process that writes its image wrote nothing for %g s and was ended: "
			"it "
			"was stopped, or the disk does not answer",
			limit / 1000.0);
	}
	image.child = 0;
	return ended;
}

bool ckpt_image_write(
	const struct ckpt_capture *c, struct coord_part *written, char *err, size_t errsize)
{
	int status;
	bool ended = wait_for_child(&status, err, errsize);
	struct ckpt_out *file = image.file;
	const struct ckpt_section *s = NULL;
	size_t n = 0;

	/* Until another thread begins the process again: why there is no file is no news then. */
	while (atomic_load(&restarting))
		pause();
	image.file = NULL;
	if (!ended) {
		ckpt_out_abandon(file);
		return false;
	}
	if (status == 0)
		ckpt_out_section_end(file);
	if (c)
		s = ckpt_capture_sections(c, &n);
	for (size_t i = 0; status == 0 && i < n; i++)
		ckpt_out_append(file, &s[i]);
	*written = (struct coord_part){.ok = 1};
	if (ckpt_out_finish(file, &written->seal, &written->bytes, err, errsize) == 0)
		return true;
	if (status > 0 && image_report()->why[0])
		snprintf(err, errsize, "%s", image_report()->why);
	return false;
}

void ckpt_image_abandon(void)
{
	if (image.child)
		ckpt_child_kill(image.child);
	image.child = 0;
	ckpt_out_abandon(image.file);
	image.file = NULL;
}

void ckpt_image_restarting(void)
{
	pid_t child = image.child;

	if (!child)
		return;
	atomic_store(&restarting, true);
	ckpt_child_kill(child);
}

/* ---- loading ---- */

bool ckpt_image_file(const struct ckpt_reader *r, struct image_file *f)
{
	*f = (struct image_file){.fd = r->fd};
	for (int i = 0; i < IMAGE_SECTIONS; i++) {
		const struct ckpt_entry *e = ckpt_reader_find(r, kinds[i]);

		if (!e)
			return false;
		f->at[i] = e->at;
		f->length[i] = e->len;
	}
	return true;
}

int ckpt_image_outcome(int rc)
{
	switch (-rc) {
	case 0:
		return 0;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return FT_ENOMEM;
	case EIO:
	case ESTALE:
	case ETIMEDOUT:
		return FT_ESYS;
	default:
		return FT_EMISMATCH;
	}
}

int ckpt_image_fits(const struct ckpt_reader *r, char *why, size_t size)
{
	struct image_file f;
	char brief[512] = "it lacks a section";
	int rc = FT_EMISMATCH;

	if (ckpt_image_file(r, &f))
		rc = ckpt_image_outcome(image_check(&f, brief, sizeof brief));
	if (rc)
		snprintf(why, size, "%s: %s", r->path.text, brief);
	return rc;
}
