/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The time for standard output, whose reader may be slow, and then for all other streams: a thread
 * that waits for input holds the lock of its stream. */
enum { PRINTED_SECONDS = 5, OTHERS_SECONDS = 1 };

/* ---- at the start ---- */

static bool nobody_chose(FILE *f)
{
	return __fbufsize(f) == 0 && !__flbf(f);
}

/* A file that a script has redirected it to, or a terminal, is left as it is. */
void output_by_lines(void)
{
	struct stat s;

	if (getenv("FTMPI_CONTROL_FD") && fstat(STDOUT_FILENO, &s) == 0 && S_ISFIFO(s.st_mode) &&
		nobody_chose(stdout))
		setvbuf(stdout, NULL, _IOLBF, 0);
}

/* ---- before the end ---- */

/* std::ostream::flush, std::cout and std::clog of libstdc++, and Fortran's FLUSH of all units:
 * there in programs that have these libraries. */
extern void *cxx_flush(void *stream) __asm__("_ZNSo5flushEv") __attribute__((weak));
extern char cxx_cout[] __asm__("_ZSt4cout") __attribute__((weak));
extern char cxx_clog[] __asm__("_ZSt4clog") __attribute__((weak));
extern void _gfortran_flush_i4(int32_t *unit) __attribute__((weak));

static sem_t printed, all;

/* In a program in C that only uses some library in C++ the object may never have been made: it is
 * zeroes then, where it would begin with a pointer. */
static void flush_cxx(char *stream)
{
	void *first = NULL;

	if (cxx_flush && stream)
		memcpy(&first, stream, sizeof first);
	if (first)
		cxx_flush(stream);
}

static void *flush_streams(void *arg)
{
	fflush(stdout);
	flush_cxx(cxx_cout);
	flush_cxx(cxx_clog);
	sem_post(&printed);
	if (_gfortran_flush_i4)
		_gfortran_flush_i4(NULL);
	fflush(NULL);
	sem_post(&all);
	return arg;
}

static void wait_for(sem_t *done, time_t seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	while (sem_timedwait(done, &until) != 0 && errno == EINTR)
		;
}

void output_flush(void)
{
	pthread_t thread;

	sem_init(&printed, 0, 0);
	sem_init(&all, 0, 0);
	if (pthread_create(&thread, NULL, flush_streams, NULL) != 0) {
		if (ftrylockfile(stdout) == 0)
			fflush(stdout);
		return;
	}
	wait_for(&printed, PRINTED_SECONDS);
	wait_for(&all, OTHERS_SECONDS);
}
