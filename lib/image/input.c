/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#include "raw_call.h"

enum { COUNT_BYTES = 16, PATH_BYTES = sizeof "/proc/4294967295/fd/4294967295" };

struct count {
	uint64_t written, inode;
};

/* A part of the image. */
static struct {
	uint64_t from; /* where the process was given its input from, in bytes from its beginning */
	uint64_t read;
} input = {0, IMAGE_INPUT_UNKNOWN};

uint64_t image_input_read(void)
{
	return input.read;
}

void input_woke(void)
{
	input.from = input.read == IMAGE_INPUT_UNKNOWN ? 0 : input.read;
}

static size_t put_text(char *to, size_t at, const char *text)
{
	while (*text)
		to[at++] = *text++;
	return at;
}

static size_t put_number(char *to, size_t at, uint32_t number)
{
	size_t digits = 1;

	for (uint32_t left = number; left >= 10; left /= 10)
		digits++;
	for (size_t i = digits; i-- > 0; number /= 10)
		to[at + i] = (char)('0' + number % 10);
	return at + digits;
}

static bool is_count(const struct image_feeder *feeder, const struct stat *st)
{
	return S_ISFIFO(st->st_mode) && st->st_ino == feeder->inode;
}

/* The pipe with the count, by an open file of this process's own; or -errno. */
static long open_count(const struct image_feeder *feeder)
{
	char path[PATH_BYTES];
	struct stat st;
	size_t at = put_text(path, 0, "/proc/");
	long fd;

	at = put_number(path, at, feeder->pid);
	at = put_text(path, at, "/fd/");
	path[put_number(path, at, feeder->fd)] = '\0';
	/* to open what it is not might have effects: the numbers may be of another process */
	if (raw_call6(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0, 0, 0) != 0 ||
		!is_count(feeder, &st))
		return -EINVAL;
	fd = raw_call6(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
	if (fd < 0 || (raw_call(SYS_fstat, fd, (long)&st, 0) == 0 && is_count(feeder, &st)))
		return fd;
	raw_call(SYS_close, fd, 0, 0);
	return -EINVAL;
}

static uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (size_t i = sizeof number; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

/* The feeder has it for the time of a write that does not wait. */
static bool take_count(long fd, uint32_t patience_ms, uint8_t bytes[COUNT_BYTES])
{
	struct pollfd p = {.fd = (int)fd, .events = POLLIN};
	struct timespec left = {patience_ms / 1000, patience_ms % 1000 * 1000000L};

	/* the kernel counts the time that is left down */
	while (raw_call6(SYS_ppoll, (long)&p, 1, (long)&left, 0, 0, 0) == 1)
		if (raw_call(SYS_read, fd, (long)bytes, COUNT_BYTES) == COUNT_BYTES)
			return true;
	return false;
}

static bool is_open_pipe(uint32_t number, struct stat *st)
{
	return raw_call(SYS_fstat, number, (long)st, 0) == 0 && S_ISFIFO(st->st_mode);
}

/* By whatever number it has it now; NULL: none any more. */
static const struct files_entry *find_pipe(const struct files_held *files, uint64_t inode)
{
	struct stat st;

	for (size_t i = 0; i < files->n; i++)
		if (files->entry[i].kind == FILES_INHERITED &&
			is_open_pipe(files->entry[i].number, &st) && st.st_ino == inode &&
			(raw_call(SYS_fcntl, files->entry[i].number, F_GETFL, 0) & O_ACCMODE) !=
				O_WRONLY)
			return &files->entry[i];
	return NULL;
}

/* What was read by then. What does not read the pipe any more reads nothing again, from wherever
 * that is given: all that was written counts as read, and need not be kept. */
static uint64_t read_by(const struct files_held *files, const struct count *c)
{
	const struct files_entry *e = find_pipe(files, c->inode);
	int unread = 0;

	if (!e)
		return input.from + c->written;
	if (raw_call(SYS_ioctl, e->number, FIONREAD, (long)&unread) != 0 || unread < 0 ||
		(uint64_t)unread > c->written)
		return IMAGE_INPUT_UNKNOWN;
	return input.from + c->written - (uint64_t)unread;
}

static int refuse(char *why, size_t size, const char *text)
{
	size_t at = 0;

	for (; text[at] && at + 1 < size; at++)
		why[at] = text[at];
	why[at] = '\0';
	return -EOPNOTSUPP;
}

/* inode: of the feeder's pipe; 0: there is none. */
static int check_stream(const struct files_held *files, uint64_t inode, char *why, size_t size)
{
	const struct files_entry *e = files_find(files->entry, files->n, 0);
	struct stat st;

	if (!e || e->kind != FILES_INHERITED || raw_call(SYS_fstat, 0, (long)&st, 0) != 0)
		return 0;
	if ((S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) && st.st_ino != inode)
		return refuse(why, size,
			"its standard input comes from another process, not from ftmpirun, and "
			"could not be given again");
	if (S_ISREG(st.st_mode) && raw_call(SYS_lseek, 0, 0, SEEK_CUR) > 0)
		return refuse(why, size,
			"its standard input is a file that cannot be opened again, of which it has "
			"read");
	return 0;
}

int input_note(const struct image_feeder *feeder, const struct files_held *files,
	uint32_t patience_ms, char *why, size_t size)
{
	uint8_t bytes[COUNT_BYTES];
	struct count c;
	long fd;

	input.read = IMAGE_INPUT_UNKNOWN;
	if (!feeder)
		return 0;
	if (feeder->pid == 0)
		return check_stream(files, 0, why, size);
	fd = open_count(feeder);
	if (fd < 0)
		return 0;
	if (take_count(fd, patience_ms, bytes)) {
		c = (struct count){number_at(bytes), number_at(bytes + sizeof c.written)};
		input.read = read_by(files, &c);
		raw_call(SYS_write, fd, (long)bytes, COUNT_BYTES);
		raw_call(SYS_close, fd, 0, 0);
		return check_stream(files, c.inode, why, size);
	}
	raw_call(SYS_close, fd, 0, 0);
	return 0;
}
