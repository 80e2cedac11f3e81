/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mappings of a process, out of the text of /proc/PID/maps (proc_pid_maps(5)). Pure: no system
 * call, no allocation, nothing of libc that takes a lock, so the child of a fork may use it at any
 * moment.
 */
#ifndef FTMPI_IMAGE_PROCESS_MAP_H
#define FTMPI_IMAGE_PROCESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind {
	REGION_ANONYMOUS, /* private memory without a file, with or without a name of its own */
	REGION_FILE,	  /* of a file, private */
	REGION_SHARED,	  /* of a file or none, shared with others */
	REGION_STACK,	  /* of the first thread: grows by itself */
	REGION_HEAP,	  /* what brk(2) moves */
	REGION_KERNEL,	  /* the kernel's own: vdso, vvar, vsyscall and the like */
};

struct region {
	uint64_t low, high; /* addresses: the first one, and the one behind the last */
	uint64_t offset;    /* in the file */
	uint64_t inode;	    /* 0: no file */
	uint32_t major, minor;
	enum region_kind kind;
	bool readable, writable, executable;
	bool deleted; /* the file has no name any more */
	/* of /proc/PID/smaps (process_smaps.h); else false */
	bool changed;	  /* it has pages that are the process's own: no file has them */
	bool may_write;	  /* mprotect(2) may let it be written */
	bool grows;	  /* downward, as a stack does */
	bool huge;	  /* pages of hugetlbfs, which are in no count of what is changed */
	bool shadow;	  /* a shadow stack */
	bool keyed;	  /* it has a protection key */
	bool loader;	  /* the code that loads an image runs here, in the process that loads */
	uint64_t held;	  /* of one whose every page an image holds: the address behind the last of
			     them */
	const char *name; /* as it stands in the text, not ended by a NUL; empty: none */
	size_t name_length;
};

/*
 * At most max regions of the text, by address. Returns how many; more than max: so many there are
 * at least, and what was written makes no whole; -1: line *bad_line (from 1) is none of a process's
 * map, or comes out of order.
 */
long process_map_parse(
	const char *text, size_t length, struct region *regions, size_t max, size_t *bad_line);

/*
 * The heap begins at start, a page's, and ends at end, a page's, too: what lies before or behind it
 * in one region, as where all memory is locked (mlockall), or memory was mapped right there, is
 * memory without a file. Of count regions; there is room for two more. Returns how many there are
 * now.
 */
size_t process_map_split_heap(struct region *regions, size_t count, uint64_t start, uint64_t end);

/* Parts of the first thread's stack that mprotect(2) has split off have no name: all that lies
 * below or above it without a gap, and grows as it does, is its. */
void process_map_join_stack(struct region *regions, size_t count);

/* The region that this address lies in; NULL. */
const struct region *process_map_find(const struct region *regions, size_t count, uint64_t address);

bool region_name_begins(const struct region *r, const char *with);

#endif
