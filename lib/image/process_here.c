/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_here.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "thread_id.h"

static uint64_t stack_limit_at_begin = UINT64_MAX;

void process_here_init(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		stack_limit_at_begin = limit.rlim_cur;
}

/* ---- the processor ---- */

#if defined(__x86_64__)

#include <cpuid.h>

/* Bits of leaf 7, EDX, that name instructions; the others tell what microcode mends. */
#define SEVEN_EDX 0x03d1413cu

/* A process that uses these has a larger area of registers, for which its threads have to ask. */
static bool has_tiles(void)
{
	enum { ARCH_GET_XCOMP_PERM = 0x1022, TILE_DATA = 18 };
	uint64_t permitted = 0;

	return syscall(SYS_arch_prctl, ARCH_GET_XCOMP_PERM, &permitted) == 0 &&
	       permitted >> TILE_DATA & 1;
}

static void find_processor(struct process *p)
{
	uint32_t a, b, c, d, low, high, *w = p->word;

	p->machine = EM_X86_64;
	p->tiles = has_tiles();
	__cpuid(1, a, b, w[0], w[1]);
	if (__get_cpuid_count(7, 0, &a, &w[2], &w[3], &d)) {
		w[4] = d & SEVEN_EDX;
		__cpuid_count(7, 1, w[5], b, c, d);
	}
	if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
		w[6] = c;
		w[7] = d;
	}
	for (uint32_t i = 0; i < 3; i++)
		if (__get_cpuid(0x80000002 + i, &a, &b, &c, &d))
			memcpy(p->processor + 16 * i, (uint32_t[]){a, b, c, d}, 16);
	if (!(w[0] & bit_OSXSAVE))
		return;
	__cpuid_count(0xd, 1, w[8], b, c, d);
	__cpuid_count(0xd, 0, a, b, c, d);
	p->register_bytes = b;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	p->registers = (uint64_t)high << 32 | low;
}

#else

#ifndef PR_SVE_GET_VL
#define PR_SVE_GET_VL 51
#endif

/* libc keeps how many bytes an instruction clears, and compilers' libraries how long a line of the
 * cache is; features do not tell. */
static void find_processor(struct process *p)
{
	int sve = prctl(PR_SVE_GET_VL, 0, 0, 0, 0);
	uint64_t value;

	p->machine = EM_AARCH64;
	p->register_bytes = sve < 0 ? 0 : (uint64_t)sve & 0xffff;
	strcpy(p->processor, "aarch64");
	__asm__("mrs %0, dczid_el0" : "=r"(value));
	p->word[0] = (uint32_t)value;
	__asm__("mrs %0, ctr_el0" : "=r"(value));
	p->word[1] = (uint32_t)value;
}

#endif

/* ---- the kernel ---- */

/* The pages of its first segment: all of the vdso, in every kernel. */
static uint64_t hash_vdso(uint64_t page_bytes)
{
	const ElfW(Ehdr) *head = (const void *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) * part;

	if (!head)
		return 0;
	part = (const void *)((const uint8_t *)head + head->e_phoff);
	for (int i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD)
			return XXH3_64bits(
				head, (part[i].p_memsz + page_bytes - 1) / page_bytes * page_bytes);
	return 0;
}

static bool kernel_randomises(void)
{
	int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
	char digit = '2';

	if (fd >= 0 && read(fd, &digit, 1) != 1)
		digit = '2';
	if (fd >= 0)
		close(fd);
	return digit != '0';
}

static enum process_addresses find_addresses(unsigned now)
{
	enum process_addresses found = PROCESS_RANDOM;

	if (now & ADDR_NO_RANDOMIZE || !kernel_randomises())
		return PROCESS_FIXED;
	if (personality(now | ADDR_NO_RANDOMIZE) < 0)
		found = PROCESS_STAY_RANDOM;
	else
		personality(now);
	return found;
}

/* proc_pid_stat(5): the 47th word; the second one ends with the last parenthesis. */
static int find_break_start(uint64_t *out)
{
	enum { BEHIND_NAME = 2, BREAK_START = 47 };
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[1024], *at;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	at = strrchr(text, ')');
	for (int word = BEHIND_NAME; at && word < BREAK_START; word++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%" SCNu64, out) == 1 ? 0 : -EIO;
}

/* ---- the program and libraries ---- */

uint32_t process_build_id(
	const uint8_t *notes, size_t bytes, size_t align, uint8_t id[PROCESS_ID_MAX])
{
	size_t at = 0;

	align = align == 8 ? 8 : 4;
	while (at <= bytes && bytes - at >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name = at + sizeof note, text;

		memcpy(&note, notes + at, sizeof note);
		text = (name + note.n_namesz + align - 1) / align * align;
		at = (text + note.n_descsz + align - 1) / align * align;
		if (text > bytes || note.n_descsz > bytes - text)
			return 0;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
			memcmp(notes + name, "GNU", sizeof "GNU") != 0)
			continue;
		if (note.n_descsz > PROCESS_ID_MAX)
			return 0;
		memcpy(id, notes + text, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

static bool is_readable(const struct dl_phdr_info *info, const ElfW(Phdr) * notes)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_R && p->p_vaddr <= notes->p_vaddr &&
			notes->p_vaddr + notes->p_filesz <= p->p_vaddr + p->p_filesz)
			return true;
	}
	return false;
}

bool process_signs(const uint32_t *code, size_t instructions)
{
	const uint32_t paciasp = 0xd503233f, pacibsp = 0xd503237f;

	for (size_t i = 0; i < instructions; i++)
		if (code[i] == paciasp || code[i] == pacibsp)
			return true;
	return false;
}

#if defined(__aarch64__)
/* Code that a processor without keys runs as if there were no such instructions. A mark of the
 * linker's (GNU_PROPERTY_AARCH64_FEATURE_1_PAC) is there only if all of the object is built so. */
static bool signs(const struct dl_phdr_info *info)
{
	const unsigned long with_keys = 1ul << 30; /* HWCAP_PACA */

	for (int i = 0; i < info->dlpi_phnum && getauxval(AT_HWCAP) & with_keys; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && p->p_flags & PF_R &&
			process_signs((const uint32_t *)at, p->p_filesz / sizeof(uint32_t)))
			return true;
	}
	return false;
}
#else
static bool signs(const struct dl_phdr_info *info)
{
	(void)info;
	return false;
}
#endif

static void describe(const struct dl_phdr_info *info, struct process_object *o)
{
	o->low = UINT64_MAX;
	o->name = info->dlpi_name ? info->dlpi_name : "";
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && at < o->low)
			o->low = at;
		if (p->p_type == PT_LOAD && at + p->p_memsz > o->high)
			o->high = at + p->p_memsz;
		if (p->p_type == PT_NOTE && o->id_length == 0 && is_readable(info, p))
			o->id_length = process_build_id(
				(const uint8_t *)(uintptr_t)at, p->p_filesz, p->p_align, o->id);
	}
}

bool process_part_has_code(uint32_t flags)
{
	return !(flags & PF_W) || flags & PF_X;
}

/* Pages of the file: what a part has behind them is memory without one. */
static void note_code(const struct dl_phdr_info *info, struct process *p)
{
	for (int i = 0; i < info->dlpi_phnum && p->codes < PROCESS_CODE_MAX; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + part->p_vaddr, high = low + part->p_filesz;

		if (part->p_type != PT_LOAD || !process_part_has_code(part->p_flags))
			continue;
		p->code[p->codes].low = low / p->page_bytes * p->page_bytes;
		p->code[p->codes++].high =
			(high + p->page_bytes - 1) / p->page_bytes * p->page_bytes;
	}
}

/* The vdso is the kernel's. */
static int add_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct process *p = arg;
	struct process_object o = {0};
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	(void)bytes;
	describe(info, &o);
	if (o.low >= o.high || (o.low <= vdso && vdso < o.high))
		return 0;
	if (p->objects == PROCESS_OBJECTS_MAX)
		return -E2BIG;
	p->object[p->objects++] = o;
	if (o.low <= (uintptr_t)note_code && (uintptr_t)note_code < o.high)
		note_code(info, p);
	if (!p->signer && signs(info))
		p->signer = o.name;
	return 0;
}

/* ---- all of it ---- */

void __asan_init(void) __attribute__((weak));
void __hwasan_init(void) __attribute__((weak));
void __lsan_init(void) __attribute__((weak));
void __msan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));

/* There is no image of a process with one of these. */
static const char *find_sanitizer(void)
{
	const struct {
		void (*init)(void);
		const char *name;
	} known[] = {{__asan_init, "AddressSanitizer"}, {__hwasan_init, "HWAddressSanitizer"},
		{__lsan_init, "LeakSanitizer"}, {__msan_init, "MemorySanitizer"},
		{__tsan_init, "ThreadSanitizer"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].init)
			return known[i].name;
	return NULL;
}

static int fail(int rc, const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", what, strerror(-rc));
	return rc;
}

int process_here(struct process *p, char *why, size_t size)
{
	struct process q = {.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
		.hwcap = getauxval(AT_HWCAP),
		.hwcap2 = getauxval(AT_HWCAP2),
		.thread_id_at = (uint32_t)thread_id_offset(),
		.stack_limit = stack_limit_at_begin,
		.sanitizer = find_sanitizer()};
	int now = personality(0xffffffff), rc;
	struct utsname system;

	if (now < 0 || uname(&system) < 0)
		return fail(-errno, "the kernel does not say what it is", why, size);
	q.personality = (uint32_t)now & ~(uint32_t)ADDR_NO_RANDOMIZE;
	q.vdso = hash_vdso(q.page_bytes);
	q.addresses = find_addresses((unsigned)now);
	snprintf(q.kernel, sizeof q.kernel, "%s", system.release);
	snprintf(q.libc, sizeof q.libc, "%s", gnu_get_libc_version());
	find_processor(&q);
	rc = find_break_start(&q.break_start);
	if (rc)
		return fail(rc, "/proc/self/stat cannot be read", why, size);
	q.object = calloc(PROCESS_OBJECTS_MAX, sizeof *q.object);
	if (!q.object)
		return fail(-ENOMEM, "the list of libraries", why, size);
	rc = dl_iterate_phdr(add_object, &q);
	if (rc) {
		process_free(&q);
		return fail(rc, "more than 4,096 libraries are loaded", why, size);
	}
	*p = q;
	return 0;
}

int process_threads(char *why, size_t size)
{
	DIR *all = opendir("/proc/self/task");
	const struct dirent *one;
	int count = 0;

	if (!all)
		return fail(-errno, "/proc/self/task cannot be read", why, size);
	while ((one = readdir(all)))
		count += one->d_name[0] != '.';
	closedir(all);
	return count;
}
