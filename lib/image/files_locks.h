/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks on files that a process has through its descriptors: of flock(2), and of fcntl(2) those of
 * the process (POSIX) and those of an open file (OFD). A new process takes them again when it has
 * opened the files. Leases are not held. Pure, and nothing of libc is called.
 */
#ifndef FTMPI_IMAGE_FILES_LOCKS_H
#define FTMPI_IMAGE_FILES_LOCKS_H

#include "files.h"

enum {
	FILES_LOCKS_MAX = 4096,
	/* the longest line of a lock has 120 */
	FILES_LOCKS_TEXT_MAX = 512 << 10,
};

enum files_lock_kind { FILES_FLOCK, FILES_POSIX, FILES_OFD, FILES_LOCK_KINDS };

struct files_lock {
	uint32_t number;      /* of the lowest descriptor with the open file that has it */
	uint32_t kind, write; /* enum files_lock_kind; 1, or 0: shared with others that read */
	uint64_t start, end;  /* the first byte and the last; FILES_LOCK_END: to the end of the
				 file, however long it becomes. Of FILES_FLOCK all of them. */
};

#define FILES_LOCK_END ((uint64_t)INT64_MAX)

/* All of a process: entries in the order of their numbers. */
struct files_table {
	struct files_entry *entry;
	size_t n;
	struct files_lock *lock;
	size_t locks;
};

/*
 * What descriptor `number` has, from the text of its file in /proc/self/fdinfo, all of it; at most
 * max go to out. Returns how many there are; -1: one that is not understood.
 */
long files_locks_parse(
	const char *text, size_t length, uint32_t number, struct files_lock *out, size_t max);

/* May this descriptor have locks that an image holds? */
bool files_may_lock(const struct files_entry *e);

/* Is there such a lock, on one of these n descriptors? */
bool files_lock_is_sound(const struct files_lock *l, const struct files_entry *e, size_t n);

#endif
