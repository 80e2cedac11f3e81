/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A disk for the keeper's files, in memory: one folder. What was not flushed may be lost in a
 * crash, and any operation can be made to fail. It also does what disks do that one does not
 * expect: a write that fails has written a part; what a flush could not write is not written by the
 * next one either.
 */
#ifndef FTMPI_TESTS_FAKE_DISK_H
#define FTMPI_TESTS_FAKE_DISK_H

#include <stdbool.h>

#include "keeper/disk.h"

enum { FAKE_FILES = 16, FAKE_INODES = 64 };

struct fake_inode {
	uint8_t *now, *safe; /* as programs see it; as it is after a crash */
	size_t now_len, safe_len;
	size_t gone_from, gone_to; /* bytes that a flush could not write: never written */
};

struct fake_name {
	char path[128];
	int now, safe; /* inode; -1: the name is not there */
};

struct fake_disk {
	struct disk disk; /* the first member */
	struct fake_inode inodes[FAKE_INODES];
	struct fake_name names[FAKE_FILES];
	int n_inodes, n_names;
	unsigned ops;	    /* those that change something, up to now */
	unsigned fail_at;   /* this one fails; 0: none */
	unsigned crash_at;  /* this one and all after it fail: the process is about to die */
	unsigned long room; /* bytes that can be written before the disk is full; 0: no limit */
	unsigned long written;
};

void fake_disk_init(struct fake_disk *d);
void fake_disk_free(struct fake_disk *d);

/* What of the bytes that were not flushed is there after a crash. */
enum fake_tail { FAKE_NONE, FAKE_ALL, FAKE_PART, FAKE_ZEROS, FAKE_TAILS };

/* The machine crashes. names: those that were not flushed have survived, too. */
void fake_disk_crash(struct fake_disk *d, enum fake_tail tail, bool names);

/* The bytes of the file that has this name now; NULL: there is none. */
struct fake_inode *fake_disk_file(struct fake_disk *d, const char *path);

/* A file with these bytes, durable. */
void fake_disk_put(struct fake_disk *d, const char *path, const void *bytes, size_t len);

#endif
