/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "load.h"
#include "plan.h"
#include "raw_call.h"
#include "state.h"
#include "threads.h"

/* The arena, told to the process that wakes up. */
static struct {
	uint64_t low, bytes;
	const void *carried;
	uint64_t carried_bytes;
} used;

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
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)m->name,
		(exchange_writes(m) ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0, 0, 0);

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

/* Heap and stack, as the kernel gives them: what is mapped later may lie close to them. */
static void stretch(const struct arena *a)
{
	long program_break = (long)a->process.program_break;
	size_t i = 0;

	if (raw_call(SYS_brk, program_break, 0, 0) != program_break)
		GIVE_UP_FOR_NOW("the heap of the process image cannot be had");
	while (i < a->mappings && a->mapping[i].fit != FIT_GROW)
		i++;
	if (i < a->mappings)
		*(volatile char *)a->mapping[i].m.r.low = 0;
}

/* Memory that nothing is read into is as it was at once: what nobody may write counts for no limit
 * (RLIMIT_DATA, vm.overcommit_memory). */
static bool stays_empty(const struct to_place *t)
{
	return t->fit == FIT_FRESH && !t->m.filled;
}

static void place(const struct to_place *t)
{
	const struct image_region *r = &t->m.r;
	int grows = r->flags & IMAGE_GROWS ? MAP_GROWSDOWN : 0;

	switch (t->fit) {
	case FIT_FRESH:
		MUST(map(r, stays_empty(t) ? (int)r->access : PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | grows, -1),
			"there is no memory for the process image");
		break;
	case FIT_BREAK:
	case FIT_GROW:
		make_clean(r);
		break;
	case FIT_FILE:
		map_file(&t->m);
		break;
	case FIT_THERE:
		if (r->treatment != PLAN_AS_IT_IS)
			make_clean(r);
		break;
	case FIT_RUNS: /* what it runs stays as it is, until it is read over */
		if (r->treatment != PLAN_AS_IT_IS)
			MUST(raw_call(SYS_mprotect, (long)r->low, (long)(r->high - r->low),
				     PROT_READ | PROT_WRITE | PROT_EXEC),
				"code of the process image cannot be made writable");
		break;
	default:
		break;
	}
}

/* As the process had protected it. */
static void protect(const struct to_place *t)
{
	const struct image_region *r = &t->m.r;

	if (t->fit == FIT_KERNEL || stays_empty(t) || r->treatment == PLAN_AS_IT_IS ||
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
	stretch(a);
	for (size_t i = 0; i < a->mappings; i++)
		place(&a->mapping[i]);
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

_Noreturn void exchange_begin(uint64_t stack_high, const struct arena *a)
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
