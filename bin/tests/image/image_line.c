/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An image as a recovery line of one rank: the path of image_file.h is the folder of a session,
 * whose line 1 it is. The child writes what image_take gives it; its parent appends messages and
 * commits the line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "ckpt/out.h"
#include "ckpt/reader.h"
#include "image/image.h"
#include "image_file.h"

static char err[512];
static const struct ckpt_fs *fs = &ckpt_fs_posix;

static const enum ckpt_kind kinds[IMAGE_SECTIONS] = {
	[IMAGE_ORIGIN] = CKPT_IMAGE_ORIGIN,
	[IMAGE_PROCESS] = CKPT_IMAGE_PROCESS,
	[IMAGE_MAPS] = CKPT_IMAGE_MAPS,
	[IMAGE_FILES] = CKPT_IMAGE_FILES,
	[IMAGE_PAGES] = CKPT_IMAGE_PAGES,
};

static _Noreturn void stop(const char *what, const char *why)
{
	fprintf(stderr, "image: %s: %s\n", what, why);
	exit(2);
}

static struct ckpt_identity self(void)
{
	struct ckpt_identity id = {.size = 1};

	if (ckpt_program(id.program, id.program_name, sizeof id.program_name, err, sizeof err) != 0)
		stop("program", err);
	return id;
}

/* ---- taking ---- */

struct to_line {
	struct image_out out;
	struct ckpt_out *file;
	bool open;
};

static int begin(struct image_out *out, enum image_section section)
{
	struct to_line *t = (struct to_line *)out;
	int rc = t->open ? ckpt_out_section_end(t->file) : 0;

	t->open = true;
	return rc ? rc : ckpt_out_section(t->file, kinds[section], 0);
}

static int add(struct image_out *out, const void *bytes, size_t length)
{
	return ckpt_out_add(((struct to_line *)out)->file, bytes, length);
}

/* The last section ends when the child has. */
static void finish(struct ckpt_out *file, struct ckpt_rank_file *f)
{
	static const uint8_t none[4];
	const struct ckpt_section messages = {CKPT_MESSAGES, 0, 0, 0, none, sizeof none};

	ckpt_out_section_end(file);
	ckpt_out_append(file, &messages);
	if (ckpt_out_finish(file, &f->seal, &f->bytes, err, sizeof err) != 0)
		stop("finish", err);
}

bool image_file_take(const char *path)
{
	struct ckpt_out_plan plan = {.fs = fs,
		.session_dir = path,
		.id = self(),
		.line = 1,
		.kind = CKPT_FILE_IMAGE,
		.sections = IMAGE_SECTIONS + 1,
		.child = true};
	struct ckpt_rank_file f;
	struct ckpt_manifest m = {.line = 1, .size = 1, .ranks = &f};
	struct to_line t = {.out = {.begin = begin, .add = add}};
	pid_t child;
	int status, rc, own;

	if (image_prepare(err, sizeof err) != 0)
		stop("prepare", err);
	if (ckpt_out_begin(&t.file, &plan, err, sizeof err) != 0)
		stop("begin", err);
	t.out.memory = ckpt_out_memory(t.file, &t.out.memory_bytes);
	own = ckpt_out_descriptor(t.file);
	t.out.own = &own;
	t.out.owned = 1;
	rc = image_take(&t.out, &child);
	if (rc == 1)
		return true;
	if (rc < 0)
		stop("take", image_report()->why[0] ? image_report()->why : strerror(-rc));
	if (waitpid(child, &status, __WALL) != child || status != 0) {
		/* a sentence of the file's, unless it was the image that failed */
		ckpt_out_finish(t.file, &f.seal, &f.bytes, err, sizeof err);
		stop("image", image_report()->why[0] ? image_report()->why : err);
	}
	finish(t.file, &f);
	if (ckpt_commit(fs, path, &m, err, sizeof err) != 0)
		stop("commit", err);
	return false;
}

/* ---- loading ---- */

static void load(const char *path)
{
	struct ckpt_identity id = self();
	struct image_file f = {0};
	struct ckpt_manifest m;
	struct ckpt_reader r;
	char why[1024];

	if (ckpt_manifest_read(fs, path, 1, &m, err, sizeof err) != 0 ||
		ckpt_image_open(fs, path, &m, &id, &r, (struct ckpt_err){err, sizeof err}) != 0)
		stop("open", err);
	for (int i = 0; i < IMAGE_SECTIONS; i++) {
		const struct ckpt_entry *e = ckpt_reader_find(&r, kinds[i]);

		if (!e)
			stop("open", "it lacks a section");
		f.at[i] = e->at;
		f.length[i] = e->len;
	}
	image_file_soil();
	f.fd = fcntl(r.fd, F_DUPFD_CLOEXEC, 500);
	ckpt_reader_close(&r);
	ckpt_manifest_free(&m);
	image_load(&f, why, sizeof why);
	stop("load", why);
}

__attribute__((constructor)) static void before_main(void)
{
	const char *path = getenv(IMAGE_FILE);
	int rc = image_init();

	fault_configure(0, 0);
	if (rc)
		stop("init", strerror(-rc));
	if (path)
		load(path);
}
