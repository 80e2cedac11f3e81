/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors come back with an image:
 *
 *	image_files FILE FOLDER [nokcmp]
 *
 * opens what FOLDER has and more, writes its image to FILE, and looks at all of it; so does the
 * process that wakes up, which writes an image of its own to FILE.2 first. Prints a line for each
 * thing that is not as it was, and at last "right" or "wrong", and "end" on its other output. With
 *nokcmp as where a filter refuses kcmp(2).
 *
 *	image_files FILE FOLDER refused WHAT
 *
 * opens one thing that no image holds, and is told so.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image_file.h"

enum { DUPLICATE = 40, SAVED_OUTPUT = 50, SURPLUS = 61, OWN = 600, HIGH = 777 };
enum { IN_PIPE = 100000, PAGE = 4096 };

static int wrong, report = STDOUT_FILENO;

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	dprintf(report, "wrong: %s\n", what);
	wrong = 1;
}

static int open_in(const char *folder, const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, flags, 0600);
	expect(fd >= 0, path);
	return fd;
}

/* Also of a user who may read and write all files. */
static void drop_rights(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	expect(syscall(SYS_capset, &head, none) == 0, "capset");
}

/* The process that loads the image has other files there, and one that stays. */
void image_file_soil(void)
{
	int zero = open("/dev/zero", O_RDONLY);

	if (getenv("IMAGE_BARE"))
		drop_rights();
	dup2(zero, DUPLICATE);
	dup2(zero, SURPLUS);
	if (getenv("IMAGE_OWN"))
		image_file_own = dup2(zero, atoi(getenv("IMAGE_OWN")));
}

/* ---- what comes back ---- */

static struct {
	int input, again, output, append, null, zero, random, folder, path, self;
	int read_end, read_too, write_end, small[2];
	int locked, of_file;
	FILE *text;
	DIR *listed;
	char *own_map;
	const char *shared_map, *closed_map;
} have;

static int names_seen;

static void read_name(void)
{
	names_seen += readdir(have.listed) != NULL;
}

static void open_files(const char *folder)
{
	char line[64];
	int closed;

	have.input = open_in(folder, "input", O_RDONLY);
	have.again = open_in(folder, "input", O_RDONLY | O_CLOEXEC);
	have.output = open_in(folder, "output", O_RDWR | O_CREAT | O_TRUNC | O_NONBLOCK);
	have.append = open_in(folder, "append", O_WRONLY | O_CREAT | O_APPEND);
	have.text = fdopen(open_in(folder, "text", O_RDONLY), "r");
	have.path = open_in(folder, "input", O_PATH);
	have.folder = open_in(folder, ".", O_RDONLY | O_DIRECTORY);
	have.listed = fdopendir(open_in(folder, "many", O_RDONLY | O_DIRECTORY));
	have.null = open("/dev/null", O_WRONLY);
	have.zero = open("/dev/zero", O_RDONLY);
	have.random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	have.self = open("/proc/self/comm", O_RDONLY);
	have.own_map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		open_in(folder, "mapped", O_RDONLY), 0);
	have.shared_map =
		mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open_in(folder, "mapped", O_RDONLY), PAGE);
	closed = open_in(folder, "closed", O_RDWR);
	have.closed_map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, closed, 0);
	close(closed);
	expect(read(have.input, line, 5) == 5, "input");
	expect(fgets(line, sizeof line, have.text) && strcmp(line, "one\n") == 0, "text");
	expect(write(have.output, "0123456789", 10) == 10, "output");
	expect(dup2(have.output, DUPLICATE) == DUPLICATE, "duplicate");
	expect(dup3(have.output, HIGH, O_CLOEXEC) == HIGH, "high");
	expect(write(have.append, "<", 1) == 1, "append");
	have.own_map[0] = 'O';
	read_name();
	read_name();
}

/* ---- locks ---- */

static int lock_range(int fd, int how, short type, off_t start, off_t length)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

	return fcntl(fd, how, &l);
}

static void take_locks(const char *folder)
{
	have.locked = open_in(folder, "locked", O_RDWR | O_CREAT);
	have.of_file = open_in(folder, "of-file", O_RDWR | O_CREAT);
	expect(dup(have.locked) >= 0, "a duplicate of what is locked");
	expect(flock(have.locked, LOCK_EX) == 0, "flock");
	expect(flock(have.folder, LOCK_SH) == 0, "flock of a folder");
	expect(lock_range(have.of_file, F_OFD_SETLK, F_WRLCK, 7, 0) == 0, "a lock of a file");
	expect(lock_range(have.output, F_SETLK, F_WRLCK, 5, 10) == 0, "a lock of the process");
	expect(lock_range(have.output, F_SETLK, F_RDLCK, 20, 0) == 0, "another one");
}

/* As another process sees it: of type, from start to behind the last byte. */
static int is_locked(int fd, int how, off_t from, short type, off_t start, off_t length)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = 1};

	return fcntl(fd, how, &l) == 0 && l.l_type == type &&
	       (type == F_UNLCK || (l.l_start == start && l.l_len == length));
}

static void look_at_locks(const char *folder)
{
	int locked = open_in(folder, "locked", O_RDWR),
	    of_file = open_in(folder, "of-file", O_RDWR);
	int of_folder = open_in(folder, ".", O_RDONLY), output = open_in(folder, "output", O_RDWR);

	expect(flock(locked, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK, "flock is held");
	expect(flock(of_folder, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK,
		"a folder's is held");
	expect(flock(of_folder, LOCK_SH | LOCK_NB) == 0, "... shared");
	expect(is_locked(of_file, F_OFD_GETLK, 7, F_WRLCK, 7, 0), "a file's is held");
	expect(is_locked(of_file, F_OFD_GETLK, 6, F_UNLCK, 0, 0), "... and no more");
	expect(is_locked(output, F_GETLK, 5, F_WRLCK, 5, 10), "the process's is held");
	expect(is_locked(output, F_GETLK, 15, F_UNLCK, 0, 0), "... and no more");
	expect(is_locked(output, F_GETLK, 99, F_RDLCK, 20, 0), "... nor the other one");
	_exit(wrong);
}

static void check_locks(const char *folder)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		look_at_locks(folder);
	expect(child > 0 && waitpid(child, &status, 0) == child && status == 0, "locks");
	expect(flock(have.locked, LOCK_UN) == 0 && flock(have.locked, LOCK_EX | LOCK_NB) == 0,
		"a lock is given back by the descriptor that had it");
}

static void open_pipes(void)
{
	static char much[IN_PIPE];
	int end[2];

	expect(pipe2(end, O_CLOEXEC) == 0, "pipe");
	have.read_end = end[0];
	have.write_end = end[1];
	have.read_too = dup(have.read_end);
	fcntl(have.write_end, F_SETPIPE_SZ, 1 << 17);
	fcntl(have.read_end, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < IN_PIPE; i++)
		much[i] = (char)(i * 7 + i / 1000);
	expect(write(have.write_end, much, IN_PIPE) == IN_PIPE, "pipe is filled");
	expect(pipe(have.small) == 0 && write(have.small[1], "x", 1) == 1, "small pipe");
}

/* What printf(3) writes goes to a file; the number of the standard input is free. */
static void redirect(const char *folder)
{
	fflush(stdout);
	expect(dup2(STDOUT_FILENO, SAVED_OUTPUT) == SAVED_OUTPUT, "saved output");
	report = SAVED_OUTPUT;
	dup2(open_in(folder, "printed", O_WRONLY | O_CREAT | O_TRUNC), STDOUT_FILENO);
	close(STDIN_FILENO);
}

static int on_exec(int fd)
{
	return fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void check_files(void)
{
	char line[64] = "";
	struct stat st;

	expect(read(have.input, line, 3) == 3 && memcmp(line, "567", 3) == 0, "offset");
	expect(read(have.again, line, 3) == 3 && memcmp(line, "012", 3) == 0, "the file once more");
	expect(!on_exec(have.input) && on_exec(have.again), "close-on-exec");
	expect(fgets(line, sizeof line, have.text) && strcmp(line, "two\n") == 0, "a FILE");
	expect((fcntl(have.output, F_GETFL) & (O_ACCMODE | O_NONBLOCK | O_APPEND)) ==
			(O_RDWR | O_NONBLOCK),
		"flags");
	expect(fstat(have.output, &st) == 0 && st.st_ino > 0, "output is open");
	expect(write(have.output, "ab", 2) == 2 && write(DUPLICATE, "c", 1) == 1, "duplicate");
	expect(lseek(HIGH, 0, SEEK_CUR) == 13, "duplicates have one offset");
	expect(!on_exec(have.output) && !on_exec(DUPLICATE) && on_exec(HIGH),
		"close-on-exec of duplicates");
	expect(fcntl(have.append, F_GETFL) & O_APPEND, "append");
	expect(write(have.append, ">", 1) == 1, "append is written to");
	expect((fcntl(have.path, F_GETFL) & O_PATH) && fstat(have.path, &st) == 0, "a path");
	expect(faccessat(have.folder, "input", R_OK, 0) == 0, "a folder");
	while (readdir(have.listed))
		names_seen++;
	for (rewinddir(have.listed); readdir(have.listed);)
		names_seen--;
	expect(names_seen == 0, "where it is in a folder");
	expect(write(have.null, "x", 1) == 1, "/dev/null");
	expect(read(have.zero, line, 5) == 5 && line[4] == 0, "/dev/zero");
	expect(read(have.random, line, 5) == 5 && on_exec(have.random), "/dev/urandom");
	expect(read(have.self, line, 5) == 5 && memcmp(line, "image", 5) == 0, "/proc/self");
	expect(have.own_map[0] == 'O' && have.own_map[1] == 'm' && have.own_map[PAGE] == 'M',
		"a private mapping");
	expect(have.shared_map[0] == 'M', "a shared one");
	expect(have.closed_map[0] == 'c', "one of a file that was closed");
}

static void check_pipes(void)
{
	static char much[IN_PIPE + 1];
	int same = 1;

	expect(fcntl(have.read_end, F_GETFL) & O_NONBLOCK, "a pipe's flags");
	expect(!(fcntl(have.write_end, F_GETFL) & O_NONBLOCK), "... of one end");
	expect(on_exec(have.read_end) && !on_exec(have.read_too), "a pipe's close-on-exec");
	expect(fcntl(have.read_end, F_GETPIPE_SZ) == 1 << 17, "its size");
	expect(read(have.read_end, much, 50) == 50, "its contents");
	expect(read(have.read_too, much + 50, sizeof much - 50) == IN_PIPE - 50, "all of them");
	for (int i = 0; i < IN_PIPE; i++)
		same &= much[i] == (char)(i * 7 + i / 1000);
	expect(same, "as they were");
	expect(read(have.read_end, much, 1) == -1 && errno == EAGAIN, "no more");
	expect(write(have.write_end, "new", 3) == 3 && read(have.read_end, much, 9) == 3 &&
			memcmp(much, "new", 3) == 0,
		"it is a pipe");
	expect(read(have.small[0], much, 9) == 1 && much[0] == 'x', "another pipe");
}

/* What is open and none of the program's: how many, and the last of them. */
static int others(int *last)
{
	int n = 0;

	for (int i = OWN; i < 4 * HIGH; i++)
		if (i != HIGH && fcntl(i, F_GETFD) != -1) {
			*last = i;
			n++;
		}
	return n;
}

static void check_streams(int woke)
{
	int own = -1;

	expect(printf("printed\n") == 8 && fflush(stdout) == 0, "redirected output");
	expect(fcntl(STDIN_FILENO, F_GETFD) == -1, "what was closed");
	expect(fcntl(SURPLUS, F_GETFD) == -1, "what was not open");
	expect(others(&own) == woke, "what is the new process's own");
}

static void without_kcmp(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof f / sizeof *f, f};

	expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
			syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0) == -1 && errno == EPERM,
		"a filter");
}

static int bring_back(const char *image, const char *folder)
{
	char second[4096];
	int woke;

	snprintf(second, sizeof second, "%s.2", image);
	open_files(folder);
	take_locks(folder);
	open_pipes();
	redirect(folder);
	woke = image_file_take(image);
	if (woke) {
		expect(others(&image_file_own) == 1, "the new process's own is told");
		image_file_take(second);
	}
	check_locks(folder);
	check_files();
	check_pipes();
	check_streams(woke);
	dprintf(report, "%s\n", wrong ? "wrong" : "right");
	dprintf(STDERR_FILENO, "end\n");
	return wrong;
}

/* More of them than the limit that a process begins with. */
static int bring_back_locked(const char *image, const char *folder)
{
	enum { LOCKED = 1500 };
	static int fd[LOCKED];
	struct rlimit limit;
	char name[64];

	expect(getrlimit(RLIMIT_NOFILE, &limit) == 0, "getrlimit");
	limit.rlim_cur = limit.rlim_max;
	expect(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
	for (int i = 0; i < LOCKED; i++) {
		snprintf(name, sizeof name, "many/a-rather-long-name-%d", i + 1);
		fd[i] = open_in(folder, name, O_RDONLY);
		expect(flock(fd[i], LOCK_EX) == 0, "flock");
	}
	image_file_take(image);
	for (int i = 0; i < LOCKED; i++) {
		int other;

		snprintf(name, sizeof name, "many/a-rather-long-name-%d", i + 1);
		other = open_in(folder, name, O_RDONLY);
		expect(flock(other, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK, "is held");
		close(other);
	}
	dprintf(STDOUT_FILENO, "%s\nend\n", wrong ? "wrong" : "right");
	return wrong;
}

/* ---- what does not ---- */

static int lost(const char *folder, const char *name, int by_another)
{
	char path[4096], other[4096];
	int fd = open_in(folder, name, O_RDWR | O_CREAT);

	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(other, sizeof other, "%s/other", folder);
	if (by_another) {
		close(open_in(folder, "other", O_RDWR | O_CREAT));
		expect(rename(other, path) == 0, "rename");
	} else {
		expect(unlink(path) == 0, "unlink");
	}
	return fd;
}

static int lost_folder(const char *folder)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/lost-folder", folder);
	expect(mkdir(path, 0700) == 0, path);
	fd = open(path, O_RDONLY);
	expect(rmdir(path) == 0, path);
	return fd;
}

static int named_pipe(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/fifo", folder);
	expect(mkfifo(path, 0600) == 0, path);
	return open(path, O_RDWR);
}

static int one_end(int flags, int which)
{
	int end[2];

	expect(pipe2(end, flags) == 0, "pipe");
	if (which >= 0)
		close(end[1 - which]);
	return end[which < 0 ? 0 : which];
}

/* One more than an image holds, with those that were there and the image's file. */
static int too_many(void)
{
	struct rlimit limit = {.rlim_cur = 5000, .rlim_max = 5000};
	int n = 0, fd = -1;

	expect(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
	for (int i = 0; i < 4096; i++)
		n += fcntl(i, F_GETFD) != -1;
	for (; n < 4096; n++)
		fd = dup(STDERR_FILENO);
	return fd;
}

/* Together more than an image holds of pipes and names; the kernel may give none so large. */
static int full_pipes(void)
{
	enum { PIPES = 17, LARGE = 1 << 20 };
	static char bytes[LARGE];
	int end[2] = {-1, -1};

	for (int i = 0; i < PIPES; i++) {
		expect(pipe(end) == 0, "pipe");
		if (fcntl(end[1], F_SETPIPE_SZ, LARGE) < LARGE)
			return -1;
		expect(write(end[1], bytes, LARGE) == LARGE, "write");
	}
	return end[0];
}

/* A lock more than an image holds; each lies apart from the others. */
static int too_many_locks(const char *folder)
{
	int fd = open_in(folder, "locks", O_RDWR | O_CREAT);

	for (int i = 0; i <= 4096; i++) {
		struct flock lock = {.l_type = F_WRLCK, .l_start = 2L * i, .l_len = 1};

		expect(fcntl(fd, F_SETLK, &lock) == 0, "F_SETLK");
	}
	return fd;
}

static int shared_memory(const char *folder)
{
	int fd = open_in(folder, "shared", O_RDWR | O_CREAT);

	expect(ftruncate(fd, PAGE) == 0, "ftruncate");
	expect(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED, "mmap");
	return fd;
}

/* The kernel's list of mappings has a name without the end of line in it. */
static int strange_name(const char *folder)
{
	int fd = open_in(folder, "two\nlines", O_RDWR | O_CREAT);

	expect(ftruncate(fd, PAGE) == 0, "ftruncate");
	expect(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED, "mmap");
	close(fd);
	return 0;
}

static int lost_program(void)
{
	char path[4096] = "";

	return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? unlink(path) : -1;
}

/* For the list of descriptors, of 33 MiB, and not for that of mappings, of 21. */
static int little_room(void)
{
	enum { MORE = 40 << 20 };
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long pages;
	struct rlimit limit;

	if (!statm || fscanf(statm, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &limit) != 0)
		return -1;
	fclose(statm);
	limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + MORE;
	return setrlimit(RLIMIT_AS, &limit);
}

static int not_for_children(void)
{
	char *two =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return two == MAP_FAILED ? -1 : madvise(two, PAGE, MADV_DONTFORK);
}

static int timer(void)
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	int number;

	return (int)syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &number);
}

static int open_refused(const char *folder, const char *what)
{
	uint32_t queue[30] = {0}; /* struct io_uring_params */
	sigset_t none;
	int two[2];

	sigemptyset(&none);
	if (strcmp(what, "socket") == 0)
		return socketpair(AF_UNIX, SOCK_STREAM, 0, two) ? -1 : two[0];
	if (strcmp(what, "epoll") == 0)
		return epoll_create1(0);
	if (strcmp(what, "eventfd") == 0)
		return eventfd(3, 0);
	if (strcmp(what, "timerfd") == 0)
		return timerfd_create(CLOCK_MONOTONIC, 0);
	if (strcmp(what, "signalfd") == 0)
		return signalfd(-1, &none, 0);
	if (strcmp(what, "inotify") == 0)
		return inotify_init1(0);
	if (strcmp(what, "process") == 0)
		return (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (strcmp(what, "queue") == 0)
		return (int)syscall(SYS_io_uring_setup, 1, queue);
	if (strcmp(what, "control") == 0)
		return open_in(folder, "control", O_CREAT | O_ACCMODE);
	if (strcmp(what, "full-pipes") == 0)
		return full_pipes();
	if (strcmp(what, "locks") == 0)
		return too_many_locks(folder);
	if (strcmp(what, "memfd") == 0)
		return memfd_create("name", 0);
	if (strcmp(what, "terminal") == 0)
		return posix_openpt(O_RDWR | O_NOCTTY);
	if (strcmp(what, "lost") == 0)
		return lost(folder, "lost\n", 0);
	if (strcmp(what, "replaced") == 0)
		return lost(folder, "replaced", 1);
	if (strcmp(what, "folder") == 0)
		return lost_folder(folder);
	if (strcmp(what, "fifo") == 0)
		return named_pipe(folder);
	if (strcmp(what, "reader") == 0)
		return one_end(0, 0);
	if (strcmp(what, "writer") == 0)
		return one_end(0, 1);
	if (strcmp(what, "packets") == 0)
		return one_end(O_DIRECT, -1);
	if (strcmp(what, "many") == 0)
		return too_many();
	if (strcmp(what, "not-for-children") == 0)
		return not_for_children();
	if (strcmp(what, "timer") == 0)
		return timer();
	if (strcmp(what, "strange-name") == 0)
		return strange_name(folder);
	if (strcmp(what, "lost-program") == 0)
		return lost_program();
	if (strcmp(what, "room") == 0)
		return little_room();
	if (strcmp(what, "shared") == 0)
		return shared_memory(folder);
	return -1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 3;
	if (argc > 3 && strcmp(argv[3], "locked") == 0)
		return bring_back_locked(argv[1], argv[2]);
	if (argc > 3 && strcmp(argv[3], "nokcmp") == 0)
		without_kcmp();
	if (argc < 5)
		return bring_back(argv[1], argv[2]);
	if (open_refused(argv[2], argv[4]) < 0) {
		printf("%s cannot be had here\n", argv[4]);
		return 3;
	}
	image_file_take(argv[1]);
	return wrong ? 3 : 0;
}
