/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of IMAGE_FILES: the number of entries (32 bits), then each of them, in the order of
 * their numbers: number, kind, same, close_on_exec, flags, length (32 bits each), offset, size,
 * device, inode, special, birth (64 bits each), and `length` bytes of text. Then the number of
 * locks (32 bits), and each of them: number, kind, write (32 bits each), start, end (64 bits each).
 * Little-endian; flags are those of the machine. Pure.
 */
#ifndef FTMPI_IMAGE_FILES_SECTION_H
#define FTMPI_IMAGE_FILES_SECTION_H

#include "files_locks.h"

enum {
	FILES_ENTRY_BYTES = 72,
	FILES_LOCK_BYTES = 28,
	FILES_SECTION_MAX = 4 + FILES_MAX * FILES_ENTRY_BYTES + FILES_TEXT_MAX + 4 +
			    FILES_LOCKS_MAX * FILES_LOCK_BYTES,
};

/* Returns how many bytes of out they are; 0: more than size. */
size_t files_section_write(const struct files_table *t, uint8_t *out, size_t size);

/*
 * All that files.h and files_locks.h say of entries and locks has been checked in what is returned;
 * text points into bytes. out has room for FILES_MAX and FILES_LOCKS_MAX of them. False: it is no
 * such section, and there is nothing in out.
 */
bool files_section_read(const uint8_t *bytes, size_t length, struct files_table *out);

#endif
