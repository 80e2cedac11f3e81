/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library writes beyond RLIMIT_FSIZE fails, and no signal comes of it; what the program
 * writes is its own affair. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ckpt/fs.h"
#include "unit.h"

enum { LIMIT = 4096 };

static const struct ckpt_fs *fs = &ckpt_fs_posix;
static char text[2 * LIMIT];
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static int file(void)
{
	char name[] = "/tmp/ftmpi-limit-XXXXXX";
	struct rlimit r = {LIMIT, LIMIT};
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	unlink(name);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
	return fd;
}

static void library_writes(int fd)
{
	struct iovec iov = {text, sizeof text};

	ck_assert_int_eq(fs->write(fs, fd, &iov, 1, 0), -EFBIG);
	iov = (struct iovec){text, 10};
	ck_assert_int_eq(fs->write(fs, fd, &iov, 1, 0), 0);
}

static void program_writes(int fd)
{
	errno = 0;
	ck_assert_int_eq(pwrite(fd, text, 1, LIMIT), -1);
	ck_assert_int_eq(errno, EFBIG);
}

static bool is_blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGXFSZ) == 1;
}

static bool is_pending(void)
{
	sigset_t now;

	sigpending(&now);
	return sigismember(&now, SIGXFSZ) == 1;
}

/* The default is to die of it. */
START_TEST(a_process_without_a_handler_lives)
{
	int fd = file();

	library_writes(fd);
	fs->reserve(fs, fd, sizeof text);
	ck_assert(!is_blocked());
	ck_assert(!is_pending());
}
END_TEST

START_TEST(a_handler_is_called_for_the_program_alone)
{
	int fd = file();

	signal(SIGXFSZ, on_signal);
	library_writes(fd);
	ck_assert_int_eq(signals, 0);
	program_writes(fd);
	ck_assert_int_eq(signals, 1);
	library_writes(fd);
	ck_assert_int_eq(signals, 1);
}
END_TEST

START_TEST(a_signal_that_waits_for_the_program_still_does)
{
	int fd = file();
	sigset_t set;

	signal(SIGXFSZ, on_signal);
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	library_writes(fd);
	ck_assert(is_blocked());
	ck_assert(!is_pending());
	program_writes(fd);
	ck_assert(is_pending());
	library_writes(fd);
	ck_assert(is_pending());
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	ck_assert_int_eq(signals, 1);
}
END_TEST

UNIT_MAIN("file_limit", tcase_add_test(tc, a_process_without_a_handler_lives);
	  tcase_add_test(tc, a_handler_is_called_for_the_program_alone);
	  tcase_add_test(tc, a_signal_that_waits_for_the_program_still_does);)
