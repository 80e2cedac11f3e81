/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A new process becomes the one of an image. First, as an ordinary program: is anything in the way?
 * Then, on a stack of its own and by system calls alone (exchange and what it calls): all memory of
 * the image comes to its place, that of libc and of this library's variables included. So nothing
 * of libc is called there, and no variable is used that is not on that stack or in the
 * arena; what it calls (state.c, context.c, files_exchange) does as much. At last, when the image's
 * variables are in their place, load.c and threads.c use theirs.
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

#include "context.h"
#include "files_open.h"
#include "fit.h"
#include "image.h"
#include "load.h"
#include "plan.h"
#include "process_here.h"
#include "process_map.h"
#include "raw_call.h"
#include "read_all.h"
#include "state.h"
#include "tables.h"
#include "threads.h"

enum {
	ARENA_STACK = 256 << 10,
	TEXT_MAX = 16 << 20,
	REGIONS_MAX = 1 << 16,
	ENDING_MS = 1000,
};

#define ARENA_STEP (16ull << 30)

struct to_place {
	struct image_mapping m;
	enum fit fit;
};

/* All of it lies in memory that neither process has anything in. */
struct arena {
	uint64_t bytes; /* of that memory */
	struct image_process process;
	struct files_plan files;
	int fd;
	uint64_t pages_at; /* in the file */
	size_t mappings, removed;
	struct to_place *mapping;
	uint64_t (*remove)[2];
	void *carried;
	uint64_t carried_bytes;
};

/* The arena, told to the process that wakes up. */
static struct {
	uint64_t low, bytes;
	const void *carried;
	uint64_t carried_bytes;
} used;

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
	b->bounds = (struct tables_bounds){b->here.page_bytes, TABLES_HIGH};
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

	b->text = malloc(TEXT_MAX);
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
	return 0;
}

/* ---- does it fit? ---- */

static int say_in_the_way(struct both *b, const struct image_mapping *m, const struct region *o)
{
	const char *name = m->r.name_length ? m->name : "memory";

	if (!o)
		return say(b, -EINVAL, "the image has %s at %#" PRIx64 ", and here is none", name,
			m->r.low);
	return say(b, -EINVAL,
		"the image has %s at %#" PRIx64 ", and here is %.*s at %#" PRIx64
		": another program, library or kernel, or addresses are random",
		name, m->r.low, (int)o->name_length, o->name, o->low);
}

static int check_process(struct both *b)
{
	const struct region *here =
		process_map_find(b->own, b->regions, (uintptr_t)__builtin_thread_pointer());
	const struct image_process *p = &b->process;
	struct rlimit stack = {RLIM_INFINITY, RLIM_INFINITY};

	if (!here || p->thread_pointer != (uintptr_t)__builtin_thread_pointer())
		return say(b, -EINVAL, "libc keeps its thread's data at another address here");
	getrlimit(RLIMIT_STACK, &stack);
	return tables_stack(b->image, b->mappings, stack.rlim_cur, b->why, b->size);
}

/* A build id says more than the time of a file. */
static int check_source(struct both *b, const struct image_mapping *m)
{
	struct stat is;

	if (!plan_opens_file(m->r.treatment) || process_same_object(&b->origin, &b->here, m->r.low))
		return 0;
	if (stat(m->name, &is) < 0)
		return say(b, -errno, "%s of the image is not here: %s", m->name, strerror(errno));
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

/* ---- the exchange: nothing but system calls from here on ---- */

/* For what may be otherwise at the next start the process ends as if the system had killed it. */
static _Noreturn void give_up(bool for_now, const char *what, size_t length)
{
	raw_call(SYS_write, STDERR_FILENO, (long)what, (long)length);
	if (for_now)
		raw_call(SYS_kill, raw_call(SYS_getpid, 0, 0, 0), SIGKILL, 0);
	raw_call(SYS_exit_group, 1, 0, 0);
	__builtin_unreachable();
}

#define LINE(text) "ftmpi: " text "\n", sizeof("ftmpi: " text "\n") - 1
#define GIVE_UP_FOR_NOW(text) give_up(true, LINE(text))

static void must(long result, const char *what, size_t length)
{
	if (result < 0 && result > -4096)
		give_up(result == -ENOMEM || result == -EAGAIN, what, length);
}

#define MUST(call, text) must(call, LINE(text))

static long map(const struct image_region *r, int access, int flags, int fd)
{
	return raw_call6(SYS_mmap, (long)r->low, (long)(r->high - r->low), access,
		MAP_FIXED | flags, fd, fd < 0 ? 0 : (long)r->offset);
}

static void map_file(const struct image_mapping *m)
{
	int flags = m->r.kind == REGION_SHARED ? MAP_SHARED : MAP_PRIVATE;
	int access = m->r.treatment == PLAN_AS_IT_IS ? (int)m->r.access : PROT_READ | PROT_WRITE;
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)m->name, O_RDONLY | O_CLOEXEC, 0, 0, 0);

	MUST(fd, "a file of the process image cannot be opened any more");
	MUST(map(&m->r, access, flags, (int)fd), "a file of the process image cannot be mapped");
	raw_call(SYS_close, fd, 0, 0);
}

/* As it was before this process wrote to it: zeros, or what the file has. */
static void make_clean(const struct image_region *r)
{
	MUST(raw_call(SYS_mprotect, (long)r->low, (long)(r->high - r->low), PROT_READ | PROT_WRITE),
		"memory of the process image cannot be made writable");
	MUST(raw_call(SYS_madvise, (long)r->low, (long)(r->high - r->low), MADV_DONTNEED),
		"memory of the process image cannot be cleared");
}

static void place(const struct to_place *t, uint64_t program_break)
{
	const struct image_region *r = &t->m.r;

	switch (t->fit) {
	case FIT_FRESH:
		MUST(map(r, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1),
			"there is no memory for the process image");
		break;
	case FIT_BREAK:
		if (raw_call(SYS_brk, (long)program_break, 0, 0) != (long)program_break)
			GIVE_UP_FOR_NOW("the heap of the process image cannot be had");
		make_clean(r);
		break;
	case FIT_GROW:
		*(volatile char *)r->low = 0;
		make_clean(r);
		break;
	case FIT_FILE:
		map_file(&t->m);
		break;
	case FIT_THERE:
		if (r->treatment != PLAN_AS_IT_IS)
			make_clean(r);
		break;
	default:
		break;
	}
}

/* As the process had protected it. */
static void protect(const struct to_place *t)
{
	const struct image_region *r = &t->m.r;

	if (t->fit == FIT_KERNEL || r->treatment == PLAN_AS_IT_IS ||
		r->access == (PROT_READ | PROT_WRITE))
		return;
	MUST(raw_call(SYS_mprotect, (long)r->low, (long)(r->high - r->low), r->access),
		"memory of the process image cannot be protected");
}

static void read_at(const struct arena *a, uint64_t at, uint64_t address, uint64_t bytes)
{
	while (bytes > 0) {
		uint64_t piece = bytes < 1 << 30 ? bytes : 1 << 30;
		long n = raw_call6(SYS_pread64, a->fd, (long)address, (long)piece, (long)at, 0, 0);

		if (n <= 0)
			GIVE_UP_FOR_NOW("the process image cannot be read any more");
		at += (uint64_t)n;
		address += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
}

static void read_pages(const struct arena *a)
{
	uint64_t at = a->pages_at;
	struct image_run run;

	for (;;) {
		read_at(a, at, (uint64_t)(uintptr_t)&run, sizeof run);
		at += sizeof run;
		if (run.bytes == 0)
			return;
		read_at(a, at, run.address, run.bytes);
		at += run.bytes;
	}
}

static size_t length_of(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static void set_state(const struct arena *a)
{
	const char *failed = image_state_set(&a->process.state);

	if (!failed)
		failed = files_exchange(&a->files);
	if (failed) {
		raw_call(SYS_write, STDERR_FILENO, (long)"ftmpi: ", 7);
		raw_call(SYS_write, STDERR_FILENO, (long)failed, (long)length_of(failed));
		give_up(false, "\n", 1);
	}
}

static _Noreturn void exchange(const struct arena *a)
{
	for (size_t i = 0; i < a->mappings; i++)
		place(&a->mapping[i], a->process.program_break);
	for (size_t i = 0; i < a->removed; i++)
		raw_call(SYS_munmap, (long)a->remove[i][0],
			(long)(a->remove[i][1] - a->remove[i][0]), 0);
	read_pages(a);
	used.low = (uint64_t)(uintptr_t)a;
	used.bytes = a->bytes;
	used.carried = a->carried;
	used.carried_bytes = a->carried_bytes;
	for (size_t i = 0; i < a->mappings; i++)
		protect(&a->mapping[i]);
	raw_call(SYS_close, a->fd, 0, 0);
	set_state(a);
	MUST(image_threads_begin(), "a thread of the process image cannot be begun");
	image_context_load((const struct image_context *)(uintptr_t)a->process.context);
}

void image_load_end(void)
{
	if (used.carried_bytes == 0)
		raw_call(SYS_munmap, (long)used.low, (long)used.bytes, 0);
}

const void *image_carried(size_t *bytes)
{
	*bytes = used.carried_bytes;
	return used.carried;
}

void image_carried_end(void)
{
	used.carried_bytes = 0;
	image_load_end();
}

/* exchange, on another stack. */
static _Noreturn void exchange_on(uint64_t stack_high, const struct arena *a)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %0, %%rsp\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "call *%1"
			 :
			 : "r"(stack_high), "r"(exchange), "D"(a)
			 : "memory");
#elif defined(__aarch64__)
	register const struct arena *x0 __asm__("x0") = a;

	__asm__ volatile("mov sp, %0\n\t"
			 "mov x29, #0\n\t"
			 "blr %1"
			 :
			 : "r"(stack_high), "r"(exchange), "r"(x0)
			 : "memory");
#endif
	__builtin_unreachable();
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
		exchange_on(high, (const struct arena *)low);
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
	for (size_t i = 0; i < b.mappings && rc == 0; i++)
		rc = check_source(&b, &b.image[i]);
	if (rc == 0)
		rc = files_check(f, why, size);
	both_free(&b);
	return rc;
}
