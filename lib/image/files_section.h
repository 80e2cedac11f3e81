/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of IMAGE_FILES: the number of entries (32 bits), then each of them, in the order of
 * their numbers: number, kind, same, close_on_exec, flags, length (32 bits each), offset, size,
 * device, inode, special, birth (64 bits each), and `length` bytes of text. Little-endian; flags
 * are those of the machine. Pure.
 */
#ifndef FTMPI_IMAGE_FILES_SECTION_H
#define FTMPI_IMAGE_FILES_SECTION_H

#include "files.h"

enum {
	FILES_ENTRY_BYTES = 72,
	FILES_SECTION_MAX = 4 + FILES_MAX * FILES_ENTRY_BYTES + FILES_TEXT_MAX,
};

/* Returns how many bytes of out they are; 0: more than size. */
size_t files_section_write(const struct files_entry *e, size_t n, uint8_t *out, size_t size);

/*
 * All that files.h says of entries has been checked in what is returned; text points into bytes.
 * How many there are, at most FILES_MAX, for which out has the room; -1: it is no such section.
 */
int files_section_read(const uint8_t *bytes, size_t length, struct files_entry *out);

#endif
