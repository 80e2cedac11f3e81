/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

enum { FAULTS_MAX = 16, NAME_MAX_BYTES = 48, ANY = -1 };

struct fault {
	char point[NAME_MAX_BYTES];
	long rank, epoch, nth;
	int action;	   /* > 0: errno; else below */
	unsigned delay_ms; /* of DELAY */
	atomic_long passed;
};

enum { KILL = -1, STOP = -2, SEGV = -3, EXIT = -4, DELAY = -5 };

enum { DELAY_MAX_MS = 60000 };

static const struct {
	const char *name;
	int action;
} actions[] = {
	{"kill", KILL},
	{"stop", STOP},
	{"segv", SEGV},
	{"exit", EXIT},
	{"ENOSPC", ENOSPC},
	{"EIO", EIO},
	{"EROFS", EROFS},
	{"EACCES", EACCES},
	{"ESTALE", ESTALE},
	{"EMFILE", EMFILE},
	{"ENOMEM", ENOMEM},
};

bool fault_armed;
static struct fault faults[FAULTS_MAX];
static size_t nfaults;
static int own_rank;
static uint32_t own_epoch;
static _Atomic uint64_t full_until; /* of clock_ns; 0: there is room */

static bool number_or_any(const char *text, long *out)
{
	char *end;

	*out = ANY;
	if (strcmp(text, "*") == 0)
		return true;
	*out = strtol(text, &end, 10);
	return isdigit((unsigned char)*text) && *end == '\0';
}

/* "250ms" */
static bool parse_delay(const char *text, struct fault *f)
{
	char *end;
	long ms = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || strcmp(end, "ms") != 0 || ms < 1 || ms > DELAY_MAX_MS)
		return false;
	f->action = DELAY;
	f->delay_ms = (unsigned)ms;
	return true;
}

static bool parse_one(char *text, struct fault *f)
{
	char *field[5];
	size_t n = 0;

	for (char *p = text; p && n < 5; n++)
		field[n] = strsep(&p, ":");
	if (n != 5 || !*field[0] || strlen(field[0]) >= sizeof f->point ||
		!number_or_any(field[1], &f->rank) || !number_or_any(field[2], &f->epoch) ||
		!number_or_any(field[3], &f->nth))
		return false;
	strcpy(f->point, field[0]);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, field[4]) == 0)
			f->action = actions[i].action;
	return f->action != 0 || parse_delay(field[4], f);
}

static _Noreturn void refuse(const char *text)
{
	log_error("FTMPI_FAULT: '%s' is not POINT:RANK:EPOCH:N:ACTION", text);
	_exit(1);
}

static void parse(const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;

	while (copy && (word = strsep(&rest, ","))) {
		char original[128];

		snprintf(original, sizeof original, "%s", word);
		if (nfaults == FAULTS_MAX || !parse_one(word, &faults[nfaults]))
			refuse(original);
		nfaults++;
	}
	free(copy);
}

void fault_configure(int rank, uint32_t epoch)
{
	const char *list = getenv("FTMPI_FAULT");

	own_rank = rank;
	own_epoch = epoch;
	full_until = 0; /* in an image: of another process's clock, maybe */
	if (fault_armed || !list || !*list)
		return;
	parse(list);
	fault_armed = true;
}

/* Threads of the library block signals. */
static void crash(void)
{
	sigset_t segv;

	signal(SIGSEGV, SIG_DFL);
	sigemptyset(&segv);
	sigaddset(&segv, SIGSEGV);
	pthread_sigmask(SIG_UNBLOCK, &segv, NULL);
	raise(SIGSEGV);
}

/* All of it, also where the program's signals interrupt. */
static void delay(unsigned ms)
{
	struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static int act(const struct fault *f)
{
	switch (f->action) {
	case KILL:
		kill(getpid(), SIGKILL);
		for (;;)
			pause();
	case STOP:
		raise(SIGSTOP); /* of this thread: another one would stop it a little later */
		return 0;
	case SEGV:
		crash();
		return 0;
	case EXIT:
		_exit(3);
	case DELAY:
		delay(f->delay_ms);
		return 0;
	default:
		return f->action;
	}
}

void fault_disk_full(uint32_t ms)
{
	uint64_t until = clock_ns() + (uint64_t)ms * 1000000;

	if (ms == 0)
		until = 0;
	full_until = ms == FAULT_ALWAYS ? UINT64_MAX : until;
	if (ms > 0)
		fault_armed = true;
}

static bool has_no_room(const char *point)
{
	uint64_t until = full_until;

	return until > 0 &&
	       (strcmp(point, "ckpt-write") == 0 || strcmp(point, "manifest-write") == 0) &&
	       clock_ns() < until;
}

int fault_reached(const char *point)
{
	if (has_no_room(point))
		return ENOSPC;
	for (size_t i = 0; i < nfaults; i++) {
		struct fault *f = &faults[i];

		if (strcmp(f->point, point) != 0 || (f->rank != ANY && f->rank != own_rank) ||
			(f->epoch != ANY && f->epoch != (long)own_epoch))
			continue;
		if (f->nth == ANY || atomic_fetch_add(&f->passed, 1) + 1 == f->nth)
			return act(f);
	}
	return 0;
}
