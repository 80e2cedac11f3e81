/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process was started with: the words and all else that a program finds when it begins. And
 * the same as bytes without pointers, which outlast that all other memory is exchanged for that of
 * an image. Pure: nothing here looks at the process.
 */
#ifndef FTMPI_LAUNCH_STARTED_H
#define FTMPI_LAUNCH_STARTED_H

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

enum { STARTED_FDS_MAX = 64 };

struct started_fd {
	int fd, flags; /* flags: as F_GETFL has them */
	uint64_t dev, ino;
};

struct started {
	bool whole;		/* all of it is known; else nothing else means anything */
	char **argv, **envp;	/* each is one piece of malloc'ed memory; owned */
	char program[PATH_MAX]; /* the name that was executed */
	char cwd[PATH_MAX];
	sigset_t mask, ignored;
	bool know_processors;
	cpu_set_t processors;
	uint32_t umask;
	uint64_t limits[RLIM_NLIMITS]; /* soft ones; on that of the stack addresses depend */
	struct started_fd fds[STARTED_FDS_MAX]; /* by number */
	size_t nfds;
};

/* A copy of a list of strings that ends in NULL: the list and the strings in one piece, the
 * caller's. NULL: no memory. */
char **started_words(char *const *words);

/* What it owns is freed, and it knows nothing. */
void started_free(struct started *s);

/* How many bytes it becomes: of one that is whole. */
size_t started_bytes(const struct started *s);

/* Writes them. */
void started_encode(const struct started *s, uint8_t *out);

/* 0, or FT_EPROTO: these are not len bytes that started_encode has written, FT_ENOMEM. *s is set
 * only on success; it takes at most nine times as much memory as they do. */
int started_decode(struct started *s, const uint8_t *bytes, size_t len);

#endif
