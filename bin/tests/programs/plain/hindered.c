/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 has something that cannot be brought back with an image, until a file is there; then it
 * has none, until another is there. The others sleep a millisecond at a time.
 */
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { ITERATIONS = 1 << 20, PAGE = 4096 };

static struct prog prog;
static const char *name, *folder;
static volatile double number = 1;

/* Some milliseconds, in which no function is called. */
static void compute_a_while(void)
{
	double x = number;

	for (int i = 0; i < ITERATIONS; i++)
		x = x * 0.999999 + 0.000001;
	number = x;
}

static const char *in_folder(const char *file)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	return path;
}

/* Not usleep(3), which nobody interrupts. */
static void sleep_a_while(void)
{
	struct timespec left = {0, 1000000};

	nanosleep(&left, &left);
}

/* The others leave the processors to rank 0. */
static void compute_until(const char *file)
{
	while (access(in_folder(file), F_OK) != 0)
		if (prog.rank == 0)
			compute_a_while();
		else
			sleep_a_while();
}

static void expect(int holds, const char *what)
{
	if (!holds)
		prog_wrong(&prog, "%s", what);
}

/* ---- what is there: made with on set, and away without ---- */

static int fd, other_fd;

static void has_socket(int on)
{
	int pair[2];

	if (on) {
		expect(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "no socket");
		fd = pair[0];
		other_fd = pair[1];
		return;
	}
	close(fd);
	close(other_fd);
}

static void has_epoll(int on)
{
	if (on)
		expect((fd = epoll_create1(0)) >= 0, "no epoll");
	else
		close(fd);
}

static void has_child(int on)
{
	static FILE *from;

	if (on)
		expect((from = popen("exec cat /dev/null", "r")) != NULL, "no child");
	else
		pclose(from);
}

static void has_lost_file(int on)
{
	if (!on) {
		close(fd);
		return;
	}
	fd = open(in_folder("lost"), O_RDWR | O_CREAT, 0600);
	expect(fd >= 0 && unlink(in_folder("lost")) == 0, "no file");
}

static void *map(int flags, int of)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, of, 0);

	expect(at != MAP_FAILED, "nothing is mapped");
	return at;
}

static void has_anonymous(int on)
{
	static void *at;

	if (on)
		at = map(MAP_SHARED | MAP_ANONYMOUS, -1);
	else
		munmap(at, PAGE);
}

static void has_system_v(int on)
{
	static void *at;
	int id;

	if (!on) {
		shmdt(at);
		return;
	}
	id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	at = id < 0 ? (void *)-1 : shmat(id, NULL, 0); /* NOLINT */
	expect(id >= 0 && shmctl(id, IPC_RMID, NULL) == 0 && at != (void *)-1,
		"no memory"); /* NOLINT */
}

static void has_posix(int on)
{
	static void *at;
	char path[64];
	int of;

	if (!on) {
		munmap(at, PAGE);
		return;
	}
	snprintf(path, sizeof path, "/ftmpi-hindered-%d", (int)getpid());
	of = shm_open(path, O_RDWR | O_CREAT, 0600);
	expect(of >= 0 && ftruncate(of, PAGE) == 0 && shm_unlink(path) == 0, "no memory");
	at = map(MAP_SHARED, of);
	close(of);
}

static void has_mapped_file(int on)
{
	static void *at;
	int of;

	if (!on) {
		munmap(at, PAGE);
		return;
	}
	of = open(in_folder("mapped"), O_RDWR | O_CREAT, 0600);
	expect(of >= 0 && ftruncate(of, PAGE) == 0, "no file");
	at = map(MAP_SHARED, of);
	close(of);
}

static void has_own_memory(int on)
{
	static void *at;

	if (on)
		at = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise(at, PAGE, on ? MADV_DONTFORK : MADV_DOFORK);
}

static void has_timer(int on)
{
	static timer_t timer;

	if (on)
		expect(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0, "no timer");
	else
		timer_delete(timer);
}

static void *wait_in_pipe(void *arg)
{
	char byte;

	expect(read(*(int *)arg, &byte, 1) == 0, "the pipe is not at its end");
	return NULL;
}

static void on_signal(int signal)
{
	(void)signal;
}

/* It is for a process that has a second thread to stop. */
static void has_signal(int on)
{
	static pthread_t waits;
	static int pipe_end[2];

	if (!on) {
		signal(SIGRTMAX - 1, SIG_DFL);
		close(pipe_end[1]);
		pthread_join(waits, NULL);
		close(pipe_end[0]);
		return;
	}
	expect(signal(SIGRTMAX - 1, on_signal) == SIG_DFL, "the signal is somebody else's");
	expect(pipe(pipe_end) == 0 && pthread_create(&waits, NULL, wait_in_pipe, pipe_end) == 0,
		"no thread");
}

/* A log of its own, which it reads in memory. */
static void has_log(int on)
{
	static void *at;

	if (!on) {
		munmap(at, PAGE);
		close(fd);
		return;
	}
	fd = open(in_folder("log"), O_RDWR | O_CREAT | O_APPEND, 0600);
	expect(fd >= 0 && write(fd, "begun\n", 6) == 6, "no file");
	at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	expect(at != MAP_FAILED, "nothing is mapped");
}

static void has_proc(int on)
{
	if (on)
		expect((fd = open("/proc/self/mem", O_RDWR)) >= 0, "no file");
	else
		close(fd);
}

static void has_link(int on)
{
	if (!on) {
		close(fd);
		return;
	}
	expect(symlink("nowhere", in_folder("link")) == 0, "no link");
	fd = open(in_folder("link"), O_PATH | O_NOFOLLOW);
	expect(fd >= 0, "the link is not opened");
}

/* The file that this page is of, opened, and where in it. */
static int open_mapped(const char *page, unsigned long *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high, address = (unsigned long)page;
	char line[4200], path[4100];
	int of = -1;

	while (maps && of < 0 && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4099s", &low, &high, at, path) == 4 &&
			low <= address && address < high)
			of = open(path, O_RDONLY);
	expect(of >= 0 && fclose(maps) == 0, "the code has no file");
	*at += address - low;
	return of;
}

/* A page of the library's code lies in memory without a file. */
static void has_code_elsewhere(int on)
{
	char *page = (char *)((uintptr_t)PMPI_Init & -(uintptr_t)PAGE), *copy;
	static unsigned long at;

	if (on) {
		fd = open_mapped(page, &at);
		copy = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
		memcpy(copy, page, PAGE);
		mprotect(copy, PAGE, PROT_READ | PROT_EXEC);
		copy = mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	} else {
		copy = mmap(
			page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, (off_t)at);
		close(fd);
	}
	expect(copy == page, "the code is not moved");
}

/* The current folder is one that is not there any more. */
static void has_lost_folder(int on)
{
	static char was[4096];

	if (!on) {
		expect(chdir(was) == 0, "the folder of before is gone");
		return;
	}
	expect(getcwd(was, sizeof was) != NULL, "there is no current folder");
	expect(mkdir(in_folder("gone"), 0700) == 0 && chdir(in_folder("gone")) == 0 &&
			rmdir(in_folder("gone")) == 0,
		"no folder");
}

/* The process may have no more memory than it has. */
static void has_no_room(int on)
{
	static struct rlimit was;
	struct rlimit limit;
	FILE *statm;
	unsigned long pages = 0;

	if (!on) {
		expect(setrlimit(RLIMIT_AS, &was) == 0, "the limit stays");
		return;
	}
	statm = fopen("/proc/self/statm", "r");
	expect(statm && fscanf(statm, "%lu", &pages) == 1 && fclose(statm) == 0 &&
			getrlimit(RLIMIT_AS, &was) == 0,
		"the memory is not known");
	limit = was;
	limit.rlim_cur = (pages + 256) * PAGE;
	expect(setrlimit(RLIMIT_AS, &limit) == 0, "no limit");
}

static void waits_for_child(int on)
{
	char command[4400];

	if (!on)
		return;
	snprintf(command, sizeof command, "until [ -e '%s' ]; do sleep 0.05; done",
		in_folder("away"));
	expect(system(command) == 0, "the command did not end well"); /* NOLINT */
}

static void *reap(void *child)
{
	expect(waitpid(*(pid_t *)child, NULL, 0) == *(pid_t *)child, "there is no child");
	return NULL;
}

/* Another thread waits for a child. */
static void has_reaper(int on)
{
	static pthread_t reaper;
	static pid_t child;

	if (!on) {
		kill(child, SIGKILL);
		pthread_join(reaper, NULL);
		return;
	}
	child = fork();
	expect(child >= 0, "no child");
	if (child == 0) {
		pause();
		_exit(0);
	}
	expect(pthread_create(&reaper, NULL, reap, &child) == 0, "no thread");
}

static int within_linker(struct dl_phdr_info *info, size_t size, void *on)
{
	(void)info, (void)size, (void)on;
	compute_until("away");
	return 1;
}

/* A lock of the dynamic linker is held as long as that runs. */
static void is_in_linker(int on)
{
	if (on)
		dl_iterate_phdr(within_linker, NULL);
}

static void within_handler(int signal)
{
	(void)signal;
	compute_until("away");
}

/* In a handler that does not look like one. */
static void is_in_handler(int on)
{
	struct sigaction a = {.sa_handler = on ? within_handler : SIG_DFL, .sa_flags = SA_NODEFER};

	expect(sigaction(SIGUSR1, &a, NULL) == 0, "no handler");
	if (on)
		raise(SIGUSR1);
}

static void has_nothing(int on)
{
	(void)on;
}

static const struct thing {
	const char *name;
	void (*is_there)(int on);
	int stays; /* it returns when it is gone */
} things[] = {
	{.name = "socket", .is_there = has_socket},
	{.name = "epoll", .is_there = has_epoll},
	{.name = "child", .is_there = has_child},
	{.name = "lost", .is_there = has_lost_file},
	{.name = "anonymous", .is_there = has_anonymous},
	{.name = "system-v", .is_there = has_system_v},
	{.name = "posix", .is_there = has_posix},
	{.name = "mapped", .is_there = has_mapped_file},
	{.name = "own", .is_there = has_own_memory},
	{.name = "timer", .is_there = has_timer},
	{.name = "signal", .is_there = has_signal},
	{.name = "window", .is_there = has_nothing},
	{.name = "log", .is_there = has_log},
	{.name = "proc", .is_there = has_proc},
	{.name = "link", .is_there = has_link},
	{.name = "code", .is_there = has_code_elsewhere},
	{.name = "folder", .is_there = has_lost_folder},
	{.name = "room", .is_there = has_no_room},
	{.name = "reaper", .is_there = has_reaper},
	{.name = "system", .is_there = waits_for_child, .stays = 1},
	{.name = "linker", .is_there = is_in_linker, .stays = 1},
	{.name = "handler", .is_there = is_in_handler, .stays = 1},
};

static const struct thing *thing_named(void)
{
	for (size_t i = 0; i < sizeof things / sizeof *things; i++)
		if (strcmp(things[i].name, name) == 0)
			return &things[i];
	prog_wrong(&prog, "there is nothing called %s", name);
}

static void say(const char *what)
{
	if (prog.rank != 0)
		return;
	printf("hindered: %s is %s\n", name, what);
	fflush(stdout);
}

/* Each as long as the files say. A window is of all ranks. */
static void live(const struct thing *t)
{
	MPI_Win window = MPI_WIN_NULL;
	void *base;

	if (strcmp(name, "window") == 0)
		MPI_Win_allocate(PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
	if (t->stays)
		say("there");
	if (prog.rank == 0)
		t->is_there(1);
	if (!t->stays)
		say("there");
	compute_until("away");
	if (prog.rank == 0)
		t->is_there(0);
	if (window != MPI_WIN_NULL)
		MPI_Win_free(&window);
	say("gone");
	compute_until("over");
}

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"WHAT", NULL, PROG_TEXT, &name, 0, "what rank 0 has"},
		{"FOLDER", NULL, PROG_TEXT, &folder, 0, "until a file `away` is there"}};

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "hindered",
		.text = "Rank 0 has what cannot be brought back.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	MPI_Barrier(MPI_COMM_WORLD);
	live(thing_named());
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (prog.rank == 0)
		printf("hindered: right, %s\n", name);
	return 0;
}
