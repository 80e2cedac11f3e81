/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "image/image.h"
#include "image_carried.h"
#include "image_job.h"
#include "launch/control.h"
#include "launch/reexec.h"
#include "mpi/handle/fail.h"
#include "mpi/recovery/ckpt_image.h"
#include "mpi/recovery/log_keeper.h"
#include "physical.h"
#include "runtime_job.h"

static struct carried *carry(
	const struct ckpt_found *f, uint32_t highest, const void *start, size_t len, size_t *bytes)
{
	const struct launch *l = physical_launch();
	size_t started = reexec_carry(NULL, 0);
	struct carried *c;

	*bytes = sizeof *c + len + started;
	c = calloc(1, *bytes);
	if (!c)
		physical_give_up_for(FT_ENOMEM, ft_error_text(FT_ENOMEM));
	*c = (struct carried){.control_fd = l->control_fd,
		.listen_fd = l->listen_fd,
		.beat_fd = l->beat_fd,
		.line = f->line,
		.highest = highest,
		.start = len,
		.started = started};
	memcpy(c->dir, f->dir, sizeof c->dir);
	memcpy(c->bytes, start, len);
	reexec_carry(c->bytes + len, started);
	return c;
}

static _Noreturn void cannot_load(const struct ckpt_found *f, int rc, const char *why)
{
	char text[sizeof f->dir + 1024 + 64];

	snprintf(text, sizeof text, "%s %u of %s cannot be loaded: %s",
		log_keeper_wanted(physical_launch()) ? "checkpoint" : "line", f->line, f->dir, why);
	physical_give_up_for(ckpt_image_outcome(rc), text);
}

static void with_files(const struct ckpt_found *f,
	int (*what)(const struct image_file *file, char *why, size_t size))
{
	struct image_file file;
	char why[1024] = "it lacks a section";
	int rc = -EINVAL;

	if (physical_launch()->settings.image_keep_files)
		return;
	if (ckpt_image_file(&f->image, &file))
		rc = what(&file, why, sizeof why);
	if (rc)
		cannot_load(f, rc, why);
}

/* A lock that cannot be had ends the job: no rank has cut a file then. */
static void try_files(const struct ckpt_found *f)
{
	with_files(f, image_try_files);
}

/* Other ranks may have the same files open: no rank writes to them again before all have cut. */
static void cut_files(const struct ckpt_found *f)
{
	fault_point("image-cut");
	with_files(f, image_cut);
}

static _Noreturn void load(struct ckpt_found *f, uint32_t highest, const void *start, size_t len)
{
	const struct launch *l = physical_launch();
	const int own[] = {l->control_fd, l->listen_fd, l->beat_fd};
	struct image_file file;
	char why[1024] = "it lacks a section";
	int from, rc = -EINVAL;

	if (ckpt_image_file(&f->image, &file)) {
		file.own = own;
		file.owned = sizeof own / sizeof *own;
		file.carried = carry(f, highest, start, len, &file.carried_bytes);
		from = image_free_from(&file, why, sizeof why);
		file.fd = from < 0 ? -1 : fcntl(f->image.fd, F_DUPFD_CLOEXEC, from);
		rc = from < 0 ? from : -errno;
		if (from >= 0 && file.fd < 0)
			snprintf(why, sizeof why, "there is no descriptor for it: %s",
				strerror(errno));
		close(f->image.fd); /* its number may be one of the image's */
		fault_point("image-load");
		if (file.fd >= 0)
			rc = image_load(&file, why, sizeof why);
	}
	cannot_load(f, rc, why);
}

/* Whom this process has to ask what it goes on from. */
enum source { SOURCE_NONE, SOURCE_ALL_RANKS, SOURCE_ITSELF };

static enum source source_of(const void *start, size_t len)
{
	struct launch l = {0};
	enum source source = SOURCE_NONE;

	if (control_decode_start(&l, start, len) != 0)
		physical_give_up("the launcher's start message could not be read");
	if (l.settings.image && log_keeper_wanted(&l))
		source = l.incarnations[l.rank] > 0 ? SOURCE_ITSELF : SOURCE_NONE;
	else if (l.settings.image && (l.settings.restarts > 0 || l.settings.restore[0]))
		source = SOURCE_ALL_RANKS;
	launch_free(&l);
	return source;
}

/* Is there anything to go on from? */
static bool look(const void *start, size_t len, struct ckpt_found *found, uint32_t *highest)
{
	static const runtime_job_step steps[] = {try_files, cut_files, NULL};

	switch (source_of(start, len)) {
	case SOURCE_ALL_RANKS:
		return runtime_job_search(found, highest, steps);
	case SOURCE_ITSELF:
		*highest = 0;
		return runtime_job_search_alone(found, steps);
	case SOURCE_NONE:
		break;
	}
	return false;
}

void image_job_loaded(void)
{
	static const struct runtime_job_hooks hooks = {image_job_begin, image_job_end};
	char err[512];
	struct ckpt_found found;
	const void *start;
	uint32_t highest;
	size_t len;
	int rc;

	fail_begin("the start of the program");
	runtime_job_on(&hooks);
	rc = image_init();
	if (rc == -ENOSYS)
		physical_give_up("this libc does not keep the ids of threads where images need it");
	if (rc) {
		snprintf(err, sizeof err,
			"no thread can begin: %s (the limits of memory and of processes: "
			"ulimit -d, -v, -u)",
			strerror(-rc));
		physical_give_up(err);
	}
	if (control_early(&start, &len, err, sizeof err) != 0)
		physical_give_up(err);
	if (look(start, len, &found, &highest))
		load(&found, highest, start, len);
}
