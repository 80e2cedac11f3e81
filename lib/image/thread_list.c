/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_list.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "raw_call.h"

/* A status has a line with all groups of the user, of which Linux allows 65,536: room for 10,000.
 */
enum { STATUS_BYTES = 128 << 10, LIST_BYTES = 4096 };

/* What getdents64(2) gives. */
struct entry {
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static char text[STATUS_BYTES];
static _Alignas(8) char entries[LIST_BYTES];

static int number_of(const char *name)
{
	int n = 0;

	while (*name >= '0' && *name <= '9')
		n = n * 10 + (*name++ - '0');
	return n;
}

static int look_at(long bytes, int (*look)(int id, void *arg), void *arg)
{
	int rc = 0;

	for (long at = 0; at < bytes && rc == 0;) {
		const struct entry *e = (const struct entry *)(entries + at);

		if (e->name[0] != '.')
			rc = look(number_of(e->name), arg);
		at += e->bytes;
	}
	return rc;
}

int thread_list_each(int (*look)(int id, void *arg), void *arg)
{
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)"/proc/self/task",
		O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	long n = fd;
	int rc = 0;

	while (rc == 0 && n >= 0) {
		n = raw_call(SYS_getdents64, fd, (long)entries, sizeof entries);
		if (n <= 0)
			break;
		rc = look_at(n, look, arg);
	}
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	return n < 0 ? (int)n : rc;
}

static char *put_text(char *to, const char *from)
{
	while (*from)
		*to++ = *from++;
	*to = '\0';
	return to;
}

static char *put_number(char *to, int n)
{
	char digits[12];
	int count = 0;

	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	while (count > 0)
		*to++ = digits[--count];
	return to;
}

/* What this file of a thread has, in text; its length, or -errno. */
static long read_file(int id, const char *name)
{
	char path[64];
	long fd, n, length = 0;

	put_text(put_number(put_text(path, "/proc/self/task/"), id), name);
	fd = raw_call6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return fd;
	do {
		n = raw_call(SYS_read, fd, (long)(text + length), STATUS_BYTES - length);
		length += n > 0 ? n : 0;
	} while (n > 0 && length < STATUS_BYTES);
	raw_call(SYS_close, fd, 0, 0);
	return n < 0 ? n : length;
}

bool thread_list_status(int id, struct thread_status *s)
{
	long length = read_file(id, "/status");

	return length >= 0 && thread_status_parse(text, (size_t)length, s);
}

bool thread_list_call(int id, struct thread_call *c)
{
	long length = read_file(id, "/syscall");

	return length >= 0 && thread_call_parse(text, (size_t)length, c);
}

bool thread_list_waits_for(const struct thread_call *c, int signal)
{
	uint64_t set = 0;
	struct iovec to = {&set, sizeof set}, from;
	long rc;

	if (c->number != SYS_rt_sigtimedwait)
		return false;
	/* by the kernel: it may not be in the call any more, and its stack gone */
	from = (struct iovec){(void *)(uintptr_t)c->argument[0], sizeof set};
	rc = raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)&to, 1,
		(long)&from, 1, 0);
	/* where that is forbidden, it may be waiting for this one */
	return rc < 0 ? rc != -EFAULT : set >> (signal - 1) & 1;
}
