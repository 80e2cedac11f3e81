/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptors of a process: what each of them is, which ones an image can hold, and whether
 * what is found under their names at a load is what the image means. Pure: no system call, no
 * allocation, nothing of libc that takes a lock (files_fits, which only a load calls, formats).
 *
 * Brought back: regular files and folders by their path, with flags and offset; the devices null,
 * zero, full, random and urandom; pipes whose ends are both here, with their contents; descriptors
 * that share an open file share one again. The standard streams that the process was started with,
 * and duplicates of them, are those of the new process; so is what else it was started with and
 * what would be refused otherwise, such as a pipe of the shell: there or not.
 * Refused, so that there is no image: sockets, terminals, other devices, named pipes, pipes to
 * somebody else, files that have lost their name, memory files, and what exists as a descriptor
 * only (epoll, eventfd, timerfd, signalfd, inotify and the like). A pipe counts as the process's
 * alone when both of its ends are here; that a child of it has them, too, is not seen. Locks
 * are in files_locks.h; leases and owners of signals (F_SETOWN, O_ASYNC) are not held.
 */
#ifndef FTMPI_IMAGE_FILES_H
#define FTMPI_IMAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"

struct statx;

enum {
	FILES_MAX = 4096,	      /* descriptors */
	FILES_NUMBER_END = 1 << 20,   /* their numbers are below */
	FILES_PATH_MAX = 4095,	      /* bytes */
	FILES_CONTENTS_MAX = 1 << 20, /* bytes in a pipe */
	FILES_TEXT_MAX = 16 << 20,    /* bytes of paths and contents, all together */
	FILES_STREAMS = 3,
	FILES_INHERITED_MAX = 64,
	FILES_NONE = -1,
};

enum files_kind {
	FILES_OWN,	 /* the library's: nothing is there in a process that wakes up */
	FILES_INHERITED, /* what the process was started with, whichever process it is */
	FILES_REGULAR,
	FILES_FOLDER,
	FILES_DEVICE,
	FILES_PIPE,
	FILES_KINDS,
	FILES_REFUSED = FILES_KINDS
};

/*
 * One descriptor. `same` is the lowest descriptor with the same open file, often itself; of
 * FILES_INHERITED, the number that it was inherited as. Of FILES_OWN, FILES_INHERITED and a
 * duplicate all that follows close_on_exec is 0.
 */
struct files_entry {
	uint32_t number, kind, same;
	uint32_t close_on_exec; /* 1 or 0 */
	uint32_t flags;		/* for open(2) */
	uint32_t length;	/* of text */
	uint64_t offset, size;	/* bytes; of FILES_REGULAR, FILES_FOLDER (no size) */
	uint64_t device, inode; /* at the image; two ends of one pipe have the same */
	uint64_t birth;		/* as files_birth has it; of FILES_REGULAR open for writing */
	uint64_t special;	/* FILES_DEVICE: its number; FILES_PIPE: bytes that it can hold */
	const uint8_t *text;	/* path, not ended by a NUL; of a pipe's first descriptor that
				   reads: contents */
};

/* What the kernel says of a descriptor. */
struct files_facts {
	uint32_t number;
	uint32_t mode, flags; /* st_mode, F_GETFL */
	uint64_t device, inode, special;
	bool own;      /* the library's */
	bool named;    /* the link is a path, and the path leads to this file */
	bool denied;   /* it may not be opened by that path as it is open */
	int inherited; /* the number that it was inherited as; FILES_NONE */
	bool stream;   /* that is a standard stream, and it has the stream's open file */
	bool moved;    /* something else has that number now */
	const char *link;
	size_t length;
};

/* What a process was started with; of more than there is room for, the lowest numbers. */
struct files_inherited {
	size_t n;
	struct {
		uint32_t number, access; /* O_ACCMODE of its flags */
		uint64_t device, inode;
	} of[FILES_INHERITED_MAX];
};

/* FILES_REFUSED: *why is what it is, for a sentence. */
enum files_kind files_kind_for(const struct files_facts *f, const char **why);

/* Of these, what an open(2) at a load is given; the access mode among them. */
uint32_t files_flags_for(enum files_kind kind, uint32_t flags);

/* The number that this file was inherited as, its own if it may be; FILES_NONE. */
int files_inherited_as(const struct files_inherited *from, const struct files_facts *f);

/* A regular file that is open for writing. */
bool files_is_written(const struct files_entry *e);

/* Is one of them a file of this path, open for writing? */
bool files_writes_to(const struct files_entry *e, size_t n, const char *path, size_t length);

/* By its number; NULL. Entries are in the order of their numbers. */
const struct files_entry *files_find(const struct files_entry *e, size_t n, uint32_t number);

/* A pipe of which one end only is among these; NULL: there is none. */
const struct files_entry *files_one_ended(const struct files_entry *e, size_t n);

/* The descriptor that a pipe's contents are with. */
const struct files_entry *files_reader_of(const struct files_entry *e, size_t n, uint64_t inode);

/* A path in /proc/PID as one in /proc/self, in place. Returns its length. */
size_t files_path_of_self(char *path, size_t length, uint32_t pid);

/* A sentence: why there is no image. Ended by a NUL, without control characters. */
void files_refusal(const struct files_facts *f, const char *why, char *out, size_t size);

/* When a file was made, in nanoseconds since 1970; 0: the file system does not say. */
uint64_t files_birth(const struct statx *of);

/* What stat(2) and statx(2) say of an entry's path at a load. */
struct files_here {
	int error; /* 0, or the errno of it */
	uint32_t mode;
	uint64_t size, special, inode;
	uint64_t birth; /* as files_birth has it */
};

/* Can this entry, which has a path, be opened again? If not, why is a sentence. A file that is
 * shorter than the offset cannot, unless it was so at the image; nor can one that was open for
 * writing and has been replaced since. Its inode and birth tell, the latter because the number of
 * an inode is used again; device numbers are each host's own. */
bool files_fits(const struct files_entry *e, const struct files_here *h, char *why, size_t size);

/* Does image_cut bring the file to the length that it had? */
bool files_is_cut(const struct files_entry *e, const struct files_here *h);

#endif
