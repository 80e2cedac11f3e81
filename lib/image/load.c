/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A new process becomes the one of an image. As an ordinary program: is anything in the way? Then
 * all that the exchange needs is written to memory that neither process has anything in.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "exchange.h"
#include "files_open.h"
#include "fit.h"
#include "image.h"
#include "plan.h"
#include "process_here.h"
#include "process_map.h"
#include "process_smaps.h"
#include "read_all.h"
#include "tables.h"

enum {
	ARENA_STACK = 256 << 10,
	TEXT_MAX = 16 << 20,
	LINES_BYTES = 64 << 10,
	STACK_GAP_PAGES = 256, /* of the kernel (stack_guard_gap) */
	REGIONS_MAX = 1 << 16,
	ENDING_MS = 1000,
};

#define ARENA_STEP (16ull << 30)

/* The image and this process, in malloc'ed memory. */
struct both {
	struct process origin, here;
	struct tables_bounds bounds;
	struct image_process process;
	uint8_t *section; /* IMAGE_MAPS, as it is in the file */
	char *names;
	struct image_mapping *image;
	size_t mappings;
	char *text;
	struct region *own;
	size_t regions;
	struct files_plan files;
	char *why;
	size_t size;
};

static int say(struct both *b, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int say(struct both *b, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(b->why, b->size, format, args);
	va_end(args);
	return rc;
}

/* ---- what there is ---- */

/* One by one, for their bytes lie between them. */
static int check_runs(struct both *b, const struct image_file *f)
{
	struct tables_runs c = {.mapping = b->image,
		.n = b->mappings,
		.page_bytes = b->bounds.page_bytes,
		.left = f->length[IMAGE_PAGES]};
	int rc = 0;

	while (rc == 0) {
		struct image_run run = {0};
		uint64_t at = f->at[IMAGE_PAGES] + f->length[IMAGE_PAGES] - c.left;

		if (c.left >= sizeof run)
			rc = image_read_all(f->fd, &run, sizeof run, at);
		if (rc)
			return say(b, rc, "it cannot be read: %s", strerror(-rc));
		rc = tables_next_run(&c, &run, b->why, b->size);
	}
	return rc == 1 ? 0 : rc;
}

/* Before anything else of the image is understood: is it of such a process? */
static int check_origin(struct both *b, const struct image_file *f)
{
	uint64_t length = f->length[IMAGE_ORIGIN];
	uint8_t *bytes = length <= PROCESS_BYTES_MAX ? malloc(length) : NULL;
	int rc = bytes ? image_read_all(f->fd, bytes, length, f->at[IMAGE_ORIGIN]) : -EPROTO;

	if (rc == 0)
		rc = process_decode(&b->origin, bytes, length);
	free(bytes);
	if (rc)
		return say(
			b, rc, "the image does not say what process it is of: %s", strerror(-rc));
	rc = process_here(&b->here, b->why, b->size);
	if (rc == 0)
		rc = process_possible(&b->here, b->why, b->size);
	return rc ? rc : image_fits(&b->origin, &b->here, b->why, b->size);
}

static int check_sections(struct both *b, const struct image_file *f)
{
	struct stat is;

	if (fstat(f->fd, &is) < 0)
		return say(b, -errno, "it cannot be looked at: %s", strerror(errno));
	return tables_sections(f, (uint64_t)is.st_size, b->why, b->size);
}

static int read_image(struct both *b, const struct image_file *f)
{
	uint64_t length = f->length[IMAGE_MAPS];
	long count;
	int rc;

	if (f->length[IMAGE_PROCESS] != sizeof b->process || length > TABLES_SECTION_MAX)
		return say(b, -EPROTO, "it is no image that this version knows");
	b->bounds = (struct tables_bounds){b->here.page_bytes, PLAN_HIGH};
	b->section = malloc(length);
	b->names = malloc(length);
	b->image = calloc(REGIONS_MAX, sizeof *b->image);
	if (!b->section || !b->names || !b->image)
		return say(b, -ENOMEM, "there is no memory for its mappings");
	rc = image_read_all(f->fd, &b->process, sizeof b->process, f->at[IMAGE_PROCESS]);
	if (rc == 0)
		rc = image_read_all(f->fd, b->section, length, f->at[IMAGE_MAPS]);
	if (rc)
		return say(b, rc, "it cannot be read: %s", strerror(-rc));
	count = tables_mappings(
		b->section, length, &b->bounds, b->image, REGIONS_MAX, b->names, b->why, b->size);
	if (count < 0)
		return (int)count;
	b->mappings = (size_t)count;
	rc = tables_process(&b->process, b->image, b->mappings, &b->bounds, b->why, b->size);
	return rc ? rc : check_runs(b, f);
}

static int read_own(struct both *b)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t length = 0, bad_line;
	ssize_t n = 0;
	long count;
	int rc;

	b->text = malloc(TEXT_MAX + LINES_BYTES);
	b->own = calloc(REGIONS_MAX, sizeof *b->own);
	if (fd < 0 || !b->text || !b->own)
		return say(b, -ENOMEM, "/proc/self/maps cannot be read");
	while (length < TEXT_MAX && (n = read(fd, b->text + length, TEXT_MAX - length)) > 0)
		length += (size_t)n;
	close(fd);
	count = process_map_parse(b->text, length, b->own, REGIONS_MAX, &bad_line);
	if (n < 0 || count < 0 || count > REGIONS_MAX)
		return say(b, -EPROTO, "/proc/self/maps is not understood");
	b->regions = (size_t)count;
	rc = process_smaps_read(b->own, b->regions, b->text + TEXT_MAX, LINES_BYTES);
	if (rc)
		return say(b, rc, "/proc/self/smaps cannot be read: %s", strerror(-rc));
	process_map_join_stack(b->own, b->regions);
	for (size_t i = 0; i < b->regions; i++)
		b->own[i].loader = b->own[i].kind == REGION_FILE &&
				   process_has_code(&b->here, b->own[i].low, b->own[i].high);
	return 0;
}

/* ---- does it fit? ---- */

static int say_in_the_way(struct both *b, const struct image_mapping *m, const struct region *o)
{
	const char *name = m->r.name_length ? m->name : "memory";

	if (!o)
		return say(b, -EINVAL, "the image has %s at %#" PRIx64 ", and here is none", name,
			m->r.low);
	if (o->loader || (o->kind == REGION_STACK && m->r.kind != REGION_STACK))
		return say(b, -EINVAL,
			"the image has %s at %#" PRIx64 ", where each process begins with %.*s",
			name, m->r.low, (int)o->name_length, o->name);
	return say(b, -EINVAL,
		"the image has %s at %#" PRIx64 ", and here is %.*s at %#" PRIx64
		": another program, library or kernel, or addresses are random",
		name, m->r.low, (int)o->name_length, o->name, o->low);
}

/* The program may have raised its soft limit; image_limits_back has that of the image set. */
static int allow_stack(struct both *b, bool now)
{
	struct rlimit stack = {RLIM_INFINITY, RLIM_INFINITY};
	int rc;

	getrlimit(RLIMIT_STACK, &stack);
	rc = tables_stack(b->image, b->mappings, stack.rlim_max, b->why, b->size);
	if (rc || !now || tables_stack_bytes(b->image, b->mappings) <= stack.rlim_cur)
		return rc;
	stack.rlim_cur = stack.rlim_max;
	return setrlimit(RLIMIT_STACK, &stack) == 0
		       ? 0
		       : say(b, -errno, "the stack of the image cannot be allowed: %s",
				 strerror(errno));
}

/* As allow_stack, for memory and threads. */
static void allow_more(void)
{
	static const int which[] = {RLIMIT_DATA, RLIMIT_AS, RLIMIT_NPROC};
	struct rlimit r;

	for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
		if (getrlimit(which[i], &r) < 0 || r.rlim_cur == r.rlim_max)
			continue;
		r.rlim_cur = r.rlim_max;
		setrlimit(which[i], &r);
	}
}

static int check_process(struct both *b)
{
	const struct region *here =
		process_map_find(b->own, b->regions, (uintptr_t)__builtin_thread_pointer());
	const struct image_process *p = &b->process;

	if (!here || p->thread_pointer != (uintptr_t)__builtin_thread_pointer())
		return say(b, -EINVAL, "libc keeps its thread's data at another address here");
	allow_more();
	return allow_stack(b, true);
}

/* A build id says more than the time of a file. */
static int check_source(struct both *b, const struct image_mapping *m)
{
	struct stat is;

	if (!plan_opens_file(m->r.treatment) || process_same_object(&b->origin, &b->here, m->r.low))
		return 0;
	if (stat(m->name, &is) < 0)
		return say(b, -errno, "%s of the image is not here: %s", m->name, strerror(errno));
	if (exchange_writes(m) && access(m->name, W_OK) != 0)
		return say(b, -errno,
			"%s, which the program has mapped shared and may write, cannot be opened "
			"for writing: %s",
			m->name, strerror(errno));
	return tables_source(m, (uint64_t)is.st_size, is.st_mtim.tv_sec,
		(uint64_t)is.st_mtim.tv_nsec, b->why, b->size);
}

/* A library in whose constructor threads begin. One that is just ending is waited for. */
static int check_threads(struct both *b)
{
	const struct timespec a_moment = {0, 1000000};
	int count = process_threads(b->why, b->size);

	for (int i = 0; i < ENDING_MS && count > 1; i++) {
		nanosleep(&a_moment, NULL);
		count = process_threads(b->why, b->size);
	}
	if (count > 1)
		return say(b, -EINVAL,
			"this process has %d threads before its main function, and an image is "
			"loaded with one: a library begins threads when it is loaded; have it not "
			"do so (OpenBLAS: OPENBLAS_NUM_THREADS=1)",
			count);
	return count < 0 ? count : 0;
}

static int place_all(struct both *b, struct to_place *out)
{
	const struct region *at_stack;
	const struct image_mapping *stack = fit_stack(b->image, b->mappings, b->own, b->regions,
		STACK_GAP_PAGES * b->bounds.page_bytes, &at_stack);

	if (stack)
		return say_in_the_way(b, stack, at_stack);
	for (size_t i = 0; i < b->mappings; i++) {
		const struct region *other = NULL;
		int rc;

		out[i] = (struct to_place){
			b->image[i], fit_for(&b->image[i], b->own, b->regions, &other)};
		if (out[i].fit == FIT_IN_THE_WAY)
			return say_in_the_way(b, &b->image[i], other);
		rc = check_source(b, &b->image[i]);
		if (rc)
			return rc;
		if (out[i].fit == FIT_FILE && access(b->image[i].name, R_OK) != 0)
			return say(b, -errno, "%s cannot be opened: %s", b->image[i].name,
				strerror(errno));
	}
	return 0;
}

/* ---- the arena ---- */

static uint64_t take(uint64_t *at, uint64_t bytes)
{
	uint64_t here = *at;

	*at += (bytes + 63) / 64 * 64;
	return here;
}

static int arena_fill(struct both *b, const struct image_file *f, uint64_t low, size_t removed)
{
	uint64_t at = low;
	struct arena *a = (struct arena *)take(&at, sizeof *a);
	char *names;

	a->process = b->process;
	a->files = b->files;
	a->files.step = (struct files_step *)take(&at, b->files.steps * sizeof *a->files.step);
	memcpy(a->files.step, b->files.step, b->files.steps * sizeof *a->files.step);
	a->fd = f->fd;
	a->pages_at = f->at[IMAGE_PAGES];
	a->mappings = b->mappings;
	a->mapping = (struct to_place *)take(&at, b->mappings * sizeof *a->mapping);
	a->remove = (uint64_t(*)[2])take(&at, removed * sizeof *a->remove);
	a->removed = removed;
	a->carried = (void *)take(&at, f->carried_bytes);
	a->carried_bytes = f->carried_bytes;
	if (f->carried_bytes)
		memcpy(a->carried, f->carried, f->carried_bytes);
	names = (char *)take(&at, f->length[IMAGE_MAPS]);
	memcpy(names, b->names, f->length[IMAGE_MAPS]);
	fit_to_remove(b->image, b->mappings, b->own, b->regions, a->remove, removed);
	for (size_t i = 0; i < b->mappings; i++)
		b->image[i].name = names + (b->image[i].name - b->names);
	return place_all(b, a->mapping);
}

static int arena_make(struct both *b, const struct image_file *f, uint64_t *low, uint64_t *high)
{
	size_t removed = fit_to_remove(b->image, b->mappings, b->own, b->regions, NULL, 0);
	uint64_t bytes = (sizeof(struct arena) + b->mappings * sizeof(struct to_place) +
				 b->files.steps * sizeof(struct files_step) + removed * 16 +
				 f->length[IMAGE_MAPS] + f->carried_bytes + ARENA_STACK + 65535) /
			 65536 * 65536;
	void *p;

	*low = fit_gap(b->image, b->mappings, b->own, b->regions, bytes, ARENA_STEP);
	p = *low ? mmap((void *)*low, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
		 : MAP_FAILED;
	if (p == MAP_FAILED)
		return say(b, -ENOMEM, "there is no free address space for loading it");
	*high = *low + bytes;
	((struct arena *)p)->bytes = bytes;
	return arena_fill(b, f, *low, removed);
}

static void both_free(struct both *b)
{
	process_free(&b->origin);
	process_free(&b->here);
	free(b->section);
	free(b->names);
	free(b->image);
	free(b->text);
	free(b->own);
}

int image_load(const struct image_file *f, char *why, size_t size)
{
	struct both b = {.why = why, .size = size};
	uint64_t low = 0, high = 0;
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	rc = check_threads(&b);
	if (rc == 0)
		rc = check_sections(&b, f);
	if (rc == 0)
		rc = check_origin(&b, f);
	if (rc == 0)
		rc = read_image(&b, f);
	if (rc == 0)
		rc = files_open(&b.files, f, why, size);
	/* behind whatever asks malloc for memory: what is not in this list stays for ever */
	if (rc == 0)
		rc = read_own(&b);
	if (rc == 0)
		rc = check_process(&b);
	if (rc == 0)
		rc = arena_make(&b, f, &low, &high);
	if (rc == 0)
		exchange_begin(high, (const struct arena *)low);
	if (high)
		munmap((void *)low, high - low);
	files_close(&b.files);
	sigprocmask(SIG_SETMASK, &before, NULL);
	both_free(&b);
	return rc;
}

int image_check(const struct image_file *f, char *why, size_t size)
{
	struct both b = {.why = why, .size = size};
	int rc = check_sections(&b, f);

	if (rc == 0)
		rc = check_origin(&b, f);
	if (rc == 0)
		rc = read_image(&b, f);
	if (rc == 0)
		rc = allow_stack(&b, false);
	for (size_t i = 0; i < b.mappings && rc == 0; i++)
		rc = check_source(&b, &b.image[i]);
	if (rc == 0)
		rc = files_check(f, why, size);
	both_free(&b);
	return rc;
}
