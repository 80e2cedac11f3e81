/* SPDX-License-Identifier: BSD-3-Clause */
/* What descriptors are, in an image and at its load. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "image/files.h"
#include "unit.h"

static struct files_facts facts_of(uint32_t mode, const char *link)
{
	return (struct files_facts){.number = 7,
		.mode = mode,
		.named = link[0] == '/',
		.inherited = FILES_NONE,
		.link = link,
		.length = strlen(link)};
}

static const struct {
	uint32_t mode;
	const char *link;
	uint32_t major, minor;
	enum files_kind kind;
	const char *why; /* it is refused */
} kinds[] = {
	{S_IFREG, "/tmp/a", 0, 0, FILES_REGULAR, NULL},
	{S_IFREG, "/dev/shm/a", 0, 0, FILES_REGULAR, NULL},
	{S_IFREG, "/memfd:a (deleted)", 0, 0, FILES_REFUSED, "memory without a name (memfd)"},
	{S_IFREG, "mnt:[4026531841]", 0, 0, FILES_REFUSED, "a file that no name leads to any more"},
	{S_IFREG, "/proc/7/task/7/comm", 0, 0, FILES_REFUSED,
		"a file of /proc that another process has not"},
	{S_IFDIR, "/tmp", 0, 0, FILES_FOLDER, NULL},
	{S_IFDIR, "", 0, 0, FILES_REFUSED, "a folder that no name leads to any more"},
	{S_IFLNK, "/tmp/l", 0, 0, FILES_REFUSED, "a symbolic link itself (O_PATH)"},
	{S_IFBLK, "/dev/vda", 254, 0, FILES_REFUSED, "a device"},
	{S_IFCHR, "/dev/null", 1, 3, FILES_DEVICE, NULL},
	{S_IFCHR, "/dev/zero", 1, 5, FILES_DEVICE, NULL},
	{S_IFCHR, "/dev/full", 1, 7, FILES_DEVICE, NULL},
	{S_IFCHR, "/dev/random", 1, 8, FILES_DEVICE, NULL},
	{S_IFCHR, "/dev/urandom", 1, 9, FILES_DEVICE, NULL},
	{S_IFCHR, "/dev/mem", 1, 1, FILES_REFUSED, "a device"},
	{S_IFCHR, "/dev/kmsg", 1, 11, FILES_REFUSED, "a device"},
	{S_IFCHR, "/dev/null", 2, 3, FILES_REFUSED, "a device"},
	{S_IFCHR, "/dev/tty", 5, 0, FILES_REFUSED, "a terminal"},
	{S_IFCHR, "/dev/pts/3", 136, 3, FILES_REFUSED, "a terminal"},
	{S_IFCHR, "/dev/console", 5, 1, FILES_REFUSED, "a terminal"},
	{S_IFIFO, "pipe:[77]", 0, 0, FILES_PIPE, NULL},
	{S_IFIFO, "/tmp/fifo", 0, 0, FILES_REFUSED, "a named pipe"},
	{S_IFSOCK, "socket:[77]", 0, 0, FILES_REFUSED, "a socket"},
	{0, "anon_inode:[eventpoll]", 0, 0, FILES_REFUSED,
		"a set of descriptors to wait for (epoll)"},
	{0, "anon_inode:[eventfd]", 0, 0, FILES_REFUSED, "a counter of events (eventfd)"},
	{0, "anon_inode:[timerfd]", 0, 0, FILES_REFUSED, "a timer (timerfd)"},
	{0, "anon_inode:[signalfd]", 0, 0, FILES_REFUSED, "signals to be read (signalfd)"},
	{0, "anon_inode:inotify", 0, 0, FILES_REFUSED, "files that are watched (inotify)"},
	{0, "anon_inode:[io_uring]", 0, 0, FILES_REFUSED, "a queue of input and output (io_uring)"},
	{0, "anon_inode:[pidfd]", 0, 0, FILES_REFUSED, "another process (pidfd)"},
	{0, "anon_inode:bpf-map", 0, 0, FILES_REFUSED, "something of the kernel"},
	{0, "", 0, 0, FILES_REFUSED, "something of the kernel"},
};

START_TEST(each_kind)
{
	struct files_facts f = facts_of(kinds[_i].mode, kinds[_i].link);
	const char *why = NULL;

	f.special = makedev(kinds[_i].major, kinds[_i].minor);
	ck_assert_int_eq(files_kind_for(&f, &why), kinds[_i].kind);
	ck_assert_pstr_eq(why, kinds[_i].why);
	f.own = true;
	f.inherited = 1;
	ck_assert_int_eq(files_kind_for(&f, &why), FILES_OWN);
}
END_TEST

START_TEST(a_name_must_lead_there)
{
	static const uint32_t modes[] = {S_IFREG, S_IFDIR, S_IFCHR};
	struct files_facts f = facts_of(modes[_i], "/tmp/a (deleted)");
	const char *why;

	f.special = makedev(1, 3);
	ck_assert_int_ne(files_kind_for(&f, &why), FILES_REFUSED);
	f.named = false;
	ck_assert_int_eq(files_kind_for(&f, &why), FILES_REFUSED);
}
END_TEST

START_TEST(flags_that_refuse)
{
	struct files_facts f = facts_of(S_IFREG, "/tmp/a"), p = facts_of(S_IFIFO, "pipe:[7]");
	const char *why;

	f.flags = O_ACCMODE;
	p.flags = O_WRONLY | O_DIRECT;
	ck_assert_int_eq(files_kind_for(&f, &why), FILES_REFUSED);
	ck_assert_str_eq(why, "a file opened for control only");
	ck_assert_int_eq(files_kind_for(&p, &why), FILES_REFUSED);
	ck_assert_str_eq(why, "a pipe of packets");
	f.flags = p.flags = O_RDWR | O_NONBLOCK | O_APPEND;
	ck_assert_int_eq(files_kind_for(&f, &why), FILES_REGULAR);
	ck_assert_int_eq(files_kind_for(&p, &why), FILES_PIPE);
	f.denied = true;
	ck_assert_int_eq(files_kind_for(&f, &why), FILES_REFUSED);
	ck_assert_str_eq(why, "a file that this user may not open again as it is open");
}
END_TEST

/* What the process was started with: mode, number, of a stream's open file, the stream is
 * elsewhere; how it is open. */
static const struct {
	uint32_t mode;
	int as;
	bool stream, moved;
	enum files_kind kind;
	uint32_t flags;
} inheritances[] = {
	{S_IFREG, FILES_NONE, false, false, FILES_REGULAR, O_RDONLY},
	{S_IFREG, 1, false, false, FILES_REGULAR, O_RDONLY},
	{S_IFREG, 1, true, false, FILES_INHERITED, O_WRONLY},
	{S_IFREG, 0, true, false, FILES_INHERITED, O_RDWR},
	{S_IFREG, 0, true, false, FILES_REGULAR, O_RDONLY},
	{S_IFREG, 1, false, true, FILES_INHERITED, O_WRONLY},
	{S_IFREG, 0, false, true, FILES_REGULAR, O_RDONLY},
	{S_IFREG, 5, false, true, FILES_REGULAR, O_RDONLY},
	{S_IFDIR, 0, false, true, FILES_FOLDER, O_RDONLY},
	{S_IFDIR, 0, true, false, FILES_INHERITED, O_RDONLY},
	{S_IFCHR, 0, false, true, FILES_DEVICE, O_RDONLY},
	{S_IFCHR, 0, true, false, FILES_INHERITED, O_RDONLY},
	{S_IFSOCK, 0, false, false, FILES_INHERITED, O_RDONLY},
	{S_IFSOCK, 5, false, false, FILES_INHERITED, O_RDONLY},
	{S_IFIFO, 5, false, false, FILES_INHERITED, O_RDONLY},
	{0, 5, false, false, FILES_INHERITED, O_RDONLY},
};

START_TEST(what_was_inherited)
{
	uint32_t mode = inheritances[_i].mode;
	struct files_facts f = facts_of(mode, mode == S_IFIFO ? "pipe:[7]" : "/dev/null");
	const char *why;

	f.special = makedev(1, 3);
	f.flags = inheritances[_i].flags;
	f.inherited = inheritances[_i].as;
	f.stream = inheritances[_i].stream;
	f.moved = inheritances[_i].moved;
	ck_assert_int_eq(files_kind_for(&f, &why), inheritances[_i].kind);
}
END_TEST

START_TEST(the_number_that_it_was_inherited_as)
{
	const struct files_inherited from = {.n = 4,
		.of = {{0, O_RDONLY, 8, 100}, {1, O_WRONLY, 8, 100}, {2, O_WRONLY, 8, 100},
			{9, O_RDWR, 8, 200}}};
	struct files_facts f = {
		.number = 2, .flags = O_WRONLY | O_APPEND, .device = 8, .inode = 100};

	ck_assert_int_eq(files_inherited_as(&from, &f), 2);
	f.number = 1;
	ck_assert_int_eq(files_inherited_as(&from, &f), 1);
	f.number = 9;
	ck_assert_int_eq(files_inherited_as(&from, &f), 1);
	f.flags = O_RDONLY;
	ck_assert_int_eq(files_inherited_as(&from, &f), 0);
	f.flags = O_RDWR;
	ck_assert_int_eq(files_inherited_as(&from, &f), FILES_NONE);
	f.inode = 200;
	ck_assert_int_eq(files_inherited_as(&from, &f), 9);
	f.device = 9;
	ck_assert_int_eq(files_inherited_as(&from, &f), FILES_NONE);
}
END_TEST

START_TEST(flags_for_open)
{
	const uint32_t all = ~0U;
	const uint32_t never = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_ASYNC;

	for (int kind = FILES_REGULAR; kind < FILES_KINDS; kind++) {
		ck_assert_uint_eq(files_flags_for((enum files_kind)kind, all) & never, 0);
		ck_assert_uint_eq(files_flags_for((enum files_kind)kind, O_RDWR | O_NONBLOCK),
			O_RDWR | O_NONBLOCK);
	}
	ck_assert_uint_eq(files_flags_for(FILES_REGULAR, O_WRONLY | O_APPEND | O_DIRECTORY),
		O_WRONLY | O_APPEND);
	ck_assert_uint_eq(files_flags_for(FILES_REGULAR, O_SYNC | O_DIRECT | O_NOATIME | O_PATH),
		O_SYNC | O_DIRECT | O_NOATIME | O_PATH);
	ck_assert_uint_eq(files_flags_for(FILES_FOLDER, O_DIRECTORY), O_DIRECTORY);
	ck_assert_uint_eq(files_flags_for(FILES_PIPE, O_WRONLY | O_APPEND), O_WRONLY);
}
END_TEST

/* ---- tables ---- */

static struct files_entry pipe_end(uint32_t number, uint32_t access, uint64_t inode)
{
	return (struct files_entry){.number = number,
		.same = number,
		.kind = FILES_PIPE,
		.flags = access,
		.inode = inode};
}

START_TEST(ends_of_pipes)
{
	struct files_entry e[] = {pipe_end(3, O_WRONLY, 70), pipe_end(4, O_RDONLY, 70),
		pipe_end(5, O_RDONLY, 70), pipe_end(6, O_RDWR, 80), pipe_end(9, O_WRONLY, 80)};

	ck_assert_ptr_null(files_one_ended(e, 5));
	ck_assert_ptr_eq(files_reader_of(e, 5, 70), &e[1]);
	ck_assert_ptr_eq(files_reader_of(e, 5, 80), &e[3]);
	ck_assert_ptr_null(files_reader_of(e, 5, 90));
	ck_assert_ptr_null(files_one_ended(e, 4));
	ck_assert_ptr_eq(files_one_ended(e, 1), &e[0]);
	e[0].inode = 90;
	ck_assert_ptr_eq(files_one_ended(e, 5), &e[0]);
	e[0].kind = FILES_INHERITED;
	ck_assert_ptr_eq(files_one_ended(e, 5), &e[1]);
	for (uint32_t i = 0; i < 12; i++) {
		const struct files_entry *found = files_find(e, 5, i);

		ck_assert_int_eq(found != NULL, (i >= 3 && i <= 6) || i == 9);
		ck_assert(!found || found->number == i);
	}
}
END_TEST

static const struct {
	const char *path;
	uint32_t pid;
	const char *is;
} paths[] = {
	{"/proc/4711/maps", 4711, "/proc/self/maps"},
	{"/proc/4711", 4711, "/proc/self"},
	{"/proc/1/maps", 1, "/proc/self/maps"},
	{"/proc/1234567/fd", 1234567, "/proc/self/fd"},
	{"/proc/47110/maps", 4711, "/proc/47110/maps"},
	{"/proc/471/maps", 4711, "/proc/471/maps"},
	{"/proc/4711x/maps", 4711, "/proc/4711x/maps"},
	{"/proc/cpuinfo", 0, "/proc/cpuinfo"},
	{"/proc/", 0, "/proc/"},
	{"/tmp/4711/maps", 4711, "/tmp/4711/maps"},
	{"/proc/18446744073709556327", 4711, "/proc/18446744073709556327"},
};

START_TEST(own_files_in_proc)
{
	char path[64];
	size_t n;

	strcpy(path, paths[_i].path);
	n = files_path_of_self(path, strlen(path), paths[_i].pid);
	ck_assert_uint_eq(n, strlen(paths[_i].is));
	ck_assert_int_eq(memcmp(path, paths[_i].is, n), 0);
}
END_TEST

/* ---- sentences ---- */

START_TEST(a_refusal_is_a_sentence)
{
	struct files_facts f = facts_of(S_IFSOCK, "socket:[77]");
	char out[256], longest[FILES_PATH_MAX + 1];

	files_refusal(&f, "a socket", out, sizeof out);
	ck_assert_str_eq(
		out, "descriptor 7 is a socket (socket:[77]), which cannot be brought back");
	f = facts_of(S_IFIFO, "/tmp/a\nb\x1b[2J\x7f");
	f.number = 1048575;
	files_refusal(&f, "a named pipe", out, sizeof out);
	ck_assert_str_eq(out, "descriptor 1048575 is a named pipe (/tmp/a b [2J ), "
			      "which cannot be brought back");
	memset(longest, 'x', FILES_PATH_MAX);
	f.link = longest;
	f.length = FILES_PATH_MAX;
	memset(out, 'y', sizeof out);
	files_refusal(&f, "a named pipe", out, sizeof out);
	ck_assert_uint_eq(strlen(out), sizeof out - 1);
	ck_assert_str_eq(out + sizeof out - 1 - 30, "x), which cannot be brought back" + 2);
}
END_TEST

/* ---- at a load ---- */

static struct files_entry entry_of(
	enum files_kind kind, uint32_t flags, uint64_t offset, uint64_t bytes)
{
	return (struct files_entry){.number = 7,
		.same = 7,
		.kind = kind,
		.flags = flags,
		.offset = offset,
		.size = bytes,
		.special = kind == FILES_DEVICE ? makedev(1, 3) : 0,
		.text = (const uint8_t *)"/tmp/a\n!",
		.length = 7};
}

#define SEVERAL " (where several ranks write a file: -coord blocking, or -image-files keep)"

static const struct {
	enum files_kind kind;
	uint32_t flags;
	uint64_t offset, bytes;
	struct files_here here;
	const char *why; /* NULL: it fits */
	bool cut;
} fits[] = {
	{FILES_REGULAR, O_RDWR, 5, 10, {0, S_IFREG, 10, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_RDWR, 5, 10, {0, S_IFREG, 11, 0, 0, 0}, NULL, true},
	{FILES_REGULAR, O_WRONLY, 5, 10, {0, S_IFREG, 9, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_WRONLY, 5, 10, {0, S_IFREG, 5, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_RDONLY, 5, 10, {0, S_IFREG, 11, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_PATH, 0, 10, {0, S_IFREG, 0, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_RDONLY, 5, 10, {0, S_IFREG, 10, 0, 7, 0}, NULL, false},
	{FILES_REGULAR, O_RDWR, 5, 10, {0, S_IFREG, 10, 0, 7, 0},
		"/tmp/a , descriptor 7 of the image, is not the file that the program wrote to: "
		"that was renamed, or replaced",
		false},
	{FILES_REGULAR, O_RDWR, 5, 10, {0, S_IFREG, 4, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, has 4 bytes here, and the program was at byte "
		"5" SEVERAL,
		false},
	/* it was behind the end already */
	{FILES_REGULAR, O_RDWR, 15, 10, {0, S_IFREG, 10, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_RDONLY, 15, 0, {0, S_IFREG, 0, 0, 0, 0}, NULL, false},
	{FILES_REGULAR, O_RDWR, 15, 10, {0, S_IFREG, 9, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, has 9 bytes here, and the program was at byte "
		"15" SEVERAL,
		false},
	{FILES_REGULAR, O_RDWR, 5, 10, {ENOENT, 0, 0, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, cannot be opened: No such file or directory",
		false},
	{FILES_REGULAR, O_RDWR, 0, 0, {0, S_IFDIR, 0, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, is not the file it was", false},
	{FILES_REGULAR, O_RDWR, 0, 0, {0, S_IFIFO, 0, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, is not the file it was", false},
	{FILES_FOLDER, O_RDONLY, 1 << 20, 0, {0, S_IFDIR, 4096, 0, 0, 0}, NULL, false},
	{FILES_FOLDER, O_RDONLY, 0, 0, {0, S_IFREG, 0, 0, 0, 0},
		"/tmp/a , descriptor 7 of the image, is not the folder it was", false},
	{FILES_DEVICE, O_RDWR, 0, 0, {0, S_IFCHR, 0, 1 << 8 | 3, 0, 0}, NULL, false},
	{FILES_DEVICE, O_RDWR, 0, 0, {0, S_IFCHR, 0, 1 << 8 | 5, 0, 0},
		"/tmp/a , descriptor 7 of the image, is not the device it was", false},
	{FILES_DEVICE, O_RDWR, 0, 0, {0, S_IFBLK, 0, 1 << 8 | 3, 0, 0},
		"/tmp/a , descriptor 7 of the image, is not the device it was", false},
};

START_TEST(a_file_fits_or_not)
{
	struct files_entry e =
		entry_of(fits[_i].kind, fits[_i].flags, fits[_i].offset, fits[_i].bytes);
	char why[256] = "";

	ck_assert_int_eq(files_fits(&e, &fits[_i].here, why, sizeof why), !fits[_i].why);
	ck_assert_str_eq(why, fits[_i].why ? fits[_i].why : "");
	ck_assert_int_eq(files_is_cut(&e, &fits[_i].here), fits[_i].cut);
}
END_TEST

static const struct {
	uint32_t flags;
	uint64_t image, here;
	bool fits;
} births[] = {
	{O_RDWR, 700, 700, true},
	{O_RDWR, 700, 701, false},
	{O_WRONLY | O_APPEND, 700, 699, false},
	{O_RDWR, 0, 701, true},
	{O_RDWR, 700, 0, true},
	{O_RDONLY, 0, 701, true},
};

START_TEST(a_file_is_known_by_its_birth)
{
	struct files_entry e = entry_of(FILES_REGULAR, births[_i].flags, 0, 10);
	struct files_here here = {.mode = S_IFREG, .size = 10, .birth = births[_i].here};
	char why[256] = "";

	e.birth = births[_i].image;
	ck_assert_int_eq(files_fits(&e, &here, why, sizeof why), births[_i].fits);
	ck_assert_int_eq(strstr(why, "was renamed, or replaced") != NULL, !births[_i].fits);
}
END_TEST

START_TEST(a_birth_in_nanoseconds)
{
	struct statx known = {
		.stx_mask = STATX_BTIME, .stx_btime = {.tv_sec = 1795293000, .tv_nsec = 123456789}};
	struct statx unknown = known, before = known;

	ck_assert_uint_eq(files_birth(&known), 1795293000123456789ull);
	unknown.stx_mask = STATX_BASIC_STATS;
	ck_assert_uint_eq(files_birth(&unknown), 0);
	before.stx_btime.tv_sec = -1;
	ck_assert_uint_eq(files_birth(&before), 0);
}
END_TEST

#define EACH(test, cases) tcase_add_loop_test(tc, test, 0, sizeof cases / sizeof *cases)

UNIT_MAIN("image_files", EACH(each_kind, kinds);
	  tcase_add_loop_test(tc, a_name_must_lead_there, 0, 3);
	  tcase_add_test(tc, flags_that_refuse); EACH(what_was_inherited, inheritances);
	  tcase_add_test(tc, the_number_that_it_was_inherited_as);
	  tcase_add_test(tc, flags_for_open); tcase_add_test(tc, ends_of_pipes);
	  EACH(own_files_in_proc, paths); tcase_add_test(tc, a_refusal_is_a_sentence);
	  EACH(a_file_fits_or_not, fits); EACH(a_file_is_known_by_its_birth, births);
	  tcase_add_test(tc, a_birth_in_nanoseconds);)
