/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The child's side. Other threads of the process may have held any lock at the moment of the fork,
 * so it uses system calls alone, and memory that it maps itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files_read.h"
#include "image.h"
#include "input.h"
#include "linker_locks.h"
#include "load.h"
#include "page_scan.h"
#include "pages.h"
#include "plan.h"
#include "process_here.h"
#include "process_smaps.h"
#include "raw_call.h"
#include "state.h"
#include "thread_id.h"
#include "threads.h"

enum {
	MAPS_TEXT_MAX = 16 << 20, /* 65,530 regions, the most that Linux allows by itself */
	REGIONS_MAX = 1 << 16,
	PAGEMAP_ENTRIES = 1 << 12,
	PATH_BYTES = 4096,
	LINES_BYTES = 64 << 10,
};

/* Of the child, zeros at first. */
struct scratch {
	char text[MAPS_TEXT_MAX];
	struct region regions[REGIONS_MAX + 2];
	uint64_t pagemap[PAGEMAP_ENTRIES];
	struct page_scan scan;
	char path[PATH_BYTES];
	char lines[LINES_BYTES];
	struct statx file;
};

static struct {
	struct image_report *report; /* shared with the child */
	size_t page_bytes;
	struct image_process process;
	struct process here; /* without a list of its libraries */
	uint8_t *origin;     /* malloc'ed; NULL: image_prepare was not called */
	size_t origin_bytes;
	struct files_held files; /* until the child has them */
	uint64_t limit[IMAGE_LIMITS];
	uint64_t private_pages; /* before the fork */
} image;

struct capture {
	struct image_out *out;
	struct scratch *scratch;
	struct plan_range own[4];
	size_t count;
	int pagemap_fd;
};

/* The report's page, at this address; NULL: anywhere. 0 or -errno. */
static int map_report(void *at)
{
	long p = raw_call6(SYS_mmap, (long)at, (long)image.page_bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (p < 0 && p > -4096)
		return (int)p;
	image.report = (struct image_report *)p;
	return 0;
}

static const char in_linker[] = "a thread is in the dynamic linker (dlopen)";

int image_init(void)
{
	struct files_inherited inherited;

	linker_locks_find();
	process_here_init();
	files_inherited_read(&inherited);
	files_inherited_are(&inherited);
	image.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return thread_id_find();
}

int image_prepare(char *why, size_t size)
{
	struct process here;
	int rc;

	if (linker_locks_held()) { /* it would be waited for */
		snprintf(why, size, "%s", in_linker);
		return -EAGAIN;
	}
	rc = process_here(&here, why, size);
	free(image.origin);
	image.origin = NULL;
	if (rc)
		return rc;
	rc = process_possible(&here, why, size);
	/* not before, for a process that becomes an image's may have that mapping in its way */
	if (rc == 0 && !image.report) {
		rc = map_report(NULL);
		if (rc)
			snprintf(why, size, "there is no memory for the report of an image: %s",
				strerror(-rc));
	}
	if (rc == 0) {
		rc = process_encode(&here, &image.origin, &image.origin_bytes);
		image.here = here;
		image.here.object = NULL; /* it is freed */
		image.here.objects = 0;
		if (rc)
			snprintf(why, size, "what this process is cannot be written down: %s",
				strerror(-rc));
	}
	process_free(&here);
	return rc;
}

void image_limits_back(void)
{
	image_state_limits_set(image.limit);
}

const struct image_report *image_report(void)
{
	return image.report;
}

/* ---- the child ---- */

static int open_read_only(const char *path)
{
	return (int)raw_call6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

static size_t say(size_t at, const char *text, size_t length)
{
	struct image_report *r = image.report;

	for (size_t i = 0; i < length && at < sizeof r->why - 1; i++)
		r->why[at++] = text[i];
	r->why[at] = '\0';
	return at;
}

static size_t length_of(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static int fail(int error, const char *what)
{
	say(0, what, length_of(what));
	return error;
}

static int refuse(const struct region *r, const char *why)
{
	size_t at = say(0, "it has ", 7);

	at = say(at, why, length_of(why));
	if (r->name_length > 0) {
		at = say(at, ": ", 2);
		say(at, r->name, r->name_length);
	}
	return -EOPNOTSUPP;
}

/* As the kernel's list has it. */
static struct plan_range range(uint64_t low, uint64_t bytes)
{
	return (struct plan_range){
		low, low + (bytes + image.page_bytes - 1) / image.page_bytes * image.page_bytes};
}

static int read_maps(struct capture *c)
{
	struct scratch *s = c->scratch;
	int fd = open_read_only("/proc/self/maps");
	size_t length = 0, bad_line;
	long n = fd, count;
	int rc;

	while (n >= 0 && length < sizeof s->text) {
		n = raw_call(
			SYS_read, fd, (long)(s->text + length), (long)(sizeof s->text - length));
		if (n <= 0)
			break;
		length += (size_t)n;
	}
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	if (n < 0)
		return fail((int)n, "/proc/self/maps cannot be read");
	count = process_map_parse(s->text, length, s->regions, REGIONS_MAX, &bad_line);
	if (count < 0)
		return fail(-EPROTO, "/proc/self/maps has a line that is not understood");
	if (count > REGIONS_MAX || length == sizeof s->text)
		return fail(-E2BIG, "the process has more than 65,536 mappings");
	rc = process_smaps_read(s->regions, (size_t)count, s->lines, sizeof s->lines);
	if (rc)
		return fail(rc, "/proc/self/smaps cannot be read");
	process_map_join_stack(s->regions, (size_t)count);
	c->count = process_map_split_heap(s->regions, (size_t)count, image.here.break_start,
		range(0, (uint64_t)raw_call(SYS_brk, 0, 0, 0)).high);
	return 0;
}

static int write_origin(struct capture *c)
{
	int rc = c->out->begin(c->out, IMAGE_ORIGIN);

	return rc ? rc : c->out->add(c->out, image.origin, image.origin_bytes);
}

/* Does its last mapping end below the break? */
static bool heap_is_cut(const struct capture *c, uint64_t program_break)
{
	const struct region *last = NULL;

	for (size_t i = 0; i < c->count; i++)
		if (c->scratch->regions[i].kind == REGION_HEAP)
			last = &c->scratch->regions[i];
	return last && last->high < program_break;
}

static int write_process(struct capture *c)
{
	struct image_process *p = &image.process;
	int rc = image_state_read(&p->state);

	if (rc)
		return fail(rc, "its current folder cannot be told");
	p->program_break = (uint64_t)raw_call(SYS_brk, 0, 0, 0);
	if (heap_is_cut(c, p->program_break))
		return fail(-EOPNOTSUPP, "a part of its heap (brk) was unmapped");
	p->thread_pointer = image_threads_first_pointer();
	p->context = (uint64_t)(uintptr_t)image_threads_first_context();
	rc = c->out->begin(c->out, IMAGE_PROCESS);
	return rc ? rc : c->out->add(c->out, p, sizeof *p);
}

/* The file of a region as it is now. */
static int look_at_file(struct capture *c, const struct region *r, struct image_region *to)
{
	struct scratch *s = c->scratch;
	long rc = -ENAMETOOLONG;

	if (r->name_length < sizeof s->path) {
		for (size_t i = 0; i < r->name_length; i++)
			s->path[i] = r->name[i];
		s->path[r->name_length] = '\0';
		rc = raw_call6(SYS_statx, AT_FDCWD, (long)s->path, 0, STATX_SIZE | STATX_MTIME,
			(long)&s->file, 0);
	}
	if (rc < 0)
		return refuse(r, "a file that cannot be found");
	to->file_bytes = s->file.stx_size;
	to->file_seconds = s->file.stx_mtime.tv_sec;
	to->file_nanoseconds = s->file.stx_mtime.tv_nsec;
	return 0;
}

/* Over this nothing could be mapped in a process that loads the image. */
static bool is_in_codes_place(const struct region *r, enum plan_treatment t, const char **why)
{
	if ((t != PLAN_FRESH && t != PLAN_WHOLE) || !process_has_code(&image.here, r->low, r->high))
		return false;
	*why = r->kind == REGION_FILE ? "the code of FTMPI in a file that was removed or replaced"
				      : "memory without a file where the code of FTMPI was";
	return true;
}

/* A file that the program writes to would have to be as it is now whenever the image is loaded. */
static enum plan_treatment treatment_of(
	const struct capture *c, const struct region *r, const char **why)
{
	enum plan_treatment t = plan_for(r, c->own, sizeof c->own / sizeof *c->own, why);

	if (is_in_codes_place(r, t, why))
		return PLAN_REFUSED;
	if (!plan_opens_file(t) ||
		!files_writes_to(image.files.entry, image.files.n, r->name, r->name_length))
		return t;
	if (r->kind == REGION_FILE)
		return PLAN_WHOLE;
	*why = "a file mapped shared that it has open for writing, too";
	return PLAN_REFUSED;
}

static int allow_reading(const struct region *r)
{
	if (r->readable)
		return 0;
	return (int)raw_call(SYS_mprotect, (long)r->low, (long)(r->high - r->low), PROT_READ);
}

/* Of one that is longer than its file no page behind the file's end can be read (SIGBUS). */
static uint64_t readable_end(const struct region *r)
{
	uint64_t low = 0, high = (r->high - r->low) / image.page_bytes;

	allow_reading(r);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (raw_can_read(r->low + middle * image.page_bytes))
			low = middle + 1;
		else
			high = middle;
	}
	return r->low + low * image.page_bytes;
}

static int add_region(struct capture *c, const struct region *r, const struct image_region *to)
{
	int rc = c->out->add(c->out, to, sizeof *to);

	return rc || r->name_length == 0 ? rc : c->out->add(c->out, r->name, r->name_length);
}

static int write_region(struct capture *c, struct region *r)
{
	const char *why = NULL;
	enum plan_treatment t = treatment_of(c, r, &why);
	struct image_region to = {.low = r->low,
		.high = r->high,
		.offset = r->offset,
		.treatment = t,
		.kind = r->kind,
		.access = (r->readable ? PROT_READ : 0U) | (r->writable ? PROT_WRITE : 0U) |
			  (r->executable ? PROT_EXEC : 0U),
		.name_length = (uint32_t)r->name_length,
		.flags = (r->may_write ? IMAGE_MAY_WRITE : 0U) | (r->grows ? IMAGE_GROWS : 0U)};
	int rc;

	if (t == PLAN_REFUSED)
		return refuse(r, why);
	if (t == PLAN_LEFT_OUT && r->kind != REGION_KERNEL)
		return 0;
	rc = plan_opens_file(t) ? look_at_file(c, r, &to) : 0;
	if (t == PLAN_WHOLE) /* its file may get longer before its pages are written */
		to.high = r->held = readable_end(r);
	if (rc == 0 && to.low < to.high)
		rc = add_region(c, r, &to);
	if (rc || to.high == r->high)
		return rc;
	/* faults, as it did */
	to.low = to.high;
	to.high = r->high;
	to.access = PROT_NONE;
	return add_region(c, r, &to);
}

static int write_maps(struct capture *c)
{
	int rc = c->out->begin(c->out, IMAGE_MAPS);

	for (size_t i = 0; i < c->count && rc == 0; i++)
		rc = write_region(c, &c->scratch->regions[i]);
	return rc;
}

static int write_files(struct capture *c)
{
	int rc = c->out->begin(c->out, IMAGE_FILES);

	return rc ? rc : c->out->add(c->out, image.files.bytes, image.files.length);
}

static int write_runs(struct capture *c, const struct pages *p)
{
	size_t at = 0, first, n;
	int rc = 0;

	while (rc == 0 && (n = pages_next_run(p, &at, &first)) > 0) {
		struct image_run run = {p->low + first * p->page_bytes, n * p->page_bytes};

		rc = c->out->add(c->out, &run, sizeof run);
		if (rc == 0)
			rc = c->out->add(c->out, (const void *)(uintptr_t)run.address, run.bytes);
		image.report->bytes += run.bytes;
	}
	return rc;
}

static int read_pagemap(struct capture *c, uint64_t low, size_t count)
{
	long wanted = (long)(count * sizeof(uint64_t));
	long n = raw_call6(SYS_pread64, c->pagemap_fd, (long)c->scratch->pagemap, wanted,
		(long)(low / image.page_bytes * sizeof(uint64_t)), 0, 0);

	return n == wanted ? 0 : fail(n < 0 ? (int)n : -EIO, "/proc/self/pagemap cannot be read");
}

/* Guards are no pages. libc makes those of stacks so where it can. */
static void leave_guards_out(uint64_t *pagemap, const struct pages *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (pagemap_is_away(pagemap[i]) && !raw_can_read(p->low + i * p->page_bytes))
			pagemap[i] = 0;
}

static int write_part(struct capture *c, uint64_t low, uint64_t high, enum plan_treatment t)
{
	struct pages p = {.page_bytes = image.page_bytes, .zeros = t == PLAN_OF_FILE};
	int rc = 0;

	for (p.low = low; p.low < high && rc == 0; p.low += p.count * p.page_bytes) {
		p.count = (high - p.low) / p.page_bytes;
		if (p.count > PAGEMAP_ENTRIES)
			p.count = PAGEMAP_ENTRIES;
		if (t != PLAN_WHOLE) {
			rc = read_pagemap(c, p.low, p.count);
			p.pagemap = c->scratch->pagemap;
			if (rc == 0)
				leave_guards_out(c->scratch->pagemap, &p);
		}
		if (rc == 0)
			rc = write_runs(c, &p);
		image.report->looked += p.count;
	}
	return rc;
}

static int write_pages_of(struct capture *c, const struct region *r, enum plan_treatment t)
{
	struct page_scan *scan = &c->scratch->scan;
	uint64_t low, high;
	int rc = allow_reading(r);

	if (rc == 0 && t == PLAN_WHOLE)
		return write_part(c, r->low, r->held, t);
	page_scan_begin(scan, c->pagemap_fd, r->low, r->high);
	while (rc == 0 && page_scan_next(scan, &low, &high))
		rc = write_part(c, low, high, t);
	return rc;
}

static int write_pages(struct capture *c)
{
	static const struct image_run last;
	int rc = c->out->begin(c->out, IMAGE_PAGES);

	for (size_t i = 0; i < c->count && rc == 0; i++) {
		const struct region *r = &c->scratch->regions[i];
		const char *why;
		enum plan_treatment t = treatment_of(c, r, &why);

		if (t == PLAN_WHOLE || (t != PLAN_LEFT_OUT && t != PLAN_AS_IT_IS && r->changed))
			rc = write_pages_of(c, r, t);
	}
	return rc ? rc : c->out->add(c->out, &last, sizeof last);
}

static void close_others(int kept)
{
	if (kept > 0)
		raw_call(SYS_close_range, 0, kept - 1, 0);
	raw_call(SYS_close_range, kept + 1, INT_MAX, 0);
}

static int write_image(struct image_out *out)
{
	long bytes = (long)sizeof(struct scratch);
	long at = raw_call6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
		/* shared, so that it is a mapping of its own, whatever lies beside it */
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct capture c = {.out = out, .scratch = (struct scratch *)at};
	int rc;

	if (out->closes)
		close_others(out->kept);
	if (image_state_private() < image.private_pages)
		return fail(-EOPNOTSUPP, "it has memory that no child gets (MADV_DONTFORK)");
	if (at < 0 && at > -4096)
		return fail(
			(int)at, image_state_memory_is_limited()
					 ? "the limit of its address space (RLIMIT_AS, ulimit -v) "
					   "leaves no room for the list of its mappings"
					 : "there is no memory for the list of its mappings");
	c.own[0] = range((uint64_t)(uintptr_t)image.report, image.page_bytes);
	c.own[1] = range((uint64_t)at, (uint64_t)bytes);
	c.own[2] = (struct plan_range){image.files.low, image.files.high};
	c.own[3] = range((uint64_t)(uintptr_t)out->memory, out->memory_bytes);
	rc = read_maps(&c);
	c.pagemap_fd = rc ? -1 : open_read_only("/proc/self/pagemap");
	if (rc == 0 && c.pagemap_fd < 0)
		rc = fail(c.pagemap_fd, "/proc/self/pagemap cannot be opened");
	if (rc == 0)
		rc = write_origin(&c);
	if (rc == 0)
		rc = write_process(&c);
	if (rc == 0)
		rc = write_maps(&c);
	if (rc == 0)
		rc = write_files(&c);
	return rc ? rc : write_pages(&c);
}

/* ---- the process itself ---- */

int image_take(struct image_out *out, pid_t *child)
{
	uint64_t blocked;
	long pid;
	int rc;

	if (!image.origin)
		return -EINVAL;
	blocked = image_state_block();
	rc = image_threads_park(out->patience_ms, image.report->why, sizeof image.report->why);
	if (rc) {
		image_state_unblock(blocked);
		return rc;
	}
	if (image_context_save(image_threads_own_context())) {
		/* no image holds it; its place is free, as it was when this one was taken */
		rc = map_report(image.report);
		if (rc == 0) {
			rc = image_threads_back();
			if (rc == 0)
				image_load_end();
			else
				fail(rc, "a thread of the process image did not come back");
		}
		input_woke();
		image_threads_release();
		image_state_unblock(blocked);
		return rc ? 2 : 1;
	}
	*image.report = (struct image_report){0};
	image_state_timers(&image.process.state);
	image_state_limits(image.limit);
	pid = 0;
	if (linker_locks_held())
		pid = fail(-EAGAIN, in_linker);
	if (pid == 0 && image_state_has_more_timers())
		pid = fail(-EOPNOTSUPP,
			"it has a timer of timer_create, which cannot be brought back");
	if (pid == 0)
		pid = files_read(&image.files, (struct files_numbers){out->own, out->owned},
			image.report->why, sizeof image.report->why);
	if (pid == 0)
		pid = input_note(out->feeder, &image.files, out->patience_ms, image.report->why,
			sizeof image.report->why);
	image.private_pages = image_state_private();
	/* clone(2) without a signal at its end, and without anything shared */
	if (pid == 0)
		pid = raw_call6(SYS_clone, 0, 0, 0, 0, 0, 0);
	if (pid == 0) {
		image.report->error = write_image(out);
		raw_call(SYS_exit_group, image.report->error != 0, 0, 0);
		__builtin_unreachable();
	}
	files_release(&image.files);
	image_threads_release();
	image_state_unblock(blocked);
	*child = (pid_t)pid;
	return pid < 0 ? (int)pid : 0;
}
