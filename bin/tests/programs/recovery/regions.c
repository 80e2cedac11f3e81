/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 has memory of one kind, and computes until a file is there; then that memory is what it
 * was. The others compute. So a test can have lines made meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "prog.h"

enum { ITERATIONS = 1 << 20, PAGE = 65536, DEEP = 40, DATA = 2 << 20 };

static struct prog prog;
static const char *file, *name;
static volatile double number = 1;

static int is_over(void)
{
	return access(file, F_OK) == 0;
}

/* Some milliseconds, in which no function is called. */
static void compute_a_while(void)
{
	double x = number;

	for (int i = 0; i < ITERATIONS; i++)
		x = x * 0.999999 + 0.000001;
	number = x;
}

static void compute(void)
{
	while (!is_over())
		compute_a_while();
}

static void there(void)
{
	printf("regions: rank 0 is there\n");
	fflush(stdout);
	compute();
}

static void expect(int holds, const char *what)
{
	if (!holds)
		prog_wrong(&prog, "%s (%s)", what, strerror(errno));
}

static char *map_at(void *at, size_t bytes, int access, int flags, int fd)
{
	char *p = mmap(at, bytes, access, flags, fd, 0);

	expect(p != MAP_FAILED, "nothing is mapped");
	return p;
}

/* ---- code ---- */

static __attribute__((noinline, aligned(PAGE))) int one(void)
{
	__asm__ volatile("");
	return 1;
}

static __attribute__((noinline)) int two(void)
{
	__asm__ volatile("");
	return 2;
}

static __attribute__((noinline, aligned(PAGE))) int behind(void)
{
	__asm__ volatile("");
	return 3;
}

/* As who patches code does: it may not be written before, nor afterwards. */
static void code_is_patched(void)
{
	int (*volatile call)(void) = one;
	int (*volatile from)(void) = two;

	expect(behind() == 3 && call() == 1, "the code is another one");
	expect(mprotect((void *)call, PAGE, PROT_READ | PROT_WRITE) == 0, "no access");
	memmove((void *)call, (void *)from, 32); /* they may lie close together */
	expect(mprotect((void *)call, PAGE, PROT_READ | PROT_EXEC) == 0, "no access");
	__builtin___clear_cache((char *)call, (char *)call + 32);
	there();
	expect(call() == 2, "the code is what it was before");
}

/* ---- the stack ---- */

static __attribute__((noinline)) int dive(int depth)
{
	volatile char piece[1 << 20];
	int sum = 0;

	piece[depth] = 1;
	if (depth > 0)
		sum = dive(depth - 1);
	else if (strcmp(name, "stack-limit") == 0)
		there();
	return sum + piece[depth];
}

/* A page so far below that the stack has it. */
static void protect_below(size_t bytes)
{
	char *here = (char *)&here - bytes;
	char *page = (char *)((uintptr_t)here / PAGE * PAGE);

	expect(dive(3) == 4, "no stack");
	memset(page, 7, PAGE);
	expect(mprotect(page, PAGE, PROT_NONE) == 0, "no access");
	there();
	expect(access(page, F_OK) == -1 && errno == EFAULT, "the page is not protected");
	expect(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0 && page[9] == 7,
		"the page is another one");
	expect(dive(3) == 4, "no stack");
}

static void stack_has_page(void)
{
	protect_below(2 * PAGE);
}

static void stack_has_page_far_down(void)
{
	protect_below(3 << 19);
}

/* The end of the stack, above where the program began on it. */
static void environment_is_protected(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const char *fill = getenv("FILL");
	char *page = (char *)(((uintptr_t)fill + size) / size * size);

	expect(strlen(fill) > 2 * size && (uintptr_t)page > (uintptr_t)environ, "no such word");
	expect(mprotect(page, size, PROT_READ) == 0, "no access");
	there();
	expect(page[0] == 'x' && page[size - 1] == 'x', "the page is another one");
	expect(getcwd(page, size) == NULL && errno == EFAULT, "the page may be written");
	expect(mprotect(page, size, PROT_READ | PROT_WRITE) == 0, "no access");
	page[1] = 'y';
}

static void stack_is_longer(void)
{
	struct rlimit r;

	getrlimit(RLIMIT_STACK, &r);
	r.rlim_cur = (DEEP + 8) << 20;
	expect(setrlimit(RLIMIT_STACK, &r) == 0, "no longer stack");
	expect(dive(DEEP) == DEEP + 1, "the stack is another one");
	getrlimit(RLIMIT_STACK, &r);
	expect(r.rlim_cur == (DEEP + 8) << 20, "the limit is another one");
}

static void stack_grows(void)
{
	char *top = (char *)0x200001000000, *at = top - PAGE;

	map_at(at, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1);
	*at = 1;
	there();
	while (at > top - 64 * PAGE)
		*(volatile char *)(at -= 1000) = 1;
	expect(top[-PAGE] == 1, "the memory is another one");
}

/* ---- memory without a file ---- */

static char data[DATA] __attribute__((aligned(PAGE))) = {1};

/* As who wants data of the program in huge pages does. */
static void lies_over_data(void)
{
	map_at(data, DATA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	data[0] = 5;
	data[DATA - 1] = 6;
	there();
	expect(data[0] == 5 && data[DATA / 2] == 0 && data[DATA - 1] == 6,
		"the memory is another one");
}

static void lies_above_heap(void)
{
	uintptr_t end = ((uintptr_t)sbrk(0) + PAGE - 1) / PAGE * PAGE;
	char *at = map_at((void *)(end + PAGE), PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);

	*at = 5;
	there();
	expect(*at == 5, "the memory is another one");
}

/* It is one mapping with the heap then. */
static void lies_at_break(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = ((uintptr_t)sbrk(0) + page - 1) / page * page;
	char *at = map_at((void *)end, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);

	*at = 5;
	there();
	expect(*at == 5 && at[PAGE - 1] == 0, "the memory is another one");
	expect((uintptr_t)sbrk(0) <= end && brk((void *)(end + PAGE)) == -1,
		"the break is another one");
}

/* So much that it takes minutes to look at each page. */
static void is_reserved(void)
{
	size_t bytes = (size_t)64 << 40;
	char *at = map_at(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	expect(mprotect(at + bytes / 2, PAGE, PROT_READ | PROT_WRITE) == 0, "no access");
	at[bytes / 2] = 5;
	there();
	expect(at[bytes / 2] == 5, "the memory is another one");
}

/* The process that loads it begins with a lower limit. What nobody may use counts for none. */
static void data_limit_is_higher(void)
{
	size_t bytes = (size_t)512 << 20;
	struct rlimit r, before;
	char *at;

	getrlimit(RLIMIT_DATA, &before);
	r = before;
	expect(r.rlim_cur < bytes && r.rlim_max > bytes, "no such limit");
	r.rlim_cur = r.rlim_max - 1;
	expect(setrlimit(RLIMIT_DATA, &r) == 0, "no higher limit");
	map_at(NULL, r.rlim_max, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	at = map_at(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	at[bytes / 2] = 5;
	there();
	expect(at[bytes / 2] == 5, "the memory is another one");
	getrlimit(RLIMIT_DATA, &r);
	expect(r.rlim_cur == before.rlim_max - 1, "the limit is another one");
}

/* ---- files ---- */

static const char *path(void)
{
	static char text[4096];

	snprintf(text, sizeof text, "%s.mapped", file);
	return text;
}

static int open_file(int bytes)
{
	int fd = open(path(), O_RDWR | O_CREAT | O_TRUNC, 0600);

	expect(fd >= 0 && write(fd, "begun", 6) == 6 && ftruncate(fd, bytes) == 0, "no file");
	return fd;
}

static void is_shared(int access)
{
	int fd = open_file(PAGE);
	char *at = map_at(NULL, PAGE, access, MAP_SHARED, fd), begin[9] = "";

	close(fd);
	there();
	expect(mprotect(at, PAGE, PROT_READ | PROT_WRITE) == 0, "it cannot be written any more");
	expect(strcmp(at, "begun") == 0, "the file is another one");
	strcpy(at, "over");
	fd = open(path(), O_RDONLY);
	expect(read(fd, begin, 5) == 5 && strcmp(begin, "over") == 0, "the file has not changed");
	close(fd);
}

static void is_shared_to_read(void)
{
	is_shared(PROT_READ);
}

static void is_shared_for_nothing(void)
{
	is_shared(PROT_NONE);
}

/* As libc's stacks of threads have them, in a new libc. Where the kernel has no such guards there
 * is none. */
static void has_guard(void)
{
	enum { GUARD_INSTALL = 102 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = map_at(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	strcpy(at, "before");
	strcpy(at + 3 * page, "behind");
	expect(madvise(at + page, 2 * page, GUARD_INSTALL) == 0 || errno == EINVAL, "no guard");
	there();
	expect(strcmp(at, "before") == 0 && strcmp(at + 3 * page, "behind") == 0,
		"the memory is another one");
}

static void is_longer_than_file(int removed)
{
	int fd = open_file(10);
	char *at = map_at(NULL, (size_t)4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);

	at[0] = 'B';
	if (removed)
		expect(close(fd) == 0 && unlink(path()) == 0, "the file stays");
	there();
	expect(strcmp(at, "Begun") == 0, "the memory is another one");
	errno = 0;
	expect(access(at + 2 * PAGE, F_OK) == -1 && errno == EFAULT, "it does not end");
	expect(munmap(at, (size_t)4 * PAGE) == 0, "it stays");
}

static void is_longer_than_open_file(void)
{
	is_longer_than_file(0);
}

static void is_longer_than_removed_file(void)
{
	is_longer_than_file(1);
}

static const struct prog_case cases[] = {{"code", code_is_patched}, {"page", stack_has_page},
	{"far-page", stack_has_page_far_down}, {"environment", environment_is_protected},
	{"stack-limit", stack_is_longer}, {"over-data", lies_over_data},
	{"above-heap", lies_above_heap}, {"at-break", lies_at_break}, {"shared", is_shared_to_read},
	{"shared-for-nothing", is_shared_for_nothing}, {"grows", stack_grows},
	{"longer", is_longer_than_open_file}, {"longer-removed", is_longer_than_removed_file},
	{"guard", has_guard}, {"reserved", is_reserved}, {"data-limit", data_limit_is_higher}};

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"KIND", NULL, PROG_TEXT, &name, 0, "of the memory of rank 0"},
		{"FILE", NULL, PROG_TEXT, &file, 0, "until this is there"}};

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "regions",
		.text = "Rank 0 has memory of one kind until a file is there.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name)->run();
	else
		compute();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (prog.rank == 0)
		printf("regions: right, %s\n", name);
	return 0;
}
