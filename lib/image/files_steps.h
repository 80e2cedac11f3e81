/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left to do at a load when all files of an image are open, at numbers that are in nobody's
 * way: none of it can fail for what is there. Pure.
 */
#ifndef FTMPI_IMAGE_FILES_STEPS_H
#define FTMPI_IMAGE_FILES_STEPS_H

#include "files_locks.h"

struct files_step {
	enum {
		FILES_PLACE, /* fd's open file to number `to` */
		FILES_STAY,  /* it is at `to` already, which is fd */
		FILES_CLOSE, /* fd */
		FILES_LOCK   /* by fd */
	} what;
	int fd, to;
	bool close_on_exec;
	struct files_lock lock;
};

/* What was opened for an entry, FILES_NONE of those that nothing is to be opened for: duplicates of
 * others of the image, and what is inherited as this number. It may be the entry's number. */
struct files_opened {
	int fd;
};

/* The descriptors of a process, in any order. */
struct files_numbers {
	const int *number;
	size_t count;
};

/* A number that is the new process's own, and the program's in the image; FILES_NONE. */
int files_in_both(const struct files_entry *e, size_t n, struct files_numbers own);

/* The lowest number above all of these. */
int files_free_from(const struct files_entry *e, size_t n, struct files_numbers here);

/* How many numbers a load needs beside those of n entries: for each what is opened for it, the
 * image's own file, and what is opened now. */
#define FILES_ROOM(n) ((int)(n) + 2)

/* The lowest number from which on FILES_ROOM(n) are none of these, where the limit of descriptors
 * leaves no room above all of them. */
int files_gap(const struct files_entry *e, size_t n, struct files_numbers here);

/* The least limit of descriptors (ulimit -n) with which they can be opened from that gap on, and
 * brought to their numbers. */
int files_limit(const struct files_entry *e, size_t n, struct files_numbers here);

/*
 * opened: for each entry of t. here: what was open before any of these was. The room of out is
 * 2 * t->n + here.count + t->locks. Returns how many steps there are, in their order. Locks of the
 * process (POSIX) come last: the kernel drops them when any descriptor of their file is closed.
 * Others are with what was opened.
 */
size_t files_steps(const struct files_table *t, const struct files_opened *opened,
	struct files_numbers here, struct files_numbers own, struct files_step *out);

#endif
